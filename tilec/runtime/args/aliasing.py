"""Decides whether two strided arrays share a byte of memory.

First the byte ranges are compared. When they intersect, the arrays share a byte exactly when

    base_a + sum(i_k * stride_a_k) + p  ==  base_b + sum(j_l * stride_b_l) + q

has a solution inside the bounds of the indices and of the byte positions `p`, `q` in an element.
That is one linear equation in bounded integers. It is solved by a depth-first search over the
strides, largest first; the bounds and the greatest common divisor of the remaining strides leave
few candidates at each level. The problem is NP-hard in general, so the search has a budget;
views that people make (slices, transposes, column blocks) take a handful of steps.
"""

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SEARCH_BUDGET = 2000
"""Candidates tried before the answer is "cannot tell": about a millisecond."""


class Overlap(enum.Enum):
    """What is known about two arrays."""

    NONE = "no overlap"
    SAME = "the same array"
    SHARED = "overlap"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Footprint:
    """Memory that a strided array touches.

    Attributes:
        base: Address of element (0, ..., 0), in bytes.
        shape: Extent of each axis.
        strides: Distance of neighbours along each axis in bytes; may be zero or negative.
        item_bytes: Size of one element.
    """

    base: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    item_bytes: int

    @property
    def is_empty(self) -> bool:
        """Whether the array has no element."""
        return 0 in self.shape


def byte_range(shape: Sequence[int], strides: Sequence[int], item_bytes: int) -> tuple[int, int]:
    """Return the first byte and the end of a non-empty array, relative to its base address.

    Args:
        shape: Extents, all at least 1.
        strides: Strides in the unit of `item_bytes`.
        item_bytes: Size of one element (1 when the strides count elements).
    """
    low, high = 0, item_bytes
    for extent, stride in zip(shape, strides, strict=True):
        reach = (extent - 1) * stride
        low += min(reach, 0)
        high += max(reach, 0)
    return low, high


def overlap(a: Footprint, b: Footprint, budget: int = SEARCH_BUDGET) -> Overlap:
    """Tell whether `a` and `b` have a byte in common, and whether they are the same array.

    Args:
        a: One array.
        b: The other array.
        budget: Number of candidates that the search may try.
    """
    if a.is_empty or b.is_empty:
        return Overlap.NONE
    if a == b:
        return Overlap.SAME
    low_a, high_a = byte_range(a.shape, a.strides, a.item_bytes)
    low_b, high_b = byte_range(b.shape, b.strides, b.item_bytes)
    if a.base + high_a <= b.base + low_b or b.base + high_b <= a.base + low_a:
        return Overlap.NONE
    # Measured from the lowest byte of each array every term is non-negative, and the terms of b
    # move to the left side as (bound - index), so all coefficients are positive.
    terms = [(abs(stride), extent - 1) for array in (a, b) for extent, stride in _axes(array)]
    terms += [(1, a.item_bytes - 1), (1, b.item_bytes - 1)]
    goal = (b.base + high_b - 1) - (a.base + low_a)
    return _solve(_merge(terms), goal, budget)


def _axes(array: Footprint) -> Iterable[tuple[int, int]]:
    return zip(array.shape, array.strides, strict=True)


def _merge(terms: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Add up the bounds of equal coefficients; largest coefficient first, no empty terms."""
    bounds: dict[int, int] = {}
    for coefficient, bound in terms:
        if coefficient and bound:
            bounds[coefficient] = bounds.get(coefficient, 0) + bound
    return sorted(bounds.items(), reverse=True)


def _solve(terms: Sequence[tuple[int, int]], goal: int, budget: int) -> Overlap:
    """Tell whether sum(c_k * x_k) == goal has a solution with 0 <= x_k <= bound_k."""
    count = len(terms)
    divisors, reaches = [0] * (count + 1), [0] * (count + 1)
    for index in range(count - 1, -1, -1):
        coefficient, bound = terms[index]
        divisors[index] = math.gcd(coefficient, divisors[index + 1])
        reaches[index] = coefficient * bound + reaches[index + 1]
    pending = [(0, goal)]
    while pending:
        index, rest = pending.pop()
        if rest == 0:
            return Overlap.SHARED
        if index == count or rest < 0 or rest > reaches[index] or rest % divisors[index]:
            continue
        values = _candidates(terms[index], rest, reaches[index + 1], divisors[index + 1])
        if len(values) > budget:
            return Overlap.UNKNOWN
        budget -= len(values)
        coefficient = terms[index][0]
        # Popped from the end: the value that leaves the smallest rest is tried first.
        pending.extend((index + 1, rest - coefficient * value) for value in values)
    return Overlap.NONE


def _candidates(term: tuple[int, int], rest: int, reach: int, divisor: int) -> range:
    """Return the values of one index that the remaining terms may complete to `rest`.

    Args:
        term: Coefficient and bound of the index.
        rest: What is left of the goal, a multiple of gcd(coefficient, divisor).
        reach: Largest sum of the remaining terms.
        divisor: Greatest common divisor of the remaining coefficients; 0 when there are none.
    """
    coefficient, bound = term
    low = max(0, -((reach - rest) // coefficient))
    high = min(bound, rest // coefficient)
    if divisor == 0:
        exact, remainder = divmod(rest, coefficient)
        return range(exact, exact + 1) if remainder == 0 and low <= exact <= high else range(0)
    # Solve coefficient * value == rest modulo the divisor of what remains.
    common = math.gcd(coefficient, divisor)
    step = divisor // common
    inverse = pow(coefficient // common, -1, step) if step > 1 else 0
    first = (rest // common * inverse) % step if step > 1 else 0
    return range(low + (first - low) % step, high + 1, step)
