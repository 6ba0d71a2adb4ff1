"""What reductions and scans compute, in NumPy, with the error that their order may bring."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tools.emulator.fuzz import arithmetic
from tools.emulator.fuzz.program import Fold
from tools.emulator.fuzz.values import (
    INTEGERS,
    NUMPY,
    Numbers,
    Value,
    cast,
    inexact,
    is_float,
    round_to,
    spoiled,
    tidy,
    wide,
)

Elements = list[Value]

EXACT_SUMS = {"f32": 2.0**24, "f64": 2.0**53, "f16": 2.0**11}
"""Sums of whole numbers that stay below are exact in any order."""
_UNITS = {"f32": 2.0**-23, "f64": 2.0**-52}
"""Error of one operation relative to its result, and as much again."""
_RANGES = {"f32": (2.0**-120, 2.0**120), "f64": (2.0**-1000, 2.0**1000)}
"""Products of sizes inside stay normal numbers, whatever the order."""
_LEAST = 2.0**-149
"""An error that only says that the sign of a zero is open."""


@dataclass(frozen=True)
class Function:
    """A function that `reduce` or `scan` takes.

    Attributes:
        text: Its source.
        apply: What it makes of one element of each tile and a second one of each.
        tiles: Tiles that it combines.
        identity: Source of its identities.
        floats: Whether floats may be combined, too: what it does is exact.
    """

    text: str
    apply: Callable[[Elements, Elements], Elements]
    tiles: int
    identity: str
    floats: bool = False


def _op(name: str) -> Callable[[Value, Value], Value]:
    return lambda a, b: arithmetic.binary(name, a, b, a.dtype)


_ADD, _TIMES, _XOR, _AND = _op("+"), _op("*"), _op("^"), _op("&")
_MORE, _LESS = _op("maximum"), _op("minimum")


def _first_best(x: Elements, y: Elements) -> Elements:
    (a, i), (b, j) = x, y
    better = (b.data > a.data) | ((b.data == a.data) & (j.data < i.data))
    return [
        spoiled(np.where(better, b.data, a.data), a.dtype, a, b, i, j),
        spoiled(np.where(better, j.data, i.data), i.dtype, a, b, i, j),
    ]


FUNCTIONS = {
    "add": Function("lambda a, b: a + b", lambda x, y: [_ADD(x[0], y[0])], 1, "0"),
    "multiply": Function("lambda a, b: b * a", lambda x, y: [_TIMES(x[0], y[0])], 1, "1"),
    "xor": Function("lambda a, b: a ^ b", lambda x, y: [_XOR(x[0], y[0])], 1, "0"),
    "bits": Function("lambda a, b: a & b", lambda x, y: [_AND(x[0], y[0])], 1, "ONES"),
    "larger": Function(
        "lambda a, b: maximum(a, b)", lambda x, y: [_MORE(x[0], y[0])], 1, "LEAST", floats=True
    ),
    "larger_by_hand": Function(
        "lambda a, b: where(a < b, b, a)", lambda x, y: [_MORE(x[0], y[0])], 1, "LEAST"
    ),
    "ends": Function(
        "lambda a, b, c, d: (minimum(a, c), maximum(b, d))",
        lambda x, y: [_LESS(x[0], y[0]), _MORE(x[1], y[1])], 2, "(MOST, LEAST)", floats=True,
    ),
    "first_best": Function(
        "lambda a, i, b, j: (where((b > a) | ((b == a) & (j < i)), b, a),"
        " where((b > a) | ((b == a) & (j < i)), j, i))",
        _first_best, 2, "(LEAST, MOST)",
    ),
    "three": Function(
        "lambda a, b, c, d, e, f: (a + d, b ^ e, maximum(c, f))",
        lambda x, y: [_ADD(x[0], y[0]), _XOR(x[1], y[1]), _MORE(x[2], y[2])], 3, "(0, 0, LEAST)",
    ),
    "last": Function("lambda a, b: b", lambda x, y: [y[0]], 1, "0", floats=True),
    "affine": Function(
        "lambda a, b, c, d: (a * c, b * c + d)",
        lambda x, y: [_TIMES(x[0], y[0]), _ADD(_TIMES(x[1], y[0]), y[1])], 2, "(1, 0)",
    ),
}  # fmt: skip
"""Functions by name. In an identity, `LEAST`, `MOST` and `ONES` depend on the element type."""


def wide_dtype(dtype: str) -> str:
    """Return the type in which sums and products are computed."""
    if dtype == "bool":
        return "i32"
    if dtype in INTEGERS:
        return dtype if int(dtype[1:]) >= 32 else f"{dtype[0]}32"
    return "f64" if dtype == "f64" else "f32"


def result_dtype(call: str, dtype: str) -> str:
    """Return the element type of what a builtin makes of tiles of a type."""
    if call in ("any", "all"):
        return "bool"
    if call in ("argmax", "argmin"):
        return "i32"
    if call in ("sum", "prod", "cumsum", "cumprod") and not is_float(dtype):
        return wide_dtype(dtype)
    return dtype


def fold(item: Fold, values: Elements) -> Value:
    """Return what a reduction or a scan makes of tiles."""
    shape = values[0].data.shape
    axes = tuple(range(len(shape))) if item.axes is None else item.axes
    lines = [_in_lines(value, axes) for value in values]
    if item.call in ("reduce", "scan"):
        found = _folded(item, lines)
    else:
        found = _BUILTINS[item.call](item, lines[0])
    if found.data.shape == lines[0].data.shape:
        return _rule(found, lambda data: np.moveaxis(data, 0, axes[0]))
    rest = [1 if axis in axes else extent for axis, extent in enumerate(shape)]
    if not item.keepdims:
        rest = [extent for axis, extent in enumerate(shape) if axis not in axes]
    return _rule(found, lambda data: data.reshape(rest))


def _rule(value: Value, change: Callable[[Numbers], Numbers]) -> Value:
    error = None if value.error is None else change(np.broadcast_to(value.error, value.data.shape))
    return Value(np.asarray(change(value.data)), value.dtype, error)


def _in_lines(value: Value, axes: tuple[int, ...]) -> Value:
    """Return a tile with the elements that are combined along its first axis."""

    def change(data: Numbers) -> Numbers:
        moved = np.moveaxis(data, axes, range(len(axes)))
        return moved.reshape(-1, *moved.shape[len(axes) :])

    return _rule(value, change)


def _folded(item: Fold, values: Elements) -> Value:
    """Combine elements with a function one after the other."""
    function, count = FUNCTIONS[item.function], len(values[0].data)
    order = range(count - 1, -1, -1) if item.reverse else range(count)
    rows = [[_rule(value, lambda data, at=at: data[at]) for value in values] for at in order]
    totals = [rows[0]]
    for row in rows[1:]:
        totals.append(function.apply(totals[-1], row))
    if item.call == "reduce":
        return totals[-1][item.part]
    chosen = [total[item.part] for total in (totals[::-1] if item.reverse else totals)]
    data = np.stack([value.data for value in chosen])
    if all(value.error is None for value in chosen):
        return Value(data, chosen[0].dtype)
    zero = np.zeros(data.shape[1:])
    error = np.stack([zero if value.error is None else value.error for value in chosen])
    return Value(data, chosen[0].dtype, tidy(error))


def _running(item: Fold, value: Value, function: Any, bound: Any) -> Value:
    """Return sums or products, of whole lines or, in a scan, of the first elements of each."""
    scans = item.call.startswith("cum")
    kind = wide_dtype(value.dtype)
    if scans and item.reverse:
        value = _rule(value, lambda data: data[::-1])
    error = None if value.error is None else np.asarray(value.error)
    if not is_float(kind):
        data = value.data.astype(NUMPY[kind])
        result = function.accumulate(data, 0) if scans else function.reduce(data, 0)
        spread = None if error is None else np.maximum.accumulate(error, 0)
        result = np.asarray(result.astype(NUMPY[kind]))
        lost = None if spread is None else np.where(spread > 0, np.inf, 0.0)
        found = Value(result, kind, None if lost is None else tidy(lost if scans else lost[-1]))
    else:
        nominal = function.accumulate(wide(value), 0)
        lost = bound(wide(value), np.zeros(nominal.shape) if error is None else error, kind)
        if not scans:
            nominal, lost = nominal[-1], lost[-1]
        found = Value(round_to(nominal, value.dtype), value.dtype)
        if tidy(lost) is not None:
            found = inexact(nominal, lost, value.dtype)
            settled = ~np.isfinite(nominal) & (lost < np.inf)
            loose = 0.0 if found.error is None else found.error
            found = Value(found.data, found.dtype, tidy(np.where(settled, 0.0, loose)))
    return _rule(found, lambda data: data[::-1]) if scans and item.reverse else found


def _sum_bound(x: Numbers, error: Numbers, kind: str) -> Numbers:
    """Return the error of every sum of first elements, in any order."""
    finite = np.where(np.isfinite(x), np.abs(x), 0.0)
    sizes = np.add.accumulate(finite, 0)
    counts = np.arange(len(x), dtype=np.float64).reshape(-1, *[1] * (x.ndim - 1))
    whole = np.logical_and.accumulate(x == np.rint(x), 0) & (sizes < EXACT_SUMS[kind])
    lost = np.where(whole, 0.0, counts * _UNITS[kind] * sizes)
    zeros = np.logical_and.accumulate((x == 0) & np.signbit(x), 0)
    lost = np.where(zeros, _LEAST, lost)
    lost = np.where(sizes > _RANGES[kind][1], np.inf, lost)
    return _with_errors(x, lost, np.add.accumulate(error, 0), error)


def _product_bound(x: Numbers, error: Numbers, kind: str) -> Numbers:
    """Return the error of every product of first elements, in any order."""
    least, most = _RANGES[kind]
    usual = np.isfinite(x) & (x != 0)
    size = np.where(usual, np.abs(x), 1.0)
    larger = np.multiply.accumulate(np.maximum(size, 1.0), 0)
    smaller = np.multiply.accumulate(np.minimum(size, 1.0), 0)
    counts = np.arange(len(x), dtype=np.float64).reshape(-1, *[1] * (x.ndim - 1))
    whole = np.logical_and.accumulate(x == np.rint(x), 0) & (larger < EXACT_SUMS[kind])
    nominal = np.abs(np.multiply.accumulate(x, 0))
    lost = np.where(whole, 0.0, counts * _UNITS[kind] * np.where(np.isfinite(nominal), nominal, 0))
    lost = np.where((larger < most) & (smaller > least), lost, np.inf)
    carried = np.where(np.maximum.accumulate(error, 0) > 0, np.inf, 0.0)
    return _with_errors(x, lost, carried, error)


def _with_errors(x: Numbers, lost: Numbers, carried: Numbers, error: Numbers) -> Numbers:
    """Add what the errors of the elements make; next to one that is not finite, anything."""
    unsure = np.logical_or.accumulate(~np.isfinite(x), 0) & (np.maximum.accumulate(error, 0) > 0)
    return np.where(unsure, np.inf, lost + carried)


def _sum(item: Fold, value: Value) -> Value:
    return _running(item, value, np.add, _sum_bound)


def _product(item: Fold, value: Value) -> Value:
    return _running(item, value, np.multiply, _product_bound)


def _extremum(item: Fold, value: Value) -> Value:
    """Return `max` or `min`; a NaN loses unless it propagates."""
    names = {"max": (np.fmax, np.maximum), "min": (np.fmin, np.minimum)}
    data = names[item.call][item.propagate].reduce(value.data, 0)
    error = np.zeros(value.data.shape) if value.error is None else np.asarray(value.error)
    lost = error.max(0)
    if is_float(value.dtype):
        unsure = (error > 0).any(0) & ~np.isfinite(wide(value)).all(0)
        signs = np.where(value.data == 0, np.signbit(wide(value)) + 1, 0)
        both = (data == 0) & (signs == 1).any(0) & (signs == 2).any(0)
        lost = np.where(unsure, np.inf, np.where(both, np.maximum(lost, _LEAST), lost))
    return Value(np.asarray(data), value.dtype, tidy(np.asarray(lost)))


def _position(item: Fold, value: Value) -> Value:
    """Return the index of the first extremum; NaNs lose, and of NaNs alone the first one counts."""
    data = value.data
    if is_float(value.dtype):
        data = np.where(np.isnan(wide(value)), -np.inf if item.call == "argmax" else np.inf, data)
        empty = np.isnan(wide(value)).all(0)
        best = data == (data.max(0) if item.call == "argmax" else data.min(0))
        found = np.where(empty, 0, (best & ~np.isnan(wide(value))).argmax(0))
    else:
        found = data.argmax(0) if item.call == "argmax" else data.argmin(0)
    lost = (
        None if value.error is None else np.where((np.asarray(value.error) > 0).any(0), np.inf, 0)
    )
    return Value(np.asarray(found).astype(np.int32), "i32", tidy(lost))


def _logical(item: Fold, value: Value) -> Value:
    known = cast(value, "bool")
    data = known.data.any(0) if item.call == "any" else known.data.all(0)
    lost = None if known.error is None else np.asarray(known.error).max(0)
    return Value(np.asarray(data), "bool", tidy(lost))


_BUILTINS: dict[str, Callable[[Fold, Value], Value]] = {
    "sum": _sum,
    "cumsum": _sum,
    "prod": _product,
    "cumprod": _product,
    "max": _extremum,
    "min": _extremum,
    "argmax": _position,
    "argmin": _position,
    "any": _logical,
    "all": _logical,
}
BUILTINS: Sequence[str] = tuple(_BUILTINS)
"""Builtins that combine elements without a function of the user."""
