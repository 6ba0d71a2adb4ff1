"""Interval arithmetic against every pair of small numbers, and the ranges of wrapped values."""

from itertools import combinations_with_replacement, product

import pytest

from tilec.passes.analysis.facts import intervals, value_ranges
from tilec.passes.analysis.facts.host_expressions import extent_range

RANGES = list(combinations_with_replacement(range(-3, 4), 2))
WIDTH = 3
WORDS = list(combinations_with_replacement(range(-4, 10), 2))


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def members(low_high):
    return range(low_high[0], low_high[1] + 1)


OPERATIONS = {
    "add": (intervals.add, lambda a, b: a + b),
    "subtract": (intervals.subtract, lambda a, b: a - b),
    "multiply": (intervals.multiply, lambda a, b: a * b),
    "least": (intervals.least, min),
    "largest": (intervals.largest, max),
    "floor": (lambda a, b: intervals.divide(intervals.floor_quotient, a, b), lambda a, b: a // b),
    "ceil": (lambda a, b: intervals.divide(intervals.ceil_quotient, a, b), lambda a, b: -(-a // b)),
    "zero": (lambda a, b: intervals.divide(intervals.truncated_quotient, a, b), truncated),
    "floor remainder": (intervals.floor_remainder, lambda a, b: a % b),
    "remainder": (intervals.truncated_remainder, lambda a, b: a - truncated(a, b) * b),
}
DIVISIONS = ("floor", "ceil", "zero", "floor remainder", "remainder")


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_result_is_in_the_interval(name):
    interval, exact = OPERATIONS[name]
    for lhs, rhs in product(RANGES, RANGES):
        low, high = interval(lhs, rhs)
        for a, b in product(members(lhs), members(rhs)):
            if b or name not in DIVISIONS:
                assert low <= exact(a, b) <= high, (lhs, rhs, a, b)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "least", "largest"])
def test_intervals_are_tight(name):
    interval, exact = OPERATIONS[name]
    for lhs, rhs in product(RANGES, RANGES):
        found = [exact(a, b) for a, b in product(members(lhs), members(rhs))]
        assert interval(lhs, rhs) == (min(found), max(found))


def signed(number):
    return (number + 4) % 8 - 4


def unsigned(number):
    return number % 8


WRAPPING = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": lambda a, b: truncated(signed(a), signed(b)) if unsigned(b) else None,
    "arith.floordivsi": lambda a, b: signed(a) // signed(b) if unsigned(b) else None,
    "arith.ceildivsi": lambda a, b: -(-signed(a) // signed(b)) if unsigned(b) else None,
    "arith.divui": lambda a, b: unsigned(a) // unsigned(b) if unsigned(b) else None,
    "arith.ceildivui": lambda a, b: -(-unsigned(a) // unsigned(b)) if unsigned(b) else None,
    "arith.remsi": lambda a, b: (
        signed(a) - truncated(signed(a), signed(b)) * signed(b) if unsigned(b) else None
    ),
    "arith.remui": lambda a, b: unsigned(a) % unsigned(b) if unsigned(b) else None,
    "arith.minsi": lambda a, b: min(signed(a), signed(b)),
    "arith.maxsi": lambda a, b: max(signed(a), signed(b)),
    "arith.minui": lambda a, b: min(unsigned(a), unsigned(b)),
    "arith.maxui": lambda a, b: max(unsigned(a), unsigned(b)),
    "arith.andi": lambda a, b: a & b,
}


@pytest.mark.parametrize("name", WRAPPING)
def test_wrapped_results_are_in_the_range(name):
    """Values of three bits: a range holds a number that is equal to the result modulo 8."""
    transfer, exact = value_ranges._TRANSFER[name], WRAPPING[name]
    for lhs, rhs in product(WORDS, WORDS):
        if max(lhs[1] - lhs[0], rhs[1] - rhs[0]) > 7:
            continue
        held = {unsigned(n) for n in members(transfer([lhs, rhs], [WIDTH, WIDTH]))}
        for a, b in product(members(lhs), members(rhs)):
            result = exact(a, b)
            assert result is None or unsigned(result) in held, (lhs, rhs, a, b)


def test_wrapping():
    assert intervals.wrapped((6, 7), (-4, 3)) == (-2, -1)
    assert intervals.wrapped((3, 4), (-4, 3)) == (-4, 3)
    assert intervals.wrapped((-1, -1), (0, 7)) == (7, 7)


def test_grid_extents():
    names = {"N": (0, 2**31 - 1), "s": (-(2**31), 2**31 - 1)}
    assert extent_range("cdiv(N, 64)", names) == (1, 2**25)
    assert extent_range("N // 64 % 7", names) == (1, 6)
    assert extent_range("max(s, 3) * 0 + min(N, 5)", names) == (1, 5)
    for unknown in ("Q", "N ** 2", "N * N", "1 +"):
        assert extent_range(unknown, names) == (1, 2**31 - 1)
