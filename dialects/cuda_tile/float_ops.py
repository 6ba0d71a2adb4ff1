"""Element-wise floating-point arithmetic and math."""

from typing import Any

from tilec.dialects.cuda_tile.base import (
    BASE_FLOATS,
    TileOperation,
    element_error,
    same_type_error,
    set_text,
    set_unit,
)
from tilec.ir.bindings import Operand, Pure, Result

IEEE_ROUNDINGS = ("nearest_even", "zero", "negative_inf", "positive_inf")
_APPROXIMATIONS = ("approx", "full")


class FloatOperation(TileOperation):
    """Base of the families below: equal types, rounding and flush-to-zero.

    Attributes (all optional):
        rounding: Rounding mode, one of `ROUNDINGS`; absent is the first of them.
        flush_to_zero: Unit; subnormal inputs and results become zero (f32 only).
        propagate_nan: Unit; a NaN operand gives NaN (`maxf` and `minf` only).
    """

    VALUES = ("source", "result")
    ROUNDINGS = ()
    FLUSHES = False
    PROPAGATES_NAN = False

    @property
    def rounding(self) -> str:
        """Rounding mode; empty for an operation that has none."""
        return self.text("rounding", self._default_rounding())

    def _default_rounding(self) -> str:
        return next(iter(self.ROUNDINGS), "")

    @property
    def flush_to_zero(self) -> bool:
        """Whether subnormal inputs and results become zero."""
        return "flush_to_zero" in self.attributes

    @property
    def propagate_nan(self) -> bool:
        """Whether a NaN operand gives NaN."""
        return "propagate_nan" in self.attributes

    def set_modifiers(self, rounding: str | None, flush_to_zero: bool, propagate_nan: bool) -> None:
        """Set the optional attributes."""
        set_text(self, "rounding", rounding)
        set_unit(self, "flush_to_zero", flush_to_zero)
        set_unit(self, "propagate_nan", propagate_nan)

    def find_error(self) -> str | None:
        """Return the first broken rule on types or modifiers."""
        return (
            element_error("operand", 0, self.operands[0].type, BASE_FLOATS, "tile of")
            or same_type_error(self, self.VALUES)
            or self._find_modifier_error()
        )

    def _find_modifier_error(self) -> str | None:
        attributes = self.attributes
        if len(attributes) == 0:
            return None
        if "rounding" in attributes and self.rounding not in self.ROUNDINGS:
            expected = ", ".join(self.ROUNDINGS)
            return f"invalid rounding error specified, expect one of [{expected}]"
        for name, allowed in (
            ("flush_to_zero", self.FLUSHES),
            ("propagate_nan", self.PROPAGATES_NAN),
        ):
            if name in attributes and not allowed:
                return f"{name} modifier is not supported"
        limited = "flush_to_zero" if self.flush_to_zero else self._approximation()
        element = self.results[0].type.element_type
        if limited and str(element) != "f32":
            return f"{limited} modifier only supported for f32 data type, but got: '{element}'"
        return None

    def _approximation(self) -> str:
        """Return the approximate rounding mode that was asked for, if it is not the default."""
        rounding = self.rounding
        is_asked_for = rounding != self._default_rounding()
        return rounding if rounding in _APPROXIMATIONS and is_asked_for else ""


class FloatUnaryOperation(FloatOperation, traits=[Pure]):
    """Base of `result = f(source)`."""

    source: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(
        cls, source: Any, *, rounding: str | None = None, flush_to_zero: bool = False, **where: Any
    ) -> Any:
        """Build the operation and return its result."""
        op = cls(source=source, result=source.type, **where)
        op.set_modifiers(rounding, flush_to_zero, propagate_nan=False)
        return op.result


class FloatBinaryOperation(FloatOperation, traits=[Pure]):
    """Base of `result = f(lhs, rhs)`."""

    VALUES = ("lhs", "rhs", "result")

    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(
        cls,
        lhs: Any,
        rhs: Any,
        *,
        rounding: str | None = None,
        flush_to_zero: bool = False,
        propagate_nan: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return its result."""
        op = cls(lhs=lhs, rhs=rhs, result=lhs.type, **where)
        op.set_modifiers(rounding, flush_to_zero, propagate_nan)
        return op.result


class AddFOp(FloatBinaryOperation, name="addf"):
    """Sum."""

    ROUNDINGS = IEEE_ROUNDINGS
    FLUSHES = True


class SubFOp(FloatBinaryOperation, name="subf"):
    """Difference."""

    ROUNDINGS = IEEE_ROUNDINGS
    FLUSHES = True


class MulFOp(FloatBinaryOperation, name="mulf"):
    """Product."""

    ROUNDINGS = IEEE_ROUNDINGS
    FLUSHES = True


class DivFOp(FloatBinaryOperation, name="divf"):
    """Quotient; `approx` and `full` are the fast divisions of PTX (at most 2 ulp, f32 only)."""

    ROUNDINGS = (*IEEE_ROUNDINGS, *_APPROXIMATIONS)
    FLUSHES = True


class RemFOp(FloatBinaryOperation, name="remf"):
    """Remainder of the truncated quotient; it has the sign of `lhs`."""


class PowOp(FloatBinaryOperation, name="pow"):
    """`lhs` to the power of `rhs`."""


class MaxFOp(FloatBinaryOperation, name="maxf"):
    """Maximum; +0 is above -0; a NaN loses unless `propagate_nan`."""

    FLUSHES = True
    PROPAGATES_NAN = True


class MinFOp(FloatBinaryOperation, name="minf"):
    """Minimum; -0 is below +0; a NaN loses unless `propagate_nan`."""

    FLUSHES = True
    PROPAGATES_NAN = True


class FmaOp(FloatOperation, name="fma", traits=[Pure]):
    """`lhs * rhs + acc`, rounded once."""

    VALUES = ("lhs", "rhs", "acc", "result")
    ROUNDINGS = IEEE_ROUNDINGS
    FLUSHES = True

    lhs: Operand[Any]
    rhs: Operand[Any]
    acc: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(
        cls,
        lhs: Any,
        rhs: Any,
        acc: Any,
        *,
        rounding: str | None = None,
        flush_to_zero: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return its result."""
        op = cls(lhs=lhs, rhs=rhs, acc=acc, result=acc.type, **where)
        op.set_modifiers(rounding, flush_to_zero, propagate_nan=False)
        return op.result


class NegFOp(FloatUnaryOperation, name="negf"):
    """Negated value."""


class AbsFOp(FloatUnaryOperation, name="absf"):
    """Absolute value."""


class CeilOp(FloatUnaryOperation, name="ceil"):
    """Least integer that is not below the value."""


class FloorOp(FloatUnaryOperation, name="floor"):
    """Greatest integer that is not above the value."""


class SqrtOp(FloatUnaryOperation, name="sqrt"):
    """Square root; `approx` is for f32 only."""

    ROUNDINGS = (*IEEE_ROUNDINGS, "approx")
    FLUSHES = True


class RsqrtOp(FloatUnaryOperation, name="rsqrt"):
    """One over the square root."""

    FLUSHES = True


class ExpOp(FloatUnaryOperation, name="exp"):
    """Natural exponential; `approx` is for f32 only."""

    ROUNDINGS = ("full", "approx")


class Exp2Op(FloatUnaryOperation, name="exp2"):
    """Two to the power of the value."""

    FLUSHES = True


class LogOp(FloatUnaryOperation, name="log"):
    """Natural logarithm; `approx` is for f32 only."""

    ROUNDINGS = ("full", "approx")


class Log2Op(FloatUnaryOperation, name="log2"):
    """Logarithm to base two."""


class SinOp(FloatUnaryOperation, name="sin"):
    """Sine of an angle in radians."""


class CosOp(FloatUnaryOperation, name="cos"):
    """Cosine of an angle in radians."""


class TanOp(FloatUnaryOperation, name="tan"):
    """Tangent of an angle in radians."""


class TanHOp(FloatUnaryOperation, name="tanh"):
    """Hyperbolic tangent; `approx` is for f32 only."""

    ROUNDINGS = ("full", "approx")
