"""Operations that move elements without changing them."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.tile_shape import list_extents
from tilec.dialects.common.verify import is_i32
from tilec.dialects.cuda_tile.base import NUMBERS, TileOperation
from tilec.dialects.cuda_tile.types import PtrType, TileType, spell, spell_tile
from tilec.ir.bindings import Operand, Pure, Result, ir


def _tile_error(kind: str, index: int, type_: Any) -> str | None:
    if isinstance(type_, TileType):
        element = type_.element_type
        if isinstance(element, PtrType) or str(element) in NUMBERS:
            return None
    return f"{kind} #{index} must be tile of number or pointer values, but got '{spell(type_)}'"


class NewShapeOperation(TileOperation, traits=[Pure]):
    """Base of the operations that give a tile another shape; the element type stays."""

    source: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on shapes and element types."""
        source, result = self.source.type, self.result.type
        message = _tile_error("operand", 0, source) or _tile_error("result", 0, result)
        if message is not None:
            return message
        if source.element_type != result.element_type:
            return "requires the same element type for all operands and results"
        return self.find_shape_error(source, result)

    def find_shape_error(self, source: TileType, result: TileType) -> str | None:
        """Return what is wrong with the two shapes."""
        raise NotImplementedError

    @classmethod
    def build(cls, source: Any, shape: Sequence[int], **where: Any) -> Any:
        """Give `source` the `shape` (elements, outer first) and return the result."""
        result = TileType.of(shape, source.type.element_type)
        return cls(source=source, result=result, **where).result


class BroadcastOp(NewShapeOperation, name="broadcast"):
    """Repeat a tile along its dimensions of extent 1; the rank stays."""

    def find_shape_error(self, source: TileType, result: TileType) -> str | None:
        """Return the message for dimensions that are neither equal nor 1."""
        if source.rank != result.rank:
            return "failed to verify that all of {source, result} have same rank"
        pairs = zip(source.shape, result.shape, strict=True)
        if all(extent in (1, target) for extent, target in pairs):
            return None
        return (
            "expects the shape of source tile to be compatible with that of the result tile,"
            f" but got: {list_extents(source.shape)} and {list_extents(result.shape)}"
        )


class ReshapeOp(NewShapeOperation, name="reshape"):
    """The same elements in row-major order under another shape."""

    def find_shape_error(self, source: TileType, result: TileType) -> str | None:
        """Return the message for shapes of another number of elements."""
        if source.num_elements == result.num_elements:
            return None
        return "expected source tile and result tile to have the same number of elements"


class PermuteOp(TileOperation, name="permute", traits=[Pure]):
    """Reorder dimensions.

    Attributes:
        permutation: Source dimension of each result dimension (`array<i64: ...>`).
    """

    source: Operand[Any]
    result: Result[Any]
    permutation: Any

    def find_error(self) -> str | None:
        """Return the first broken rule on the permutation and the shapes."""
        source, result = self.source.type, self.result.type
        message = _tile_error("operand", 0, source) or _tile_error("result", 0, result)
        if message is not None:
            return message
        if not isinstance(self.permutation, ir.DenseI64ArrayAttr):
            return f"attribute 'permutation' must be an i64 array, but got {self.permutation}"
        order = list(self.permutation)
        if sorted(order) != list(range(source.rank)):
            return (
                f"expected a permutation of the {source.rank} dimensions of the source,"
                f" but got [{', '.join(map(str, order))}]"
            )
        shape = tuple(source.shape[dim] for dim in order)
        if (result.shape, result.element_type) == (shape, source.element_type):
            return None
        expected = spell_tile(shape, source.element_type)
        return f"expected result type '{expected}', but got '{spell(result)}'"

    @classmethod
    def build(cls, source: Any, permutation: Sequence[int], **where: Any) -> Any:
        """Build the operation and return its result: dimension i is `permutation[i]`."""
        shape = [source.type.shape[dim] for dim in permutation]
        return cls(
            source=source,
            result=TileType.of(shape, source.type.element_type),
            permutation=ir.DenseI64ArrayAttr.get(list(permutation)),
            **where,
        ).result


class CatOp(TileOperation, name="cat", traits=[Pure]):
    """Join two tiles along one dimension.

    Attributes:
        dim: Dimension to join along.
    """

    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]
    dim: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the first broken rule on shapes and element types."""
        types = [self.lhs.type, self.rhs.type, self.result.type]
        message = (
            _tile_error("operand", 0, types[0])
            or _tile_error("operand", 1, types[1])
            or _tile_error("result", 0, types[2])
        )
        if message is not None:
            return message
        if any(type_.element_type != types[0].element_type for type_ in types):
            return "failed to verify that all of {lhs, rhs, result} have the same element type"
        if any(type_.rank != types[0].rank for type_ in types):
            return "failed to verify that all of {lhs, rhs, result} have same rank"
        dim = ir.IntegerAttr(self.dim).value
        if not 0 <= dim < types[0].rank:
            return f"expect dim to be [0, {types[0].rank}), but got: {dim}"
        return self._find_extent_error(dim, [type_.shape for type_ in types])

    def _find_extent_error(self, dim: int, shapes: list[tuple[int, ...]]) -> str | None:
        lhs, rhs, result = shapes
        for index, extents in enumerate(zip(lhs, rhs, result, strict=True)):
            joined = extents[0] + extents[1]
            if index == dim and extents[2] != joined:
                return (
                    f"invalid concat at position {index}, expected: {joined} but got: {extents[2]}"
                )
            if index != dim and len(set(extents)) != 1:
                other = extents[1] if extents[1] != extents[0] else extents[2]
                return (
                    "expect {lhs, rhs, and result} shape to match at non-concat position"
                    f" {index}, expected: {extents[0]} but got: {other}"
                )
        return None

    @classmethod
    def build(cls, lhs: Any, rhs: Any, dim: int, **where: Any) -> Any:
        """Join `lhs` and `rhs` along `dim` and return the result."""
        shape = list(lhs.type.shape)
        shape[dim] += rhs.type.shape[dim]
        return cls(
            lhs=lhs,
            rhs=rhs,
            result=TileType.of(shape, lhs.type.element_type),
            dim=ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim),
            **where,
        ).result


class ExtractOp(TileOperation, name="extract", traits=[Pure]):
    """One slice of a tile that is cut evenly into slices of the result's shape.

    Operands:
        source: Tile to cut.
        indices: One i32 per dimension; counts slices, not elements.
    """

    source: Operand[Any]
    indices: Sequence[Operand[Any]]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on shapes, element types and indices."""
        source, result = self.source.type, self.result.type
        message = _tile_error("operand", 0, source) or _tile_error("result", 0, result)
        if message is not None:
            return message
        if source.element_type != result.element_type:
            return "source and result element type do not match"
        if source.rank != result.rank:
            return "failed to verify that all of {source, result} have same rank"
        if len(self.indices) != source.rank:
            return (
                f"incorrect number of indices, expected {source.rank},"
                f" but found {len(self.indices)}"
            )
        if any(not is_i32(index.type) for index in self.indices):
            return f"expects i32 indices, but got '{self.indices[0].type}'"
        if any(a % b for a, b in zip(source.shape, result.shape, strict=True)):
            return "result dim size must divide source dim size evenly"
        return None

    @classmethod
    def build(cls, source: Any, indices: Sequence[Any], shape: Sequence[int], **where: Any) -> Any:
        """Return slice `indices` of `shape` (elements, outer first) of `source`."""
        result = TileType.of(shape, source.type.element_type)
        return cls(source=source, indices=list(indices), result=result, **where).result
