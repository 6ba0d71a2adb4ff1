"""Comparisons and selection: cuda_tile, and upstream arith on scalars."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import integer, text
from tilec.interpreter.registry import value_op
from tilec.support.numpy_types import unsigned

Function = Callable[..., Any]

_PREDICATES: dict[str, Function] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}

_ARITH_INTEGER: tuple[tuple[str, bool], ...] = (
    ("equal", True),
    ("not_equal", True),
    ("less_than", True),
    ("less_than_or_equal", True),
    ("greater_than", True),
    ("greater_than_or_equal", True),
    ("less_than", False),
    ("less_than_or_equal", False),
    ("greater_than", False),
    ("greater_than_or_equal", False),
)
"""Predicate and signedness by the number that arith.cmpi keeps."""

_ARITH_FLOAT: tuple[str, ...] = (
    "equal",
    "greater_than",
    "greater_than_or_equal",
    "less_than",
    "less_than_or_equal",
    "not_equal",
)
"""Predicates of arith.cmpf: numbers 1 to 6 ordered, 8 to 13 unordered."""

_ORDERED_FIRST, _IS_ORDERED, _UNORDERED_FIRST, _IS_UNORDERED, _ALWAYS = 1, 7, 8, 14, 15


def compare_floats(predicate: str, *, ordered: bool) -> Function:
    """Return a float comparison; with a NaN it is false when ordered, else true."""
    compare = _PREDICATES[predicate]

    def evaluate(lhs: Any, rhs: Any) -> Any:
        unordered = is_unordered(lhs, rhs)
        return compare(lhs, rhs) & ~unordered if ordered else compare(lhs, rhs) | unordered

    return evaluate


def is_unordered(lhs: Any, rhs: Any) -> Any:
    """Tell where one of two floats is a NaN."""
    return (lhs != lhs) | (rhs != rhs)


def compare_integers(predicate: str, *, signed: bool) -> Function:
    """Return an integer comparison."""
    compare = _PREDICATES[predicate]
    if signed:
        return compare
    return lambda lhs, rhs: compare(unsigned(lhs), unsigned(rhs))


@value_op("cuda_tile.cmpf")
def _cmpf(op: Any) -> Function:
    ordered = text(op, "ordering", "ordered") == "ordered"
    return compare_floats(text(op, "predicate"), ordered=ordered)


@value_op("cuda_tile.cmpi")
def _cmpi(op: Any) -> Function:
    signed = text(op, "signedness", "signed") == "signed"
    return compare_integers(text(op, "predicate"), signed=signed)


@value_op("arith.cmpi")
def _arith_cmpi(op: Any) -> Function:
    predicate, signed = _ARITH_INTEGER[integer(op, "predicate")]
    return compare_integers(predicate, signed=signed)


@value_op("arith.cmpf")
def _arith_cmpf(op: Any) -> Function:
    number = integer(op, "predicate")
    if number == _IS_ORDERED:
        return lambda lhs, rhs: ~is_unordered(lhs, rhs)
    if number == _IS_UNORDERED:
        return is_unordered
    if number in (0, _ALWAYS):
        return lambda _lhs, _rhs: np.bool_(number == _ALWAYS)
    if number < _IS_ORDERED:
        return compare_floats(_ARITH_FLOAT[number - _ORDERED_FIRST], ordered=True)
    return compare_floats(_ARITH_FLOAT[number - _UNORDERED_FIRST], ordered=False)


@value_op("cuda_tile.select")
def _select(_op: Any) -> Function:
    return np.where


@value_op("arith.select")
def _arith_select(_op: Any) -> Function:
    # A scalar condition may choose between values of any kind, tiles and pointers too.

    def choose(condition: Any, chosen: Any, otherwise: Any) -> Any:
        if np.ndim(condition):  # in the body of a reduction, which sees whole slices
            return np.where(condition, chosen, otherwise)
        return chosen if condition else otherwise

    return choose
