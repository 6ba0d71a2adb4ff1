"""Element-wise conversions between number types."""

from typing import Any

from tilec.dialects.cuda_tile.base import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNEDNESS,
    TileOperation,
    element_error,
    enum_error,
    same_shape_error,
)
from tilec.dialects.cuda_tile.types import TileType
from tilec.ir.bindings import Operand, Pure, Result, ir


class ConvertOperation(TileOperation, traits=[Pure]):
    """Base of the conversions: same shape, another element type."""

    SOURCES = NUMBERS
    RESULTS = NUMBERS
    VALUES = ("from", "to")

    source: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on types or attributes."""
        named = list(zip(self.VALUES, (self.source, self.result), strict=True))
        return (
            element_error("operand", 0, self.source.type, self.SOURCES, "tile of")
            or element_error("result", 0, self.result.type, self.RESULTS, "tile of")
            or same_shape_error(named)
            or enum_error(self, "signedness", SIGNEDNESS)
            or self.find_element_error(self.source.type.element_type, self.result.type.element_type)
        )

    def find_element_error(self, source: Any, result: Any) -> str | None:
        """Return what is wrong with the pair of element types."""
        del source, result
        return None

    @classmethod
    def build(cls, source: Any, element_type: Any, **where: Any) -> Any:
        """Convert `source` to `element_type` and return the result."""
        result = TileType.of(source.type.shape, element_type)
        return cls(source=source, result=result, **where).result


class SignedConvertOperation(ConvertOperation):
    """Base of the conversions where signed and unsigned integers differ.

    Attributes:
        signedness: `signed` or `unsigned`.
    """

    signedness: ir.StringAttr

    @classmethod
    def build(
        cls, source: Any, element_type: Any, *, signedness: str = "signed", **where: Any
    ) -> Any:
        """Convert `source` to `element_type` and return the result."""
        return super().build(
            source, element_type, signedness=ir.StringAttr.get(signedness), **where
        )


class FToFOp(ConvertOperation, name="ftof"):
    """Float to float, rounded to nearest even."""

    SOURCES = FLOATS
    RESULTS = FLOATS

    def find_element_error(self, source: Any, result: Any) -> str | None:
        """Return a message when nothing is converted."""
        return "converting tiles must not be a no-op" if source == result else None


class FToIOp(SignedConvertOperation, name="ftoi"):
    """Float to integer, rounded to zero; a value that does not fit is undefined."""

    SOURCES = FLOATS
    RESULTS = INTEGERS


class IToFOp(SignedConvertOperation, name="itof"):
    """Integer to float, rounded to nearest even."""

    SOURCES = INTEGERS
    RESULTS = FLOATS


class ExtIOp(SignedConvertOperation, name="exti"):
    """Integer to a wider integer; fills with the sign bit when signed, else with zeros."""

    SOURCES = INTEGERS
    RESULTS = INTEGERS

    def find_element_error(self, source: Any, result: Any) -> str | None:
        """Return a message when the result is not wider."""
        if result.width > source.width:
            return None
        return "extending to smaller or identical integer"


class TruncIOp(ConvertOperation, name="trunci"):
    """Integer to a narrower integer; drops the high bits."""

    SOURCES = INTEGERS
    RESULTS = INTEGERS

    def find_element_error(self, source: Any, result: Any) -> str | None:
        """Return a message when the result is not narrower."""
        if result.width < source.width:
            return None
        return "truncating to larger or identical integer"


class BitcastOp(ConvertOperation, name="bitcast"):
    """The same bits read as another number type of the same width."""

    VALUES = ("source", "result")

    def find_element_error(self, source: Any, result: Any) -> str | None:
        """Return a message when the widths differ."""
        return None if source.width == result.width else "types must be equal width"
