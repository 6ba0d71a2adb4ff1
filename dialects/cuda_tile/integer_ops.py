"""Element-wise integer arithmetic and bit operations. Integers are signless; operations are not."""

from typing import Any

from tilec.dialects.cuda_tile.base import (
    INTEGERS,
    OVERFLOW,
    SIGNEDNESS,
    TileOperation,
    element_error,
    enum_error,
    same_type_error,
    set_text,
)
from tilec.ir.bindings import Operand, Pure, Result, ir

DIVISION_ROUNDINGS = ("zero", "negative_inf", "positive_inf")


class IntegerOperation(TileOperation):
    """Base of the families below: equal types, overflow promises.

    Attributes:
        overflow: Optional; which wrap-around does not happen, one of `OVERFLOW`.
    """

    VALUES = ("source", "result")
    OVERFLOWS = ()

    @property
    def overflow(self) -> str:
        """Which wrap-around does not happen."""
        return self.text("overflow", "none")

    def find_error(self) -> str | None:
        """Return the first broken rule on types or attributes."""
        return (
            element_error("operand", 0, self.operands[0].type, INTEGERS, "tile of")
            or same_type_error(self, self.VALUES)
            or enum_error(self, "overflow", self.OVERFLOWS)
            or enum_error(self, "signedness", SIGNEDNESS)
        )


class IntegerUnaryOperation(IntegerOperation, traits=[Pure]):
    """Base of `result = f(source)`."""

    source: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(cls, source: Any, *, overflow: str | None = None, **where: Any) -> Any:
        """Build the operation and return its result."""
        op = cls(source=source, result=source.type, **where)
        set_text(op, "overflow", overflow)
        return op.result


class IntegerBinaryOperation(IntegerOperation, traits=[Pure]):
    """Base of `result = f(lhs, rhs)`."""

    VALUES = ("lhs", "rhs", "result")

    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(cls, lhs: Any, rhs: Any, *, overflow: str | None = None, **where: Any) -> Any:
        """Build the operation and return its result."""
        op = cls(lhs=lhs, rhs=rhs, result=lhs.type, **where)
        set_text(op, "overflow", overflow)
        return op.result


class SignedBinaryOperation(IntegerOperation, traits=[Pure]):
    """Base of `result = f(lhs, rhs)` where signed and unsigned operands differ.

    Attributes:
        signedness: `signed` or `unsigned`.
    """

    VALUES = ("lhs", "rhs", "result")

    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]
    signedness: ir.StringAttr

    @classmethod
    def build(cls, lhs: Any, rhs: Any, *, signedness: str = "signed", **where: Any) -> Any:
        """Build the operation and return its result."""
        return cls(
            lhs=lhs,
            rhs=rhs,
            result=lhs.type,
            signedness=ir.StringAttr.get(signedness),
            **where,
        ).result


class AddIOp(IntegerBinaryOperation, name="addi"):
    """Sum; wraps around."""

    OVERFLOWS = OVERFLOW


class SubIOp(IntegerBinaryOperation, name="subi"):
    """Difference; wraps around."""

    OVERFLOWS = OVERFLOW


class MulIOp(IntegerBinaryOperation, name="muli"):
    """Low half of the product."""

    OVERFLOWS = OVERFLOW


class MulhiIOp(IntegerBinaryOperation, name="mulhii"):
    """High half of the unsigned product."""


class DivIOp(SignedBinaryOperation, name="divi"):
    """Quotient. A zero divisor, and the least value by -1, are undefined.

    Attributes:
        rounding: Optional; `zero` (default), `negative_inf` or `positive_inf`.
    """

    @property
    def rounding(self) -> str:
        """Where the exact quotient is rounded to."""
        return self.text("rounding", "zero")

    def find_error(self) -> str | None:
        """Return the first broken rule; a floor division must be signed."""
        message = super().find_error() or enum_error(self, "rounding", DIVISION_ROUNDINGS)
        if message is not None:
            return message
        if self.rounding == "negative_inf" and self.text("signedness") != "signed":
            return "rounding mode 'negative_inf' is only allowed with 'signed' flag"
        return None

    @classmethod
    def build(
        cls,
        lhs: Any,
        rhs: Any,
        *,
        signedness: str = "signed",
        rounding: str | None = None,
        **where: Any,
    ) -> Any:
        """Build the operation and return its result."""
        result = super().build(lhs, rhs, signedness=signedness, **where)
        set_text(result.owner, "rounding", rounding)
        return result


class RemIOp(SignedBinaryOperation, name="remi"):
    """Remainder of the quotient that is rounded to zero; a zero divisor is undefined."""


class MaxIOp(SignedBinaryOperation, name="maxi"):
    """Maximum."""


class MinIOp(SignedBinaryOperation, name="mini"):
    """Minimum."""


class ShLIOp(IntegerBinaryOperation, name="shli"):
    """`lhs` shifted left by `rhs` bits (read as unsigned)."""

    OVERFLOWS = OVERFLOW


class ShRIOp(SignedBinaryOperation, name="shri"):
    """`lhs` shifted right by `rhs` bits; copies the sign bit when signed."""


class AndIOp(IntegerBinaryOperation, name="andi"):
    """Bitwise and."""


class OrIOp(IntegerBinaryOperation, name="ori"):
    """Bitwise or."""


class XOrIOp(IntegerBinaryOperation, name="xori"):
    """Bitwise exclusive or."""


class AbsIOp(IntegerUnaryOperation, name="absi"):
    """Absolute value of a signed integer, to be read as unsigned."""


class PopcountOp(IntegerUnaryOperation, name="popcount"):
    """Number of bits that are 1."""


class ClzOp(IntegerUnaryOperation, name="clz"):
    """Number of bits that are 0, from the highest one on: the width of the type for 0."""


class NegIOp(IntegerUnaryOperation, name="negi"):
    """Negated value; wraps around."""

    OVERFLOWS = ("none", "no_signed_wrap")
