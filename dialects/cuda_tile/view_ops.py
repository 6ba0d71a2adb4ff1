"""Views of arrays in global memory."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.verify import is_i32
from tilec.dialects.cuda_tile.base import TileOperation
from tilec.dialects.cuda_tile.types import (
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileViewType,
    find_partition_view_error,
    find_strided_view_error,
    find_tensor_view_error,
)
from tilec.ir.bindings import Operand, Pure, Result, ir


def _i32() -> Any:
    return ir.IntegerType.get_signless(32)


class MakeTensorViewOp(TileOperation, name="make_tensor_view", traits=[Pure]):
    """Describe an array: base address, extents and strides.

    Operands:
        base: Address of the first element.
        shape: The extents that the type leaves open, in elements, outer first (i32).
        strides: The strides that the type leaves open, in elements (i64).
    """

    LAST_TYPE = "i64"

    base: Operand[Any]
    shape: Sequence[Operand[Any]]
    strides: Sequence[Operand[Any]]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the type and its open extents and strides."""
        view, base = self.result.type, self.base.type
        if not isinstance(view, TensorViewType):
            return f"result #0 must be tensor_view, but got '{view}'"
        if not isinstance(base, PtrType):
            return f"operand #0 must be a pointer, but got '{base}'"
        message = find_tensor_view_error(view)
        if message is not None:
            return message
        if base.pointee != view.element_type:
            return (
                f"expected pointer to '{view.element_type}' to build tensor_view of this type,"
                f" got '{base.pointee}'"
            )
        return self._find_operand_error(view)

    def _find_operand_error(self, view: TensorViewType) -> str | None:
        extents, strides = view.shape.count(None), view.strides.count(None)
        values = [*self.shape, *self.strides]
        if len(values) == extents + strides:  # a wrong type makes a stride of an extent
            return _width_error("shape", values[:extents], 32) or _width_error(
                "stride", values[extents:], 64
            )
        if len(self.shape) != extents:
            return f"expected {extents} dynamic shape operands, got {len(self.shape)}"
        return f"expected {strides} dynamic stride operands, got {len(self.strides)}"

    @classmethod
    def build(cls, base: Any, shape: Sequence[Any], strides: Sequence[Any], **where: Any) -> Any:
        """Build the operation and return the view.

        Args:
            base: Address of the first element; its type gives the element type.
            shape: Extent of each dimension in elements: an int, or an i32 value.
            strides: Stride of each dimension in elements: an int, or an i64 value.
            **where: `loc` and `ip`.
        """
        view = TensorViewType.of(
            base.type.pointee,
            [extent if isinstance(extent, int) else None for extent in shape],
            [stride if isinstance(stride, int) else None for stride in strides],
        )
        return cls(
            base=base,
            shape=[extent for extent in shape if not isinstance(extent, int)],
            strides=[stride for stride in strides if not isinstance(stride, int)],
            result=view,
            **where,
        ).result


def _find_operand_error(given: Any) -> str | None:
    """Return what is wrong with the type of the operand that is cut into tiles, or None."""
    if isinstance(given, TensorViewType):
        return None
    return f"operand #0 must be tensor_view, but got '{given}'"


def _find_other_view(what: str, made: TileViewType, given: Any) -> str | None:
    """Say that tiles are those of another tensor view than the operand; None if they are not."""
    if made.view == given:
        return None
    return f"expected {what} of '{given}', the type of the operand, but got '{made}'"


class MakePartitionViewOp(TileOperation, name="make_partition_view", traits=[Pure]):
    """Cut a tensor view into tiles."""

    tensor_view: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the partition type."""
        partition, given = self.result.type, self.tensor_view.type
        if not isinstance(partition, PartitionViewType):
            return f"result #0 must be partition_view, but got '{partition}'"
        message = _find_operand_error(given) or find_partition_view_error(partition, self)
        return message or _find_other_view("a partition", partition, given)

    @classmethod
    def build(
        cls,
        tensor_view: Any,
        tile: Sequence[int],
        *,
        dim_map: Sequence[int] | None = None,
        padding: str = "zero",
        **where: Any,
    ) -> Any:
        """Build the operation and return the partition; see `PartitionViewType.of`."""
        partition = PartitionViewType.of(tile, tensor_view.type, dim_map, padding)
        return cls(tensor_view=tensor_view, result=partition, **where).result


class MakeStridedViewOp(TileOperation, name="make_strided_view", traits=[Pure]):
    """Take a tile of a tensor view every few elements: tiles overlap where the steps are short."""

    tensor_view: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the type of the view."""
        strided, given = self.result.type, self.tensor_view.type
        if not isinstance(strided, StridedViewType):
            return f"result #0 must be strided_view, but got '{strided}'"
        message = _find_operand_error(given) or find_strided_view_error(strided, self)
        return message or _find_other_view("tiles", strided, given)

    @classmethod
    def build(
        cls,
        tensor_view: Any,
        tile: Sequence[int],
        steps: Sequence[int],
        *,
        dim_map: Sequence[int] | None = None,
        padding: str = "zero",
        **where: Any,
    ) -> Any:
        """Build the operation and return the view; see `StridedViewType.of`."""
        partition = PartitionViewType.of(tile, tensor_view.type, dim_map, padding)
        strided = StridedViewType.of(partition, steps)
        return cls(tensor_view=tensor_view, result=strided, **where).result


class SliceViewOp(TileOperation, name="slice_view", traits=[Pure]):
    """View the elements `start` to `start + size - 1` of a tensor view along one dimension.

    Operands:
        view: The tensor view.
        start: First element, i32; from 0 to the extent of the view.
        size: Number of elements, i32; from 0 to what the view has from `start` on.

    Attributes:
        dim: The dimension.
    """

    view: Operand[Any]
    start: Operand[Any]
    size: Operand[Any]
    result: Result[Any]
    dim: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the first broken rule on the types and the dimension."""
        view, result = self.view.type, self.result.type
        if not isinstance(view, TensorViewType):
            return f"operand #0 must be tensor_view, but got '{view}'"
        message = _width_error("slice", [self.start, self.size], 32)
        if message is not None:
            return message
        if not 0 <= self.dim.value < view.rank:
            return f"expected a dim less than the rank {view.rank}, got {self.dim.value}"
        expected = _sliced(view, self.dim.value)
        return None if result == expected else f"expected the result '{expected}', got '{result}'"

    @classmethod
    def build(cls, view: Any, start: Any, size: Any, dim: int, **where: Any) -> Any:
        """Build the operation and return the view of the slice."""
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim)
        sliced = _sliced(view.type, dim)
        return cls(view=view, start=start, size=size, result=sliced, dim=number, **where).result


def _sliced(view: TensorViewType, dim: int) -> TensorViewType:
    """Return the type of a slice of `view`, whose extent along `dim` a run-time value gives."""
    shape = [None if number == dim else extent for number, extent in enumerate(view.shape)]
    return TensorViewType.of(view.element_type, shape, view.strides)


class GetTensorShapeOp(TileOperation, name="get_tensor_shape", traits=[Pure]):
    """Extents of a tensor view in elements, one i32 per dimension."""

    view: Operand[Any]
    extents: Sequence[Result[Any]]

    def find_error(self) -> str | None:
        """Return the first broken rule on the view and the number of results."""
        view = self.view.type
        if not isinstance(view, TensorViewType):
            return f"operand #0 must be tensor_view, but got '{view}'"
        return _extent_error(view.rank, self.extents)

    @classmethod
    def build(cls, view: Any, **where: Any) -> Any:
        """Build the operation and return it; `extents` holds the results."""
        return cls(view=view, extents=[_i32()] * view.type.rank, **where)


class GetIndexSpaceShapeOp(TileOperation, name="get_index_space_shape", traits=[Pure]):
    """Number of tiles of a view, one i32 per tile dimension."""

    view: Operand[Any]
    extents: Sequence[Result[Any]]

    def find_error(self) -> str | None:
        """Return the first broken rule on the view and the number of results."""
        view = self.view.type
        if not isinstance(view, TileViewType):
            return f"operand #0 must be TileView instance, but got '{view}'"
        return _extent_error(len(view.tile), self.extents)

    @classmethod
    def build(cls, view: Any, **where: Any) -> Any:
        """Build the operation and return it; `extents` holds the results."""
        return cls(view=view, extents=[_i32()] * len(view.type.tile), **where)


def _width_error(what: str, values: Sequence[Any], width: int) -> str | None:
    for value in values:
        if str(value.type) != f"i{width}":
            return f"dynamic {what} operands must be i{width}, but got '{value.type}'"
    return None


def _extent_error(rank: int, extents: Sequence[Any]) -> str | None:
    if len(extents) != rank:
        return f"expected {rank} results due to view rank, but got {len(extents)}"
    if any(not is_i32(extent.type) for extent in extents):
        return f"expects i32 results, but got '{extents[0].type}'"
    return None
