"""What is known of the integers that a value can be: proven bounds, with overflow in mind.

A bound is kept only where the exact result fits the type; where it may not, the operation wraps and
nothing is known. So `non_negative` is a proof, and `//`, `%` and `cdiv` may rely on it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilec.frontend.semantics import hir
from tilec.support.dtypes import DType, Kind

Bounds = tuple[int, int]
"""Smallest and largest integer."""


def whole(dtype: DType) -> Bounds:
    """Return the bounds of an integer type; 0 and 1 for bool."""
    if dtype.kind is Kind.BOOL:
        return 0, 1
    if dtype.signed:
        return -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1
    return 0, (1 << dtype.bits) - 1


def _dtype(kind: hir.Type) -> DType | None:
    """Return the element type of scalars and tiles of integers or bools."""
    if isinstance(kind, hir.ScalarType | hir.TileType) and not kind.dtype.is_float:
        return kind.dtype
    return None


def bounds_of(value: hir.Value) -> Bounds | None:
    """Return the proven bounds of a value, at worst those of its type; None for floats."""
    dtype = _dtype(value.type)
    if dtype is None:
        return None
    return whole(dtype) if value.bounds is None else value.bounds


def is_non_negative(value: hir.Value) -> bool:
    """Tell whether an integer is proven to be 0 or more."""
    bounds = bounds_of(value)
    return bounds is not None and bounds[0] >= 0


def is_positive(value: hir.Value) -> bool:
    """Tell whether an integer is proven to be 1 or more."""
    bounds = bounds_of(value)
    return bounds is not None and bounds[0] > 0


def fits(bounds: Bounds, dtype: DType) -> bool:
    """Tell whether a type holds everything between two bounds."""
    low, high = whole(dtype)
    return low <= bounds[0] and bounds[1] <= high


def union(first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of a value that is one of two."""
    return min(first[0], second[0]), max(first[1], second[1])


def quotient(left: Bounds, right: Bounds) -> Bounds | None:
    """Return the bounds of the quotient of two numbers that are not negative, rounded to zero."""
    if left[0] < 0 or right[0] < 0:
        return None
    least = max(right[0], 1)
    return left[0] // max(right[1], 1), left[1] // least


def result_bounds(
    name: str, operands: Sequence[hir.Value], kind: hir.Type, attributes: Mapping[str, Any]
) -> Bounds | None:
    """Return what is known of the result of an operation.

    Args:
        name: Mnemonic of the operation.
        operands: Its operands.
        kind: Type of its result.
        attributes: Its attributes.

    Returns:
        Bounds that the type holds; None when they are those of the type, or for floats.
    """
    dtype = _dtype(kind)
    if dtype is None:
        return None
    if name in _KEEPS:
        found = bounds_of(operands[0])
    elif name in _SOURCES:
        found = _SOURCES[name](kind, attributes)
    elif name in _RULES:
        known = [bounds_of(item) for item in operands]
        inner = [item for item in known if item is not None]
        found = _RULES[name](inner) if len(inner) == len(known) else None
    else:
        return None
    return found if found is not None and fits(found, dtype) else None


# Rules: the exact result, which `result_bounds` drops where the type may not hold it


def _corners(combine: Callable[[int, int], int], known: Sequence[Bounds]) -> Bounds:
    values = [combine(left, right) for left in known[0] for right in known[1]]
    return min(values), max(values)


def _add(known: Sequence[Bounds]) -> Bounds:
    return known[0][0] + known[1][0], known[0][1] + known[1][1]


def _subtract(known: Sequence[Bounds]) -> Bounds:
    return known[0][0] - known[1][1], known[0][1] - known[1][0]


def _multiply(known: Sequence[Bounds]) -> Bounds:
    return _corners(lambda left, right: left * right, known)


def _negate(known: Sequence[Bounds]) -> Bounds:
    return -known[0][1], -known[0][0]


def _absolute(known: Sequence[Bounds]) -> Bounds:
    low, high = known[0]
    return max(low, -high, 0), max(-low, high)


def _and(known: Sequence[Bounds]) -> Bounds | None:
    highest = [high for low, high in known if low >= 0]
    return (0, min(highest)) if highest else None


def _or(known: Sequence[Bounds]) -> Bounds | None:
    if known[0][0] < 0 or known[1][0] < 0:
        return None
    width = max(known[0][1], known[1][1]).bit_length()
    return 0, (1 << width) - 1


_MOST_BITS = 64


def _shift_left(known: Sequence[Bounds]) -> Bounds | None:
    low, high = known[1]
    if low < 0 or high >= _MOST_BITS:
        return None
    return _corners(lambda left, right: left << right, known)


def _shift_right(known: Sequence[Bounds]) -> Bounds | None:
    low, high = known[1]
    if low < 0 or high >= _MOST_BITS:
        # More bits than there are: undefined, but no shift turns a number negative.
        return (0, known[0][1]) if known[0][0] >= 0 else None
    return _corners(lambda left, right: left >> right, known)


def _remainder(known: Sequence[Bounds]) -> Bounds | None:
    left, right = known
    if left[0] < 0 or right[0] < 0:
        return None
    return 0, min(left[1], max(right[1] - 1, 0))


def _larger(known: Sequence[Bounds]) -> Bounds:
    return max(known[0][0], known[1][0]), max(known[0][1], known[1][1])


def _smaller(known: Sequence[Bounds]) -> Bounds:
    return min(known[0][0], known[1][0]), min(known[0][1], known[1][1])


def _constant(_: hir.Type, attributes: Mapping[str, Any]) -> Bounds:
    return int(attributes["value"]), int(attributes["value"])


def _iota(kind: hir.Type, _: Mapping[str, Any]) -> Bounds | None:
    return (0, int(kind.shape[0]) - 1) if isinstance(kind, hir.TileType) else None


_KEEPS = frozenset(
    {"exti", "trunci", "reinterpret", "reshape", "broadcast", "splat", "permute", "extract"}
)
"""Operations whose result has the numbers of their first operand, where its type holds them."""
_SOURCES: dict[str, Callable[[hir.Type, Mapping[str, Any]], Bounds | None]] = {
    "constant": _constant,
    "iota": _iota,
}
_RULES: dict[str, Callable[[Sequence[Bounds]], Bounds | None]] = {
    "addi": _add,
    "subi": _subtract,
    "muli": _multiply,
    "negi": _negate,
    "absi": _absolute,
    "andi": _and,
    "ori": _or,
    "xori": _or,
    "shli": _shift_left,
    "shri": _shift_right,
    "divi": lambda known: quotient(known[0], known[1]),
    "remi": _remainder,
    "maxi": _larger,
    "mini": _smaller,
    "cat": lambda known: union(known[0], known[1]),
    "select": lambda known: union(known[1], known[2]),
}
