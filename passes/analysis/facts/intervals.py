"""Interval arithmetic on whole numbers: the least and the largest result of an operation.

A range is a pair of integers, both included. Divisors are never 0: division by 0 has no result.
"""

from collections.abc import Callable, Iterable

Range = tuple[int, int]
Division = Callable[[int, int], int]


def hull(ranges: Iterable[Range]) -> Range:
    """Return the smallest range that holds all `ranges`."""
    lows, highs = zip(*ranges, strict=True)
    return min(lows), max(highs)


def add(lhs: Range, rhs: Range) -> Range:
    """Return the range of a sum."""
    return lhs[0] + rhs[0], lhs[1] + rhs[1]


def subtract(lhs: Range, rhs: Range) -> Range:
    """Return the range of a difference."""
    return lhs[0] - rhs[1], lhs[1] - rhs[0]


def multiply(lhs: Range, rhs: Range) -> Range:
    """Return the range of a product."""
    products = [a * b for a in lhs for b in rhs]
    return min(products), max(products)


def least(lhs: Range, rhs: Range) -> Range:
    """Return the range of a minimum."""
    return min(lhs[0], rhs[0]), min(lhs[1], rhs[1])


def largest(lhs: Range, rhs: Range) -> Range:
    """Return the range of a maximum."""
    return max(lhs[0], rhs[0]), max(lhs[1], rhs[1])


def floor_quotient(dividend: int, divisor: int) -> int:
    """Return the quotient rounded towards minus infinity."""
    return dividend // divisor


def ceil_quotient(dividend: int, divisor: int) -> int:
    """Return the quotient rounded towards plus infinity."""
    return -(-dividend // divisor)


def truncated_quotient(dividend: int, divisor: int) -> int:
    """Return the quotient rounded towards zero."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def divide(quotient: Division, dividend: Range, divisor: Range) -> Range:
    """Return the range of a quotient, which `quotient` rounds.

    Every one of the three roundings is monotone in the dividend, and in the divisor on either side
    of zero, so the ends decide.
    """
    ends = {end for end in (*divisor, -1, 1) if end and divisor[0] <= end <= divisor[1]}
    if not ends:
        return 0, 0
    found = [quotient(number, end) for number in dividend for end in ends]
    return min(found), max(found)


def floor_remainder(dividend: Range, divisor: Range) -> Range:
    """Return the range of a remainder that has the sign of the divisor."""
    low, high = min(divisor[0] + 1, 0), max(divisor[1] - 1, 0)
    if dividend[0] >= 0 and divisor[0] >= 0:
        high = min(high, dividend[1])
    return low, high


def truncated_remainder(dividend: Range, divisor: Range) -> Range:
    """Return the range of a remainder that has the sign of the dividend."""
    limit = max(abs(divisor[0]), abs(divisor[1]), 1) - 1
    return max(min(dividend[0], 0), -limit), min(max(dividend[1], 0), limit)


def signed_limits(width: int) -> Range:
    """Return the range of signed integers of `width` bits."""
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def unsigned_limits(width: int) -> Range:
    """Return the range of unsigned integers of `width` bits."""
    return 0, (1 << width) - 1


def is_within(inner: Range, outer: Range) -> bool:
    """Tell whether all of `inner` lies in `outer`."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def wrapped(numbers: Range, limits: Range) -> Range:
    """Return the range of `numbers` after they wrapped around into `limits`, a whole period."""
    period = limits[1] - limits[0] + 1
    turns = (numbers[0] - limits[0]) // period
    moved = numbers[0] - turns * period, numbers[1] - turns * period
    return moved if is_within(moved, limits) else limits
