"""Exactly rounded arithmetic: fused multiply-add, and rounding that is not to nearest.

f32 is computed in f64 with the sign of what is lost; f64 with the C library, lane by lane, or with
fractions. IEEE 754: the result is that of unlimited precision, rounded once.
"""

import ctypes
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Lanes = NDArray[Any]
DIRECTED = ("rz", "rm", "rp")
_LEAST_NORMAL = np.float64(2.0**-125).view(np.uint64)
_MAGNITUDE, _ONE = np.uint64(2**63 - 1), np.uint64(1)
"""All bits of f64 but the sign; and the least number above zero."""
_HALF, _BELOW = np.uint64(0x1000_0000), np.uint64(0x1FFF_FFFF)
"""Of the 29 bits that f32 drops from f64: half a unit, and all of them."""


def _c_fma() -> Callable[[float, float, float], float]:
    function = ctypes.CDLL("libm.so.6").fma
    function.argtypes, function.restype = [ctypes.c_double] * 3, ctypes.c_double
    return function


_FMA = _c_fma()


def fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return a * b + c, rounded once to nearest even."""
    if a.dtype == np.float64:
        lanes = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        return np.array([_FMA(*lane) for lane in lanes])
    total, rest = _sum(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64))
    if a.dtype == np.float32:
        if _may_round_twice(total):
            total = to_odd(total, rest())
        return total.astype(np.float32)
    if a.dtype == np.float16:  # 22 bits and 11 bits this near to each other fit f64
        return total.astype(np.float16)
    odd = to_odd(total, rest())
    single = odd.astype(np.float32)
    return to_odd(single, odd - single.astype(np.float64)).astype(a.dtype)


def _sum(a: Lanes, b: Lanes) -> tuple[Lanes, Callable[[], Lanes]]:
    """Return a + b in f64, and what computes its error (Knuth's two-sum)."""
    total = a + b

    def rest() -> Lanes:
        part = total - a
        return np.asarray((a - (total - part)) + (b - part))

    return total, rest


def _may_round_twice(total: Lanes) -> bool:
    """Tell whether a number is half-way between two of f32, or below its normal ones but not 0."""
    bits = total.view(np.uint64)
    half = bits & _BELOW == _HALF
    tiny = (bits & _MAGNITUDE) - _ONE < _LEAST_NORMAL - _ONE  # 0 becomes the largest number
    return bool(np.count_nonzero(half | tiny))


def to_odd(nearest: Lanes, error: Lanes) -> Lanes:
    """Round to odd instead of to nearest, from the sign of the error (exact minus nearest).

    A later rounding to fewer bits is then as if of the exact numbers.
    """
    bits = nearest.view(np.int64 if nearest.dtype == np.float64 else np.int32)
    moves = (error != 0) & ~np.isnan(error) & np.isfinite(nearest) & ((bits & 1) == 0)
    away = np.where(error > 0, np.inf, -np.inf).astype(nearest.dtype)
    return np.where(moves, np.nextafter(nearest, away), nearest)


def step(nearest: Lanes, error: Lanes, mode: str) -> Lanes:
    """Return the neighbour that a directed rounding takes.

    Args:
        nearest: A result rounded to nearest.
        error: A number with the sign of the exact result minus it.
        mode: One of `DIRECTED`: toward zero, down, up.
    """
    zero = nearest.dtype.type(0)
    low, high = nearest.dtype.type(-np.inf), nearest.dtype.type(np.inf)
    if mode == "rm":
        return np.where(error < 0, np.nextafter(nearest, low), nearest)
    if mode == "rp":
        return np.where(error > 0, np.nextafter(nearest, high), nearest)
    past = np.where(np.signbit(nearest), error > 0, error < 0)
    return np.where(past, np.nextafter(nearest, zero), nearest)


_WIDE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
    "rcp": lambda a: 1 / a,
    "sqrt": np.sqrt,
}


def directed(name: str, values: list[Lanes], nearest: Lanes, mode: str) -> Lanes:
    """Return `nearest`, what an operation rounds to nearest, rounded in another direction."""
    if nearest.dtype == np.float64:
        parts = zip(nearest.tolist(), *(value.tolist() for value in values), strict=True)
        error = np.array([_sign(name, near, list(rest)) for near, *rest in parts])
        return step(nearest, error, mode)
    wide = [value.astype(np.float64) for value in values]
    if name in ("add", "sub", "fma"):
        first = wide[0] * wide[1] if name == "fma" else wide[0]
        total, rest = _sum(first, -wide[1] if name == "sub" else wide[-1])
        error = (total - nearest) + rest()  # the difference is exact, and a sum keeps its sign
    else:  # nothing but a number of f32 itself is so near to one that f64 cannot tell
        error = _WIDE[name](*wide) - nearest
    error = np.where(np.isnan(error), 0.0, error)  # of what is infinite or no number
    return step(nearest, error, mode)


def _sign(name: str, nearest: float, values: list[float]) -> float:
    """Return the sign of the exact result minus the nearest one."""
    if not np.isfinite(values).all() or np.isnan(nearest):
        return 0.0
    exact = [Fraction(value) for value in values]
    if np.isinf(nearest):
        return 0.0 if name in ("div", "rcp") and not exact[-1] else -np.sign(nearest)
    near = Fraction(nearest)
    root = name == "sqrt"
    difference = exact[0] - near * near if root else Fraction(_WIDE[name](*exact)) - near
    return float((difference > 0) - (difference < 0))
