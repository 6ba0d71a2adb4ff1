"""The sum over the splits of a tile whose k-tiles CTAs share; see `nv-tileas-schedule-tiles`.

Before:  %d = arith.truncf %acc; tiled_store %d, ...
After:   if %item >= %tiles * (S - 1):  // the last split
           await_partials %counters, %tile, %split; barrier
           %sum = scf.for %s = 0 to %split iter_args(%acc) { add_partial %partials, %tile, %s }
           %d = arith.truncf %sum; tiled_store %d, ...; reset_partials %counters, %tile
         else: store_partial %acc, %partials, %tile, %split; barrier
               arrive_partial %counters, %tile

Every split of a tile except the last one stores its partial sum in global memory, in a place of its
own, and waits for nothing. The last split waits once and adds all partial sums to its own, split 0
first, so results are the same in every launch. This takes the memory of S - 1 results in f32, in
whole tiles. A split without k-tiles stores zeros, which are added too. Everything that the loop
over k-tiles does not need moves into the branch of the last split, loads before the loop included.

A counter per tile says how many partial sums are stored. After the stores of a split, a barrier of
the role and a release by one thread count it. In the last split one thread polls the counter
(acquire, at the scope of the GPU), and a barrier extends that to all threads. The last split sets
the counter back to zero, so a captured graph can be replayed. Counters are not in shared memory, so
the protocol check sees only the barriers.

`tilec/plan/split.py` defines the order of the work items and says why the wait always ends.
"""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from tilec.dialects.nv_tileas import (
    AddPartialOp,
    ArrivePartialOp,
    AwaitPartialsOp,
    BarrierOp,
    ResetPartialsOp,
    StorePartialOp,
    WorkspaceOp,
)
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import constant
from tilec.ir.structured import (
    backward_slice,
    body_operations,
    defining_operation,
    parent_operation,
)
from tilec.ir.values import is_tile
from tilec.ir.walks import walk_operations
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS
from tilec.passes.analysis.kernels import read_spec
from tilec.plan.split import COUNTER_BYTES, HELD_BYTES, PARTIAL_BYTES
from tilec.support.fast_dataclasses import dataclass

PARTIALS, COUNTERS = "workspace", "counters"
"""Names of the hidden parameters."""


@dataclass(frozen=True)
class Item:
    """Tile and split of a work item (i32), and whether it is the last split (i1)."""

    tile: Any
    split: Any
    is_last: Any


@dataclass(frozen=True)
class _Exchange:
    """Where the splits of a tile meet.

    Attributes:
        counters: Counter per tile of the partial sums that are there.
        partials: Partial sums of all tiles.
        count: Partial sums of a tile: its splits but for the last one, which keeps its own.
        held: Partial sums of a tile that threads can hold at the same time.
    """

    counters: Any
    partials: Any
    count: int
    held: int


def _make_exchange(function: Any, accumulator: Any, splits: int) -> _Exchange:
    tiles = " * ".join(f"({extent})" for extent in read_kernel_fact(function, "grid"))
    count = splits - 1
    size = prod(accumulator.type.shape) * PARTIAL_BYTES
    warps = (read_spec(function) or {}).get("consumer_warps", WARPGROUP_WARPS)
    element, i32 = accumulator.type.element_type, ir.IntegerType.get_signless(32)
    return _Exchange(
        WorkspaceOp.build(COUNTERS, f"{tiles} * {COUNTER_BYTES}", i32, zeroed=True),
        WorkspaceOp.build(PARTIALS, f"{tiles} * {size * count}", element, zeroed=False),
        count,
        held=warps * WARP_LANES * HELD_BYTES // size,
    )


def number_items(tiles: Any, splits: int) -> Item:
    """Let the loop over tiles run over work items; see `tilec.plan.split.work_item`."""
    index, count = tiles.regions[0].blocks[0].arguments[0], tiles.operands[1]
    with ir.InsertionPoint(tiles), tiles.location:
        tiles.operands[1] = arith.muli(count, constant(splits))
        first_of_last = arith.muli(count, constant(splits - 1))
    with ir.InsertionPoint.at_block_begin(index.owner), tiles.location:
        is_last = arith.cmpi(arith.CmpIPredicate.sge, index, first_of_last)
        return Item(arith.remui(index, count), arith.divui(index, count), is_last)


def add_up(function: Any, loop: Any, item: Item, splits: int) -> None:
    """Add up the splits and compute the result in the last one; let others leave their part.

    Args:
        function: The kernel.
        loop: Its loop over k-tiles, which runs over those of one split.
        item: The work item of a round of the loop over tiles around it.
        splits: Splits of a tile.
    """
    (accumulator,) = (value for value in loop.results if is_tile(value))
    tiles = parent_operation(loop)
    with ir.InsertionPoint(tiles), tiles.location:
        exchange = _make_exchange(function, accumulator, splits)
    late = _late_operations(loop, item)
    uses = [(use.owner.operation, use.operand_number) for use in accumulator.uses]
    with ir.InsertionPoint.after(loop), loop.location:
        branch = scf.IfOp(item.is_last, has_else=True)
    with ir.InsertionPoint(branch.then_block), loop.location:
        total = _sum_up(accumulator, item, exchange)
        end = ResetPartialsOp(counters=exchange.counters, tile=item.tile)
        scf.YieldOp([])
    for user, number in uses:
        user.operands[number] = total
    for op in late:
        op.move_before(end.operation)
    with ir.InsertionPoint(branch.else_block), loop.location:
        place = (exchange.partials, item.tile, item.split, exchange.count)
        StorePartialOp.build(accumulator, *place)
        BarrierOp()
        ArrivePartialOp(counters=exchange.counters, tile=item.tile)
        scf.YieldOp([])
    write_kernel_facts(function, split_k=splits, cooperative_launch=True)


def _sum_up(accumulator: Any, item: Item, exchange: _Exchange) -> Any:
    """Emit the sum over all splits, in their order; this one, the last, has its own in registers.

    As many partial sums as threads can hold are loaded before the first of them is added, so that
    their latencies overlap: all of them, or those of each round of a loop. LLVM must not find out
    how many rounds there are, and it would from a constant in place of the number of this split. It
    makes straight code of a single round, in which ptxas delays so many additions that it spills
    (128x256 in f32 with 2 splits: 112 bytes, ptxas 13.0).
    """
    AwaitPartialsOp(counters=exchange.counters, tile=item.tile, count=item.split)
    BarrierOp()
    if exchange.count <= exchange.held:
        return _add_run(accumulator, item, exchange, map(constant, range(exchange.count)))
    step = max(1, exchange.held)
    rest = exchange.count % step
    end = arith.subi(item.split, constant(rest)) if rest else item.split
    loop = scf.ForOp(constant(0), end, constant(step), [accumulator])
    with ir.InsertionPoint(loop.body):
        first, total = loop.induction_variable, loop.inner_iter_args[0]
        scf.YieldOp([_add_run(total, item, exchange, _from(first, step))])
    return _add_run(loop.operation.results[0], item, exchange, _from(end, rest))


def _add_run(total: Any, item: Item, exchange: _Exchange, splits: Iterable[Any]) -> Any:
    """Emit the sum of `total` and of the partial sums of some splits, in this order."""
    for split in splits:
        place = (exchange.partials, item.tile, split, exchange.count)
        total = AddPartialOp.build(total, *place)
    return total


def _from(first: Any, count: int) -> Iterator[Any]:
    """Emit the numbers of `count` splits from `first` on."""
    yield from (arith.addi(first, constant(number)) if number else first for number in range(count))


def _late_operations(loop: Any, item: Item) -> list[Any]:
    """Return what is next to the loop that neither the loop nor the number of the item need."""
    block = loop.block
    inits = [defining_operation(value) for value in list(loop.operands)[3:]]
    roots = [loop, *walk_operations(loop.regions[0].blocks[0]), *(op for op in inits if op)]
    needed = backward_slice(roots, block).ops
    needed |= {defining_operation(value) for value in (item.tile, item.split, item.is_last)}
    return [op for op in body_operations(block)[:-1] if op not in needed]
