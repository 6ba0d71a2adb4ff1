"""Whether the store of a tile can wait until the products of the next tile run.

A tile then waits in registers as it is stored, beside the accumulators of the next one. So nothing
may stand between the products and the store but conversions, transposes and changes of shape, and
nothing behind the store.
"""

from typing import Any

from tilec.ir.structured import (
    body_operations,
    defining_operation,
    parent_operation,
    walk_operations,
)
from tilec.passes.analysis.index_ranges import constant_value
from tilec.passes.analysis.kernels import TiledAccess, tiled_access
from tilec.passes.analysis.matmul import wgmma_defect
from tilec.passes.analysis.multicast import dependences
from tilec.passes.analysis.operands import DOT
from tilec.records import dataclass

_STORE = "nv_tileas.tiled_store"
_CONVERSIONS = ("arith.extf", "arith.truncf", "nv_tileas.permute", "nv_tileas.view")
"""What takes no registers: conversions, and other names for the same elements."""
_RANK = 2
"""Fewest dims of the array: what is no tile begins behind the end of the last dim but one."""


@dataclass(frozen=True)
class DeferrableStore:
    """A store that can wait.

    Attributes:
        access: The store.
        dot: The product in whose shadow the store of the tile before can stand.
        loop: The loop of the product.
    """

    access: TiledAccess
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
    if len(dots) != 1 or len(stores) != 1:
        return f"the kernel has {len(dots)} products and {len(stores)} stores, not one of each"
    dot, access = dots[0], tiled_access(stores[0])
    if not access.uses_tma or len(access.coords) < _RANK:
        return "the result does not leave by TMA"
    loop = parent_operation(dot)
    if loop.name != "scf.for" or loop.block != block or access.op.block != block:
        return "the mma stands in no loop of its own, or the store in a loop or a branch"
    if wgmma_defect(dot, 1) is not None:
        return "the mma runs on the CUDA cores"
    ids = {op for op in ops if op.name == "nv_tileas.get_program_id"}
    if dependences(list(loop.operands)[:2], ids):
        return "the number of k-tiles depends on the block"
    first, _, step = map(constant_value, list(loop.operands)[:3])
    if first is None or step != 1:
        return "the loop over k-tiles does not go from a constant in steps of 1"
    if _product(access.value) != loop:
        return "the epilogue computes"
    if access.op != body_operations(block)[-2] or next(iter(access.op.results[0].uses), None):
        return "something follows the store"
    return DeferrableStore(access, dot, loop)


def _product(tile: Any) -> Any:
    """Return what gives the tile that is stored, but for conversions."""
    op = defining_operation(tile)
    while op is not None and op.name in _CONVERSIONS:
        op = defining_operation(op.operands[0])
    return op
