"""The memory of a call: arrays in any layout, some of them in the memory of another one."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilec.testing.host_arrays import empty_aligned
from tools.emulator.fuzz.program import Access, Array, Layout, Program
from tools.emulator.fuzz.values import INTEGERS, NUMPY, Numbers, Value, round_to

GUARD = 64
"""Elements around an array that must not be written."""
POISON = 0x5A
"""Byte of the guards and gaps."""
Generator = np.random.Generator


@dataclass
class Block:
    """Memory of one array, or of several that are aliases.

    Attributes:
        data: All elements, guards and gaps included.
        error: Bound of the error of each; None where all are exact.
        sums: Of sums whose order is open (`open_sums.py`), how large the terms of each element are
            together, and how many were added; None before the first one.
    """

    data: Numbers
    error: Numbers | None = None
    sums: "tuple[Block, Block] | None" = None


@dataclass(frozen=True)
class View:
    """An array, or one whose axes a partition view orders anew.

    Attributes:
        block: Where it lies.
        dtype: Element type.
        offset: Place of element (0, ..., 0).
        shape: Extents.
        strides: In elements.
    """

    block: Block
    dtype: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, memory: Numbers) -> Numbers:
        """Return the elements of this view in some copy of its memory."""
        size = memory.itemsize
        steps = tuple(size * stride for stride in self.strides)
        return np.ndarray(
            self.shape, memory.dtype, memory.view(np.uint8), size * self.offset, steps
        )

    def load(self, index: tuple[int, ...], tile: tuple[int, ...], pad: Any) -> Value:
        """Return the tile at a tile index; what lies outside the array is `pad`."""
        inside, filled = self._windows(index, tile)
        padding = 0 if pad is None else pad
        if self.dtype in INTEGERS or self.dtype == "bool":
            data = np.full(tile, np.asarray(padding).astype(NUMPY[self.dtype]))
        else:
            data = np.full(tile, round_to(np.asarray(float(padding)), self.dtype))
        data[filled] = self.of(self.block.data)[inside]
        if self.block.error is None:
            return Value(data, self.dtype)
        error = np.zeros(tile)
        error[filled] = self.of(self.block.error)[inside]
        return Value(data, self.dtype, error if error.any() else None)

    def store(self, index: tuple[int, ...], tile: Value) -> None:
        """Store a tile at a tile index; what lies outside the array is dropped."""
        inside, filled = self._windows(index, tile.data.shape)
        self.of(self.block.data)[inside] = tile.data[filled]
        if tile.error is not None and self.block.error is None:
            self.block.error = np.zeros(self.block.data.size)
        if self.block.error is not None:
            error = 0.0 if tile.error is None else tile.error[filled]
            self.of(self.block.error)[inside] = error

    def _windows(self, index: tuple[int, ...], tile: tuple[int, ...]) -> tuple[Any, Any]:
        """Return the part of the array that a tile covers, and the part of the tile."""
        inside, filled = [], []
        for at, size, extent in zip(index, tile, self.shape, strict=True):
            start = at * size
            low, high = min(max(start, 0), extent), min(max(start + size, 0), extent)
            inside.append(slice(low, high))
            filled.append(slice(low - start, high - start) if high > low else slice(0, 0))
        return tuple(inside), tuple(filled)


class Memory:
    """The arrays of one call."""

    def __init__(self, blocks: dict[str, Block], views: dict[str, View]) -> None:
        """Keep the memory by the array that it was made for, and all arrays."""
        self.blocks, self.views = blocks, views

    def view(self, access: Access) -> View:
        """Return what an access reaches."""
        found = self.views[access.array]
        if access.dim_map is None:
            return found
        shape = tuple(found.shape[axis] for axis in access.dim_map)
        strides = tuple(found.strides[axis] for axis in access.dim_map)
        return View(found.block, found.dtype, found.offset, shape, strides)

    def copy(self) -> "Memory":
        """Return the same arrays in memory of their own."""
        blocks = {}
        for name, block in self.blocks.items():
            data = empty_aligned(block.data.size, block.data.dtype)
            data[:] = block.data
            blocks[name] = Block(data)
        owners = {id(block): name for name, block in self.blocks.items()}
        views = {
            name: View(
                blocks[owners[id(item.block)]], item.dtype, item.offset, item.shape, item.strides
            )
            for name, item in self.views.items()
        }
        return Memory(blocks, views)

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays by name, as NumPy arrays of this memory."""
        return {name: view.of(view.block.data) for name, view in self.views.items()}


def make_memory(program: Program) -> Memory:
    """Return the arrays of a program, filled from its seed."""
    blocks: dict[str, Block] = {}
    views: dict[str, View] = {}
    for array in program.arrays:
        shape = program.shape(array)
        if array.layout.alias:
            origin = views[array.layout.alias]
            views[array.name] = _alias(origin, array, shape)
            continue
        offset, strides, size = _place(shape, array)
        data = empty_aligned(size, np.dtype(NUMPY[array.dtype]))
        data.view(np.uint8)[:] = POISON if array.dtype != "bool" else 1
        blocks[array.name] = Block(data)
        views[array.name] = view = View(blocks[array.name], array.dtype, offset, shape, strides)
        seed = np.random.default_rng((program.seed, zlib.crc32(array.name.encode())))
        with np.errstate(all="ignore"):  # numbers that a narrow type does not hold become infinite
            view.of(data)[...] = DATA[array.data](seed, shape, array.dtype)
    return Memory(blocks, views)


def _alias(origin: View, array: Array, shape: tuple[int, ...]) -> View:
    """Return an array in the memory of `origin`, with its axes in another order, or shifted."""
    layout = array.layout
    order = layout.order or tuple(range(len(shape)))
    strides = tuple(origin.strides[axis] for axis in order)
    return View(origin.block, array.dtype, origin.offset + layout.shift, shape, strides)


def _place(shape: tuple[int, ...], array: Array) -> tuple[int, tuple[int, ...], int]:
    """Return the place of the first element, the strides, and the size of the memory."""
    layout: Layout = array.layout
    item = np.dtype(NUMPY[array.dtype]).itemsize
    per_line = max(1, 16 // item)
    guard = -(-GUARD // per_line) * per_line
    order = layout.order or tuple(range(len(shape)))
    strides, step = [0] * len(shape), layout.step
    offset = guard + layout.shift
    for place, axis in enumerate(reversed(order)):
        if axis in layout.repeated:
            continue
        strides[axis] = step
        step *= shape[axis]
        if place == 0:
            step = -(-step // per_line) * per_line + layout.padding
        if axis in layout.backwards:
            offset += strides[axis] * (shape[axis] - 1)
            strides[axis] = -strides[axis]
    return offset, tuple(strides), guard + layout.shift + max(step, 1) + guard


def _small(random: Generator, shape: tuple[int, ...], dtype: str) -> Numbers:
    """Return small whole numbers, sums of whose products stay exact."""
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    low = 0 if dtype[0] == "u" else -4
    return random.integers(low, 5, shape).astype(NUMPY[dtype])


def _usual(random: Generator, shape: tuple[int, ...], dtype: str) -> Numbers:
    """Return normal floats, or integers of any size."""
    if dtype in INTEGERS:
        limits = np.iinfo(NUMPY[dtype])
        return random.integers(limits.min, limits.max, shape, NUMPY[dtype], endpoint=True)
    if dtype == "bool":
        return _small(random, shape, dtype)
    return round_to(random.standard_normal(shape), dtype)


def _special(random: Generator, shape: tuple[int, ...], dtype: str) -> Numbers:
    """Return values at the edges: the largest and least, zeros of both signs, NaN, infinities."""
    usual = _usual(random, shape, dtype)
    if dtype == "bool":
        return usual
    edges: list[Any] = [0, 1]
    if dtype in INTEGERS:
        limits = np.iinfo(NUMPY[dtype])
        edges += [limits.min, limits.max, limits.max - 1]
    else:
        edges += [-0.0, np.nan, np.inf, -np.inf, -1.0, 0.5, 2.0**-140, 6e-8, 300.0, 70000.0]
    table = np.array(edges, NUMPY[dtype] if dtype in INTEGERS else np.float64)
    values = table if dtype in INTEGERS else round_to(table, dtype)
    chosen = values[random.integers(0, len(values), shape)]
    return np.where(random.random(shape) < 0.3, chosen, usual).astype(usual.dtype)


DATA: dict[str, Callable[[Generator, tuple[int, ...], str], Numbers]] = {
    "small": _small,
    "usual": _usual,
    "special": _special,
}
"""Kinds of data."""
