"""Whether the CTAs of a cluster can compute a block together, each a part of its tiles.

Each CTA runs the whole kernel. A tile of many elements is divided among the CTAs, a smaller tile or
a scalar is computed by all of them. So whatever combines elements of different CTAs must be known
(`nv-tileas-gather-in-clusters` handles reductions and scans), and what has an effect
must happen once: stores of tiles do, as threads that hold the same elements store them once.
Nothing orders the accesses of different CTAs to global memory.
"""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from tilec.dialects.common.accesses import must_happen
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import ir
from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.memory_tokens import follows_store, token_sources
from tilec.passes.analysis.facts.unit_views import is_unit_view
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_operations,
    tiled_access,
)

SPREADABLE = frozenset(
    f"nv_tileas.{name}"
    for name in (
        *("make_memref", "slice_base", "create_mem_token", "join_mem_token"),
        *("tiled_load", "tiled_store", "gather", "get_program_id", "get_num_programs"),
        *("make_range", "splat", "broadcast", "view", "reduce", "scan", "yield_values"),
    )
)
"""Operations of nv_tileas that CTAs can share. All operations of other dialects work on scalars, or
element by element."""


def why_not_spread(function: Any, accesses: list[TiledAccess], ctas: int, warps: int) -> str | None:
    """Return why the CTAs of a cluster cannot compute a block of a kernel together, or None.

    Args:
        function: The kernel, before roles.
        accesses: Its tiled loads and stores.
        ctas: How many CTAs.
        warps: Warps of each.
    """
    for op in kernel_operations(function):
        reason = _why_not(op)
        if reason is not None:
            return reason
    shapes = _shapes(function)
    most = max(map(prod, shapes), default=1)
    for shape in shapes:
        if 2 * prod(shape) > most and _first_divided(shape, ctas) is None:
            extents = "x".join(map(str, shape))
            return f"no extent of a tile of {extents} is a multiple of {ctas}"
    for access in accesses:
        if not any(not atom.is_tma for atom in access.op.opview.legal_atoms):
            return "only TMA may move a tile, which it does whole"
        before = _before(access)
        if not all(map(_same_tiles(access), before)):
            return _OTHER_TILES
        if before and not _is_divided(access, ctas * warps * WARP_LANES, most):
            return "each CTA may load all of a tile that one of them stores"
    return None


_OTHER_TILES = "an access comes after one of other tiles of the array, maybe by another CTA"


def _why_not(op: Any) -> str | None:
    if not op.name.startswith("nv_tileas."):
        return None
    short = op.name.removeprefix("nv_tileas.")
    if op.name not in SPREADABLE:
        return f"its CTAs cannot share '{short}'"
    if is_element_access(op):
        if must_happen(op):
            return f"each CTA would perform '{short}'"
        if follows_store(op):
            return _OTHER_TILES
    if short == "view" and not is_unit_view(op):
        return "elements of different CTAs change places in a reshaped tile"
    return None


def _shapes(function: Any) -> set[tuple[int, ...]]:
    """Return the extents of all tiles of a kernel."""
    results = (result.type for op in kernel_operations(function) for result in op.results)
    return {tuple(type_.shape) for type_ in results if isinstance(type_, ir.RankedTensorType)}


def _first_divided(shape: Iterable[int], ctas: int) -> int | None:
    """Return the axis that CTAs divide if they divide a tile (`spread_axis`), or None."""
    return next((axis for axis, extent in enumerate(shape) if extent % ctas == 0), None)


def _is_divided(access: TiledAccess, threads: int, most: int) -> bool:
    """Tell whether each CTA surely has a part of a tile of its own, not all of it.

    A tile with the most elements is divided if each thread has one of them (`spread_axis`). Others
    may lie as they are needed for a larger tile, along which they are repeated.
    """
    return prod(_extents(access)) == most >= threads


def _before(access: TiledAccess) -> list[Any]:
    """Return the accesses that an access waits for."""
    return [] if access.token is None else list(token_sources(access.token))


def _same_tiles(access: TiledAccess) -> Callable[[Any], bool]:
    """Return what tells whether an operation accesses the same array in the same tiles.

    Then the two tiles are the same or have nothing in common, and each CTA has the same part of
    both: what one CTA does needs no order with what another one does.
    """

    def tells(op: Any) -> bool:
        if not is_tiled_access(op):
            return False
        other = tiled_access(op)
        same = other.view == access.view and _extents(other) == _extents(access)
        return same and _is_aligned(other) and _is_aligned(access)

    return tells


def _is_aligned(access: TiledAccess) -> bool:
    """Tell whether a tile lies at a multiple of its extents."""
    if "coord_div_by" not in access.op.attributes:
        return False
    divisors = elements_of(access.op.attributes["coord_div_by"])
    return all(by % extent == 0 for by, extent in zip(divisors, _extents(access), strict=True))


def _extents(access: TiledAccess) -> tuple[int, ...]:
    return tuple(ir.RankedTensorType(access.tile_type).shape)
