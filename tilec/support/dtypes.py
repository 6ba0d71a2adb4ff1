"""Element types of the language, by name. Pure Python: no MLIR import."""

import enum

from tilec.support.fast_dataclasses import dataclass


class Kind(enum.Enum):
    """Category of an element type; promotion goes bool < int < float."""

    BOOL = 0
    INT = 1
    FLOAT = 2
    RESTRICTED_FLOAT = 3
    """Floats without arithmetic or implicit promotion: tf32 and the 8-bit formats."""


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    Attributes:
        name: Name in the language, for example `bf16`.
        mlir: Name of the MLIR type; integers are signless there.
        bits: Size in memory in bits (a bool takes one byte).
        kind: Category.
        signed: False for unsigned integers and bool.
    """

    name: str
    mlir: str
    bits: int
    kind: Kind
    signed: bool = True

    @property
    def bytes(self) -> int:
        """Size of one element in memory."""
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type, restricted ones included."""
        return self.kind in (Kind.FLOAT, Kind.RESTRICTED_FLOAT)

    @property
    def is_integer(self) -> bool:
        """Whether it is a signed or unsigned integer type (not bool)."""
        return self.kind is Kind.INT


_TABLE = (
    DType("bool", "i1", 8, Kind.BOOL, signed=False),
    DType("i8", "i8", 8, Kind.INT),
    DType("i16", "i16", 16, Kind.INT),
    DType("i32", "i32", 32, Kind.INT),
    DType("i64", "i64", 64, Kind.INT),
    DType("u8", "i8", 8, Kind.INT, signed=False),
    DType("u16", "i16", 16, Kind.INT, signed=False),
    DType("u32", "i32", 32, Kind.INT, signed=False),
    DType("u64", "i64", 64, Kind.INT, signed=False),
    DType("f16", "f16", 16, Kind.FLOAT),
    DType("bf16", "bf16", 16, Kind.FLOAT),
    DType("f32", "f32", 32, Kind.FLOAT),
    DType("f64", "f64", 64, Kind.FLOAT),
    DType("tf32", "tf32", 32, Kind.RESTRICTED_FLOAT),
    DType("f8e4m3", "f8E4M3FN", 8, Kind.RESTRICTED_FLOAT),
    DType("f8e5m2", "f8E5M2", 8, Kind.RESTRICTED_FLOAT),
)

_FLOAT_LIMITS = {
    "f16": (65504, 65520),
    "bf16": ((1 << 128) - (1 << 120), (1 << 128) - (1 << 119)),
    "f32": ((1 << 128) - (1 << 104), (1 << 128) - (1 << 103)),
    "f64": ((1 << 1024) - (1 << 971), (1 << 1024) - (1 << 970)),
    "tf32": ((1 << 128) - (1 << 117), (1 << 128) - (1 << 116)),
    "f8e4m3": (448, 465),
    "f8e5m2": (57344, 61440),
}
"""Float type -> its largest number, and the least integer that is not rounded to it. (f8e4m3 has no
infinity, and 464, half-way to the next number, is rounded to 448.)"""


def largest_float(dtype: DType) -> int:
    """Return the largest number of a float type."""
    return _FLOAT_LIMITS[dtype.name][0]


def overflows(value: float, dtype: DType) -> bool:
    """Tell whether a number, rounded to a float type, is no finite number of it."""
    if value != value or value in (float("inf"), float("-inf")):
        return True
    limit = _FLOAT_LIMITS[dtype.name][1]
    return abs(value) > limit - 1 if dtype.name == "f8e4m3" else abs(value) >= limit


DTYPES: dict[str, DType] = {dtype.name: dtype for dtype in _TABLE}
"""Every element type by its name in the language."""
