"""What is known about floats against the results of NumPy for random numbers."""

import random

import numpy as np
import pytest

from tilec.passes.analysis.facts import float_ranges as ranges
from tilec.passes.analysis.facts.float_ranges import LARGEST, NAN, Known

NUMBERS = (-np.inf, -LARGEST, -1e30, -2.0, -1.0, 0.0, 2.0**-140, 0.5, 1.0, 1e30, LARGEST, np.inf)
EDGES = tuple(float(np.float32(number)) for number in NUMBERS)
BINARY = {
    "total": (ranges.total, np.add),
    "difference": (ranges.difference, np.subtract),
    "product": (ranges.product, np.multiply),
    "larger number": (lambda a, b: ranges.larger(a, b, drops_nan=True), np.fmax),
    "larger or NaN": (lambda a, b: ranges.larger(a, b, drops_nan=False), np.maximum),
    "hull": (ranges.hull, lambda a, b: np.where(np.arange(len(a)) % 2, a, b)),
}
UNARY = {
    "negated": (ranges.negated, np.negative),
    "exp2": (ranges.exponential(2.0), np.exp2),
    "exp": (ranges.exponential(float(np.e)), np.exp),
}


def some_known(rng):
    """Return what may be known about numbers, and some of these."""
    low, high = sorted(rng.choices(EDGES, k=2))
    nan = rng.random() < 0.3
    if nan and rng.random() < 0.3:
        return NAN, np.full(8, np.nan, np.float32)
    inside = [edge for edge in EDGES if low <= edge <= high]
    numbers = np.array(rng.choices(inside, k=8), np.float32)
    if nan:
        numbers[rng.randrange(8)] = np.nan
    return Known(low, high, nan), numbers


def assert_holds(known, numbers, *context):
    missing = np.isnan(numbers)
    assert known.may_be_nan or not missing.any(), context
    held = numbers[~missing].astype(np.float64)
    assert np.all((held >= known.low) & (held <= known.high)), context


@pytest.mark.parametrize("name", BINARY)
def test_binary_rules_hold(name):
    rule, function = BINARY[name]
    rng = random.Random(0)
    with np.errstate(all="ignore"):
        for _ in range(2000):
            (a, x), (b, y) = some_known(rng), some_known(rng)
            assert_holds(rule(a, b), function(x, y), a, b)


@pytest.mark.parametrize("name", UNARY)
def test_unary_rules_hold(name):
    rule, function = UNARY[name]
    rng = random.Random(0)
    with np.errstate(all="ignore"):
        for _ in range(1000):
            a, x = some_known(rng)
            assert_holds(rule(a), function(x), a)


def test_comparisons_hold():
    rng = random.Random(0)
    for _ in range(3000):
        (a, x), (b, y) = some_known(rng), some_known(rng)
        for known, found in (
            (ranges.less(a, b, or_equal=False), x < y),
            (ranges.less(a, b, or_equal=True), x <= y),
            (ranges.equal(a, b), x == y),
        ):
            assert known is None or np.all(found == known), (a, b)


def test_a_finite_number_minus_itself_is_zero():
    place = (0, (0, None))
    finite, infinite = Known(-1e30, LARGEST, False, place), Known(-1e30, np.inf, False, place)
    assert ranges.difference(finite, finite).number == 0
    assert ranges.difference(infinite, infinite).may_be_nan
    assert ranges.difference(finite, Known(-1e30, LARGEST, False, (0, (None, 0)))).number is None


def test_what_changes_nothing_keeps_its_place():
    carried = Known(place=(1, (0, 1)))
    assert ranges.product(carried, ranges.exactly(1.0)) == carried
    assert ranges.total(ranges.exactly(0.0), carried) == carried
    finite = ranges.between(-1e30, LARGEST)
    top = Known(finite.low, finite.high, False, (0, ()))
    assert ranges.larger(top, ranges.exactly(-np.inf), drops_nan=True) == top
