"""Reductions and scans of tiles with a function of two elements."""

from typing import Any

from tilec.dialects.common.combine_ops import find_body_error, reduced_shape
from tilec.dialects.cuda_tile.base import NUMBERS, TileOperation, element_error
from tilec.dialects.cuda_tile.types import TileType, spell
from tilec.ir.bindings import Operand, Pure, Region, Result, ir


class YieldOp(TileOperation, name="yield", traits=[ir.IsTerminatorTrait]):
    """End the body of a `reduce` or `scan`."""

    first: Operand[Any]
    second: Operand[Any] | None = None
    third: Operand[Any] | None = None
    fourth: Operand[Any] | None = None


class _CombineOp(TileOperation, traits=[Pure, ir.IsIsolatedFromAboveTrait]):
    """What `reduce` and `scan` have in common.

    The body is one block with a pair of scalars for each operand, x0, y0, x1, y1, ..., that
    `cuda_tile.yield` ends with one scalar for each. Its function is associative.

    Attributes:
        dim: Dimension whose elements are combined (i64).
        identities: For each operand the scalar that changes nothing: f(identity, x) = x.
    """

    first: Operand[Any]
    first_result: Result[Any]
    dim: ir.IntegerAttr
    identities: Any
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

    def result_type(self, source: TileType) -> Any:
        """Return the type of the result for that of an operand."""
        raise NotImplementedError

    def find_error(self) -> str | None:
        """Return the first broken rule on operands, dimension, identities and results."""
        sources, results = self.sources, self.tiles
        if not sources or len(sources) != len(results):
            return f"expects a result for each operand, but has {len(sources)} and {len(results)}"
        for index, source in enumerate(sources):
            message = element_error("operand", index, source.type, NUMBERS, "tile of")
            if message is not None:
                return message
        types = [source.type for source in sources]
        if any(type_.shape != types[0].shape for type_ in types):
            return "failed to verify that all operands have same shape"
        if not 0 <= self.dim.value < types[0].rank:
            return f"expect dim to be [0, {types[0].rank}), but got: {self.dim.value}"
        identities = [item.type for item in self.identities]
        if identities != [type_.element_type for type_ in types]:
            return "expects an identity of the element type for each operand"
        for source, result in zip(types, results, strict=True):
            expected = self.result_type(source)
            if result.type != expected:
                return f"expected result type '{_spelled(expected)}', but got '{result.type}'"
        return None

    def verify_region_invariants(self) -> bool:
        """Report a body that is not one block of pairs of scalars that yields one of each."""
        elements = [source.type.element_type for source in self.sources]
        message = find_body_error(self, elements, YieldOp.OPERATION_NAME, "operand")
        if message is not None:
            self.location.emit_error(f"'{self.OPERATION_NAME}' op {message}")
        return message is None


def _spelled(type_: Any) -> str:
    return spell(type_) if isinstance(type_, TileType) else str(type_)


class ReduceOp(_CombineOp, name="reduce"):
    """Combine the elements along a dimension to one, in no specified order.

    The dimension is gone from the result; a 1-D tile becomes a scalar.
    """

    def result_type(self, source: TileType) -> Any:
        """Return the operand's type without the dimension."""
        shape = reduced_shape(source.shape, self.dim.value)
        return TileType.of(shape, source.element_type) if shape else source.element_type


class ScanOp(_CombineOp, name="scan"):
    """Combine every element with those before it along a dimension, itself included.

    Attributes:
        reverse: Present: with those after it instead, from the end.
    """

    def result_type(self, source: TileType) -> Any:
        """Return the operand's type."""
        return source
