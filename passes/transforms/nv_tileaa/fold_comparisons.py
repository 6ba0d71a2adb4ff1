"""Replace comparisons of tiles of indices whose result is known by a constant.

Before:  %r = make_range {start = 0} : tensor<4096xi32>
         %e = splat %c4096 : tensor<4096xi32>
         %m = cmpi slt, %r, %e
After:   %m = constant dense<true>

A mask of the columns beyond the end of a row is not needed where the row ends with its tile. The
range of the elements of an operand follows from `make_range`, from splats, and from the ranges of
scalars: constants, extents of at least 1, loop variables, coordinates of blocks. `canonicalize`
then removes the selections.
"""

from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.removal import replace_operation
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.intervals import Range
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass

_P = arith.CmpIPredicate
_LESS = {int(_P.slt): True, int(_P.sle): False}
_MORE = {int(_P.sgt): True, int(_P.sge): False}
_FREE = ("nv_tileaa.view", "nv_tileaa.broadcast", "nv_tileaa.permute")
_SUMS = {"arith.addi": intervals.add, "arith.subi": intervals.subtract}


@register_kernel_pass("nv-tileaa-fold-comparisons")
def fold_comparisons(function: Any, context: PassContext) -> bool:
    """Fold the signed comparisons of tiles whose operands' ranges decide them."""
    changed = False
    ranges = ValueRanges.of_kernel(function)
    for op in kernel_operations(function):
        if op.name != "arith.cmpi" or not is_tile(op.results[0]):
            continue
        known = _known_result(op, ranges)
        if known is not None:
            _replace(op, known)
            changed = True
    return changed


def _known_result(op: Any, ranges: ValueRanges) -> bool | None:
    """Return what a comparison gives for all of its elements; None if that is not known."""
    predicate = integer(op, "predicate")
    left, right = op.operands
    if predicate in _MORE:
        left, right = right, left
    elif predicate not in _LESS:
        return None
    strict = _LESS[predicate] if predicate in _LESS else _MORE[predicate]
    low, high = _range_of(left, ranges), _range_of(right, ranges)
    if low is None or high is None:
        return None
    if low[1] < high[0] or (low[1] == high[0] and not strict):
        return True
    return False if low[0] > high[1] or (low[0] == high[1] and strict) else None


def _range_of(tile: Any, ranges: ValueRanges) -> Range | None:
    """Return what the elements of a tile lie between, read as signed; None if nothing is known."""
    op = defining_operation(tile)
    if op is None:
        return None
    if op.name == "nv_tileaa.make_range":
        start = op.opview.start.value
        return start, start + tile.type.shape[0] - 1
    if op.name == "nv_tileaa.splat":
        return ranges.signed(op.operands[0])
    if op.name == "arith.constant":
        number = number_of(tile)
        return None if number is None else (number, number)
    if op.name in _FREE:
        return _range_of(op.operands[0], ranges)
    if op.name not in _SUMS:
        return None
    found = [_range_of(operand, ranges) for operand in op.operands]
    left, right = found
    if left is None or right is None:
        return None
    whole = _SUMS[op.name](left, right)
    limits = intervals.signed_limits(ir.IntegerType(tile.type.element_type).width)
    return whole if intervals.is_within(whole, limits) else None


def _replace(op: Any, known: bool) -> None:
    with ir.InsertionPoint(op), op.location:
        constant = full(op.results[0].type, -int(known))
    replace_operation(op, [constant])
