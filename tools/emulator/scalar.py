"""Arithmetic of 32 lanes: what each opcode without memory or control flow computes.

A value is an array of 32 lanes in the unsigned type of its size, or bool for a predicate. Rules:
PTX ISA, "Instructions" (shifts clamp, division by zero gives ones, min and max drop NaN).
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tools.emulator import rounding
from tools.emulator.errors import UnsupportedError

Lanes = NDArray[Any]
LANES = 32
_FLOAT = re.compile(r"0([fFdD])([0-9A-Fa-f]+)")

TYPES: dict[str, Any] = {
    "pred": np.bool_,
    **{f"b{bits}": np.dtype(f"u{bits // 8}").type for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"u{bits // 8}").type for bits in (8, 16, 32, 64)},
    **{f"s{bits}": np.dtype(f"i{bits // 8}").type for bits in (8, 16, 32, 64)},
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
STORAGE = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
"""Type of a register by its bytes."""
_PAIRS: dict[str, Any] = {
    "f16x2": np.float16,
    "bf16x2": ml_dtypes.bfloat16,
    "e4m3x2": ml_dtypes.float8_e4m3fn,
    "e5m2x2": ml_dtypes.float8_e5m2,
    "s16x2": np.dtype(np.int16),
    "u16x2": np.dtype(np.uint16),
}
_LEAST_NORMAL = np.finfo(np.float32).tiny
HALVES = ("f16x2", "bf16x2", "s16x2", "u16x2")
"""Types of arithmetic on both halves of a register."""


_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def is_float(dtype: Any) -> bool:
    """Tell whether a NumPy type is a float; for NumPy itself bf16 is something else."""
    return dtype.kind == "f" or dtype == _BFLOAT16


@cache
def undefined(kind: str) -> Lanes:
    """Return a value that was not written: all ones, NaN as a float."""
    if kind == "pred":
        return _constant(np.zeros(LANES, bool))
    return _constant(np.full(LANES, -1).astype(STORAGE[size_of(kind)]).view(TYPES[kind]))


def _constant(value: Lanes) -> Lanes:
    """Return an array that many registers may share."""
    value.flags.writeable = False
    return value


def size_of(kind: str) -> int:
    """Return the bytes of a type."""
    return np.dtype(TYPES[kind]).itemsize


def storage(value: Lanes) -> Lanes:
    """Return a value in the type of registers."""
    kind = value.dtype.kind
    if kind == "b":
        return value
    if not value.flags.c_contiguous:
        value = np.ascontiguousarray(value)
    return value if kind == "u" else value.view(STORAGE[value.dtype.itemsize])


@cache
def literal(text: str, kind: str) -> Lanes:
    """Return an immediate in every lane."""
    return _constant(_literal(text, kind))


def _literal(text: str, kind: str) -> Lanes:
    floats = _FLOAT.fullmatch(text)
    if floats:
        bits = np.uint32 if floats[1] in "fF" else np.uint64
        value = np.full(LANES, int(floats[2], 16), bits)
        wanted = np.dtype(TYPES[kind])
        if is_float(wanted) and wanted.itemsize != value.itemsize:
            value = value.view(np.float32 if bits is np.uint32 else np.float64).astype(wanted)
        return value.view(TYPES[kind])
    size, text = size_of(kind), text.rstrip("U")
    if kind == "pred":
        return np.full(LANES, bool(int(text, 0)))
    return np.full(LANES, int(text, 0) & (1 << 8 * size) - 1, STORAGE[size]).view(TYPES[kind])


def _shift(left: bool) -> Callable[[Lanes, Lanes], Lanes]:
    def apply(value: Lanes, count: Lanes) -> Lanes:
        bits = value.itemsize * 8
        if not np.count_nonzero(count >= bits):
            by = count.astype(value.dtype)
            return value << by if left else value >> by
        limit = np.minimum(count, bits - 1).astype(value.dtype)
        if left:
            return np.where(count >= bits, value.dtype.type(0), value << limit)
        beyond = (
            np.where(value < 0, value.dtype.type(-1), value.dtype.type(0))
            if (value.dtype.kind == "i")
            else value.dtype.type(0)
        )
        return np.where(count >= bits, beyond, value >> limit)

    return apply


def _divide(a: Lanes, b: Lanes) -> Lanes:
    if is_float(a.dtype):
        return a / b
    safe = np.where(b == 0, b.dtype.type(1), b)
    floor = np.floor_divide(a, safe)
    raised = (floor * safe != a) & ((a < 0) != (safe < 0))
    return np.where(b == 0, ~a.dtype.type(0), floor + raised.astype(a.dtype)).astype(a.dtype)


def _remainder(a: Lanes, b: Lanes) -> Lanes:
    return (a - _divide(a, b) * b).astype(a.dtype)


def _high(a: Lanes, b: Lanes) -> Lanes:
    bits = a.itemsize * 8
    wide = [int(x) * int(y) >> bits for x, y in zip(a, b, strict=True)]
    return np.array([item & (1 << bits) - 1 for item in wide], STORAGE[a.itemsize]).view(a.dtype)


def _wide(a: Lanes, b: Lanes) -> Lanes:
    kind = np.dtype(f"{a.dtype.kind}{2 * a.itemsize}")
    return a.astype(kind) * b.astype(kind)


def _extremum(
    choose: Callable[[Lanes, Lanes], Lanes], of_zeros: Callable[[Lanes, Lanes], Lanes]
) -> Callable[[Lanes, Lanes], Lanes]:
    """Return what computes a minimum or maximum; `of_zeros` tells that of two zeros."""

    def apply(a: Lanes, b: Lanes) -> Lanes:
        chosen = choose(a, b)
        if not is_float(a.dtype) or np.count_nonzero(chosen) == chosen.size:
            return chosen
        return np.where((a == 0) & (b == 0), of_zeros(a, b), chosen).astype(a.dtype)

    return apply


def _negative(a: Lanes, b: Lanes) -> Lanes:
    """Return the negative one of two zeros, if there is one."""
    return -(-a - b)


BINARY: dict[str, Callable[[Lanes, Lanes], Lanes]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mul.lo": lambda a, b: a * b,
    "mul.hi": _high,
    "mul.wide": _wide,
    "div": _divide,
    "rem": _remainder,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": _extremum(np.fmin, _negative),
    "max": _extremum(np.fmax, np.add),
    "min.NaN": _extremum(np.minimum, _negative),
    "max.NaN": _extremum(np.maximum, np.add),
    "shl": _shift(True),
    "shr": _shift(False),
    "copysign": lambda a, b: np.copysign(b, a),
}
UNARY: dict[str, Callable[[Lanes], Lanes]] = {
    "neg": lambda a: -a,
    "abs": np.abs,
    "not": np.invert,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: (1 / np.sqrt(a)).astype(a.dtype),
    "rcp": lambda a: (1 / a).astype(a.dtype),
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "clz": lambda a: np.array([8 * a.itemsize - int(x).bit_length() for x in a], np.uint32),
    "popc": lambda a: np.bitwise_count(a).astype(np.uint32),
}
TERNARY: dict[str, Callable[[Lanes, Lanes, Lanes], Lanes]] = {
    "fma": rounding.fma,
    "mad.lo": lambda a, b, c: a * b + c,
    "mad.hi": lambda a, b, c: _high(a, b) + c,
    "mad.wide": lambda a, b, c: _wide(a, b) + c,
}


def _unordered(compare: Callable[[Lanes, Lanes], Lanes]) -> Callable[[Lanes, Lanes], Lanes]:
    return lambda a, b: compare(a, b) | np.isnan(a) | np.isnan(b)


COMPARE: dict[str, Callable[[Lanes, Lanes], Lanes]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: (a != b) & (~(np.isnan(a) | np.isnan(b)) if is_float(a.dtype) else True),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}
COMPARE.update(
    {f"{name}u": _unordered(COMPARE[name]) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
)

_ROUND = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}


def narrow(value: Lanes, target: Any, mode: str | None) -> Lanes:
    """Convert numbers to a float type, to nearest or in another direction."""
    nearest = (_single(value) if target == ml_dtypes.bfloat16 else value).astype(target)
    if mode is None:
        return nearest
    if value.dtype.kind in "iu":
        error = np.array([_compare(*pair) for pair in zip(value, nearest, strict=True)])
    else:
        error = np.nan_to_num(value - nearest.astype(value.dtype), nan=0.0)
    return rounding.step(nearest, error, mode)


def _single(value: Lanes) -> Lanes:
    """Return integers as f32, rounded to odd: NumPy rounds to f32 first, and then to bf16."""
    if value.dtype.kind not in "iu" or value.dtype.itemsize < 4:
        return value
    near = value.astype(np.float32)
    error = np.array([_compare(*pair) for pair in zip(value, near, strict=True)])
    return rounding.to_odd(near, error)


def _compare(whole: Any, near: Any) -> int:
    """Return the sign of an integer minus a float."""
    exact, other = int(whole), int(near)
    return (exact > other) - (exact < other)


def clamp_of(opcode: tuple[str, ...]) -> tuple[float, float] | None:
    """Return the least and the largest result that an opcode allows, or None."""
    if "sat" in opcode:
        return 0.0, 1.0
    return (0.0, np.inf) if "relu" in opcode else None


def finished(
    function: Callable[..., Lanes], *, flushes: bool, clamps: tuple[float, float] | None
) -> Callable[..., Lanes]:
    """Return a function with subnormal operands and results flushed, and its results clamped."""
    if not flushes and clamps is None:
        return function

    def apply(*values: Lanes) -> Lanes:
        value = function(*(flushed(value) for value in values)) if flushes else function(*values)
        value = flushed(value) if flushes else value
        return value if clamps is None else clamped(value, clamps)

    return apply


def clamped(value: Lanes, limits: tuple[float, float]) -> Lanes:
    """Clamp numbers: to 0 and 1 a NaN becomes 0 (`.sat`), above 0 it stays one (`.relu`)."""
    low, high = limits
    if value.dtype.kind == "i":  # `.relu`
        return np.maximum(value, value.dtype.type(low))
    if high == 1.0:
        value = np.where(np.isnan(value), value.dtype.type(0), value)
    return np.clip(value, value.dtype.type(low), value.dtype.type(high)).astype(value.dtype)


def flushed(value: Lanes) -> Lanes:
    """Replace subnormal f32 by zeros of their signs."""
    if value.dtype != np.float32:
        return value
    tiny = np.abs(value) < _LEAST_NORMAL
    if not np.count_nonzero(tiny):
        return value
    return np.where(tiny, np.copysign(np.float32(0), value), value)


def halves(values: list[Lanes], kind: str) -> list[list[Lanes]]:
    """Return the low and the high halves of registers."""
    pairs = [np.ascontiguousarray(value).view(_PAIRS[kind]).reshape(-1, 2) for value in values]
    return [[pair[:, half] for pair in pairs] for half in (0, 1)]


def convert(value: Lanes, to: str, modifiers: tuple[str, ...]) -> Lanes:
    """Convert lanes to another type, as `cvt` with these modifiers does."""
    source, target = value.dtype, np.dtype(TYPES[to])
    for name in modifiers:
        if name in _ROUND:
            value = _ROUND[name](value)
        elif name == "ftz":
            value = flushed(value)
        elif name not in ("rn", "rna", "rz", "rm", "rp", "sat", "relu"):
            raise UnsupportedError(f"cvt with .{name}")
    if target.kind not in "iu":
        mode = next((name for name in modifiers if name in rounding.DIRECTED), None)
        result, limits = narrow(value, target, mode), clamp_of(modifiers)
        return result if limits is None else clamped(result, limits)
    if not is_float(source):
        return value.astype(target)
    limits, wide = np.iinfo(target), value.astype(np.float64)
    whole = np.where(np.isnan(wide), 0.0, wide)
    # The largest integer of 64 bits is no float: what is at or above the next one saturates.
    fits = (whole >= float(limits.min)) & (whole < float(limits.max) + 1.0)
    limit = np.where(whole < 0, target.type(limits.min), target.type(limits.max))
    return np.where(fits, np.where(fits, whole, 0.0).astype(target), limit)


def pack(high: Lanes, low: Lanes, to: str) -> Lanes:
    """Round two floats to halves of a register, as `cvt.rn.bf16x2.f32 d, high, low` does."""
    kind = np.dtype(_PAIRS[to])
    pair = np.empty((LANES, 2), kind)
    for half, value in enumerate((low, high)):
        if kind.itemsize == 1:
            limit = float(ml_dtypes.finfo(kind).max)
            value = np.clip(value, -limit, limit)
        pair[:, half] = value
    return pair.view(STORAGE[pair.itemsize * 2])[:, 0]


def on_halves(function: Callable[..., Lanes], kind: str) -> Callable[..., Lanes]:
    """Return what computes both halves of registers, as opcodes of type `.f16x2` do."""

    def apply(*values: Lanes) -> Lanes:
        halves = [np.ascontiguousarray(value).view(_PAIRS[kind]) for value in values]
        return np.ascontiguousarray(function(*halves)).view(np.uint32)

    return apply


def widen(value: Lanes, kind: str, to: str) -> Lanes:
    """Convert the halves of a register, as `cvt.rn.f16x2.e4m3x2` does."""
    halves = value.view(_PAIRS[kind]).reshape(LANES, 2).astype(_PAIRS[to])
    return np.ascontiguousarray(halves).view(STORAGE[2 * halves.itemsize])[:, 0]


def round_to_tf32(value: Lanes) -> Lanes:
    """Round f32 to nearest even in the ten bits of tf32."""
    bits = value.view(np.uint32)
    odd = bits >> np.uint32(13) & np.uint32(1)
    rounded = bits + np.uint32(0xFFF) + odd & np.uint32(0xFFFFE000)
    return np.where(np.isnan(value), bits, rounded)


def permute(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Pick four of the eight bytes of two registers (`prmt.b32`, default mode)."""
    both = np.stack([a, b], axis=-1).view(np.uint8)
    picked = selector[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)
    value = np.take_along_axis(both, (picked & np.uint32(7)).astype(np.int64), axis=1)
    sign = np.where(value & 0x80, np.uint8(0xFF), np.uint8(0))
    chosen = np.where(picked & np.uint32(8), sign, value).astype(np.uint8)
    return np.ascontiguousarray(chosen).view(np.uint32)[:, 0]
