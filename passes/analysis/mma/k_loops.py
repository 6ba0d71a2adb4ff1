"""Whether the k-tiles of a tile can be divided among CTAs, or be visited backwards.

Both take a loop over k-tiles that is nothing but a sum of products.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.nv_tileaa.types import MemTokenType
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.structured import (
    LOOPS,
    defining_operation,
    enclosing_loops,
    enclosing_operations,
    terminator,
)
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.facts.element_accesses import element_effect
from tilec.passes.analysis.kernels import function_body, kernel_operations
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.tma.multicast import dependences

PARTIAL_BYTES = 4
"""Size of an element of the partial sums that CTAs exchange."""
_STORE = "nv_tileas.tiled_store"
_STEPS = 1 << 16
"""Steps below it keep the first k-tile of every split in 32 bits."""


def why_not_split(function: Any) -> str | None:
    """Return why the k-tiles of a kernel's tiles stay as they are, or None when they need not.

    What follows the loop over k-tiles runs once per tile, on the whole sum, so it may be anything.
    """
    ops = kernel_operations(function)
    dots = [op for op in ops if op.name == DOT]
    if len(dots) != 1:
        return f"the kernel has {len(dots)} products, not one" if dots else "the kernel has no mma"
    if not read_kernel_fact(function, "grid"):
        return "the caller gives the grid, so the compiler does not know how many tiles there are"
    if all(op.name != "nv_tileas.get_program_id" for op in ops):
        return "the kernel has no grid to take tiles from"
    if why_not_wgmma(dots[0], 1) is not None:
        return "the mma does not run on wgmma"
    if dots[0].opview.product_types.accumulator_bytes != PARTIAL_BYTES:
        return "the sums of its mma do not have 32 bits"
    defect = _why_not_placement(function, dots[0], ops)
    if defect is not None:
        return defect
    loop = product_loop(ops)
    return why_not_bounds(loop, ops) or _why_not_loop(loop, dots[0])


def product_loop(ops: list[Any]) -> Any:
    """Return the loop over k-tiles: the one around the only product among `ops`."""
    return enclosing_loops(next(op for op in ops if op.name == DOT))[0]


def _why_not_placement(function: Any, dot: Any, ops: list[Any]) -> str | None:
    """Return what is wrong with where the product and the stores stand."""
    loops = enclosing_loops(dot)
    if not loops:
        return "the mma is in no loop over k-tiles"
    loop = loops[0]
    if len(loops) > 1 or loop.block != function_body(function) or dot.block.owner.operation != loop:
        return "the mma is in a branch, or in a loop inside of another loop"
    if loop.name != "scf.for":
        return "the mma is in a 'while' loop, whose end depends on its results"
    if any(op.name in LOOPS and op != loop for op in ops):
        return "the kernel has another loop than the one over k-tiles"
    stores = [op for op in ops if op.name == _STORE or element_effect([op]) is not None]
    if any(op in stores for op in ops[: ops.index(dot)]):
        return "a store comes before the mma"
    if any(enclosing_loops(op) for op in stores):
        return "a store is in the loop over k-tiles"
    return None


def why_not_bounds(loop: Any, ops: Sequence[Any]) -> str | None:
    """Return why the bounds of `loop` are not known before a loop over tiles.

    Such a loop takes in whatever holds loads of tiles, with all else that it computes.

    Args:
        loop: The loop.
        ops: The operations of its kernel, or of one tile.
    """
    bounds = list(loop.operands)[:3]
    ids = {op for op in ops if op.name == "nv_tileas.get_program_id"}
    if dependences(bounds, ids):
        return "the number of k-tiles depends on the block"
    loads = [op for op in ops if global_access(op) is not None]
    holders = {around for op in loads for around in (op, *enclosing_operations(op))} - {loop}
    if dependences(bounds, holders):
        return "the number of k-tiles comes from a branch or a loop that loads tiles"
    return None


def _why_not_loop(loop: Any, dot: Any) -> str | None:
    """Return why the rounds of the loop cannot be divided among CTAs."""
    if not _is_small_constant(loop.operands[2]):
        return f"the step of the loop over k-tiles is no constant below {_STEPS}"
    results = [value for value in loop.results if not isinstance(value.type, MemTokenType)]
    if len(results) != 1:
        return "the loop over k-tiles carries more than its accumulator"
    number = ir.OpResult(results[0]).result_number
    body = loop.regions[0].blocks[0]
    carried, last = body.arguments[1 + number], terminator(body)
    product = dot.results[0]
    if last.operands[number] != product or dot.opview.c != carried:
        return "the accumulator is not the sum of the products alone"
    if any(len(list(value.uses)) != 1 for value in (carried, product)):
        return "the loop over k-tiles uses its accumulator"
    return (
        None if is_zeros(loop.operands[3 + number]) else "the accumulator does not start at zeros"
    )


def _is_small_constant(step: Any) -> bool:
    op = defining_operation(step)
    if op is None or op.name != "arith.constant":
        return False
    return ir.IntegerAttr(op.attributes["value"]).value < _STEPS
