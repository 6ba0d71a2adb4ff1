"""Which indices of an `extract` may name a slice that its tile does not have."""

from typing import Any

from tilec.ir.slices import slice_counts
from tilec.passes.analysis.facts.intervals import is_within
from tilec.passes.analysis.facts.value_ranges import ValueRanges


def open_axes(op: Any, ranges: ValueRanges) -> list[int]:
    """Return the axes along which the index of an `extract` is not known to name a slice."""
    indices = list(op.operands)[1:]
    return [
        axis
        for axis, (index, count) in enumerate(zip(indices, slice_counts(op), strict=True))
        if not is_within(ranges.signed(index), (0, count - 1))
    ]
