"""Tensor views and partition views: which elements of memory a tile index means."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name
from tilec.interpreter.memory import Pointer
from tilec.interpreter.registry import value_op
from tilec.support.numpy_types import NUMPY_BY_MLIR

Function = Callable[..., Any]

_PADDING = {"zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf}

Window = tuple[slice, ...]


class TensorView:
    """An array in memory.

    Attributes:
        data: The elements; writing to it writes memory. i1 is held as bytes.
        is_bool: Whether the bytes are booleans.
    """

    __slots__ = ("data", "is_bool")

    def __init__(self, data: np.ndarray, is_bool: bool) -> None:
        """Keep the elements."""
        self.data = data
        self.is_bool = is_bool


class PartitionView:
    """An array in memory cut into tiles.

    Attributes:
        data: The elements, axes in the order of the tile's dimensions.
        is_bool: Whether the elements are bytes that hold booleans.
        tile: Extents of a tile in elements.
        padding: What a load gives outside of the array.
    """

    __slots__ = ("data", "is_bool", "padding", "tile")

    def __init__(
        self, data: np.ndarray, is_bool: bool, tile: tuple[int, ...], padding: float
    ) -> None:
        """Keep the parts."""
        self.data = data
        self.is_bool = is_bool
        self.tile = tile
        self.padding = padding

    def windows(
        self, indices: tuple[Any, ...], offsets: bool = False
    ) -> tuple[Window, Window, bool]:
        """Return where a tile lies.

        Args:
            indices: Tile coordinates, one per dimension. A tile may lie partly or wholly outside.
            offsets: Whether the coordinates count elements, not tiles.

        Returns:
            The window in `data`, the window in the tile that it fills, and whether that is the
            whole tile.
        """
        inside, filled, whole = [], [], True
        for index, extent, size in zip(indices, self.data.shape, self.tile, strict=True):
            start = int(index) * (1 if offsets else size)
            low, high = max(start, 0), max(min(start + size, extent), 0)
            inside.append(slice(low, high))
            filled.append(slice(low - start, max(high - start, low - start)))
            whole = whole and high - low == size
        return tuple(inside), tuple(filled), whole

    def load(self, indices: tuple[Any, ...], offsets: bool = False) -> np.ndarray:
        """Return a copy of the tile at `indices` (see `windows`), padded outside of the array."""
        inside, filled, whole = self.windows(indices, offsets)
        if whole:
            tile = self.data[inside].copy()
        else:
            tile = np.full(self.tile, self.padding, self.data.dtype)
            tile[filled] = self.data[inside]
        return tile != 0 if self.is_bool else tile

    def store(self, tile: np.ndarray, indices: tuple[Any, ...], offsets: bool = False) -> None:
        """Write the part of `tile` at `indices` (see `windows`) that lies inside the array."""
        inside, filled, _ = self.windows(indices, offsets)
        self.data[inside] = tile[filled]


@value_op("cuda_tile.make_tensor_view")
def _make_tensor_view(op: Any) -> Function:
    kind = op.results[0].type
    name = element_name(kind)
    dtype = np.dtype(np.uint8) if name == "i1" else NUMPY_BY_MLIR[name]
    shape, strides = kind.shape, kind.strides

    def evaluate(base: Pointer, *dynamic: Any) -> TensorView:
        values = iter(dynamic)
        extents = tuple(int(next(values)) if item is None else item for item in shape)
        steps = tuple(int(next(values)) if item is None else item for item in strides)
        # A dimension of extent 1 is never stepped along, so any stride is right for it.
        used = tuple(0 if n == 1 else step for n, step in zip(extents, steps, strict=True))
        return TensorView(base.view(dtype, extents, used), name == "i1")

    return evaluate


@value_op("cuda_tile.make_partition_view")
def _make_partition_view(op: Any) -> Function:
    kind = op.results[0].type
    tile, dim_map = kind.tile, kind.dim_map
    padding = _PADDING[kind.padding]
    return lambda view: PartitionView(np.transpose(view.data, dim_map), view.is_bool, tile, padding)


@value_op("cuda_tile.get_tensor_shape")
def _get_tensor_shape(op: Any) -> Function:
    bare = len(op.results) == 1

    def evaluate(view: TensorView) -> Any:
        extents = [np.int32(extent) for extent in view.data.shape]
        return extents[0] if bare else extents

    return evaluate


@value_op("cuda_tile.get_index_space_shape")
def _get_index_space_shape(op: Any) -> Function:
    bare = len(op.results) == 1

    def evaluate(view: PartitionView) -> Any:
        extents = zip(view.data.shape, view.tile, strict=True)
        counts = [np.int32(-(-extent // size)) for extent, size in extents]
        return counts[0] if bare else counts

    return evaluate
