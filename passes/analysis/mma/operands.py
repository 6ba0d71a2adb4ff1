"""Operands of products: where a tile in registers is only a name for one in shared memory."""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.structured import defining_operation
from tilec.layout import differ_in_units
from tilec.passes.analysis.kernels import is_tiled_access, tiled_access

VIEWS = ("nv_tileaa.view", "nv_tileas.view")
DOT = "nv_tileas.dot"
_PERMUTE = "nv_tileas.permute"


def is_unit_view(op: Any) -> bool:
    """Tell whether `op` only adds or drops dims of extent 1 of a tile."""
    if op is None or op.name not in VIEWS:
        return False
    return differ_in_units(op.operands[0].type.shape, op.results[0].type.shape)


def behind_unit_views(tile: Any) -> Any:
    """Return the tile that `tile` is a view of, as long as views only add or drop unit dims."""
    op = defining_operation(tile)
    while is_unit_view(op):
        tile = op.operands[0]
        op = defining_operation(tile)
    return tile


def loaded_operand(operand: Any) -> Any:
    """Return the tile whose place in shared memory a product reads for `operand`, if it has one.

    That is the tile which `operand` is a view of, if both have the same contiguous axis.
    """
    tile = behind_unit_views(operand)
    return tile if tile.type.shape[-1:] == operand.type.shape[-1:] else operand


def staging_reason(operand: Any) -> str | None:
    """Return why threads put an operand of a product into shared memory.

    None for one that TMA loads: it is read where it lies.
    """
    source = defining_operation(loaded_operand(operand))
    if source is not None and source.name == _PERMUTE and _is_loaded(source.operands[0]):
        size = box_bytes(operand.type.shape, operand.type.element_type)
        bits = element_bits(operand.type.element_type)
        return (
            f"wgmma reads {bits}-bit elements only where K is contiguous, so threads transpose "
            f"{size} bytes of shared memory for every product; in an array whose K is contiguous "
            "they lie as needed"
        )
    if source is None or not is_tiled_access(source):
        return "it is computed, as padding with anything but zeros is, and padding of a slice"
    return None if tiled_access(source).uses_tma else "it is loaded without TMA"


def _is_loaded(tile: Any) -> bool:
    source = defining_operation(behind_unit_views(tile))
    return source is not None and is_tiled_access(source)


def staged_bytes(operand: Any) -> int:
    """Return the shared memory of the buffer that an operand of a product is staged in."""
    if staging_reason(operand) is None:
        return 0
    return box_bytes(operand.type.shape, operand.type.element_type)


def dot_uses(tile: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (dot, operand) for every `dot` that multiplies `tile` or a unit view of it."""
    for use in tile.uses:
        op = use.owner.operation
        if op.name == DOT and use.operand_number < 2:
            yield op, tile
        elif is_unit_view(op):
            yield from dot_uses(op.results[0])
