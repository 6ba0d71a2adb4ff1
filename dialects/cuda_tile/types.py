"""Types of the cuda_tile dialect.

A type made from Python is not checked (the bindings run no parameter constraints), so the rules
are functions here that the verifiers of the operations call.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common import shaped_types
from tilec.dialects.common.tile_shape import (
    allows_any_extent,
    find_extent_error,
    list_extents,
)
from tilec.dialects.cuda_tile.dialect import CudaTile
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import ir
from tilec.support.numbers import is_power_of_two

DYNAMIC = ir.ShapedType.get_dynamic_size()
"""Marker of the bindings for a dynamic extent or stride."""

ARRAY_PADDING = "array"
PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf", ARRAY_PADDING)
"""What a load gives outside of the tensor. All but the first and the last are for floats only. The
last is for slices: the elements of their array, and zero outside of that."""

VIEW_ELEMENTS = (
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
)
"""Element types of arrays in memory, in the order of the published message."""

_MAX_I32 = (1 << 31) - 1


def _with_dynamic(values: Sequence[int | None]) -> list[int]:
    return [DYNAMIC if value is None else value for value in values]


class TileType(CudaTile.Type, name="tile"):
    """An immutable value of static shape: `!cuda_tile.tile<tensor<128x64xbf16>>`."""

    tensor_attr: ir.TypeAttr

    @classmethod
    def of(cls, shape: Sequence[int], element_type: Any) -> "TileType":
        """Return the tile type of `shape` (elements, outer first) and `element_type`."""
        context = element_type.context
        where = ir.Location.unknown(context)
        tensor = ir.RankedTensorType.get(list(shape), element_type, loc=where)
        return cls.get(ir.TypeAttr.get(tensor, context), context=context)

    tensor = shaped_types.TENSOR
    shape = shaped_types.TENSOR_SHAPE
    element_type = shaped_types.TENSOR_ELEMENT_TYPE

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self.tensor.rank

    @property
    def num_elements(self) -> int:
        """Product of the extents."""
        return prod(self.shape)


class PtrType(CudaTile.Type, name="ptr"):
    """An address in global memory: `!cuda_tile.ptr<bf16>`."""

    pointee_attr: ir.TypeAttr

    @classmethod
    def of(cls, pointee: Any) -> "PtrType":
        """Return the type of a pointer to `pointee` (a number type)."""
        return cls.get(ir.TypeAttr.get(pointee, pointee.context), context=pointee.context)

    @property
    def pointee(self) -> Any:
        """Type of the element at the address."""
        return ir.TypeAttr(self.params[0]).value


class TensorViewType(CudaTile.Type, name="tensor_view"):
    """A tensor in global memory: `!cuda_tile.tensor_view<memref<?x8xbf16, strided<[?, 1]>>>`."""

    memref_attr: ir.TypeAttr

    @classmethod
    def of(
        cls, element_type: Any, shape: Sequence[int | None], strides: Sequence[int | None]
    ) -> "TensorViewType":
        """Return the type of a view.

        Args:
            element_type: Type of one element.
            shape: Extents in elements, None where known only at run time.
            strides: Strides in elements, None where known only at run time.
        """
        context = element_type.context
        layout = ir.StridedLayoutAttr.get(0, _with_dynamic(strides), context)
        where = ir.Location.unknown(context)
        memref = ir.MemRefType.get(_with_dynamic(shape), element_type, layout, loc=where)
        return cls.get(ir.TypeAttr.get(memref, context), context=context)

    memref = shaped_types.MEMREF
    shape = shaped_types.MEMREF_SHAPE
    strides = shaped_types.MEMREF_STRIDES
    element_type = shaped_types.MEMREF_ELEMENT_TYPE
    rank = shaped_types.MEMREF_RANK


class PartitionViewType(CudaTile.Type, name="partition_view"):
    """A tensor view cut into tiles.

    Spelled `!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<...>,
    array<i64: 0, 1>, "zero">`. Dimension `i` of a tile is tensor dimension `dim_map[i]`.
    """

    tile_attr: Any
    view_attr: ir.TypeAttr
    dim_map_attr: Any
    padding_attr: ir.StringAttr

    @classmethod
    def of(
        cls,
        tile: Sequence[int],
        view_type: TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding: str = "zero",
    ) -> "PartitionViewType":
        """Return the type of a partition.

        Args:
            tile: Extents of a tile in elements, outer first.
            view_type: Type of the tensor view.
            dim_map: Tensor dimension of each tile dimension; None is the identity.
            padding: What a load gives outside of the tensor, one of `PADDINGS`.
        """
        context = view_type.context
        mapped = list(range(len(tile))) if dim_map is None else list(dim_map)
        return cls.get(
            ir.DenseI64ArrayAttr.get(list(tile), context),
            ir.TypeAttr.get(view_type, context),
            ir.DenseI64ArrayAttr.get(mapped, context),
            ir.StringAttr.get(padding, context),
            context=context,
        )

    @property
    def tile(self) -> tuple[int, ...]:
        """Extents of a tile in elements, outer first."""
        return tuple(elements_of(ir.DenseI64ArrayAttr(self.params[0])))

    @property
    def view(self) -> TensorViewType:
        """Type of the tensor view that is cut into tiles."""
        return TensorViewType(ir.TypeAttr(self.params[1]).value)

    @property
    def dim_map(self) -> tuple[int, ...]:
        """Tensor dimension of each tile dimension."""
        return tuple(elements_of(ir.DenseI64ArrayAttr(self.params[2])))

    @property
    def padding(self) -> str:
        """What a load gives outside of the tensor."""
        return ir.StringAttr(self.params[3]).value

    @property
    def steps(self) -> tuple[int, ...]:
        """Elements from one tile to the next: the extents of a tile."""
        return self.tile


class StridedViewType(CudaTile.Type, name="strided_view"):
    """A tensor view in which a tile begins every few elements, so that tiles may overlap.

    Spelled as a partition view with the steps at the end: `!cuda_tile.strided_view<
    array<i64: 4, 2>, !cuda_tile.tensor_view<...>, array<i64: 0, 1>, "zero", array<i64: 1, 2>>`.
    """

    tile_attr: Any
    view_attr: ir.TypeAttr
    dim_map_attr: Any
    padding_attr: ir.StringAttr
    steps_attr: Any

    @classmethod
    def of(cls, partition: PartitionViewType, steps: Sequence[int]) -> "StridedViewType":
        """Return the type of the tiles of `partition` that begin every `steps` elements."""
        context = partition.context
        last = ir.DenseI64ArrayAttr.get(list(steps), context)
        return cls.get(*partition.params, last, context=context)

    tile = PartitionViewType.tile
    view = PartitionViewType.view
    dim_map = PartitionViewType.dim_map
    padding = PartitionViewType.padding

    @property
    def steps(self) -> tuple[int, ...]:
        """Elements from one tile to the next, along each dimension of a tile."""
        return tuple(elements_of(ir.DenseI64ArrayAttr(self.params[4])))


TileViewType = PartitionViewType | StridedViewType
"""The types of views that tiles are loaded from and stored to."""


def spell_tile(shape: Sequence[int], element_type: Any) -> str:
    """Return a tile type in the published spelling, for messages."""
    extents = "".join(f"{extent}x" for extent in shape)
    return f"!cuda_tile.tile<{extents}{element_type}>"


def spell(type_: Any) -> str:
    """Return a type for messages: a tile in the published spelling, else as it prints."""
    if isinstance(type_, TileType):
        return spell_tile(type_.shape, type_.element_type)
    return str(type_)


class TokenType(CudaTile.Type, name="token"):
    """Orders memory operations; has no value at run time."""


def find_tensor_view_error(view: TensorViewType) -> str | None:
    """Return what is wrong with a tensor view type, in the published words, or None."""
    memref = view.memref
    if not isinstance(memref.layout, ir.StridedLayoutAttr) or memref.layout.offset:
        return f"expected the strides to be given, as in strided<[1]>, got '{view}'"
    shape, strides = memref.shape, memref.layout.strides
    if str(view.element_type) not in VIEW_ELEMENTS:
        return f"failed to verify 'elementType': {' or '.join(VIEW_ELEMENTS)}"
    if any(extent <= 0 and extent != DYNAMIC for extent in shape):
        return (
            f"dimensions must have strictly positive constant sizes but got [{list_extents(shape)}]"
        )
    if any(stride <= 0 and stride != DYNAMIC for stride in strides):
        text = ", ".join("?" if stride == DYNAMIC else str(stride) for stride in strides)
        return f"dimensions must have strictly positive constant strides but got [{text}]"
    return None


def find_strided_view_error(strided: StridedViewType, op: Any) -> str | None:
    """Return what is wrong with a strided view type, or None; `op` is an operation that has it."""
    message = find_partition_view_error(strided, op)
    if message is not None:
        return message
    steps = strided.steps
    if len(steps) != len(strided.tile):
        return f"expected {len(strided.tile)} traversal strides, got {len(steps)}"
    if any(not 0 < step <= _MAX_I32 for step in steps):
        return (
            f"traversal strides must be strictly positive i32 values, got [{list_extents(steps)}]"
        )
    return None


def find_partition_view_error(partition: TileViewType, op: Any) -> str | None:
    """Return what is wrong with a partition view type, in the published words, or None.

    Args:
        partition: Type to check.
        op: Operation that has the type; its module says whether any extent is allowed.
    """
    if not isinstance(ir.TypeAttr(partition.params[1]).value, TensorViewType):
        return f"expected a tensor_view to partition, got '{partition}'"
    return (
        _find_tile_error(partition, op)
        or _find_dim_map_error(partition.tile, partition.dim_map)
        or _find_padding_error(partition)
    )


def _find_tile_error(partition: TileViewType, op: Any) -> str | None:
    tile, rank = partition.tile, partition.view.rank
    if not tile:
        return "0-dimension tile shape is not supported"
    if rank != len(tile):
        return (
            "expected tensor_view rank and tile rank to match, got tensor_view of rank"
            f" {rank} and tiles of rank {len(tile)}"
        )
    if any(extent <= 0 for extent in tile):
        return f"tile shape dimensions must have positive length but got [{list_extents(tile)}]"
    for index, extent in enumerate(tile):
        if extent > _MAX_I32:
            return (
                f"tile dimension {index} exceeds i32 limitations (got {extent}, expected"
                f" strictly positive and less than or equal to {_MAX_I32})"
            )
    if not all(map(is_power_of_two, tile)) and not allows_any_extent(op):
        text = list_extents(tile)
        return f"tile shape dimensions must have power of two length but got [{text}]"
    return find_extent_error(tile, op)


def _find_dim_map_error(tile: Sequence[int], dim_map: Sequence[int]) -> str | None:
    rank = len(tile)
    if len(dim_map) != rank:
        return (
            f"expected dim_map to map exactly all {rank} dimensions of the tile,"
            f" got {len(dim_map)} mappings"
        )
    first: dict[int, int] = {}
    for index, target in enumerate(dim_map):
        if target < 0:
            return f"target dimension must not be negative, got {target}"
        if target >= rank:
            return (
                "target dimension is outside of tensor view dimensions, expected strictly less"
                f" than {rank}, got {target}"
            )
        if target in first:
            return (
                f"target dimension {target} mapped at least twice (for tile dimensions"
                f" {first[target]} and {index})"
            )
        first[target] = index
    return None


def _find_padding_error(partition: TileViewType) -> str | None:
    padding = partition.padding
    if padding not in PADDINGS:
        return (
            f'invalid padding_value attribute specification. Got "{padding}" but expect one of:'
            f" {', '.join(PADDINGS)}"
        )
    if padding not in ("zero", ARRAY_PADDING) and not isinstance(
        partition.view.element_type, ir.FloatType
    ):
        return (
            "special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like"
            " element types"
        )
    return None
