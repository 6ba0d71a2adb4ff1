"""Rules on the extents of a tile, shared by the dialects that hold tiles.

The published cuda_tile dialect wants every extent to be a power of two. Only the cuda_tile verifier
asks for that here, and the unit attribute `cuda_tile.any_extent` on the module lifts it; layouts
and passes must not rely on it. The element cap always holds.
"""

from collections.abc import Sequence
from typing import Any

MAX_TILE_ELEMENTS = 1 << 24
"""Most elements of one tile (cuda_tile dialect 13.1)."""

ANY_EXTENT_ATTRIBUTE = "cuda_tile.any_extent"
"""Unit attribute of the module that allows extents that are not powers of two."""


def allows_any_extent(op: Any) -> bool:
    """Tell whether a module around `op` lifts the power-of-two rule."""
    parent = op.operation.parent
    while parent is not None:
        if ANY_EXTENT_ATTRIBUTE in parent.operation.attributes:
            return True
        parent = parent.operation.parent
    return False


def find_extent_error(shape: Sequence[int], op: Any) -> str | None:
    """Return what is wrong with the extents of a tile.

    Args:
        shape: Extents in elements; a dynamic extent is negative.
        op: Operation that the tile belongs to; its module says whether any extent is allowed.

    Returns:
        The message, in the words of the published dialect, or None when the shape is legal.
    """
    elements = 1
    all_powers = True
    for extent in shape:
        if extent <= 0:
            return f"all dimensions must be positive constants, got {list_extents(shape)}"
        elements *= extent
        all_powers = all_powers and extent & (extent - 1) == 0
    if not all_powers and not allows_any_extent(op):
        return f"all dimensions must be powers of two, got {list_extents(shape)}"
    if elements > MAX_TILE_ELEMENTS:
        return f"tile would exceed the maximum of {MAX_TILE_ELEMENTS} elements"
    return None


def list_extents(shape: Sequence[int]) -> str:
    """Return extents as `128, 64`; a dynamic extent is `?`."""
    return ", ".join("?" if extent < 0 else str(extent) for extent in shape)
