"""Correctly rounded floating-point results in every rounding mode.

An operation is evaluated in f64 together with the sign of what f64 lost (the residual, from
error-free transformations: Knuth's two-sum, Dekker's two-product). Rounding the pair "to odd"
first makes the second rounding, to the narrow format, exact: f64 has more than two bits beyond
every narrower format (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
"""

from typing import Any

import numpy as np

from tilec.ir.float8 import LARGEST_FLOAT8
from tilec.support.numpy_types import NUMPY_BY_MLIR, TF32

NEAREST_EVEN = "nearest_even"
DIRECTED_MODES = ("zero", "negative_inf", "positive_inf")
_SPLITTER = 134217729.0
"""2**27 + 1: splits a 53-bit significand into two halves (Dekker, 1971)."""
TF32_DROPPED_BITS = 13
"""Fraction bits of f32 that tf32 does not have."""

Exact = tuple[Any, Any]
"""A result in f64, rounded to nearest, and a number with the sign of (exact - result)."""


def exact_add(lhs: Any, rhs: Any) -> Exact:
    """Return lhs + rhs for f64 values."""
    total = lhs + rhs
    shadow = total - lhs
    residual = (lhs - (total - shadow)) + (rhs - shadow)
    return total, _usable(residual)


def exact_mul(lhs: Any, rhs: Any) -> Exact:
    """Return lhs * rhs for f64 values."""
    product = lhs * rhs
    return product, _usable(_product_error(lhs, rhs, product))


def exact_div(lhs: Any, rhs: Any) -> Exact:
    """Return lhs / rhs for f64 values."""
    quotient = lhs / rhs
    back = quotient * rhs
    remainder = (lhs - back) - _product_error(quotient, rhs, back)
    return quotient, _usable(remainder * np.sign(rhs))


def exact_sqrt(value: Any) -> Exact:
    """Return the square root of f64 values."""
    root = np.sqrt(value)
    square = root * root
    return root, _usable((value - square) - _product_error(root, root, square))


def exact_fma(lhs: Any, rhs: Any, acc: Any) -> Exact:
    """Return lhs * rhs + acc for f64 values, as if the product had unlimited precision."""
    high, low = exact_mul(lhs, rhs)
    middle, tail = exact_add(acc, low)
    total, rest = exact_add(high, middle)
    result, residual = exact_add(total, to_odd(*exact_add(tail, rest)))
    finite = np.isfinite(result)
    signed = finite & (result != 0)  # the sign of a zero got lost in the parts
    return np.where(signed, result, lhs * rhs + acc), np.where(finite, residual, 0.0)


def to_odd(nearest: Any, residual: Any) -> np.ndarray:
    """Round to odd: an inexact result keeps its last bit set, so that no later rounding errs."""
    nearest = np.asarray(nearest)
    bits = nearest.view(np.int64 if nearest.dtype == np.float64 else np.int32)
    move = (residual != 0) & ((bits & 1) == 0) & np.isfinite(nearest)
    toward = np.copysign(nearest.dtype.type(np.inf), residual).astype(nearest.dtype)
    return np.where(move, np.nextafter(nearest, toward), nearest)


def round_exact(exact: Exact, format_name: str, mode: str = NEAREST_EVEN) -> Any:
    """Round a result to a format.

    Args:
        exact: The result in f64 and the sign of what it lost.
        format_name: MLIR name of the target float type.
        mode: A rounding mode of cuda_tile; everything that is not directed (approx and full
            too) rounds to nearest even.

    Returns:
        An array of the NumPy type that holds `format_name`.
    """
    nearest, residual = exact
    if format_name == "f64":
        return _direct(np.asarray(nearest), -np.asarray(residual), mode)
    odd = to_odd(nearest, residual)
    narrow = _narrow(odd, format_name)
    if mode not in DIRECTED_MODES or format_name == TF32:  # tf32 has no directed conversion
        return narrow
    return _direct(narrow, narrow.astype(np.float64) - odd, mode)


def convert(value: Any, source: str, target: str, mode: str = NEAREST_EVEN) -> Any:
    """Convert floats between formats with one rounding; the 8-bit formats saturate.

    Args:
        value: Array or NumPy scalar of the type that holds `source`.
        source: MLIR name of the float type of `value`.
        target: MLIR name of the float type of the result.
        mode: Rounding mode of cuda_tile.
    """
    two_steps = target == TF32 or target in LARGEST_FLOAT8 or (source == "f64" and target == "bf16")
    if mode not in DIRECTED_MODES and not two_steps:
        return value.astype(NUMPY_BY_MLIR[target])
    wide = np.asarray(value).astype(np.float64)
    return round_exact((wide, np.zeros_like(wide)), target, mode)


def flush_subnormals(value: Any) -> Any:
    """Return f32 values with subnormals replaced by zeros of the same sign."""
    tiny = np.finfo(np.float32).tiny
    return np.where(np.abs(value) < tiny, np.copysign(np.float32(0), value), value)


def _product_error(lhs: Any, rhs: Any, product: Any) -> Any:
    lhs_high, lhs_low = _split(lhs)
    rhs_high, rhs_low = _split(rhs)
    rest = lhs_high * rhs_high - product
    return ((rest + lhs_high * rhs_low) + lhs_low * rhs_high) + lhs_low * rhs_low


def _split(value: Any) -> tuple[Any, Any]:
    scaled = _SPLITTER * value
    high = scaled - (scaled - value)
    return high, value - high


def _usable(residual: Any) -> Any:
    """Treat a residual that overflowed as none."""
    return np.where(np.isfinite(residual), residual, 0.0)


def _narrow(odd: np.ndarray, format_name: str) -> np.ndarray:
    """Round f64 values that were rounded to odd to a narrower format, to nearest even."""
    dtype = NUMPY_BY_MLIR[format_name]
    if format_name in LARGEST_FLOAT8:
        odd = np.clip(odd, -LARGEST_FLOAT8[format_name], LARGEST_FLOAT8[format_name])
    if format_name in ("f32", "f16"):
        return odd.astype(dtype)
    # ml_dtypes and tf32 round from f32, so the value has to arrive there rounded to odd as well.
    single = odd.astype(np.float32)
    single = to_odd(single, np.where(np.isfinite(single), odd - single.astype(np.float64), 0.0))
    return _nearest_tf32(single) if format_name == TF32 else single.astype(dtype)


def _nearest_tf32(single: np.ndarray) -> np.ndarray:
    bits = single.view(np.uint32)
    half = np.uint32((1 << (TF32_DROPPED_BITS - 1)) - 1)
    tie = (bits >> np.uint32(TF32_DROPPED_BITS)) & np.uint32(1)
    rounded = _clear_tf32_bits(bits + half + tie)
    return np.where(np.isfinite(single), rounded, single)


def _clear_tf32_bits(bits: np.ndarray) -> np.ndarray:
    mask = np.uint32(0xFFFFFFFF << TF32_DROPPED_BITS & 0xFFFFFFFF)
    return (bits & mask).view(np.float32)


def _direct(nearest: np.ndarray, excess: Any, mode: str) -> np.ndarray:
    """Step `nearest` back by one unit where it went past the value in the wrong direction.

    Args:
        nearest: Value rounded to nearest even.
        excess: A number with the sign of (`nearest` - exact value).
        mode: Rounding mode.
    """
    if mode not in DIRECTED_MODES:
        return nearest
    kind = nearest.dtype.type
    low, high = kind(-np.inf), kind(np.inf)
    too_high, too_low = excess > 0, excess < 0
    if mode == "negative_inf":
        return np.where(too_high, np.nextafter(nearest, low), nearest)
    if mode == "positive_inf":
        return np.where(too_low, np.nextafter(nearest, high), nearest)
    past = np.where(np.signbit(nearest), too_low, too_high)
    return np.where(past, np.nextafter(nearest, kind(0)), nearest)
