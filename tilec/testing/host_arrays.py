"""Arrays for checking a kernel: any layout in guarded memory, filled from a seed.

Pure NumPy: no MLIR and no driver is imported here.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilec.support.diagnostics import CompileError, error
from tilec.support.dtypes import DTYPES, Kind
from tilec.support.numpy_types import NUMPY_BY_NAME

LAYOUTS = ("row", "col", "odd", "odd_col", "swapped", "broadcast")
"""How a test array lies in memory.

`row` is row-major, base and row pitch multiples of 16 bytes; `col` is its transpose. The `odd`
ones start one element after a 16-byte boundary and have a pitch that is no multiple of 16 bytes,
so that neither TMA nor 16-byte vector accesses fit. `swapped` is row-major with the last two axes
swapped, a batch of transposed matrices; `broadcast` has stride 0 along the outermost axis, so that
all its slices are one (the values of the last).
"""

ALIGNMENT_BYTES = 256
"""Alignment of the memory of a test array; what cudaMalloc gives."""
PITCH_BYTES = 16
POISON_BYTE = 0xFF
"""Every byte of an output before the run: a NaN in all float types, -1 in signed integers."""
GUARD_ELEMENTS = 64
"""Elements before and after a test array that nobody may write."""


@dataclass(frozen=True)
class HostArray:
    """One array argument with its own memory.

    Attributes:
        name: Parameter name.
        dtype: Element type by its tilec name.
        memory: All elements, one-dimensional: guards, gaps between rows, and the array.
        offset: Index in `memory` of element (0, ..., 0).
        shape: Extents.
        strides: Strides in elements.
    """

    name: str
    dtype: str
    memory: np.ndarray
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def data(self) -> np.ndarray:
        """The array itself: a view of `memory`."""
        return self.view(self.memory)

    def view(self, memory: np.ndarray) -> np.ndarray:
        """Return the array in a copy of its memory, for example one that came from the GPU."""
        item = memory.itemsize
        strides = tuple(item * stride for stride in self.strides)
        # NumPy's buffer protocol does not know the types of ml_dtypes; bytes it does.
        return np.ndarray(
            self.shape, memory.dtype, memory.view(np.uint8), item * self.offset, strides
        )

    def copy(self) -> "HostArray":
        """Return the same array in fresh memory."""
        memory = empty_aligned(self.memory.size, self.memory.dtype)
        memory[:] = self.memory
        return HostArray(self.name, self.dtype, memory, self.offset, self.shape, self.strides)

    def poison(self) -> None:
        """Fill the array with bytes that no kernel writes."""
        if self.dtype == "bool":
            self.data[...] = True
            return
        pattern = np.full(1, POISON_BYTE, np.uint8).repeat(self.memory.itemsize)
        self.data[...] = pattern.view(self.memory.dtype)[0]

    def stray_writes(self, before: np.ndarray) -> int:
        """Count the bytes outside of the array that differ from its memory `before` the run."""
        outside = np.ones(self.memory.size, bool)
        self.view(outside)[...] = False
        changed = self.memory.view(np.uint8) != before.view(np.uint8)
        return int(np.count_nonzero(changed.reshape(self.memory.size, -1)[outside]))


def make_array(
    name: str, dtype: str, shape: Sequence[int], layout: str = "row", seed: int = 0
) -> HostArray:
    """Return an array of random values that depend on `name` and `seed` only.

    Floats are standard normal; the 8-bit ones lie in -2..2. Integers are small (-8..8, or 0..8
    when unsigned), so that sums of products stay exact.

    Args:
        name: Parameter name.
        dtype: Element type by its tilec name.
        shape: Extents.
        layout: One of `LAYOUTS`.
        seed: Seed of the run.

    Raises:
        CompileError: There is no such layout.
    """
    array = _allocate(name, dtype, tuple(shape), layout)
    generator = np.random.default_rng((seed, zlib.crc32(name.encode())))
    info = DTYPES[dtype]
    if info.kind is Kind.BOOL:
        values: np.ndarray = generator.integers(0, 2, array.shape)
    elif info.kind is Kind.INT:
        values = generator.integers(-8 if info.signed else 0, 9, array.shape)
    elif dtype == "tf32":
        bits = generator.standard_normal(array.shape, np.float32).view(np.uint32)
        values = (bits & np.uint32(0xFFFFE000)).view(np.float32)
    else:
        values = generator.standard_normal(array.shape)
        values = np.clip(values, -2, 2) if info.bits == 8 else values
    array.data[...] = values.astype(NUMPY_BY_NAME[dtype])
    return array


def _allocate(name: str, dtype: str, shape: tuple[int, ...], layout: str) -> HostArray:
    if layout not in LAYOUTS:
        expected = ", ".join(LAYOUTS)
        raise CompileError(error("T0008", f"layout of {name}: '{layout}' is none of {expected}"))
    numpy_dtype = NUMPY_BY_NAME[dtype]
    unit = max(1, PITCH_BYTES // numpy_dtype.itemsize)
    is_odd = layout.startswith("odd")
    repeated = 0 if layout == "broadcast" else None
    strides = [0] * len(shape)
    step = 1
    for position, axis in enumerate(_fastest_first(layout, len(shape))):
        if axis == repeated:
            continue
        strides[axis] = step
        step *= shape[axis]
        if position == 0:
            step = -(-step // unit) * unit + (1 if is_odd else 0)
    guard = -(-GUARD_ELEMENTS // unit) * unit
    offset = guard + (1 if is_odd else 0)
    memory = empty_aligned(offset + max(step, 1) + guard, numpy_dtype)
    memory.view(np.uint8)[:] = POISON_BYTE
    return HostArray(name, dtype, memory, offset, shape, tuple(strides))


def _fastest_first(layout: str, rank: int) -> list[int]:
    """Return the axes of a layout, the one whose elements are neighbours first."""
    axes = list(range(rank)) if layout.endswith("col") else list(reversed(range(rank)))
    if layout == "swapped":
        axes[:2] = reversed(axes[:2])
    return axes


def empty_aligned(count: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Return uninitialised elements whose address is a multiple of `ALIGNMENT_BYTES`."""
    size = count * dtype.itemsize
    raw = np.empty(size + ALIGNMENT_BYTES, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT_BYTES
    return raw[start : start + size].view(dtype)
