"""Let several CTAs share the k-tiles of each tile.

Before:  scf.for %tile = %id to %tiles step %ids {
           %acc = scf.for %k = %c0 to %n step %c1 iter_args(%zeros) { ... }
           %d = arith.truncf %acc; tiled_store %d, ... }
After:   %items = %tiles * S; %share = (%n + S - 1) / S
         scf.for %item = %id to %items step %ids {
           %split = %item / %tiles; %tile = %item % %tiles
           %first = %split * %share; %end = min(%n, %first + %share)
           %acc = scf.for %k = %first to %end step %c1 iter_args(%zeros) { ... }
           %sum = if %split > 0: await_turn %counters, %tile, %split; barrier
                                 add_partial %acc, %partials, %tile
                  else %acc
           if %split == S - 1: %d = arith.truncf %sum; tiled_store %d, ...; reset_turn
           else store_partial %sum, %partials, %tile; barrier; pass_turn }

The plan says how many splits there are (`split_k` in the spec; 1 leaves the kernel alone), and has
checked that the kernel can be split (`tilec.passes.analysis.split`). `tilec.plan.split` says why
items come in this order, why the sums are the same in every launch and why nobody waits for ever. A
split without k-tiles adds zeros; it takes its turn all the same.

What the loop over k-tiles does not need moves into the branch of the last split, loads in front of
the loop included: it is needed once per tile. Runs right behind `nv-tileas-schedule-tiles`, while
all of a kernel is one program; the roles replay the bounds and branches like any other scalar code.

The last split sets the counter of its tile back to zero, so the counters hold zeros before and
after every launch, and a captured graph can be replayed.
"""

from math import prod
from typing import Any

from tilec.dialects.nv_tileas import (
    AddPartialOp,
    AwaitTurnOp,
    BarrierOp,
    PassTurnOp,
    ResetTurnOp,
    StorePartialOp,
    WorkspaceOp,
)
from tilec.ir.attributes import read_kernel_metadata, write_kernel_metadata
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import (
    backward_slice,
    body_operations,
    defining_operation,
    next_operation,
    walk_operations,
)
from tilec.passes.analysis.kernels import (
    function_body,
    kernel_functions,
    kernel_operations,
    read_spec,
)
from tilec.passes.analysis.split import product_loop
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.grid_expressions import constant
from tilec.records import dataclass

PARTIALS, COUNTERS = "workspace", "counters"
"""Names of the hidden parameters."""
ACCUMULATOR_BYTES = COUNTER_BYTES = 4


@register_pass("nv-tileas-split-k")
def split_k(module: Any, context: PassContext) -> bool:
    """Split the tiles of every kernel whose plan says so."""
    changed = False
    for function in kernel_functions(module):
        splits = (read_spec(function) or {}).get("split_k", 1)
        if splits > 1:
            _split(function, splits)
            changed = True
    return changed


def _split(function: Any, splits: int) -> None:
    loop = product_loop(kernel_operations(function))
    accumulator = next(
        value for value in loop.results if isinstance(value.type, ir.RankedTensorType)
    )
    tiles = next(op for op in body_operations(function_body(function)) if op.name == "scf.for")
    with ir.InsertionPoint(tiles), tiles.location:
        turns = _make_turns(function, accumulator, splits)
        share = _share(loop, splits)
    item = _number_items(tiles, splits)
    _take_share(loop, item, share)
    _add_up(tiles.regions[0].blocks[0], loop, accumulator, item, turns)
    metadata = read_kernel_metadata(function)
    metadata["split_k"] = splits
    metadata["cooperative_launch"] = True
    write_kernel_metadata(function, metadata)


@dataclass(frozen=True)
class _Item:
    """Tile and split of the work item of a round (i32)."""

    tile: Any
    split: Any


@dataclass(frozen=True)
class _Turns:
    """Where the splits of a tile meet: counters, partial sums, and how many splits there are."""

    counters: Any
    partials: Any
    splits: int


def _make_turns(function: Any, accumulator: Any, splits: int) -> _Turns:
    tiles = " * ".join(f"({extent})" for extent in read_kernel_metadata(function)["grid"])
    size = prod(accumulator.type.shape) * ACCUMULATOR_BYTES
    f32, i32 = ir.F32Type.get(), ir.IntegerType.get_signless(32)
    return _Turns(
        WorkspaceOp.build(COUNTERS, f"{tiles} * {COUNTER_BYTES}", i32, zeroed=True),
        WorkspaceOp.build(PARTIALS, f"{tiles} * {size}", f32, zeroed=False),
        splits,
    )


def _share(loop: Any, splits: int) -> Any:
    """Emit how far the loop variable goes in one split; equal for all tiles."""
    lower, upper, step = list(loop.operands)[:3]
    distance = arith.maxsi(arith.subi(upper, lower), constant(0))
    rounds = arith.ceildivsi(arith.ceildivsi(distance, step), constant(splits))
    return arith.muli(rounds, step)


def _number_items(tiles: Any, splits: int) -> _Item:
    """Let the loop over tiles run over work items; see `tilec.plan.split.work_item`."""
    body = tiles.regions[0].blocks[0]
    index, count = body.arguments[0], tiles.operands[1]
    with ir.InsertionPoint(tiles), tiles.location:
        tiles.operands[1] = arith.muli(count, constant(splits))
    users = [use.owner.operation for use in index.uses]
    with ir.InsertionPoint.at_block_begin(body), tiles.location:
        item = _Item(arith.remui(index, count), arith.divui(index, count))
    for user in users:
        _replace_operand(user, index, item.tile)
    return item


def _take_share(loop: Any, item: _Item, share: Any) -> None:
    """Let the loop over k-tiles run over the share of the split."""
    lower, upper = list(loop.operands)[:2]
    with ir.InsertionPoint(loop), loop.location:
        first = arith.addi(lower, arith.muli(item.split, share))
        loop.operands[0] = first
        loop.operands[1] = arith.minsi(upper, arith.addi(first, share))


def _add_up(block: Any, loop: Any, accumulator: Any, item: _Item, turns: _Turns) -> None:
    """Add the splits before this one; compute the result in the last one."""
    late = _late_operations(block, loop, item)
    users = [use.owner.operation for use in accumulator.uses]
    with ir.InsertionPoint(next_operation(loop)), loop.location:
        total = _take_turn(accumulator, item, turns)
        last = arith.cmpi(arith.CmpIPredicate.eq, item.split, constant(turns.splits - 1))
        branch = scf.IfOp(last, has_else=True)
    for user in users:
        _replace_operand(user, accumulator, total)
    with ir.InsertionPoint(branch.then_block), loop.location:
        end = ResetTurnOp(counters=turns.counters, tile=item.tile)
        scf.YieldOp([])
    for op in late:
        op.move_before(end.operation)
    with ir.InsertionPoint(branch.else_block), loop.location:
        StorePartialOp(sum=total, partials=turns.partials, tile=item.tile)
        BarrierOp()
        PassTurnOp(counters=turns.counters, tile=item.tile)
        scf.YieldOp([])


def _take_turn(accumulator: Any, item: _Item, turns: _Turns) -> Any:
    """Emit the sum of the splits up to this one; the first one has nobody to wait for."""
    waits = arith.cmpi(arith.CmpIPredicate.ne, item.split, constant(0))
    branch = scf.IfOp(waits, [accumulator.type], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        AwaitTurnOp(counters=turns.counters, tile=item.tile, turn=item.split)
        BarrierOp()
        scf.YieldOp([AddPartialOp.build(accumulator, turns.partials, item.tile)])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([accumulator])
    return branch.results[0]


def _late_operations(block: Any, loop: Any, item: _Item) -> list[Any]:
    """Return the operations of `block` that neither the loop nor the turns need."""
    inits = [defining_operation(value) for value in list(loop.operands)[3:]]
    roots = [loop, *walk_operations(loop.regions[0].blocks[0]), *(op for op in inits if op)]
    needed = backward_slice(roots, block).ops
    needed |= {defining_operation(value) for value in (item.tile, item.split)}
    return [op for op in body_operations(block)[:-1] if op not in needed]


def _replace_operand(op: Any, old: Any, new: Any) -> None:
    for index, operand in enumerate(op.operands):
        if operand == old:
            op.operands[index] = new
