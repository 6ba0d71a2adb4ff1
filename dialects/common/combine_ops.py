"""Base classes of `reduce` and `scan` in nv_tileaa and nv_tileas.

Both combine the elements along one axis with a function of two elements, which is the body of the
operation: one block with a pair of scalars for each operand (`x0, y0, x1, y1, ...`), that
`yield_values` ends with one scalar for each. Several operands are combined together, element by
element, as a maximum and its index are. The function must be associative; the order in which
`reduce` combines is not specified.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tilec.dialects.common.shape_ops import check_tiles, is_tile_of
from tilec.dialects.common.verify import report, shape_text, total
from tilec.ir.bindings import Operand, Pure, Region, Result, ext, ir

Body = Callable[[Sequence[Any]], Sequence[Any]]
"""Builds the function at the current insertion point: from pairs of scalars to what they give."""


SOURCES = ("first", "second", "third", "fourth")
"""Fields of the operands: the bindings want one type for all operands of a variadic field."""


def source_fields(sources: Sequence[Any]) -> dict[str, Any]:
    """Return the operand fields of an operation that combines `sources`, or yields them."""
    return dict(zip(SOURCES[: len(sources)], sources, strict=True))


def combine_fields(sources: Sequence[Any], results: Sequence[Any]) -> dict[str, Any]:
    """Return the operand and result fields of an operation that combines `sources`."""
    found = zip(SOURCES[: len(results)], results, strict=True)
    return source_fields(sources) | {f"{name}_result": type_ for name, type_ in found}


def reduced_shape(shape: Sequence[int], axis: int) -> list[int]:
    """Return `shape` without an axis."""
    return [extent for position, extent in enumerate(shape) if position != axis]


def find_body_error(op: Any, elements: Sequence[Any], yields: str, operand: str) -> str | None:
    """Return what is wrong with the body of an operation that combines tiles, or None.

    Args:
        op: The operation; `body` is its region.
        elements: Element type of each tile.
        yields: Name of the operation that ends the body, or the end of it.
        operand: What messages call a tile.
    """
    blocks = list(op.body.blocks)
    pairs = [element for element in elements for _ in range(2)]
    if len(blocks) != 1 or [item.type for item in blocks[0].arguments] != pairs:
        return f"expects a body of one block with two scalars for each {operand}"
    last = blocks[0].operations[len(blocks[0].operations) - 1].operation
    if not last.name.endswith(yields):
        return f"expects its body to end with '{yields.removeprefix('.')}'"
    if [value.type for value in last.operands] != elements:
        return f"expects its body to yield one scalar for each {operand}"
    return None


class YieldValuesBase(ext.Operation, traits=[ir.IsTerminatorTrait]):
    """End the body of a `reduce` or `scan`."""

    first: Operand[Any]
    second: Operand[Any] | None = None
    third: Operand[Any] | None = None
    fourth: Operand[Any] | None = None


class _CombineBase(ext.Operation, traits=[Pure, ir.IsIsolatedFromAboveTrait]):
    """What `reduce` and `scan` have in common.

    Attributes:
        axis: The axis whose elements are combined (i64).
    """

    first: Operand[Any]
    first_result: Result[Any]
    axis: ir.IntegerAttr
    body: Region
    second: Operand[Any] | None = None
    third: Operand[Any] | None = None
    fourth: Operand[Any] | None = None
    second_result: Result[Any] | None = None
    third_result: Result[Any] | None = None
    fourth_result: Result[Any] | None = None

    @property
    def sources(self) -> list[Any]:
        """The tiles that are combined."""
        return list(self.operation.operands)

    @property
    def tiles(self) -> list[Any]:
        """The results: one for each source."""
        return list(self.operation.results)

    @property
    def block(self) -> Any:
        """The only block of the body."""
        return self.body.blocks[0]

    def result_shape(self, shape: Sequence[int]) -> list[int]:
        """Return the shape of the results for that of the sources; empty for scalars."""
        raise NotImplementedError

    @total
    def verify_invariants(self) -> bool:
        """Report sources that differ in shape, an axis that is not there, or other results."""
        sources, results = self.sources, self.tiles
        if not sources or len(sources) != len(results):
            return report(self, f"has {len(sources)} sources, but {len(results)} results")
        if not check_tiles(self, *(source.type for source in sources)):
            return False
        shape = list(sources[0].type.shape)
        if any(list(source.type.shape) != shape for source in sources):
            return report(self, "expects sources of one shape")
        if not 0 <= self.axis.value < len(shape):
            return report(self, f"axis {self.axis.value} is outside of rank {len(shape)}")
        for source, result in zip(sources, results, strict=True):
            element = source.type.element_type
            expected = self.result_shape(shape)
            if not _is_value_of(result.type, expected, element):
                what = f"a {shape_text(expected)} tile of {element}" if expected else str(element)
                return report(self, f"expects {what} as a result, but got {result.type}")
        return True

    @total
    def verify_region_invariants(self) -> bool:
        """Report a body that is not one block of pairs of elements that yields one of each."""
        elements = [source.type.element_type for source in self.sources]
        message = find_body_error(self, elements, ".yield_values", "source")
        return message is None or report(self, message)

    @classmethod
    def create(cls, sources: Sequence[Any], axis: int, results: Sequence[Any], **where: Any) -> Any:
        """Return the operation with an empty block of the right arguments."""
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
        op = cls(**combine_fields(sources, results), axis=number, **where)
        elements = [source.type.element_type for source in sources for _ in range(2)]
        op.body.blocks.append(*elements, arg_locs=[op.location] * len(elements))
        return op


def _is_value_of(type_: Any, shape: Sequence[int], element: Any) -> bool:
    """Tell whether a type is a tile of that shape, whatever its layout; without one, a scalar."""
    if not shape:
        return type_ == element
    return isinstance(type_, ir.RankedTensorType) and is_tile_of(type_, shape, element)


class ReduceBase(_CombineBase):
    """Combine the elements along an axis to one; the axis is gone from the result."""

    def result_shape(self, shape: Sequence[int]) -> list[int]:
        """Return the shape without the axis."""
        return reduced_shape(shape, self.axis.value)


class ScanBase(_CombineBase):
    """Combine every element with those before it along an axis, itself included.

    Attributes:
        reverse: Present: with those after it, from the end.
    """

    @property
    def is_reverse(self) -> bool:
        """Whether the scan runs from the end."""
        return "reverse" in self.attributes

    def result_shape(self, shape: Sequence[int]) -> list[int]:
        """Return the shape of the sources."""
        return list(shape)
