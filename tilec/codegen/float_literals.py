"""Float literals of LLVM IR text: from the spelling of one LLVM version to that of another.

The MLIR bindings hold a newer LLVM than llvmlite. The newer one writes `1.000000e-01` for a
value that is not exactly a tenth, `+inf`, `-qnan`, `+nan(0x1)`, `+snan(0x1)` and `f0x7F7FFFFF`;
the older one takes decimals only when they are exact, and bit patterns as `0xH3555` (half),
`0xR3DCD` (bfloat) and `0x3FB99999A0000000` (double, and float as the double of equal value).
"""

import re
from fractions import Fraction
from functools import lru_cache

from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """An IEEE 754 binary format.

    Attributes:
        exponent_bits: Width of the exponent field.
        fraction_bits: Width of the fraction field (without the hidden bit).
    """

    exponent_bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        """What is added to the exponent of a normal number to encode it."""
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.exponent_bits + self.fraction_bits)

    @property
    def infinity(self) -> int:
        """Bits of plus infinity."""
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def quiet(self) -> int:
        """The fraction bit that makes a NaN quiet."""
        return 1 << (self.fraction_bits - 1)

    def encode(self, value: Fraction) -> int:
        """Return the bits of the number nearest to a non-negative `value`, ties to even."""
        if value == 0:
            return 0
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if Fraction(2) ** exponent > value:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)  # below, numbers are subnormal
        scaled = round(value / Fraction(2) ** (exponent - self.fraction_bits))
        # The hidden bit of a normal number, and the carry of a rounding up, add into the exponent.
        return min(((exponent + self.bias - 1) << self.fraction_bits) + scaled, self.infinity)

    def decode(self, bits: int) -> Fraction:
        """Return the number with the non-negative, finite bit pattern `bits`."""
        exponent, fraction = divmod(bits, 1 << self.fraction_bits)
        if exponent:
            fraction += 1 << self.fraction_bits
        return fraction * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction_bits)


FORMATS = {
    "half": FloatFormat(5, 10),
    "bfloat": FloatFormat(8, 7),
    "float": FloatFormat(8, 23),
    "double": FloatFormat(11, 52),
}
"""Format by the name of its LLVM type."""

LITERAL = (
    r"f0x[0-9A-Fa-f]+|[+-]?\d+\.\d*(?:[eE][+-]?\d+)?"
    r"|[+-](?:inf\b|qnan\b|s?nan\(0x[0-9A-Fa-f]+\))"
)
"""Regular expression of a float literal as the newer LLVM writes it."""
_NAN = re.compile(r"[+-](qnan|s?nan)(?:\(0x([0-9A-Fa-f]+)\))?")


@lru_cache(maxsize=4096)
def respell(literal: str, type_name: str) -> str:
    """Return `literal` of type `type_name` in a form that every LLVM version reads.

    Exact decimals stay as they are; everything else becomes a bit pattern.

    Args:
        literal: A match of `LITERAL`.
        type_name: `half`, `bfloat`, `float` or `double`.
    """
    target = FORMATS[type_name]
    bits = literal_bits(literal, target)
    if "." in literal and target.decode(bits & (target.sign - 1)) == abs(Fraction(literal)):
        return literal
    if type_name == "half":
        return f"0xH{bits:04X}"
    if type_name == "bfloat":
        return f"0xR{bits:04X}"
    if type_name == "float":
        bits = _widen(bits)
    return f"0x{bits:016X}"


def literal_bits(literal: str, target: FloatFormat) -> int:
    """Return the bits of a float literal of the newer LLVM."""
    if literal.startswith("f0x"):
        return int(literal.removeprefix("f0x"), 16)
    sign = target.sign if literal.startswith("-") else 0
    text = literal.lstrip("+-")
    if text == "inf":
        return sign | target.infinity
    nan = _NAN.fullmatch(literal)
    if nan is None:
        return sign | target.encode(Fraction(text))
    payload = int(nan[2], 16) if nan[2] else 0
    quiet = 0 if nan[1] == "snan" else target.quiet
    return sign | target.infinity | quiet | payload


def _widen(bits: int) -> int:
    """Return the double that has the value, or the NaN payload, of the float `bits`."""
    single, double = FORMATS["float"], FORMATS["double"]
    sign = double.sign if bits & single.sign else 0
    magnitude = bits & (single.sign - 1)
    fraction = magnitude & ((1 << single.fraction_bits) - 1)
    shift = double.fraction_bits - single.fraction_bits
    if magnitude >= single.infinity:
        return sign | double.infinity | (fraction << shift)
    return sign | double.encode(single.decode(magnitude))
