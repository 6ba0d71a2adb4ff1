"""8-bit floats: their range, and the floats through which integers reach them."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.support.dtypes import DTYPES, largest_float

LARGEST_FLOAT8 = {
    dtype.mlir: float(largest_float(dtype)) for dtype in (DTYPES["f8e4m3"], DTYPES["f8e5m2"])
}
"""Largest finite value by MLIR type. Conversions saturate there (PTX ISA, cvt, `.satfinite`)."""


def float_of_integer(integer: Any) -> Any:
    """Return the float type to which integers of type `integer` are converted first.

    f32 holds 16-bit integers exactly and f64 32-bit ones. A 64-bit integer that f64 rounds is far
    beyond the range of 8-bit floats.
    """
    return ir.F32Type.get() if integer.width < 32 else ir.F64Type.get()
