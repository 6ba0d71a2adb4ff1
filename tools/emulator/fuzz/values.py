"""Values of the direct evaluation: NumPy arrays with a bound of what an implementation may differ.

Written against docs/language.md, not against the CPU reference. A value is what the language says,
each operation rounded once; `error` is how far an implementation may be from it, element by
element: 0 where everything so far is exact, infinite where it may be anything (a NaN, too).
"""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]

NUMPY: dict[str, Any] = {
    "bool": np.bool_,
    **{f"i{bits}": np.dtype(f"i{bits // 8}").type for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"u{bits // 8}").type for bits in (8, 16, 32, 64)},
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "tf32": np.float32,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
RESTRICTED = ("tf32", "f8e4m3", "f8e5m2")
_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


@dataclass(frozen=True)
class _Format:
    """A float format: bits of the significand, exponent of the least normal, largest number."""

    digits: int
    low: int
    largest: float
    saturates: bool = False


_FORMATS = {
    "f16": _Format(11, -14, 65504.0),
    "bf16": _Format(8, -126, (2 - 2.0**-7) * 2.0**127),
    "f32": _Format(24, -126, (2 - 2.0**-23) * 2.0**127),
    "tf32": _Format(11, -126, (2 - 2.0**-10) * 2.0**127),
    "f8e4m3": _Format(4, -6, 448.0, saturates=True),
    "f8e5m2": _Format(3, -14, 57344.0, saturates=True),
    "f64": _Format(53, -1022, float(np.finfo(np.float64).max)),
}


QUOTIENT_ERROR = 2.0**-17
"""Relative error of a quotient of f32 and five operations on it, before a rounding to 16 bits
(`passes/transforms/cuda_tile/relax_quotients.py`)."""
_HALF_BYTES = 2


@dataclass(frozen=True)
class Value:
    """A scalar or a tile.

    Attributes:
        data: Its elements, in the NumPy type of its element type.
        dtype: Its element type.
        error: Bound of the difference of each element; None where all are exact.
        unrounded: How much of each element, a product, is lost by its rounding; an addition of the
            product may leave that out. None for all other values.
        relaxed: Whether it comes from a quotient of f32, whose error may show where this f32 is
            rounded to 16 bits (docs/language.md, approximations).
    """

    data: Numbers
    dtype: str
    error: Numbers | None = None
    unrounded: Numbers | None = None
    relaxed: bool = False


def is_float(dtype: str) -> bool:
    """Tell whether a type is a float, restricted ones included."""
    return dtype in FLOATS or dtype in RESTRICTED


def wide(value: Value) -> Numbers:
    """Return the elements in f64."""
    return value.data.astype(np.float64)


def promote(left: str, right: str) -> str | None:
    """Return the type in which two operands meet; None where one must be cast."""
    if left == right:
        return left
    if left in RESTRICTED or right in RESTRICTED:
        return None
    ranks = [(0 if item == "bool" else 2 if item in FLOATS else 1) for item in (left, right)]
    if ranks[0] != ranks[1]:
        return left if ranks[0] > ranks[1] else right
    if ranks[0] == 2:
        if _BITS[left] == _BITS[right]:
            return "f32"
        return left if _BITS[left] > _BITS[right] else right
    return _promote_integers(left, right)


def _promote_integers(left: str, right: str) -> str | None:
    bits = {item: int(item[1:]) for item in (left, right)}
    if left[0] == right[0]:
        return left if bits[left] > bits[right] else right
    signed, unsigned = (left, right) if left[0] == "i" else (right, left)
    return signed if bits[signed] > bits[unsigned] else None


def round_to(exact: Numbers, dtype: str) -> Numbers:
    """Round f64 numbers to a float type, to nearest even."""
    if dtype in ("f32", "f64", "f16"):
        return exact.astype(NUMPY[dtype])
    form = _FORMATS[dtype]
    finite = np.isfinite(exact)
    safe = np.where(finite, exact, 0.0)
    exponent = np.maximum(np.frexp(safe)[1] - 1, form.low) - (form.digits - 1)
    rounded = np.ldexp(np.rint(np.ldexp(safe, -exponent)), exponent)
    beyond = np.abs(rounded) > form.largest
    limit = form.largest if form.saturates else np.inf
    rounded = np.where(beyond, np.copysign(limit, safe), rounded)
    infinite = np.copysign(limit, exact)
    result = np.where(finite, rounded, np.where(np.isnan(exact), np.nan, infinite))
    return result.astype(np.float32).astype(NUMPY[dtype])


def unit(data: Numbers, dtype: str) -> Numbers:
    """Return the distance of neighbours at each number of a float type, in f64."""
    return grid_step(data.astype(np.float64), dtype)


def grid_step(exact: Numbers, dtype: str) -> Numbers:
    """Return the distance of the numbers of a float type between which each f64 number lies."""
    form = _FORMATS[dtype]
    size = np.where(np.isfinite(exact), np.abs(exact), 0.0)
    exponent = np.maximum(np.frexp(size)[1] - 1, form.low) - (form.digits - 1)
    return np.ldexp(1.0, exponent)


def largest(dtype: str) -> float:
    """Return the largest number of a float type."""
    return _FORMATS[dtype].largest


def inexact(nominal: Numbers, error: Numbers, dtype: str) -> Value:
    """Return what a float operation gives whose result is only known to an error.

    Args:
        nominal: The result before it is rounded, in f64.
        error: Bound of its error.
        dtype: Type that it is rounded to.
    """
    rounded = round_to(nominal, dtype)
    here = rounded.astype(np.float64)
    if dtype == "f64":
        spread = error + np.where(error > 0, unit(rounded, dtype), 0.0)
    else:
        above = round_to(nominal + error, dtype).astype(np.float64)
        below = round_to(nominal - error, dtype).astype(np.float64)
        spread = np.maximum(above - here, here - below)
    known = np.isfinite(here) & np.isfinite(error)  # 8-bit floats end with a finite number
    spread = np.where(error > 0, np.where(known, spread, np.inf), 0.0)
    return Value(rounded, dtype, tidy(spread))


def tidy(error: Numbers | None) -> Numbers | None:
    """Return a bound without NaN, or None when it is zero everywhere."""
    if error is None:
        return None
    error = np.where(np.isnan(error), np.inf, error)
    return error if error.any() else None


def errors(*values: Value) -> Numbers | None:
    """Return the sum of the errors of operands, broadcast; None where all are exact."""
    known = [value.error for value in values if value.error is not None]
    if not known:
        return None
    shape = np.broadcast_shapes(*(np.shape(value.data) for value in values))
    return np.broadcast_to(np.sum(np.broadcast_arrays(*known), axis=0), shape)


def spoiled(data: Numbers, dtype: str, *values: Value) -> Value:
    """Return a result that may be anything wherever an operand is not exact."""
    error = errors(*values)
    if error is None:
        return Value(data, dtype)
    error = np.broadcast_to(error, np.shape(data))
    return Value(data, dtype, tidy(np.where(error > 0, np.inf, 0.0)))


def sticky(integers: Numbers) -> Numbers:
    """Return integers in f64, rounded to odd: a later rounding to fewer bits is as if exact."""
    if integers.dtype.itemsize < 8:
        return integers.astype(np.float64)
    kind = integers.dtype.type
    large = (integers >= kind(2**53)) | (integers <= kind(-(2**53) if kind is np.int64 else 0))
    large &= integers != 0
    kept = (integers >> kind(11)) << kind(11)
    odd = np.where(kept != integers, kept | kind(1 << 11), kept)
    return np.where(large, odd, integers).astype(np.float64)


def cast(value: Value, dtype: str) -> Value:
    """Convert a value, as `cast` does."""
    data, source = value.data, value.dtype
    if source == dtype:
        return Value(data, dtype, value.error)
    if dtype == "bool":
        return _to_bool(value)
    if is_float(dtype):
        if is_float(source):
            exact, error = wide(value), value.error
            if error is None and value.relaxed and np.dtype(NUMPY[dtype]).itemsize <= _HALF_BYTES:
                error = np.where(np.isfinite(exact), np.abs(exact) * QUOTIENT_ERROR, 0.0)
            if error is None:
                return Value(round_to(exact, dtype), dtype)
            return inexact(exact, error, dtype)
        if dtype == "f64":
            return Value(data.astype(np.float64), dtype, value.error)
        exact = data.astype(np.float64) if source == "bool" else sticky(data)
        return Value(round_to(exact, dtype), dtype, value.error)
    if is_float(source):
        return _to_integer(value, dtype)
    return spoiled(data.astype(NUMPY[dtype]), dtype, value)


def _to_bool(value: Value) -> Value:
    data = value.data.astype(np.float64) if is_float(value.dtype) else value.data
    result = np.asarray(data != 0)
    if value.error is None:
        return Value(result, "bool")
    may_differ = (value.error > 0) & ~(np.abs(wide(value)) > value.error)
    return Value(result, "bool", tidy(np.where(may_differ, np.inf, 0.0)))


def _to_integer(value: Value, dtype: str) -> Value:
    """Truncate a float; what does not fit is undefined, so it may be anything."""
    whole, kind = np.trunc(wide(value)), NUMPY[dtype]
    limits = np.iinfo(kind)
    fits = (whole >= float(limits.min)) & (whole < float(limits.max) + 1.0)
    result = np.where(fits, whole, 0.0).astype(kind)
    error = np.where(fits, 0.0, np.inf)
    if value.error is not None:
        above, below = (np.trunc(wide(value) + sign * value.error) for sign in (1, -1))
        error = np.where((value.error > 0) & (above != below), np.inf, error)
    return Value(result, dtype, tidy(error))
