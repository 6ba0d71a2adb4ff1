"""Base classes of the operations that make or reshape tiles, for nv_tileaa and nv_tileas."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.verify import (
    check_counts,
    is_i32,
    report,
    shape_text,
    static_tensor,
    total,
)
from tilec.ir.bindings import Operand, Pure, Result, ext, ir

I64_BITS = 64


def tile_type(shape: Sequence[int], element_type: Any) -> Any:
    """Return the tensor type of a tile."""
    return ir.RankedTensorType.get(list(shape), element_type)


def is_tile_of(type_: Any, shape: Sequence[int], element_type: Any) -> bool:
    """Tell whether a tensor type has `shape` and `element_type`, whatever its layout."""
    return list(type_.shape) == list(shape) and type_.element_type == element_type


def check_tiles(op: Any, *types: Any) -> bool:
    """Report the first of `types` that is no tensor of constant extents."""
    for type_ in types:
        if not static_tensor(type_):
            return report(op, f"all dimensions must be positive constants, got {type_}")
    return True


class MakeRangeBase(ext.Operation, traits=[Pure]):
    """Make the 1-D integer tile `start, start + 1, ...`; its length is that of the result.

    Attributes:
        start: First value (i64).
    """

    tile: Result[Any]
    start: ir.IntegerAttr

    @total
    def verify_invariants(self) -> bool:
        """Report a result that is no 1-D integer tile."""
        type_ = self.tile.type
        if not check_tiles(self, type_):
            return False
        if len(type_.shape) != 1 or not isinstance(type_.element_type, ir.IntegerType):
            return report(self, f"expects a 1-D integer tile, but got {type_}")
        return True

    @classmethod
    def build(cls, length: int, element_type: Any, start: int = 0, **where: Any) -> Any:
        """Build the op and return the tile of `length` elements."""
        first = ir.IntegerAttr.get(ir.IntegerType.get_signless(I64_BITS), start)
        return cls(tile=tile_type([length], element_type), start=first, **where).tile


class SplatBase(ext.Operation, traits=[Pure]):
    """Make a tile whose elements all equal a scalar."""

    value: Operand[Any]
    tile: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report a scalar of another type than the elements."""
        if not check_tiles(self, self.tile.type):
            return False
        if self.value.type != self.tile.type.element_type:
            return report(
                self,
                f"expects a value of the element type {self.tile.type.element_type},"
                f" but got {self.value.type}",
            )
        return True

    @classmethod
    def build(cls, value: Any, shape: Sequence[int], **where: Any) -> Any:
        """Build the op and return the tile of `shape`."""
        return cls(value=value, tile=tile_type(shape, value.type), **where).tile


class _NewShapeBase(ext.Operation, traits=[Pure]):
    """What the ops that give a tile another shape share."""

    source: Operand[Any]
    tile: Result[Any]

    @classmethod
    def build(cls, source: Any, shape: Sequence[int], **where: Any) -> Any:
        """Build the op and return the tile of `shape`."""
        tile = tile_type(shape, source.type.element_type)
        return cls(source=source, tile=tile, **where).tile


class BroadcastBase(_NewShapeBase):
    """Repeat a tile along the dims where its extent is 1."""

    @total
    def verify_invariants(self) -> bool:
        """Report dims that are neither equal nor 1."""
        source, tile = self.source.type, self.tile.type
        if not check_tiles(self, source, tile):
            return False
        fits = len(source.shape) == len(tile.shape) and all(
            old in (new, 1) for old, new in zip(source.shape, tile.shape, strict=True)
        )
        if not fits or source.element_type != tile.element_type:
            return report(self, f"cannot broadcast {source} to {tile}")
        return True


class ViewBase(_NewShapeBase):
    """Give a tile another shape; elements keep their row-major order."""

    @total
    def verify_invariants(self) -> bool:
        """Report a change of the element count or type."""
        source, tile = self.source.type, self.tile.type
        if not check_tiles(self, source, tile):
            return False
        same = prod(source.shape) == prod(tile.shape)
        if not same or source.element_type != tile.element_type:
            return report(self, f"expects the same elements, but got {source} and {tile}")
        return True


class PermuteBase(ext.Operation, traits=[Pure]):
    """Reorder the dims of a tile: result dim i is source dim `permutation[i]`.

    Attributes:
        permutation: `array<i64: ...>`, a permutation of the dims.
    """

    source: Operand[Any]
    tile: Result[Any]
    permutation: Any

    @total
    def verify_invariants(self) -> bool:
        """Report an attribute that is no permutation, or a result that does not follow it."""
        source, tile = self.source.type, self.tile.type
        if not check_tiles(self, source, tile):
            return False
        order = list(self.permutation)
        if sorted(order) != list(range(len(source.shape))):
            return report(self, f"expects a permutation of the {len(source.shape)} dims")
        expected = [source.shape[dim] for dim in order]
        if not is_tile_of(tile, expected, source.element_type):
            return report(
                self,
                f"expects a {shape_text(expected)} tile of {source.element_type}, but got {tile}",
            )
        return True

    @classmethod
    def build(cls, source: Any, permutation: Sequence[int], **where: Any) -> Any:
        """Build the op and return the permuted tile."""
        shape = [source.type.shape[dim] for dim in permutation]
        tile = tile_type(shape, source.type.element_type)
        order = ir.DenseI64ArrayAttr.get(list(permutation))
        return cls(source=source, tile=tile, permutation=order, **where).tile


class CatBase(ext.Operation, traits=[Pure]):
    """Join two tiles along one dim.

    Attributes:
        dim: Dim along which the extents add up (i64).
    """

    lhs: Operand[Any]
    rhs: Operand[Any]
    tile: Result[Any]
    dim: ir.IntegerAttr

    @total
    def verify_invariants(self) -> bool:
        """Report shapes that do not join."""
        lhs, rhs, tile = self.lhs.type, self.rhs.type, self.tile.type
        if not check_tiles(self, lhs, rhs, tile):
            return False
        dim = self.dim.value
        if not 0 <= dim < len(lhs.shape):
            return report(self, f"dim {dim} is outside of rank {len(lhs.shape)}")
        shape = _joined_shape(lhs, rhs, dim)
        if shape is None or not is_tile_of(tile, shape, lhs.element_type):
            return report(self, f"cannot join {lhs} and {rhs} along dim {dim} to {tile}")
        return True

    @classmethod
    def build(cls, lhs: Any, rhs: Any, dim: int, **where: Any) -> Any:
        """Build the op and return the joined tile."""
        shape = list(lhs.type.shape)
        shape[dim] += rhs.type.shape[dim]
        tile = tile_type(shape, lhs.type.element_type)
        axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(I64_BITS), dim)
        return cls(lhs=lhs, rhs=rhs, tile=tile, dim=axis, **where).tile


class ExtractBase(ext.Operation, traits=[Pure]):
    """Take one slice of a tile; the indices count slices, not elements.

    Operands:
        source: Tile to cut.
        indices: One i32 per dim.
    """

    source: Operand[Any]
    indices: Sequence[Operand[Any]]
    tile: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report slices that do not divide the source."""
        if not check_counts(self):
            return False
        source, tile = self.source.type, self.tile.type
        if not check_tiles(self, source, tile):
            return False
        rank = len(source.shape)
        if len(self.indices) != rank or not all(is_i32(item.type) for item in self.indices):
            return report(self, f"expects {rank} i32 indices")
        fits = len(tile.shape) == rank and all(
            whole % part == 0 for whole, part in zip(source.shape, tile.shape, strict=True)
        )
        if not fits or source.element_type != tile.element_type:
            return report(
                self,
                f"expects slices that divide {shape_text(source.shape)}, but got {tile}",
            )
        return True

    @classmethod
    def build(cls, source: Any, indices: Sequence[Any], shape: Sequence[int], **where: Any) -> Any:
        """Build the op and return the slice of `shape`."""
        tile = tile_type(shape, source.type.element_type)
        return cls(source=source, indices=indices, tile=tile, **where).tile


def _joined_shape(lhs: Any, rhs: Any, dim: int) -> list[int] | None:
    """Return the shape of `lhs` and `rhs` joined along `dim`, or None when they do not fit."""
    if len(lhs.shape) != len(rhs.shape) or lhs.element_type != rhs.element_type:
        return None
    shape = list(lhs.shape)
    shape[dim] += rhs.shape[dim]
    others = [i for i in range(len(shape)) if i != dim]
    return None if any(lhs.shape[i] != rhs.shape[i] for i in others) else shape
