"""What is known about the elements of tiles of floats: ranges, NaN, and whose they are.

A `Known` describes all elements of a tile, or of a part of it, at once. Rounding is covered: it is
monotone, and the only exact results that rules rely on are those of IEEE 754 for 0, 1 and
infinities. The sign of zeros is not followed. `ex2.approx` returns 1 for 0, 0 for minus infinity
(PTX ISA, ex2), and never a number below 0.
"""

import math
from collections.abc import Callable

from tilec.support.fast_dataclasses import dataclass, replace

INFINITY = math.inf
LARGEST = (2 - 2.0**-23) * 2.0**127
"""Largest finite f32."""
_LEAST_NORMAL = 2.0**-126
"""Least f32 above 0 that is never flushed."""
Place = tuple[int, tuple[int | None, ...]]
"""Number of a carried value, and for each axis of a tile the axis of the carried one that it runs
along; None where elements repeat."""


@dataclass(frozen=True)
class Known:
    """What is known about elements.

    Attributes:
        low: No element but NaN is below it.
        high: No element but NaN is above it; below `low` where all elements are NaN.
        may_be_nan: Whether an element may be NaN.
        place: Where a loop carries these very elements; None if it does not.
    """

    low: float = -INFINITY
    high: float = INFINITY
    may_be_nan: bool = True
    place: Place | None = None

    @property
    def is_nan(self) -> bool:
        """Whether all elements are NaN."""
        return self.low > self.high

    @property
    def is_finite(self) -> bool:
        """Whether all elements are finite."""
        return not self.may_be_nan and self.low > -INFINITY and self.high < INFINITY

    @property
    def number(self) -> float | None:
        """The number that all elements are; None where that is not known."""
        return self.low if self.low == self.high and not self.may_be_nan else None


ANYTHING = Known()
NAN = Known(INFINITY, -INFINITY)


def exactly(number: float) -> Known:
    """Return what is known about elements that are `number`."""
    return NAN if math.isnan(number) else Known(number, number, may_be_nan=False)


def between(low: float, high: float) -> Known:
    """Return what is known about numbers from `low` to `high`."""
    return Known(low, high, may_be_nan=False)


def moved(known: Known) -> Known:
    """Return what is known about elements that are no longer where a loop carries them."""
    return known if known.place is None else replace(known, place=None)


def hull(a: Known, b: Known) -> Known:
    """Return what holds for elements of either kind."""
    if a == b:
        return a
    nan = a.may_be_nan or b.may_be_nan
    return Known(min(a.low, b.low), max(a.high, b.high), nan)


def negated(a: Known) -> Known:
    """Return what is known about `-a`."""
    return NAN if a.is_nan else Known(-a.high, -a.low, a.may_be_nan)


def total(a: Known, b: Known) -> Known:
    """Return what is known about `a + b`."""
    for one, other in ((a, b), (b, a)):
        if one.number == 0:
            return other
    if a.is_nan or b.is_nan:
        return NAN
    clash = (a.high == INFINITY and b.low == -INFINITY) or (
        a.low == -INFINITY and b.high == INFINITY
    )
    if a.number in (INFINITY, -INFINITY) and b.number == -(a.number or 0):
        return NAN
    nan = a.may_be_nan or b.may_be_nan or clash
    low = -INFINITY if -INFINITY in (a.low, b.low) else _down(a.low + b.low)
    high = INFINITY if INFINITY in (a.high, b.high) else _up(a.high + b.high)
    return Known(low, high, nan)


def difference(a: Known, b: Known) -> Known:
    """Return what is known about `a - b`; a finite number minus itself is 0."""
    if a.place is not None and a.place == b.place and a.is_finite:
        return exactly(0.0)
    return a if b.number == 0 else total(a, negated(b))


def product(a: Known, b: Known) -> Known:
    """Return what is known about `a * b`."""
    for one, other in ((a, b), (b, a)):
        if one.number == 1:
            return other
        if one.number == 0 and other.is_finite:
            return exactly(0.0)
    if a.is_nan or b.is_nan:
        return NAN
    clash = any(_has_zero(x) and _is_unbounded(y) for x, y in ((a, b), (b, a)))
    ends = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    nan = a.may_be_nan or b.may_be_nan or clash
    return Known(_down(min(ends)), _up(max(ends)), nan)


def exponential(base: float) -> Callable[[Known], Known]:
    """Return the rule for powers of `base`, which is above 1."""

    def power(number: float) -> float:
        """Return a power; numbers far from 0 count as infinite, which is no narrower."""
        if number in (0.0, -INFINITY):
            return 1.0 if number == 0 else 0.0
        limit = 2.0**9
        return 0.0 if number < -limit else INFINITY if number > limit else base**number

    def rule(a: Known) -> Known:
        if a.is_nan:
            return NAN
        if a.number in (0.0, INFINITY, -INFINITY):
            return exactly(power(a.low))
        # What is not exact may be off by some ulp, and small numbers may be flushed to 0.
        return Known(power(a.low) * 0.5, power(a.high) * 2, a.may_be_nan)

    return rule


def larger(a: Known, b: Known, *, drops_nan: bool) -> Known:
    """Return what is known about the larger one of `a` and `b`.

    Args:
        a: One operand.
        b: The other one.
        drops_nan: Whether it is the operand that is no NaN if one is, and else NaN if one is.
    """
    for one, other in ((a, b), (b, a)):
        if one.is_nan:
            return other if drops_nan else NAN
        never_other = other.high <= one.low and not (drops_nan and one.may_be_nan)
        if never_other and (drops_nan or not other.may_be_nan):
            return one
    both = a.may_be_nan and b.may_be_nan
    nan = both if drops_nan else a.may_be_nan or b.may_be_nan
    low = max(a.low, b.low)
    if drops_nan and (a.may_be_nan or b.may_be_nan):
        low = min(a.low, b.low)
    return Known(low, max(a.high, b.high), nan)


def less(a: Known, b: Known, *, or_equal: bool) -> bool | None:
    """Return whether `a < b` (or `a <= b`), read as false for NaN; None if that is not known."""
    if a.is_nan or b.is_nan:
        return False
    if a.low > b.high or (a.low == b.high and not or_equal):
        return False
    surely = a.high < b.low or (a.high == b.low and or_equal)
    return True if surely and not (a.may_be_nan or b.may_be_nan) else None


def equal(a: Known, b: Known) -> bool | None:
    """Return whether `a == b`, read as false for NaN; None if that is not known."""
    if a.is_nan or b.is_nan or a.low > b.high or b.low > a.high:
        return False
    return True if a.number is not None and a.number == b.number else None


def _down(number: float) -> float:
    """Return what f32 does not round a number below, whether or not it flushes to zero."""
    if math.isinf(number):
        return number
    lower = number - abs(number) * 2.0**-22
    if lower < -LARGEST:
        return -INFINITY
    return 0.0 if 0 < lower < _LEAST_NORMAL else lower


def _up(number: float) -> float:
    """Return what f32 does not round a number above."""
    return -_down(-number)


def _times(a: float, b: float) -> float:
    return 0.0 if 0 in (a, b) else a * b


def _has_zero(a: Known) -> bool:
    return a.low <= 0 <= a.high


def _is_unbounded(a: Known) -> bool:
    return a.low == -INFINITY or a.high == INFINITY
