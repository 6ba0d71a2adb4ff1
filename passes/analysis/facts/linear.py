"""Linear expressions of scalar values, and what is known about their size."""

from collections.abc import Iterator
from typing import Any

from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.facts.intervals import Range
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.support.fast_dataclasses import dataclass

Term = tuple[Any, int]
_SUMS = {"arith.addi": 1, "arith.subi": -1}


@dataclass(frozen=True)
class Linear:
    """A sum of integers: a constant, and multiples of scalar values that are read as signed.

    Attributes:
        constant: The constant.
        terms: Pairs of a value and its factor, which is not 0; no value comes twice.
    """

    constant: int = 0
    terms: tuple[Term, ...] = ()

    def __add__(self, other: "Linear") -> "Linear":
        """Return the sum of two expressions; equal values are merged."""
        factors = dict(self.terms)
        for value, factor in other.terms:
            factors[value] = factors.get(value, 0) + factor
        terms = tuple((value, factor) for value, factor in factors.items() if factor)
        return Linear(self.constant + other.constant, terms)

    def __sub__(self, other: "Linear") -> "Linear":
        """Return the difference of two expressions."""
        return self + other.times(-1)

    def times(self, factor: int) -> "Linear":
        """Return a multiple of the expression."""
        terms = tuple((value, known * factor) for value, known in self.terms if factor)
        return Linear(self.constant * factor, terms)

    def parts(self) -> tuple["Linear", "Linear"]:
        """Return what is added, and what is subtracted as a positive number."""
        added = tuple(term for term in self.terms if term[1] > 0)
        taken = tuple((value, -factor) for value, factor in self.terms if factor < 0)
        return Linear(max(self.constant, 0), added), Linear(max(-self.constant, 0), taken)

    def prefixes(self, ranges: ValueRanges) -> Iterator[Range]:
        """Yield the range of every value, product and sum on the way: term by term, then all."""
        total: Range | None = None
        for value, factor in self.terms:
            item = ranges.signed(value)
            product = intervals.multiply(item, (factor, factor))
            total = product if total is None else intervals.add(total, product)
            yield from (item, product, total)
        constant = (self.constant, self.constant)
        yield constant
        yield constant if total is None else intervals.add(total, constant)

    def range(self, ranges: ValueRanges) -> Range:
        """Return between which numbers the expression lies."""
        return list(self.prefixes(ranges))[-1]


def linear_form(value: Any, ranges: ValueRanges | None = None) -> Linear:
    """Return an integer as a sum of multiples of values, through sums and constant factors.

    Args:
        value: The integer.
        ranges: Ranges of the values of its kernel: the sum is then the value, read as signed.
            Without them it is the value modulo 2^width.
    """
    op, number = defining_operation(value), constant_value(value)
    if number is not None:
        return Linear(number)
    found = None if op is None else _combined(op, ranges)
    if found is not None and (ranges is None or _fits(found, value, ranges)):
        return found
    return Linear(0, ((value, 1),))


def _combined(op: Any, ranges: ValueRanges | None) -> Linear | None:
    """Return the sum or product that an operation computes, before it wraps; None for others."""
    if op.name not in (*_SUMS, "arith.muli"):
        return None
    left, right = (linear_form(operand, ranges) for operand in op.operands)
    if op.name in _SUMS:
        return left + right.times(_SUMS[op.name])
    if left.terms and right.terms:
        return None
    return left.times(right.constant) if left.terms else right.times(left.constant)


def _fits(found: Linear, value: Any, ranges: ValueRanges) -> bool:
    limits = intervals.signed_limits(value.type.width)
    return intervals.is_within(found.range(ranges), limits)
