"""Tiles out of nothing: constants, splats and ramps."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.cuda_tile.base import INTEGERS, NUMBERS, TileOperation, element_error
from tilec.dialects.cuda_tile.types import TileType, spell
from tilec.ir.bindings import Operand, Pure, Result, ir


class ConstantOp(TileOperation, name="constant", traits=[Pure]):
    """A tile known at compile time.

    Attributes:
        value: Dense elements; their tensor type gives shape and element type.
    """

    value: Any
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the value and the result type."""
        message = element_error("result", 0, self.result.type, NUMBERS, "tile of")
        if message is not None:
            return message
        if not isinstance(self.value, ir.DenseElementsAttr):
            return f"attribute 'value' must be dense elements, but got {self.value}"
        if self.value.type != self.result.type.tensor:
            result = spell(self.result.type)
            return f"value has type {self.value.type}, but the result is '{result}'"
        return None

    @classmethod
    def build(cls, tile: TileType, value: Any, **where: Any) -> Any:
        """Build the operation and return its result.

        Args:
            tile: Type of the result.
            value: A number for every element, or a NumPy array of the tile's shape whose item
                size is that of the element type (ml_dtypes for bf16 and the 8-bit floats).
            **where: `loc` and `ip`.
        """
        return cls(value=dense_elements(tile, value), result=tile, **where).result


def dense_elements(tile: TileType, value: Any) -> Any:
    """Return `value` (a number, or an array of the tile's shape) as dense elements of `tile`."""
    if not isinstance(value, bool | int | float):
        import numpy as np  # most kernels have no array constant, and NumPy takes long to load

        return ir.DenseElementsAttr.get(
            np.ascontiguousarray(value), type=tile.element_type, shape=tile.shape
        )
    element = tile.element_type
    if isinstance(element, ir.IntegerType):
        attribute = ir.IntegerAttr.get(element, _wrap(int(value), element.width))
    else:
        attribute = ir.FloatAttr.get(element, float(value))
    return ir.DenseElementsAttr.get_splat(tile.tensor, attribute)


def _wrap(value: int, width: int) -> int:
    """Return the signed integer of `width` bits with the same bits as `value`."""
    low = value & ((1 << width) - 1)
    return low - (1 << width) if width > 1 and low >> (width - 1) else low


class SplatOp(TileOperation, name="splat", traits=[Pure]):
    """A tile with the same scalar everywhere."""

    scalar: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return a message when the element type is not that of the scalar."""
        message = element_error("result", 0, self.result.type, NUMBERS, "tile of")
        if message is None and self.result.type.element_type != self.scalar.type:
            return (
                f"expects a tile of '{self.scalar.type}', the type of the scalar,"
                f" but got '{spell(self.result.type)}'"
            )
        return message

    @classmethod
    def build(cls, scalar: Any, shape: Sequence[int], **where: Any) -> Any:
        """Build a tile of `shape` (elements, outer first) and return it."""
        return cls(scalar=scalar, result=TileType.of(shape, scalar.type), **where).result


class IotaOp(TileOperation, name="iota", traits=[Pure]):
    """The integers 0, 1, 2, ... as a 1-D tile, read as unsigned."""

    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the result type."""
        tile = self.result.type
        message = element_error("result", 0, tile, INTEGERS, "tile of")
        if message is not None:
            return message
        if tile.rank != 1:
            return "expects result type to be 1-d tile"
        count, element = tile.shape[0], tile.element_type
        if count > 1 << element.width:
            return (
                f"the number of elements {count} exceeds the maximum value of element type"
                f" '{element}'"
            )
        return None

    @classmethod
    def build(cls, extent: int, element_type: Any, **where: Any) -> Any:
        """Build a ramp of `extent` elements and return it."""
        return cls(result=TileType.of([extent], element_type), **where).result
