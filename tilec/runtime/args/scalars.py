"""Checks and encodes scalar arguments."""

import math
import operator
import struct
import sys
from collections.abc import Callable
from typing import Any

from tilec.support.dtypes import DTYPES, DType, Kind

Scalar = bool | int | float

_FORMATS: dict[str, str] = {
    "bool": "<?",
    "i8": "<b",
    "i16": "<h",
    "i32": "<i",
    "i64": "<q",
    "u8": "<B",
    "u16": "<H",
    "u32": "<I",
    "u64": "<Q",
    "f16": "<e",
    "f32": "<f",
    "f64": "<d",
}
"""`struct` format of each scalar type; bf16 is rounded by hand."""


class ScalarError(Exception):
    """The value does not fit the scalar type; the text says why."""


def convert_scalar(value: Any, dtype: str) -> Scalar:
    """Return `value` as the Python scalar that `dtype` stands for.

    Integers are accepted for float parameters, but no float for an integer one. Numbers of NumPy
    and objects with `__index__` or `__float__` work; arrays do not.

    Raises:
        ScalarError: `value` is no number of that kind, or is out of range.
    """
    info = DTYPES[dtype]
    plain = _to_python(value)
    if info.kind is Kind.BOOL:
        if isinstance(plain, bool):
            return plain
        raise ScalarError(f"is {value!r}, which is not a bool")
    if info.kind is Kind.INT:
        return _integer(plain, value, info)
    if isinstance(plain, int | float):
        return _float(plain, value, info)
    raise ScalarError(f"is {_describe(value)}, which is not a number")


def _to_python(value: Any) -> Any:
    """Return the Python number of a NumPy scalar; anything else as it is."""
    if isinstance(value, bool | int | float):
        return value
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        item = value.item()
        # The floats of ml_dtypes convert through __float__ only.
        return item if isinstance(item, bool | int | float) else float(value)
    return value


def _integer(plain: Any, value: Any, info: DType) -> int:
    if isinstance(plain, float) or _looks_like_array(plain):
        raise ScalarError(f"is {_describe(value)}, which is not an integer")
    try:
        number = operator.index(plain)
    except TypeError:
        raise ScalarError(f"is {_describe(value)}, which is not an integer") from None
    low = -(1 << (info.bits - 1)) if info.signed else 0
    high = (1 << (info.bits - (1 if info.signed else 0))) - 1
    if not low <= number <= high:
        raise ScalarError(f"is {number}, outside of {info.name} ({low} to {high})")
    return number


def _float(plain: float, value: Any, info: DType) -> float:
    try:
        number = float(plain)
        encode_scalar(number, info.name)
    except (OverflowError, struct.error):
        raise ScalarError(f"is {value!r}, too large for {info.name}") from None
    return number


def _looks_like_array(value: Any) -> bool:
    return hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")


def _describe(value: Any) -> str:
    if isinstance(value, bool | int | float | str):
        return repr(value)
    return f"a {type(value).__name__}"


def encode_scalar(value: Scalar, dtype: str) -> bytes:
    """Return the bytes of a scalar as the kernel reads it (little-endian).

    Raises:
        OverflowError: The value rounds to infinity in that float type.
    """
    return scalar_encoder(dtype)(value)


def scalar_encoder(dtype: str) -> Callable[[Scalar], bytes]:
    """Return the function that encodes scalars of `dtype`."""
    if dtype == "bf16":
        return _encode_bf16
    if dtype == "tf32":
        dtype = "f32"
    return struct.Struct(_FORMATS[dtype]).pack


def _encode_bf16(value: Scalar) -> bytes:
    """Round to nearest even, as the hardware conversion does."""
    number = float(value)
    (bits,) = struct.unpack("<I", struct.pack("<f", number))
    if math.isnan(number):
        return struct.pack("<H", 0x7FC0)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    if rounded & 0x7FFF == 0x7F80 and not math.isinf(number):
        raise OverflowError("float too large for bf16")
    return struct.pack("<H", rounded)
