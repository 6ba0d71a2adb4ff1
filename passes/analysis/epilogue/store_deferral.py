"""Whether the store of a tile can wait until the products of the next tile run.

A tile then waits in registers in the form in which it is stored, together with the accumulators of
the next one. So it has to be computed from the products element by element, and nothing may follow
the store. Slices of a tile (`nv-tileas-slice-tiles`) wait together.
"""

from typing import Any

from tilec.ir.structured import (
    body_operations,
    parent_operation,
    walk_operations,
)
from tilec.passes.analysis.epilogue.accumulator_stores import accumulator_axes
from tilec.passes.analysis.epilogue.slice_groups import slice_group
from tilec.passes.analysis.facts.element_accesses import element_effect
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.passes.analysis.kernels import TiledAccess, tiled_access
from tilec.passes.analysis.mma.k_loops import why_not_bounds
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.support.fast_dataclasses import dataclass

_STORE = "nv_tileas.tiled_store"
_RANK = 2
"""Fewest dims of the array: no tile lies past the end of the last dim but one."""


@dataclass(frozen=True)
class DeferrableStore:
    """A store that can wait.

    Attributes:
        slices: The stores of its slices in their order; a single one of a whole tile.
        dot: The product in whose shadow the store of the tile before can stand.
        loop: The loop of the product.
    """

    slices: tuple[TiledAccess, ...]
    dot: Any
    loop: Any


def deferrable_store(block: Any) -> DeferrableStore | str:
    """Return the store of a tile's operations that can wait, or why there is none.

    Args:
        block: The operations of one tile: a kernel before roles have loops over tiles, or the body
            of such a loop in a consumer.
    """
    ops = list(walk_operations(block))
    dots = [op for op in ops if op.name == DOT]
    stores = [op for op in ops if op.name == _STORE]
    if len(dots) != 1 or not stores or not _is_one_result(stores):
        return f"the kernel has {len(dots)} products and {len(stores)} stores, not one of each"
    if element_effect(ops) is not None:
        return "the kernel stores or changes single elements, too"
    dot, slices = dots[0], tuple(map(tiled_access, stores))
    if not all(map(_is_tma_of_whole, slices)) or len(slices[0].coords) < _RANK:
        return "the result is not stored by TMA to a whole array"
    loop = parent_operation(dot)
    if loop.name != "scf.for" or loop.block != block or slices[0].op.block != block:
        return "the mma is in no loop of its own, or the store is in a loop or a branch"
    if why_not_wgmma(dot, 1) is not None:
        return "the mma does not run on wgmma"
    if (defect := why_not_bounds(loop, ops)) is not None:
        return defect
    first, _, step = map(constant_value, list(loop.operands)[:3])
    if first is None or step != 1:
        return "the loop over k-tiles does not start at a constant with steps of 1"
    if any(accumulator_axes(access.value) is None for access in slices):
        return "the result is not computed from the products element by element"
    last = slices[-1].op
    if last != body_operations(block)[-2] or next(iter(last.results[0].uses), None):
        return "something follows the store"
    return DeferrableStore(slices, dot, loop)


def _is_tma_of_whole(access: TiledAccess) -> bool:
    """Tell whether TMA stores to a whole array. The slice of one tile is not that of the next."""
    return access.uses_tma and not slice_starts(access.view)


def _is_one_result(stores: list[Any]) -> bool:
    """Tell whether `stores` are one store, or all slices of one."""
    groups = {slice_group(store) for store in stores}
    return len(stores) == 1 or (len(groups) == 1 and None not in groups)
