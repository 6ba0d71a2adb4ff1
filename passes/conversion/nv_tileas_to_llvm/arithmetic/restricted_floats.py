"""Conversions of floats that LLVM does not know: 8-bit floats and tf32.

8-bit floats travel as their bits (i8), tf32 as an f32 whose low mantissa bits are zero. Source: PTX
ISA, cvt (`.e4m3x2` and `.e5m2x2`, which convert pairs: the second element is zero where there is
only one; `.tf32`).
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.passes.conversion.nv_tileas_to_llvm import emit

_PAIR_NAMES = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}
_ROUNDING_TYPES = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}
"""Names in ml_dtypes."""
_TF32 = "tf32"
_RESTRICTED = (ir.Float8E4M3FNType, ir.Float8E5M2Type, ir.FloatTF32Type)
TF32_DROPPED_BITS = 13
"""Mantissa bits of an f32 that a tf32 lacks (PTX ISA, tf32: 10 of 23 bits)."""


def is_restricted(type_: Any) -> bool:
    """Tell whether `type_` is a float without arithmetic: f8 or tf32."""
    return isinstance(type_, _RESTRICTED)


def constant(value: float, type_: Any) -> Any:
    """Emit a constant in the form that registers hold."""
    import ml_dtypes  # few kernels have such floats, and NumPy takes long to load
    import numpy as np

    single = np.asarray(value, np.float32)
    if str(type_) == _TF32:
        return arith.constant(ir.F32Type.get(), _round_to_tf32(single))
    rounded = single.astype(getattr(ml_dtypes, _ROUNDING_TYPES[str(type_)]))
    return arith.constant(ir.IntegerType.get_signless(8), int(rounded.view(np.int8)))


def _round_to_tf32(single: Any) -> float:
    import numpy as np

    if not np.isfinite(single):
        return float(single)
    bits = int(single.view(np.uint32))
    half = (1 << (TF32_DROPPED_BITS - 1)) - 1 + (bits >> TF32_DROPPED_BITS & 1)
    kept = (bits + half) >> TF32_DROPPED_BITS << TF32_DROPPED_BITS
    return float(np.uint32(kept & 0xFFFFFFFF).view(np.float32))


def convert(value: Any, source: Any, wanted: Any) -> Any:
    """Convert an element between float types of which one or both are restricted."""
    if not is_restricted(source):
        return truncate(value, wanted)
    if not is_restricted(wanted):
        return extend(value, source, wanted)
    return truncate(extend(value, source, ir.F32Type.get()), wanted)


def extend(value: Any, source: Any, wanted: Any) -> Any:
    """Convert an element of restricted type `source` to float type `wanted`."""
    if str(source) == _TF32:
        return value if value.type == wanted else _resize(value, wanted)
    vector = extend_pair(arith.extui(ir.IntegerType.get_signless(16), value), source)
    half = llvm_ops.extract_element(vector, emit.value(0))
    return half if half.type == wanted else _resize(half, wanted)


def extends_pairs(source: Any) -> bool:
    """Tell whether one instruction converts two elements of type `source` to f16."""
    return str(source) in _PAIR_NAMES


def extend_pair(pair: Any, source: Any) -> Any:
    """Convert two 8-bit floats of type `source`, an i16, to a vector of f16."""
    text = f"cvt.rn.f16x2.{_PAIR_NAMES[str(source)]} $0, $1;"
    converted = _convert(text, "=r,h", [pair], emit.i32_type())
    return llvm_ops.bitcast(ir.VectorType.get([2], ir.F16Type.get()), converted)


def truncate(value: Any, wanted: Any) -> Any:
    """Round a float to restricted type `wanted`; 8-bit formats saturate at their largest value."""
    single = ir.F32Type.get()
    if isinstance(value.type, ir.F64Type):
        value = _round_to_odd(value)
    elif value.type != single:
        value = _resize(value, single)
    if str(wanted) == _TF32:
        bits = _convert("cvt.rn.tf32.f32 $0, $1;", "=r,f", [value], emit.i32_type())
        return arith.bitcast(single, bits)
    pair = _truncate_two(value, arith.constant(single, 0.0), wanted)
    return arith.trunci(ir.IntegerType.get_signless(8), pair)


def truncates_pairs(source: Any, wanted: Any) -> bool:
    """Tell whether one instruction rounds two elements of type `source` to `wanted`."""
    return isinstance(source, ir.F32Type) and str(wanted) in _PAIR_NAMES


def truncate_pair(values: Sequence[Any], wanted: Any) -> Any:
    """Round two f32 to 8-bit floats; return the vector of their bits."""
    low, high = values
    vector = ir.VectorType.get([len(values)], ir.IntegerType.get_signless(8))
    return llvm_ops.bitcast(vector, _truncate_two(low, high, wanted))


def _truncate_two(low: Any, high: Any, wanted: Any) -> Any:
    """Return the i16 of two f32 that are rounded; the first operand goes to the high byte."""
    text = f"cvt.rn.satfinite.{_PAIR_NAMES[str(wanted)]}.f32 $0, $1, $2;"
    return _convert(text, "=h,f,f", [high, low], ir.IntegerType.get_signless(16))


def _round_to_odd(value: Any) -> Any:
    """Convert f64 to f32 so that a second rounding does not err: an inexact result ends in a 1.

    Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
    """
    toward_zero = _convert("cvt.rz.f32.f64 $0, $1;", "=f,d", [value], ir.F32Type.get())
    back = arith.extf(value.type, toward_zero)
    inexact = arith.cmpf(arith.CmpFPredicate.UNE, back, value)
    last = arith.extui(emit.i32_type(), inexact)
    bits = arith.ori(arith.bitcast(emit.i32_type(), toward_zero), last)
    return arith.bitcast(ir.F32Type.get(), bits)


def _resize(value: Any, wanted: Any) -> Any:
    have, want = ir.FloatType(value.type).width, ir.FloatType(wanted).width
    if have < want:
        return arith.extf(wanted, value)
    if have == want:  # f16 and bf16: neither contains the other
        value = arith.extf(ir.F32Type.get(), value)
    return arith.truncf(wanted, value)


def _convert(text: str, constraints: str, operands: list[Any], result: Any) -> Any:
    """Emit an instruction without side effects."""
    return llvm_ops.inline_asm(text, constraints, operands, result, has_side_effects=False)
