"""How element types of the language and of the IR are held in NumPy.

Integers are signless in the IR and are held as signed NumPy integers; an operation that needs the
unsigned reading takes `unsigned(value)`. tf32 has no NumPy type: its values are f32 values whose
13 low bits are zero. Pure Python: no MLIR import.
"""

from typing import Any

import ml_dtypes
import numpy as np

TF32 = "tf32"

NUMPY_BY_NAME: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.float32),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
"""NumPy type of an array argument by element type name (`tilec.support.dtypes.DTYPES`)."""

NUMPY_BY_MLIR: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.float32),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
}
"""NumPy type of a value by the spelling of its MLIR element type."""

_UNSIGNED = {
    np.dtype(np.bool_): np.dtype(np.bool_),
    np.dtype(np.int8): np.dtype(np.uint8),
    np.dtype(np.int16): np.dtype(np.uint16),
    np.dtype(np.int32): np.dtype(np.uint32),
    np.dtype(np.int64): np.dtype(np.uint64),
}


def unsigned_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the unsigned type of the same width as a signed integer type (i1 stays bool)."""
    return _UNSIGNED[dtype]


def unsigned(value: Any) -> Any:
    """Return `value` (array or NumPy scalar of a signed integer type) read as unsigned."""
    return value.view(_UNSIGNED[value.dtype])


def is_small_float(dtype: np.dtype[Any]) -> bool:
    """Tell whether `dtype` is a float of at most 16 bits, which is computed in f32."""
    return dtype.itemsize <= 2 and dtype.kind not in "iub"
