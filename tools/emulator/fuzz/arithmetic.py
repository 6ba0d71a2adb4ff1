"""What each operation on values computes, in NumPy, with the error that it may have."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tools.emulator.fuzz.values import (
    FLOATS,
    NUMPY,
    Numbers,
    Value,
    cast,
    errors,
    inexact,
    is_float,
    round_to,
    spoiled,
    tidy,
    unit,
    wide,
)

FUNCTION_UNITS = {"f64": 8.0, "f32": 8.0}
"""Errors of exp, sin and the like in units in the last place: twice the largest in the tables of
the CUDA Programming Guide, "Mathematical Functions". 16-bit floats compute in f32."""
APPROXIMATE: dict[str, Callable[[Numbers], Numbers]] = {
    "tanh": lambda x: np.full(np.shape(x), 2.0**-10),
    "exp": lambda x: (4 + 2.4 * np.abs(x)) * 2.0**-23,
}
"""Relative errors with `rounding='approx'`, as docs/language.md has them, and as much again."""
_TINY = 2.0**-126
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}

_INTEGER: dict[str, Callable[[Numbers, Numbers], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.remainder,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "minimum": np.minimum,
    "maximum": np.maximum,
}


def _same(values: tuple[Value, ...], dtype: str) -> list[Value]:
    """Return operands in one type; a product stays one only if it is not converted."""
    return [item if item.dtype == dtype else cast(item, dtype) for item in values]


def binary(op: str, left: Value, right: Value, dtype: str, *, propagate: bool = False) -> Value:
    """Return `left op right` in type `dtype`, or a minimum or maximum."""
    a, b = _same((left, right), dtype)
    if not is_float(dtype):
        if op == "cdiv":
            quotient = np.floor_divide(a.data, b.data)
            raised = quotient + (np.remainder(a.data, b.data) != 0).astype(quotient.dtype)
            return spoiled(np.asarray(raised), dtype, a, b)
        if op == "**":
            return spoiled(_power(a.data, int(b.data)), dtype, a)
        return spoiled(np.asarray(_INTEGER[op](a.data, b.data)), dtype, a, b)
    if op in ("minimum", "maximum"):
        return _extremum(op, a, b, propagate)
    return _FLOAT[op](a, b)


def _power(base: Numbers, exponent: int) -> Numbers:
    result = base
    for _ in range(exponent - 1):
        result = np.asarray(result * base)
    return result


def _sum(a: Value, b: Value, sign: int) -> Value:
    data = np.asarray(a.data + b.data if sign > 0 else a.data - b.data)
    fused = [item.unrounded for item in (a, b) if item.unrounded is not None]
    error = errors(a, b)
    for lost in fused:  # a multiplication and an addition may be rounded once
        error = lost if error is None else error + lost
    if error is None or not np.any(error):
        return Value(data, a.dtype)
    return _around(data, wide(a) + sign * wide(b), np.broadcast_to(error, data.shape), a.dtype)


def _around(data: Numbers, nominal: Numbers, error: Numbers, dtype: str) -> Value:
    """Return the result `data` of an operation whose operands are inexact.

    Args:
        data: It, rounded once.
        nominal: About the same in f64.
        error: What the errors of the operands make of it.
        dtype: Its type.
    """
    error = np.where(np.isnan(error), np.inf, error)
    own = np.where(np.isinf(error), 0.0, np.abs(nominal) * 2.0**-52)  # NaN may be anything, too
    found = inexact(nominal, np.where(error > 0, error + own, 0.0), dtype)
    if found.error is None:
        return Value(data, dtype)
    apart = np.abs(found.data.astype(np.float64) - data.astype(np.float64))
    apart = np.where(np.isnan(apart), 0.0, apart)
    return Value(data, dtype, tidy(np.where(error > 0, found.error + apart, 0.0)))


def _times(factor: Any, error: Any) -> Numbers:
    """Return what a factor makes of an error: nothing of none, anything of an infinite one."""
    grown = np.abs(factor) * error
    return np.where(np.equal(error, 0), 0.0, np.where(np.isnan(grown), np.inf, grown))


def _product(a: Value, b: Value) -> Value:
    data = np.asarray(a.data * b.data)
    if a.dtype == "f64":
        lost = unit(data, "f64") / 2
        lost = np.where((data == np.rint(data)) & (np.abs(data) < 2.0**53), 0.0, lost)
    else:
        lost = np.abs(wide(a) * wide(b) - data.astype(np.float64))
    lost = np.where(np.isfinite(lost), lost, 0.0)
    error = errors(a, b)
    if error is None:
        return Value(data, a.dtype, None, tidy(lost))
    ea, eb = (0.0 if item.error is None else item.error for item in (a, b))
    grown = _times(wide(a), eb) + _times(wide(b), ea) + _times(ea, eb)
    grown = np.broadcast_to(grown, data.shape)
    found = _around(data, wide(a) * wide(b), grown, a.dtype)
    return Value(data, a.dtype, found.error, tidy(lost))


def _quotient(a: Value, b: Value) -> Value:
    data = np.asarray(a.data / b.data)
    if errors(a, b) is None:
        return Value(data, a.dtype, relaxed=a.dtype == "f32")
    ea, eb = (0.0 if item.error is None else item.error for item in (a, b))
    size, ratio = np.abs(wide(b)), wide(a) / wide(b)
    grown = np.where(size > eb, (ea + _times(ratio, eb)) / (size - eb), np.inf)
    exact = np.equal(ea, 0) & np.equal(eb, 0)
    grown = np.broadcast_to(np.where(exact, 0.0, grown), data.shape)
    return _around(data, ratio, grown, a.dtype)


def _floored(a: Value, b: Value) -> Value:
    return rounding("floor", _quotient(a, b))


def _modulo(a: Value, b: Value) -> Value:
    rest = np.asarray(np.fmod(wide(a), wide(b)))
    wrong = (rest != 0) & ((rest < 0) != (wide(b) < 0))
    kind = NUMPY[a.dtype]
    raised = np.asarray(rest.astype(kind) + b.data)
    return spoiled(np.where(wrong, raised, rest.astype(kind)).astype(kind), a.dtype, a, b)


def _float_power(a: Value, b: Value) -> Value:
    """Return a power; one with a whole number may be multiplied out in any order."""
    exponents = np.unique(wide(b))
    if exponents.size == 1 and b.error is None and exponents[0] in (1, 2):
        return _product(a, a) if exponents[0] == 2 else a
    nominal = np.power(wide(a), wide(b))
    error = unit(round_to(nominal, a.dtype), a.dtype) * np.maximum(16.0, 2 * np.abs(wide(b)))
    spread = errors(a, b)
    if spread is not None:
        error = np.where(spread > 0, np.inf, error)
    whole = (nominal == np.rint(nominal)) & (np.abs(nominal) < 2.0 ** _DIGITS[a.dtype])
    error = np.where(whole & (wide(a) == np.rint(wide(a))) & (spread is None), 0.0, error)
    return inexact(nominal, np.broadcast_to(error, np.shape(nominal)), a.dtype)


_FLOAT: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: _sum(a, b, 1),
    "-": lambda a, b: _sum(a, b, -1),
    "*": _product,
    "/": _quotient,
    "//": _floored,
    "%": _modulo,
    "**": _float_power,
}


def _extremum(op: str, a: Value, b: Value, propagate: bool) -> Value:
    names = {("minimum", False): np.fmin, ("maximum", False): np.fmax}
    function: Any = names.get((op, propagate)) or getattr(np, op)
    data = np.asarray(function(a.data, b.data))
    error = errors(a, b)
    if error is None:
        return Value(data, a.dtype)
    numbers = np.isfinite(wide(a)) & np.isfinite(wide(b))
    return Value(data, a.dtype, tidy(np.where((error > 0) & ~numbers, np.inf, error)))


def compare(op: str, left: Value, right: Value, dtype: str) -> Value:
    """Return a comparison of two values that meet in `dtype`."""
    a, b = _same((left, right), dtype)
    functions: dict[str, Any] = {
        "==": np.equal,
        "!=": np.not_equal,
        "<": np.less,
        "<=": np.less_equal,
        ">": np.greater,
        ">=": np.greater_equal,
    }
    result = np.asarray(functions[op](a.data, b.data))
    error = errors(a, b)
    if error is None:
        return Value(result, "bool")
    apart = np.abs(wide(a) - wide(b))
    return Value(result, "bool", tidy(np.where((error > 0) & ~(apart > error), np.inf, 0.0)))


def fma(a: Value, b: Value, c: Value, dtype: str) -> Value:
    """Return `a * b + c`, rounded once."""
    x, y, z = np.broadcast_arrays(*(item.data for item in _same((a, b, c), dtype)))
    exact = np.array([_fused(*item) for item in zip(x.flat, y.flat, z.flat, strict=True)])
    data = round_to(exact.reshape(x.shape), dtype)
    ea, eb, ec = (0.0 if item.error is None else item.error for item in (a, b, c))
    if errors(a, b, c) is None:
        return Value(data, dtype)
    grown = _times(x.astype(np.float64), eb) + _times(y.astype(np.float64), ea) + _times(ea, eb)
    grown = np.broadcast_to(grown + ec, data.shape)
    return _around(data, exact.reshape(x.shape), grown, dtype)


def _fused(x: Any, y: Any, z: Any) -> float:
    """Return x * y + z in f64, rounded to odd where it does not fit."""
    a, b, c = float(x), float(y), float(z)
    if not all(np.isfinite((a, b, c))):
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    try:
        near = float(exact)
    except OverflowError:
        return float(np.copysign(np.inf, float(exact > 0) - 0.5))
    if isinstance(x, np.float64) or not np.isfinite(near) or Fraction(near) == exact:
        return near
    bits = np.float64(near).view(np.int64)
    return near if bits & 1 else float(np.nextafter(near, np.inf if exact > near else -np.inf))


ROUNDINGS: dict[str, Any] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
}


def rounding(op: str, value: Value) -> Value:
    """Return `floor`, `ceil`, `round` or `trunc`."""
    if not is_float(value.dtype):
        return value
    function = ROUNDINGS[op]
    data = np.asarray(function(value.data))
    if value.error is None:
        return Value(data, value.dtype)
    above, below = (function(wide(value) + sign * value.error) for sign in (1, -1))
    spread = np.where(value.error > 0, above - below, 0.0)
    return Value(data, value.dtype, tidy(spread))


def unary(op: str, value: Value) -> Value:
    """Return `-x`, `+x`, `~x` or `abs(x)`."""
    functions: dict[str, Any] = {
        "-": np.negative,
        "+": np.positive,
        "~": np.invert,
        "abs": np.abs,
    }
    if value.dtype == "bool" and op in "+-":
        value = cast(value, "i32")
    return Value(np.asarray(functions[op](value.data)), value.dtype, value.error)


_FUNCTIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}


def function(name: str, value: Value, *, approximate: bool = False) -> Value:
    """Return a function of a float; integers become f32 first."""
    if value.dtype not in FLOATS:
        value = cast(value, "f32")
    apply, x = _FUNCTIONS[name], wide(value)
    if name == "sqrt" and value.error is None:
        return Value(np.asarray(np.sqrt(value.data)), value.dtype)  # rounded once
    nominal = np.asarray(apply(x))
    kind = "f64" if value.dtype == "f64" else "f32"
    error = unit(round_to(nominal, kind), kind) * FUNCTION_UNITS[kind]
    if approximate:
        error = error + np.abs(nominal) * APPROXIMATE[name](x)
    error = np.where(np.isfinite(nominal), error, np.where(_is_limit(name, x), 0.0, error))
    if kind == "f32":  # results below the normal numbers may be flushed
        error = error + np.where(np.abs(nominal) < 2 * _TINY, 2 * _TINY, 0.0)
    if value.error is not None:
        error = error + _carried(name, value, nominal)
    error = np.where(np.isnan(nominal) & (error < np.inf), 0.0, error)
    return inexact(nominal, error, value.dtype)


def _is_limit(name: str, x: Numbers) -> Numbers:
    """Tell where an infinite result is exact, and not one that overflows."""
    return ~np.isfinite(x) | (np.isin(name, ("log", "log2", "rsqrt")) & (x == 0))


def _carried(name: str, value: Value, nominal: Numbers) -> Numbers:
    """Return what the error of an operand makes of a function's value."""
    x = wide(value)
    error = np.zeros(np.shape(x)) if value.error is None else value.error
    if name in ("sin", "cos"):
        return np.where(np.isfinite(x), error, np.where(error > 0, np.inf, 0.0))
    ends = [_FUNCTIONS[name](x + sign * error) for sign in (1, -1)]
    spread = np.maximum(*(np.abs(end - nominal) for end in ends))
    if name == "tan":
        spread = np.where(error > 0.01, np.inf, 2 * spread)
    unsure = (error > 0) & ~np.isfinite(spread)
    return np.where(unsure, np.inf, np.where(error > 0, spread * 1.001, 0.0))


def angle(y: Value, x: Value, dtype: str) -> Value:
    """Return `atan2(y, x)`."""
    kind = "f64" if dtype == "f64" else "f32"
    a, b = _same((y, x), dtype)
    nominal = np.arctan2(wide(a), wide(b))
    error = unit(round_to(nominal, kind), kind) * FUNCTION_UNITS[kind]
    if kind == "f32":
        error = error + np.where(np.abs(nominal) < 2 * _TINY, 2 * _TINY, 0.0)
    spread = errors(a, b)
    zeros = (wide(a) == 0) | (wide(b) == 0)  # signs of zeros decide
    error = np.where(zeros if spread is None else (spread > 0) | zeros, np.inf, error)
    error = np.where(np.isnan(nominal) & (error < np.inf), 0.0, error)
    return inexact(nominal, error, dtype)


def test(name: str, value: Value) -> Value:
    """Return `isnan` or `isinf`."""
    if not is_float(value.dtype):
        value = cast(value, "f32")
    found = np.isnan(wide(value)) if name == "isnan" else np.isinf(wide(value))
    return spoiled(np.asarray(found), "bool", Value(value.data, value.dtype, value.error))


def loose_numbers(value: Value) -> Numbers | None:
    """Return the errors of a float whose bits are looked at: of a NaN or a zero they are open."""
    error = np.zeros(value.data.shape) if value.error is None else value.error
    open_bits = np.isnan(wide(value)) | (wide(value) == 0)
    return tidy(np.where(open_bits, np.inf, error))
