"""Tensor views and partition views: which elements of memory a tile index means."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name
from tilec.interpreter.memory import Pointer
from tilec.interpreter.registry import value_op
from tilec.support.numpy_types import NUMPY_BY_MLIR

Function = Callable[..., Any]

_PADDING = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": np.nan,
    "pos_inf": np.inf,
    "neg_inf": -np.inf,
    "array": 0.0,
}

Window = tuple[slice, ...]


class TensorView:
    """An array in memory, or a slice of one.

    Attributes:
        data: The elements; writing to it writes memory. i1 is held as bytes.
        is_bool: Whether the bytes are booleans.
        whole: The elements of the array; None where `data` is all of it.
        origin: Where `data` begins in `whole`, an element per dimension.
    """

    __slots__ = ("data", "is_bool", "origin", "whole")

    def __init__(
        self,
        data: np.ndarray,
        is_bool: bool,
        whole: np.ndarray | None = None,
        origin: tuple[int, ...] | None = None,
    ) -> None:
        """Keep the elements."""
        self.data = data
        self.is_bool = is_bool
        self.whole = data if whole is None else whole
        self.origin = (0,) * data.ndim if origin is None else origin

    def slice(self, dim: int, start: int, size: int) -> "TensorView":
        """Return the elements from `start` on, `size` of them along `dim`."""
        part = (*(slice(None),) * dim, slice(start, start + size))
        origin = list(self.origin)
        origin[dim] += start
        return TensorView(self.data[part], self.is_bool, self.whole, tuple(origin))


class PartitionView:
    """An array in memory of which a tile begins every `steps` elements.

    Attributes:
        data: The elements, axes in the order of the tile's dimensions.
        is_bool: Whether the elements are bytes that hold booleans.
        tile: Extents of a tile in elements.
        steps: Elements from one tile to the next.
        padding: What a load gives outside of the array.
        origin: The element at which tile 0 begins, in `data`.
    """

    __slots__ = ("data", "is_bool", "origin", "padding", "steps", "tile")

    def __init__(
        self,
        data: np.ndarray,
        is_bool: bool,
        tile: tuple[int, ...],
        steps: tuple[int, ...],
        padding: float,
        origin: tuple[int, ...],
    ) -> None:
        """Keep the parts."""
        self.data = data
        self.is_bool = is_bool
        self.tile = tile
        self.steps = steps
        self.padding = padding
        self.origin = origin

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
        axes = zip(indices, self.data.shape, self.tile, self.steps, self.origin, strict=True)
        for index, extent, size, step, origin in axes:
            start = origin + int(index) * (1 if offsets else step)
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

    def combine(
        self, change: Function, tile: np.ndarray, indices: tuple[Any, ...], offsets: bool = False
    ) -> None:
        """Replace what lies at `indices` (see `windows`) by `change` of it and of `tile`."""
        inside, filled, _ = self.windows(indices, offsets)
        self.data[inside] = change(self.data[inside], tile[filled])


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


@value_op("cuda_tile.make_partition_view", "cuda_tile.make_strided_view")
def _make_tile_view(op: Any) -> Function:
    kind = op.results[0].type
    tile, steps, dim_map = kind.tile, kind.steps, kind.dim_map
    padding, is_whole = _PADDING[kind.padding], kind.padding == "array"

    def evaluate(view: TensorView) -> PartitionView:
        data = np.transpose(view.whole if is_whole else view.data, dim_map)
        origin = tuple(view.origin[dim] if is_whole else 0 for dim in dim_map)
        return PartitionView(data, view.is_bool, tile, steps, padding, origin)

    return evaluate


@value_op("cuda_tile.slice_view")
def _slice_view(op: Any) -> Function:
    dim = op.attributes["dim"].value
    return lambda view, start, size: view.slice(dim, int(start), int(size))


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
        extents = zip(view.data.shape, view.steps, strict=True)
        counts = [np.int32(-(-extent // step)) for extent, step in extents]
        return counts[0] if bare else counts

    return evaluate
