"""Where the wait for each asynchronous product goes, and what has to come after it."""

from collections.abc import Iterable
from math import prod
from typing import Any

from tilec.dialects.nv_tileas import AnchorOp, AsyncMmaOp, BulkCommitOp, MmaWaitOp, StoreSharedOp
from tilec.dialects.nv_tileas.mma_ops import BY_STEPS, WHOLE
from tilec.dialects.nv_tileas.ring_ops import slot_view_of
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.sequences import at_level, operations_between
from tilec.ir.structured import (
    LOOPS,
    body_operations,
    next_operation,
    operations_inside,
    terminator,
)
from tilec.ir.values import is_tile, users_of
from tilec.passes.analysis.schedule.loop_graph import operands_of
from tilec.passes.analysis.schedule.op_costs import op_cost, registers_of
from tilec.passes.transforms.nv_tileas.mma.next_round import NextRound, hold_slot, next_round
from tilec.plan.worth import ANCHORED_CYCLES
from tilec.support.fast_dataclasses import dataclass

WORD_BITS = 32
"""Bits of the elements of a tile that an anchor takes."""

_READING = ("nv_tileas.load_shared", "nv_tileas.view", "nv_tileas.broadcast")
"""Operations that read a slot, or name what was read."""
_LOADS = ("nv_tileas.tiled_load", "nv_tileas.gather")
_COMMIT = BulkCommitOp.OPERATION_NAME
_NAMING = ("nv_tileas.view", "nv_tileas.broadcast")
ASYNC_MMA = AsyncMmaOp.OPERATION_NAME


@dataclass(frozen=True)
class Issued:
    """A product that was issued.

    Attributes:
        product: The operation.
        barrier: After it, threads may overwrite what they staged for the product; None if nothing
            was staged.
    """

    product: Any
    barrier: Any = None

    def reads_until(self, op: Any) -> bool:
        """Tell whether `op` gives back shared memory that the product reads, or goes on."""
        if op.name in ("nv_tileas.ring_release", "nv_tileas.ring_advance"):
            views = map(slot_view_of, self.product.opview.shared_operands)
            return any(view is not None and view.operands[1] == op.operands[1] for view in views)
        return self.barrier is not None and op == self.barrier


def place_waits(issued: list[Issued], in_flight: int) -> None:
    """Wait for each asynchronous product, in program order, as late as that hides work.

    What gives back the shared memory that a product reads moves after its wait.

    Args:
        issued: The products.
        in_flight: Groups that may stay in flight while the next round of a loop begins.
    """
    places: dict[Any, list[Issued]] = {}
    for item in issued:
        if item.barrier is not None:
            _raise_work(item.product)
            _issue_loads(item.product)
        place = _last_hidden(item.product)
        places.setdefault(place, []).append(item)
        if place == item.product and _computes_a(item.product):
            item.product.attributes[BY_STEPS] = ir.UnitAttr.get()
    held = []
    for place, waited in places.items():
        following = next_operation(place)
        held += [_wait(item, following, in_flight) for item in waited]
    for found in filter(None, held):  # loops are rebuilt on the way
        hold_slot(found)


def _raise_work(product: Any) -> None:
    """Let threads compute before the A of the next round what does not need it.

    A stays in the registers that the product reads, so the wait comes before it.
    """
    held = _makers_of_next_a(product)  # what stays where it is
    ops = body_operations(product.block)
    first = None
    for op in ops[ops.index(product) + 1 : -1]:
        makers = _makers(operands_of(op))
        computes = op.name in _NAMING or op.name.startswith(("arith.", "math."))
        if op in held or makers & held or (first is not None and not computes):
            held.add(op)
            first = first or op
        elif first is not None:
            op.move_before(first)


def _makers(values: Iterable[Any]) -> set[Any]:
    """Return the operations that make values."""
    return {value.owner.operation for value in values if isinstance(value, ir.OpResult)}


def _issue_loads(product: Any) -> None:
    """Let threads load what only later rounds need as soon as the product runs.

    A fence waits for loads: those of the end of a round would delay the store at the start of the
    next one. With scales that threads load, 128x256x64 tiles of MXFP8 took 446 us so, and 334 with
    early loads; what the same round needs took longer, as it delays the release of a slot (H100,
    docs/measurements/2026-11-27-users.md).
    """
    ops = body_operations(product.block)
    place = ops.index(product)
    late = set(ops[place + 1 :])
    following = ops[place + 1]
    for op in ops[place + 1 : -1]:
        makers = _makers(op.operands)
        users = {*users_of(op.results[0])} if op.name in _LOADS else {None}
        if users <= {ops[-1]} and not makers & late and op != following:
            op.move_before(following)


def _wait(item: Issued, following: Any, in_flight: int) -> NextRound | None:
    """Wait for a product before operation `following` of its block.

    If the group may stay in flight over the end of a round, this is the wait for the one that was
    issued a round before. Returns what must be held until then, or None.
    """
    product = item.product
    between = operations_between(product, following)
    inside = [inner for op in between for inner in operations_inside(op)]
    groups = 0
    if not product.opview.registers_hold_a and not any(op.name == ASYNC_MMA for op in inside):
        groups = sum(op.name == ASYNC_MMA for op in between)
    later = next_round(product) if groups < in_flight else None
    result, token = product.results
    with ir.InsertionPoint(following), product.location:
        tile = _hidden_result(between)
        if tile is not None:
            AnchorOp(tile=tile)
        for computed in _staged_next(product):
            if computed.owner.operation in between:
                AnchorOp(tile=computed).operation.attributes[WHOLE] = ir.UnitAttr.get()
        waited = MmaWaitOp.build(result, token, groups + (later is not None))
    result.replace_all_uses_except(waited, waited.owner.operation)
    for op in filter(item.reads_until, between):
        op.move_before(following)
    return later


def _staged_next(product: Any) -> list[Any]:
    """Return what threads compute in this round to stage it in the next one."""
    ops = body_operations(product.block)
    stores = [
        op
        for op in ops[: ops.index(product)]
        if op.name == StoreSharedOp.OPERATION_NAME and op.opview.destination in product.operands
    ]
    staged = [_carried(registers_of(store.opview.tile), product.block) for store in stores]
    return [tile for tile in staged if tile is not None]


def _carried(tile: Any, block: Any) -> Any:
    """Return what a round passes on for the argument `tile` of its block, or None."""
    if not isinstance(tile, ir.BlockArgument) or tile.owner != block:
        return None
    passed = registers_of(terminator(block).operands[tile.arg_number - 1])
    return passed if isinstance(passed, ir.OpResult) else None


def _hidden_result(hidden: list[Any]) -> Any:
    """Return a tile that stands for what a product hides: one that needs the most of it.

    Of several, the smallest one. What another product needs comes before that anyway. None where
    threads compute nothing else.
    """
    needs: dict[Any, set[Any]] = {}
    for op in hidden:
        makers = _makers(operands_of(op)).intersection(needs)
        needs[op] = {op}.union(*(needs[maker] for maker in makers))
    issued = set().union(*(needs[op] for op in hidden if op.name == ASYNC_MMA))
    tiles = [op.results[0] for op in hidden if op not in issued and _computes(op)]
    costs = {
        tile: sum(op_cost(op, 1).cycles for op in needs[tile.owner.operation]) for tile in tiles
    }
    best = max(tiles, key=lambda tile: (costs[tile], -prod(tile.type.shape)), default=None)
    return None if best is None or costs[best] < ANCHORED_CYCLES else best


def _computes(op: Any) -> bool:
    """Tell whether threads compute a tile of words in `op`."""
    cost = op_cost(op, 1) if len(op.results) == 1 and op.name != ASYNC_MMA else None
    if cost is None or not cost.cycles or not is_tile(op.results[0]):
        return False
    return element_bits(op.results[0].type.element_type) == WORD_BITS


def _last_hidden(product: Any) -> Any:
    """Return the last operation that may run before the wait for `product`."""
    last = product
    needed = {at_level(user, product.block) for user in users_of(product.results[0])}
    needed |= _makers_of_next_a(product)
    ops = body_operations(product.block)
    for op in ops[ops.index(product) + 1 : -1]:
        if op in needed or any(inner.name in LOOPS for inner in (op, *operations_inside(op))):
            break
        if _is_work(op):
            last = op
    return last


def _makers_of_next_a(product: Any) -> set[Any]:
    """Return the operation that computes A for the next round, in the registers of this one."""
    held = product.opview.registers_hold_a
    passed = _carried(registers_of(product.opview.a), product.block) if held else None
    return set() if passed is None else {passed.owner.operation}


def _computes_a(product: Any) -> bool:
    """Tell whether threads compute A, in registers, next to `product`: one step after the other."""
    a = registers_of(product.opview.a)
    if not product.opview.registers_hold_a or isinstance(a, ir.BlockArgument):
        return False
    return not a.owner.operation.regions


def _is_work(op: Any) -> bool:
    """Tell whether threads compute, multiply or start copies in `op`: what a product can hide.

    A bulk group closes when all of its copies have been started. Reading a slot is not worth it:
    what is read before the wait takes registers next to the accumulators.
    """
    if op.name in _READING:
        return False
    return op.name == _COMMIT or any(
        is_tile(value)
        for inner in (op, *operations_inside(op))
        for value in (*inner.operands, *inner.results)
    )
