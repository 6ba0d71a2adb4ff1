"""Raise limits of indices to the least index, so that their difference is exact.

Before:  %m = cmpi slt, %columns, (splat %x)
After:   %least = maxsi %x, 0
         %m = cmpi slt, %columns, (splat %least) {exact_difference = [0]}

Columns are never negative, so a limit below 0 says the same as 0. Then their difference does not
wrap around (`exact_difference` of `nv-tileaa-infer-facts`), nor does the step from a limit to the
last number inside of it, which `nv-tileaa-join-comparisons` takes. Extents of arrays need no
clamp: they are at least 1. The length of a part that two loaded numbers name may be anything.

A limit that differs along the last axis stays, and one with about as many elements as the mask: it
would cost what it gains.
"""

from math import prod
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import SplatOp
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.removal import erase_unused
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.bounds import Bound, bounds_of, repeated, scalar_of
from tilec.passes.analysis.facts.comparisons import EXACT_DIFFERENCE, record_difference
from tilec.passes.analysis.facts.index_runs import is_level
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.worth import ELEMENTS_OF_A_LIMIT


@register_kernel_pass("nv-tileaa-clamp-limits")
def clamp_limits(function: Any, context: PassContext) -> bool:
    """Raise limits that may be less than every index."""
    replaced = []
    ranges = ValueRanges.of_kernel(function)
    for op in kernel_operations(function):
        if op.name == "arith.cmpi" and is_tile(op.results[0]):
            replaced += _clamp(op, ranges)
    erase_unused(replaced)  # at the end: `ranges` knows values by their place in memory
    return bool(replaced)


def _clamp(op: Any, ranges: ValueRanges) -> list[Any]:
    """Raise the limit of one comparison if that makes a difference exact; return the old limit."""
    if EXACT_DIFFERENCE in op.attributes:
        return []
    for bound in bounds_of(op.results[0]):
        least = _least_limit(bound, ranges)
        level = is_level(op.operands[bound.side])
        if (
            least is None
            or not level
            or _size(op.results[0]) < ELEMENTS_OF_A_LIMIT * _size(bound.limit)
        ):
            continue
        old = op.operands[bound.side]
        with ir.InsertionPoint(op), op.location:
            clamped = repeated(_raised(bound.limit, least), tuple(old.type.shape))
        op.operands[bound.side] = clamped
        record_difference(op, ranges)
        return [old]
    return []


def _least_limit(bound: Bound, ranges: ValueRanges) -> int | None:
    """Return the least limit that a comparison needs; None if clamping proves nothing.

    Of numbers that are at least `low`, none is less than it, and all are greater than `low` - 1.
    """
    limits = intervals.signed_limits(ir.IntegerType(bound.number.type.element_type).width)
    low, high = ranges.of(bound.number)
    if low < 0 or high > limits[1]:
        return None
    strict = bound.step != 0
    return low if strict == bound.upper else low - 1


def _raised(limit: Any, least: int) -> Any:
    scalar = scalar_of(limit)
    if scalar is None:
        return arith.maxsi(limit, full(limit.type, least))
    raised = arith.maxsi(scalar, arith.constant(scalar.type, least))
    return SplatOp.build(raised, tuple(limit.type.shape))


def _size(tile: Any) -> int:
    return 1 if scalar_of(tile) is not None else prod(tile.type.shape)
