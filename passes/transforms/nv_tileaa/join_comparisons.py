"""Compare indices with the tighter one of two limits, instead of with both.

Before:  %p = cmpi slt, %columns, (splat %N)
         %q = cmpi sle, (broadcast %columns), (broadcast %rows);  %m = andi (broadcast %p), %q
After:   %limit = minsi (splat (%N - 1)), %rows
         %m = cmpi sle, (broadcast %columns), (broadcast %limit)

The mask of a causal tile asks of each score whether its column lies inside of the sequence, and
whether it comes after its row. Limits have one element for each row, masks one for each score. So
one comparison and one selection of each score go. Upper limits join by their least one, lower
limits by their greatest one.

A limit that is a scalar takes the shape of the other one. Limits of two shapes stay, unless one is
a scalar. So do limits of which not even the shape of the mask tells that they are fewer.
"""

from math import prod
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import SplatOp
from tilec.ir.bindings import arith, ir
from tilec.ir.removal import erase_unused
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.bounds import Bound, P, bounds_of, repeated, scalar_of
from tilec.passes.analysis.facts.comparisons import record_difference
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.worth import ELEMENTS_OF_A_LIMIT

_AND = "arith.andi"


@register_kernel_pass("nv-tileaa-join-comparisons")
def join_comparisons(function: Any, context: PassContext) -> bool:
    """Join the comparisons of masks that are conjunctions."""
    ranges = ValueRanges.of_kernel(function)
    masks = [op for op in kernel_operations(function) if op.name == _AND and _is_tile(op)]
    joined = [mask.results[0] for mask in masks if _join(mask, ranges)]
    erase_unused(joined)  # at the end: `ranges` knows values by their place in memory
    return bool(joined)


def _join(mask: Any, ranges: ValueRanges) -> bool:
    """Replace a conjunction of two comparisons by one, if that is possible."""
    elements = prod(mask.results[0].type.shape)
    for first in bounds_of(mask.operands[0]):
        for second in bounds_of(mask.operands[1]):
            if first.number != second.number or first.upper != second.upper:
                continue
            bounds = [first, second]
            if not all(_can_step(bound, ranges) for bound in bounds):
                continue
            shape = _common_shape(bounds)
            if shape is None or elements < ELEMENTS_OF_A_LIMIT * prod(shape):
                continue
            record_difference(_replace(mask, bounds, shape), ranges)
            return True
    return False


def _can_step(bound: Bound, ranges: ValueRanges) -> bool:
    """Tell whether the last number inside of a limit is one of its type."""
    scalar = scalar_of(bound.limit)
    if bound.step == 0:
        return True
    if scalar is None:
        return False
    limits = intervals.signed_limits(ir.IntegerType(scalar.type).width)
    low, high = ranges.signed(scalar)
    return intervals.is_within((low + bound.step, high + bound.step), limits)


def _common_shape(bounds: list[Bound]) -> tuple[int, ...] | None:
    """Return the shape of the limits but for scalars; None where they differ."""
    shapes = {tuple(item.limit.type.shape) for item in bounds if scalar_of(item.limit) is None}
    return shapes.pop() if len(shapes) == 1 else None


def _replace(mask: Any, bounds: list[Bound], shape: tuple[int, ...]) -> Any:
    """Replace a mask by one comparison, and return this one."""
    upper, number = bounds[0].upper, bounds[0].number
    with ir.InsertionPoint(mask), mask.location:
        first, second = (_inside(bound, shape) for bound in bounds)
        limit = arith.minsi(first, second) if upper else arith.maxsi(first, second)
        whole = tuple(mask.results[0].type.shape)
        joined = arith.cmpi(
            P.sle if upper else P.sge, repeated(number, whole), repeated(limit, whole)
        )
    mask.results[0].replace_all_uses_with(joined)
    return joined.owner.operation


def _inside(bound: Bound, shape: tuple[int, ...]) -> Any:
    """Emit the last numbers inside of a limit, as a tile of a shape."""
    scalar = scalar_of(bound.limit)
    if scalar is None:
        return bound.limit
    if bound.step:
        scalar = arith.addi(scalar, arith.constant(scalar.type, bound.step))
    return SplatOp.build(scalar, shape)


def _is_tile(op: Any) -> bool:
    return is_tile(op.results[0])
