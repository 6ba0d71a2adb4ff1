"""Conversions of 8-bit floats, which LLVM does not know: PTX instructions on their bits.

Source: PTX ISA, cvt (`.e4m3x2` and `.e5m2x2`, sm_89 and newer). They convert pairs; the second
element of a pair is zero here.
"""

from typing import Any

import ml_dtypes
import numpy as np

from tilec.ir.bindings import arith, ir, llvm
from tilec.passes.conversion.nv_tileas_to_llvm import emit

_PTX_NAMES = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}

_NUMPY_TYPES: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}


def is_float8(type_: Any) -> bool:
    """Tell whether `type_` is an 8-bit float that PTX converts."""
    return str(type_) in _PTX_NAMES


def constant(value: float, type_: Any) -> Any:
    """Emit the bits of a constant."""
    rounded = np.asarray(value, np.float32).astype(_NUMPY_TYPES[str(type_)])
    return arith.constant(ir.IntegerType.get_signless(8), int(rounded.view(np.int8)))


def extend(bits: Any, source: Any, wanted: Any) -> Any:
    """Convert the bits (i8) of an element of type `source` to float type `wanted`; exact."""
    half = ir.IntegerType.get_signless(16)
    pair = arith.extui(half, bits)
    text = f"cvt.rn.f16x2.{_PTX_NAMES[str(source)]} $0, $1;"
    converted = _convert(text, "=r,h", [pair], emit.i32_type())
    vector = llvm.BitcastOp(ir.VectorType.get([2], ir.F16Type.get()), converted).res
    value = llvm.ExtractElementOp(vector, emit.value(0)).res
    return value if value.type == wanted else _resize(value, wanted)


def truncate(value: Any, wanted: Any) -> Any:
    """Round a float to type `wanted`, saturating to its largest finite value; return the bits."""
    single = ir.F32Type.get()
    if value.type != single:
        value = _resize(value, single)
    zero = arith.constant(single, 0.0)
    text = f"cvt.rn.satfinite.{_PTX_NAMES[str(wanted)]}.f32 $0, $1, $2;"
    pair = _convert(text, "=h,f,f", [zero, value], ir.IntegerType.get_signless(16))
    return arith.trunci(ir.IntegerType.get_signless(8), pair)


def _resize(value: Any, wanted: Any) -> Any:
    if ir.FloatType(value.type).width < ir.FloatType(wanted).width:
        return arith.extf(wanted, value)
    if ir.FloatType(value.type).width == ir.FloatType(wanted).width:
        return arith.truncf(wanted, arith.extf(ir.F32Type.get(), value))
    return arith.truncf(wanted, value)


def _convert(text: str, constraints: str, operands: list[Any], result: Any) -> Any:
    """Emit an instruction without side effects."""
    dialect = ir.IntegerAttr.get(emit.i64_type(), 0)
    return llvm.InlineAsmOp(result, operands, text, constraints, asm_dialect=dialect).res
