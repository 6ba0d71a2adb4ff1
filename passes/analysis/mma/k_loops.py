"""Whether the k-tiles of a tile can be visited backwards, or divided among CTAs.

Both take a loop over k-tiles that is nothing but sums of products. To divide it, CTAs exchange what
one accumulator holds.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.nv_tileaa.types import MemTokenType
from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.structured import (
    FOR_BOUNDS,
    LOOPS,
    defining_operation,
    enclosing_loops,
    enclosing_operations,
    parent_operation,
    terminator,
)
from tilec.ir.values import users_of
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.facts.element_accesses import element_effect
from tilec.passes.analysis.kernels import function_body, kernel_operations
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.tma.multicast import dependences
from tilec.plan.split import PARTIAL_BYTES

_STORE = "nv_tileas.tiled_store"
_STEPS = 1 << 16
"""Steps below it keep the first k-tile of every split in 32 bits."""


def why_not_backwards(function: Any) -> str | None:
    """Return why the k-tiles of a kernel's tiles keep their order, or None when they need not.

    What follows the loop over k-tiles runs once per tile, on the whole sums, so it may be anything.
    """
    ops = kernel_operations(function)
    dots = [op for op in ops if op.name == DOT]
    if not dots:
        return "the kernel has no mma"
    if all(op.name != "nv_tileas.get_program_id" for op in ops):
        return "the kernel has no grid to take tiles from"
    defect = why_not_one_loop(dots, function_body(function))
    if defect is not None:
        return defect
    loop = product_loop(ops)
    return _why_not_stores(loop, dots, ops) or why_not_bounds(loop, ops) or _why_not_sums(loop)


def why_not_split(function: Any) -> str | None:
    """Return why the k-tiles of a kernel's tiles cannot be divided among CTAs, or None."""
    defect = why_not_backwards(function)
    if defect is not None:
        return defect
    if not read_kernel_fact(function, "grid"):
        return "the caller gives the grid, so the compiler does not know how many tiles there are"
    ops = kernel_operations(function)
    if any(op.opview.product_types.accumulator_bytes != PARTIAL_BYTES for op in _dots(ops)):
        return "the sums of its mma do not have 32 bits"
    loop = product_loop(ops)
    numbers = _sums(loop)
    if len(numbers) != 1:
        return f"the loop over k-tiles adds up {len(numbers)} tiles, not one"
    if len(_added_to(loop.regions[0].blocks[0].arguments[1 + numbers[0]])) < len(_dots(ops)):
        return "the loop over k-tiles has a product that is not added to its accumulator"
    starts = [loop.operands[FOR_BOUNDS + number] for number in numbers]
    return None if all(map(is_zeros, starts)) else "the accumulator does not start at zeros"


def product_loop(ops: Sequence[Any]) -> Any:
    """Return the loop over k-tiles: the one around the first product among `ops`."""
    return enclosing_loops(_dots(ops)[0])[0]


def _dots(ops: Sequence[Any]) -> list[Any]:
    return [op for op in ops if op.name == DOT]


def why_not_one_loop(dots: Sequence[Any], block: Any) -> str | None:
    """Return why products are not those of one loop over k-tiles on wgmma, or None.

    Args:
        dots: The products of a kernel, at least one.
        block: Its block, in which the loop has to be.
    """
    if any(why_not_wgmma(dot, 1) is not None for dot in dots):
        return "the mma does not run on wgmma"
    if not enclosing_loops(dots[0]):
        return "the mma is in no loop over k-tiles"
    loop, *others = {parent_operation(dot) for dot in dots}
    if others:
        return f"its {len(dots)} products are not all in one loop"
    if loop.block != block:
        return "the mma is in a branch, or in a loop inside of another loop"
    if loop.name != "scf.for":
        return "the mma is in a 'while' loop, whose end depends on its results"
    return None


def _why_not_stores(loop: Any, dots: Sequence[Any], ops: Sequence[Any]) -> str | None:
    """Return what is wrong with where the stores stand, and other loops."""
    if any(op.name in LOOPS and op != loop for op in ops):
        return "the kernel has another loop than the one over k-tiles"
    stores = [op for op in ops if op.name == _STORE or element_effect([op]) is not None]
    if any(op in stores for op in ops[: ops.index(dots[0])]):
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


def _why_not_sums(loop: Any) -> str | None:
    """Return why the order of the rounds of the loop matters."""
    if not _is_small_constant(loop.operands[2]):
        return f"the step of the loop over k-tiles is no constant below {_STEPS}"
    body = loop.regions[0].blocks[0]
    for number in _sums(loop):
        carried = body.arguments[1 + number]
        if not any(_adds_to(carried, user) for user in users_of(carried)):
            return "the loop over k-tiles carries more than its accumulator"
        if not _is_sum(carried, number, body):
            return "the accumulator is not the sum of the products alone"
    return None


def _sums(loop: Any) -> list[int]:
    """Return the numbers of what the loop carries, but for tokens."""
    return [n for n, value in enumerate(loop.results) if not isinstance(value.type, MemTokenType)]


def _is_sum(carried: Any, number: int, body: Any) -> bool:
    """Tell whether a round does nothing with what it carries but to add products to it."""
    last, value = terminator(body), carried
    while True:
        uses = list(value.uses)
        if len(uses) != 1:
            return False
        (use,) = uses
        op = use.owner.operation
        if op == last:
            return use.operand_number == number and value != carried
        if not _adds_to(value, op):
            return False
        value = op.results[0]


def _added_to(carried: Any) -> list[Any]:
    """Return the products that a round adds to an accumulator, which has no other uses."""
    found, value = list[Any](), carried
    while (op := next(iter(value.uses)).owner.operation).name == DOT and _adds_to(value, op):
        found.append(op)
        value = op.results[0]
    return found


def _adds_to(value: Any, op: Any) -> bool:
    """Tell whether an operation adds a product to `value`."""
    return op.name == DOT and op.opview.c == value


def _is_small_constant(step: Any) -> bool:
    op = defining_operation(step)
    if op is None or op.name != "arith.constant":
        return False
    return integer(op, "value") < _STEPS
