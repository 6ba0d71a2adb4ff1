"""Add up a row that a loop sums only once, after the loop.

Before:  %r = scf.for iter_args(%t = zeros: 128x1) {
           %s = reduce add %w {axis = 1}: 128x64 -> 128; %v = view %s: 128x1
           %n = fma %t, %fade, %v; yield %n }
After:   %p = scf.for iter_args(%t = zeros: 128x8) {
           %u = view %w: 128x8x8; %v = reduce add %u {axis = 1}: 128x8
           %n = fma %t, (broadcast %fade: 128x8), %v; yield %n }
         %s = reduce add %p {axis = 1}: 128x8 -> 128; %r = view %s: 128x1

Four lanes hold a row of an accumulator: of every eight columns, each lane has two (PTX ISA, wgmma,
register fragments of D). So each lane adds up its own columns, and the shuffles between lanes come
after the loop. A round may also multiply the carried sums by a factor for each row, as attention
does when the largest score changes: each part of a sum is multiplied by the same factor.

That changes the order of additions, which the language leaves open. A loop stays as it is if the
sum is used otherwise or does not begin with zeros, or if what it adds up is not computed, element
by element, from the result of a product by wgmma.
"""

from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import BroadcastOp, ReduceOp, ViewOp
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.removal import erase_unused
from tilec.ir.structured import (
    FOR_BOUNDS,
    body_operations,
    clone_whole,
    defining_operation,
    terminator,
)
from tilec.ir.values import is_tile, origin_of
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.fast_dataclasses import dataclass

_DOT, _VIEW = "nv_tileaa.dot", "nv_tileaa.view"
_CONSTANT = "arith.constant"
_ADD, _MULTIPLY, _FUSED = "arith.addf", "arith.mulf", "math.fma"
_ADDEND = 2
"""Operand of a fused operation that is added."""
_COLUMNS = 8
"""Columns of an accumulator that the lanes of a row hold between them, again and again."""


@dataclass(frozen=True)
class _Step:
    """An operation that a round performs on a carried sum.

    Attributes:
        op: An addition, a product or both.
        value: The operand that is the sum so far.
        summed: The reduction whose result is added; None for a product.
    """

    op: Any
    value: Any
    summed: Any = None


@register_kernel_pass("nv-tileaa-sum-after-loops")
def sum_after_loops(function: Any, context: PassContext) -> bool:
    """Let every loop that allows it carry sums of some columns in the place of sums of rows."""
    changed = False
    for loop in [op for op in kernel_operations(function) if op.name == "scf.for"]:
        for number in range(len(loop.results)):
            steps = _steps(loop, number)
            if steps:
                _carry_columns(loop, number, steps)
                changed = True
    return changed


def _steps(loop: Any, number: int) -> list[_Step]:
    """Return what a round does to the carried value `number`; nothing if it is no sum of rows."""
    block = loop.regions[0].blocks[0]
    end, value = terminator(block), block.arguments[1 + number]
    steps: list[_Step] = []
    while True:
        uses = [(use.owner.operation, use.operand_number) for use in value.uses]
        if len(uses) != 1:
            return []
        if uses[0] == (end, number):
            return steps if any(step.summed is not None for step in steps) else []
        step = _step(*uses[0])
        if step is None or step.op.block != block:
            return []
        steps.append(step)
        value = step.op.results[0]


def _step(op: Any, number: int) -> _Step | None:
    """Return the step that `op` is for its operand `number`; None for any other operation."""
    value = op.operands[number]
    if op.name == _MULTIPLY:
        return _Step(op, value)
    if not (op.name == _ADD or (op.name == _FUSED and number < _ADDEND)):
        return None
    added = op.operands[_ADDEND] if op.name == _FUSED else op.operands[1 - number]
    summed = _sum_of_rows(added)
    return None if summed is None else _Step(op, value, summed)


def _sum_of_rows(tile: Any) -> Any:
    """Return the reduction that adds up the rows of an accumulator to `tile`, if it is one."""
    op = defining_operation(origin_of(tile, lambda op: op.name == _VIEW))
    if op is None or op.name != ReduceOp.OPERATION_NAME or len(op.operands) != 1:
        return None
    added = [inner.name for inner in body_operations(op.opview.block)]
    shape = op.operands[0].type.shape
    if added[:-1] != [_ADD] or len(shape) != 2 or op.opview.axis.value != 1:
        return None
    is_whole = shape[1] > _COLUMNS and shape[1] % _COLUMNS == 0
    return op if is_whole and _is_of_accumulator(op.operands[0]) else None


def _is_of_accumulator(tile: Any) -> bool:
    """Tell whether `tile` is computed, element by element, from a product by wgmma."""
    pending, seen = [tile], set[Any]()
    while pending:
        value = pending.pop()
        op = defining_operation(value)
        if op is None or value in seen:
            continue
        seen.add(value)
        if op.name == _DOT and why_not_wgmma(op, 1) is None:
            return True
        if op.name == "scf.if":
            number = ir.OpResult(value).result_number
            sides = [terminator(region.blocks[0]).operands[number] for region in op.regions]
            if all(map(_is_of_accumulator, sides)):
                return True
        elif op.name.split(".")[0] in ("arith", "math"):
            pending += [v for v in op.operands if is_tile(v)]
    return False


def _carry_columns(loop: Any, number: int, steps: list[_Step]) -> None:
    """Let a loop carry `_COLUMNS` sums of each row, which are added up after it."""
    result, kind = loop.results[number], loop.results[number].type
    rows = next(step.summed for step in steps if step.summed is not None)
    with ir.InsertionPoint(loop), loop.location:
        shape = [rows.operands[0].type.shape[0], _COLUMNS]
        wide = ir.RankedTensorType.get(shape, kind.element_type)
        loop.operands[FOR_BOUNDS + number] = _parts(loop.operands[FOR_BOUNDS + number], wide)
    with ir.InsertionPoint.after(loop), loop.location:
        total = clone_whole(rows, {})
        result.replace_all_uses_with(_as(total.results[0], kind))
    total.operands[0] = result
    result.set_type(wide)
    loop.regions[0].blocks[0].arguments[1 + number].set_type(wide)
    for step in steps:
        with ir.InsertionPoint(step.op), step.op.location:
            _widen(step, wide)


def _parts(start: Any, wide: Any) -> Any:
    """Return `_COLUMNS` equal parts of what each row of a sum begins with."""
    number = number_of(start)
    if number is not None:
        return full(wide, number / _COLUMNS)
    return arith.MulFOp(_repeat(start, wide), full(wide, 1 / _COLUMNS)).result


def _widen(step: _Step, wide: Any) -> None:
    """Perform a step on sums of columns: those of the tile are added, and factors are repeated."""
    op = step.op
    for number, operand in enumerate(op.operands):
        if operand == step.value:
            continue
        if step.summed is not None and (op.name == _ADD or number == _ADDEND):
            op.operands[number] = _columns(step.summed, wide)
            erase_unused([operand], lambda op: op.name in (_VIEW, ReduceOp.OPERATION_NAME))
        else:
            op.operands[number] = _repeat(operand, wide)
    op.results[0].set_type(wide)


def _columns(summed: Any, wide: Any) -> Any:
    """Return the sums of every eighth column of the tile that `summed` reduces."""
    tile = summed.operands[0]
    rows, columns = tile.type.shape
    blocks = ir.RankedTensorType.get([rows, columns // _COLUMNS, _COLUMNS], wide.element_type)
    viewed = ViewOp(source=tile, tile=blocks).tile
    made = clone_whole(summed, {tile: viewed})
    made.results[0].set_type(wide)
    return made.results[0]


def _repeat(factor: Any, wide: Any) -> Any:
    """Return a factor of each row for each of its columns."""
    rows = ir.RankedTensorType.get([wide.shape[0], 1], wide.element_type)
    return BroadcastOp(source=_as(factor, rows), tile=wide).tile


def _as(tile: Any, kind: Any) -> Any:
    """Return a tile with the dims of type `kind`."""
    return tile if tile.type == kind else ViewOp(source=tile, tile=kind).tile
