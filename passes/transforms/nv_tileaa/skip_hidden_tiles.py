"""Leave out the rounds of a loop whose scores a mask of loaded numbers hides.

Before:  %q = tiled_load %D[%m * 128]
         scf.for %n iter_args(%a) {
           %k = tiled_load %D[%n * 128]; %s = dot ...
           %t = select (cmpi eq, %q, %k), %s, -inf; ...; yield %b }
After:   %e = workspace; %d = measure_tiles %e, %D; %E = make_memref %d  // [tile, 2]
         %ql = gather %E[%m, 0]; %qh = gather %E[%m, 1]; %q = bounded (tiled_load ...), %ql, %qh
         scf.for %n iter_args(%a) {
           %kl = gather %E[%n, 0]; %kh = gather %E[%n, 1]
           %hidden = ori (cmpi slt, %qh, %kl), (cmpi slt, %kh, %ql)
           %r = scf.if (not %hidden) { %k = bounded (tiled_load ...), %kl, %kh; ...; yield %b }
                else { yield %a }
           yield %r }

Packed sequences have the number of a document for each token, and a query sees the keys of its own
document. Which tiles that are, only the numbers say. Before its roles start, a block writes the
least and the largest number of every tile to a table, so that a few scalar operations tell whether
any query of a tile may see any key of another one: intervals that do not meet have no equal
numbers. The test follows from the mask (`passes/analysis/facts/mask_tests.py`): comparisons of any
kind, joined with each other and with those of indices. It holds for no tile that has something to
see, whatever the order of the numbers.

A round without anything to see must change nothing: that is proven
(`passes/analysis/facts/idle_rounds.py`), or the loop stays as it is. Scores that are hidden must be
`-inf`, and a maximum must begin with a finite number, as that of `softmax_start` does, or the
distance from a maximum of `-inf` must be guarded. Remark T0439 says why a loop stays as it is.

`nv-tileaa-skip-rounds` runs only the rounds that are left, in all roles. `nv-tileaa-skip-masks`
reads the operation `bounded`, and computes no mask where all elements of two tiles are equal.

Options:
    skip_hidden: 0 computes all rounds. With it, infinities and NaN count that are multiplied by
        hidden weights of 0 (docs/language.md).
"""

from typing import Any

from tilec.dialects.common.effects import has_effect
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import body_operations, defining_operation, operations_inside, terminator
from tilec.ir.values import is_tile, makers_of
from tilec.passes.analysis.facts.constants import is_filler
from tilec.passes.analysis.facts.idle_rounds import NotIdleError, prove_idle
from tilec.passes.analysis.facts.mask_tests import (
    Condition,
    Flag,
    NoTestError,
    Positive,
    all_of,
    derive_test,
)
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations, span_of
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.measured_tiles import MeasuredTiles
from tilec.passes.transforms.nv_tileaa.scalar_tests import emit_condition, emit_usual
from tilec.support.diagnostics import remark

_LOAD, _SELECT = "nv_tileaa.tiled_load", "arith.select"
_SKIPPED = "rounds of the loop are left out where this mask hides everything"
_STAYS = "all rounds of the loop are computed, also where this mask hides everything: "


@register_kernel_pass("nv-tileaa-skip-hidden-tiles")
def skip_hidden_tiles(function: Any, context: PassContext) -> bool:
    """Skip the rounds of loops with products whose scores masks of loaded numbers hide."""
    if not context.overrides(function).get("skip_hidden", True):
        return False
    tiles, changed = None, False
    for loop in [
        op for op in kernel_operations(function) if op.name == "scf.for" and multiplies(op)
    ]:
        selects = {op: loads for op in _selects(loop) if (loads := _loads_of(op.operands[0]))}
        if not selects:
            continue
        tiles = tiles or MeasuredTiles(function)
        reason = _why_not(loop, selects, tiles)
        if reason is None:
            reason = _skip(function, loop, selects, tiles)
            changed = True
        masks = [select for select in selects if reason is None or any(_fills(select))]
        if masks:
            message = _SKIPPED if reason is None else _STAYS + reason
            context.sink.emit(remark("T0439", message, span_of(masks[0])))
    return changed


def _selects(loop: Any) -> list[Any]:
    """Return the choices by tiles of bools in the rounds of a loop."""
    ops = body_operations(loop.regions[0].blocks[0])
    return [op for op in ops if op.name == _SELECT and is_tile(op.operands[0])]


def _loads_of(mask: Any) -> list[Any]:
    """Return the tiled loads of integers that a mask is computed from."""
    found, pending, seen = [], [mask], set()
    while pending:
        op = defining_operation(pending.pop())
        if op is None or op in seen:
            continue
        seen.add(op)
        if op.name == _LOAD:
            found.append(op)
        elif _is_of_integers(op.results[0]):
            pending += filter(_is_of_integers, op.operands)
    return found


def _is_of_integers(value: Any) -> bool:
    type_ = value.type
    return isinstance(type_, ir.RankedTensorType) and isinstance(type_.element_type, ir.IntegerType)


def _why_not(loop: Any, selects: dict[Any, list[Any]], tiles: MeasuredTiles) -> str | None:
    """Return why no test of the masks can be made, or None."""
    if any(op.name.startswith("scf.") and op.name != "scf.yield" for op in operations_inside(loop)):
        return "a round has loops or branches of its own"
    if any(map(has_effect, operations_inside(loop))):
        return "a round does more than to compute"
    reasons = (tiles.why_not(load) for loads in selects.values() for load in loads)
    return next((reason for reason in reasons if reason is not None), None)


def _fills(select: Any) -> list[bool]:
    """Tell of both sides of a select whether it is one number everywhere, as what a mask hides."""
    return [is_filler(tile) for tile in list(select.operands)[1:]]


def _hidden_side(select: Any) -> int:
    """Return the operand that a select returns where its mask hides: the one that is filled in."""
    fills = _fills(select)
    return 1 if fills[0] and not fills[1] else 2


def _skip(
    function: Any, loop: Any, selects: dict[Any, list[Any]], tiles: MeasuredTiles
) -> str | None:
    """Put a branch around the rounds of a loop; return why they cannot be skipped, or None."""
    sides = {select: _hidden_side(select) for select in selects}
    try:
        scalars = prove_idle(loop, sides)
    except NotIdleError as failure:
        return str(failure)
    loads = list(dict.fromkeys(load for loads in selects.values() for load in loads))
    for load in loads:
        tiles.bound(load)
    ranges = ValueRanges.of_kernel(function)
    try:
        conditions = [
            derive_test(select.operands[0], side == 1, ranges).condition
            for select, side in sides.items()
        ]
        hidden = all_of(conditions)
        if not _values_of(hidden) & set(tiles.ends):
            raise NoTestError("no tile is known to be hidden by its numbers")
    except NoTestError as failure:
        tiles.forget(loads)
        return str(failure)
    with ir.InsertionPoint(loop), loop.location:
        usual = [emit_usual(scalar) for scalar in scalars]
    _branch(loop, hidden, usual)
    return None


def _values_of(condition: Condition) -> set[Any]:
    """Return the scalars that a condition reads."""
    if isinstance(condition, Positive):
        return {value for value, _ in condition.expression.terms}
    if isinstance(condition, Flag):
        return {condition.value}
    return set().union(*map(_values_of, condition.parts))


def _branch(loop: Any, hidden: Any, usual: list[Any]) -> None:
    """Do what a round does only if not everything is hidden."""
    block = loop.regions[0].blocks[0]
    last = terminator(block)
    ops = body_operations(block)[:-1]
    with ir.InsertionPoint(last), loop.location:
        idle = emit_condition(hidden)
        for flag in usual:
            idle = arith.andi(idle, flag)
        busy = arith.xori(idle, arith.constant(idle.type, True))
        branch = scf.IfOp(busy, [value.type for value in last.operands], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            end = scf.YieldOp(list(last.operands)).operation
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp(list(block.arguments)[1:])
    needed = _needed(busy, ops)
    for op in ops:
        if op not in needed:
            op.move_before(end)
    for number, value in enumerate(branch.results):
        last.operands[number] = value


def _needed(condition: Any, ops: list[Any]) -> set[Any]:
    """Return the operations of a round that compute a condition."""
    inside, block = set(ops), condition.owner.operation.block
    return inside & {*makers_of([condition], lambda op: op in inside or op.block == block)}
