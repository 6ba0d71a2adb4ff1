"""Add masks only to the tiles that need them.

Before:  %m = select (columns < %N), 0, -inf;  %a = addf %x, %m
         %o = select (rows >= columns), 0, -inf;  %b = addf %a, %o
After:   %all = ... (both masks are 0 everywhere)
         %b = scf.if %all { yield %x } else { %m = ...; %a = addf %x, %m; ...; yield %b }

Many kernels of attention add 0 to the scores that a query sees, and -inf to the others. The test of
a mask is that of `nv-tileaa-skip-masks`. Masks that are added one after the other share a branch,
which holds the sums and what only they need.

`x + 0` is x, unless x is -0. The result of a product that starts with zeros is never -0, and a sum
is not if one of its operands is not (IEEE 754-2019, 6.3: a sum that is exactly zero is +0, unless
both operands are -0); so such tiles stay as they are. As `nv-tileaa-skip-masks`, the pass looks at
loops with products.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import ir, scf
from tilec.ir.structured import defining_operation, parent_operation, terminator
from tilec.ir.values import is_tile, only_use
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.facts.mask_tests import (
    FALSE,
    TRUE,
    Condition,
    NoTestError,
    all_of,
    derive_test,
)
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations, span_of
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.scalar_tests import ScalarNames, emit_condition
from tilec.passes.transforms.nv_tileaa.sinking import sink_into
from tilec.support.diagnostics import remark
from tilec.support.fast_dataclasses import dataclass

_ADD, _DOT, _SELECT, _SPLAT = "arith.addf", "nv_tileaa.dot", "arith.select", "nv_tileaa.splat"
_REPEATED = ("nv_tileaa.broadcast", "nv_tileaa.view")
_ACCUMULATOR = 2
"""Operand of a product."""


@dataclass(frozen=True)
class _Sum:
    """An addition of a mask.

    Attributes:
        op: The addition.
        number: Which operand the mask is added to.
        condition: What holds if the mask is 0 everywhere.
    """

    op: Any
    number: int
    condition: Condition

    @property
    def source(self) -> Any:
        """The tile that the mask is added to; another one after each change of it."""
        return self.op.operands[self.number]


@register_kernel_pass("nv-tileaa-skip-added-masks")
def skip_added_masks(function: Any, context: PassContext) -> bool:
    """Add masks only where scalar tests ask for them."""
    additions = [op for op in kernel_operations(function) if _is_in_product_loop(op)]
    if not additions:
        return False
    ranges = ValueRanges.of_kernel(function)
    names = ScalarNames(function)
    sums = [found for op in additions if (found := _sum(op, ranges)) is not None]
    runs = _runs(sums)
    for run in runs:
        condition = all_of(item.condition for item in run)
        where = names.text_of(condition)
        message = f"the mask is added for no tiles with {where}"
        context.sink.emit(remark("T0439", message, span_of(run[-1].op)))
        _branch(run, condition)
    return bool(runs)


def _is_in_product_loop(op: Any) -> bool:
    """Tell whether `op` adds tiles in a loop with products."""
    if op.name != _ADD or not is_tile(op.results[0]):
        return False
    loop = parent_operation(op)
    return loop.name == "scf.for" and multiplies(loop)


def _sum(op: Any, ranges: ValueRanges) -> _Sum | None:
    """Return the addition of a mask to a tile that is never -0, if `op` is one."""
    for number in (0, 1):
        select = _select_of(op.operands[1 - number])
        if select is None or not _is_never_minus_zero(op.operands[number]):
            continue
        chosen, *sides = select.operands
        kept = next((side for side in (0, 1) if _is_zero(sides[side])), None)
        if kept is None:
            continue
        try:
            test = derive_test(chosen, kept == 0, ranges)
        except NoTestError:
            continue
        if test.condition not in (TRUE, FALSE):
            return _Sum(op, number, test.condition)
    return None


def _select_of(tile: Any) -> Any:
    """Return the choice that makes a tile, or one that is repeated to it; None for another tile."""
    op = defining_operation(tile)
    while op is not None and op.name in _REPEATED:
        op = defining_operation(op.operands[0])
    if op is None or op.name != _SELECT:
        return None
    return op if is_tile(op.operands[0]) else None


def _is_zero(tile: Any) -> bool:
    """Tell whether all elements of a tile are known to be +0."""
    op = defining_operation(tile)
    if op is None or op.name != _SPLAT:
        return is_zeros(tile)
    scalar = defining_operation(op.operands[0])
    if scalar is None or scalar.name != "arith.constant":
        return False
    number = scalar.attributes["value"]
    return isinstance(number, ir.FloatAttr) and str(ir.FloatAttr(number).value) == "0.0"


def _is_never_minus_zero(tile: Any) -> bool:
    """Tell whether no element of a tile is -0."""
    op = defining_operation(tile)
    if op is None:
        return False
    if op.name == _DOT:
        return _is_zero(op.operands[_ACCUMULATOR])
    if op.name == "scf.if":
        number = ir.OpResult(tile).result_number
        sides = (terminator(region.blocks[0]).operands[number] for region in op.regions)
        return all(map(_is_never_minus_zero, sides))
    return op.name == _ADD and any(map(_is_never_minus_zero, op.operands))


def _runs(sums: Sequence[_Sum]) -> list[list[_Sum]]:
    """Return the additions of masks one after the other, of which only the last result is read."""
    runs: list[list[_Sum]] = []
    for item in sums:
        last = runs[-1][-1].op if runs else None
        if last is not None and last.results[0] == item.source and only_use(item.source):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _branch(run: Sequence[_Sum], condition: Condition) -> None:
    """Add the masks of a run in a branch, at the place of the last one."""
    source, last = run[0].source, run[-1].op
    result = last.results[0]
    with ir.InsertionPoint(last), last.location:
        branch = scf.IfOp(emit_condition(condition), [result.type], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp([source])
        result.replace_all_uses_with(branch.results[0])
        with ir.InsertionPoint(branch.else_block):
            end = scf.YieldOp([result]).operation
    for item in run:
        item.op.move_before(end)
    sink_into(branch.else_block)
