"""What the TMA unit does: copies of boxes between global and shared memory."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilec.runtime.launch.tensor_map import TensorMapEncoding
from tilec.support.dtypes import DTYPES
from tilec.support.numpy_types import NUMPY_BY_NAME
from tools.emulator.memory import (
    SHARED_BASE,
    AccessError,
    Bytes,
    GlobalMemory,
    SharedMemory,
    swizzled,
)

Combination = Callable[..., NDArray]
"""What becomes of elements in global memory, and of those of a box."""


@dataclass(frozen=True)
class TensorMap:
    """A tensor map that was encoded for an array."""

    encoding: TensorMapEncoding
    address: int

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""
        return DTYPES[self.encoding.dtype].bits // 8

    @property
    def box_bytes(self) -> int:
        """Bytes of a box: what a load announces to its barrier, padding included."""
        return int(np.prod(self.encoding.box)) * self.element_bytes


def _elements(tensor_map: TensorMap, start: tuple[int, ...]) -> tuple[NDArray, NDArray]:
    """Return the global address of each element of a box, and whether the array has it."""
    encoding = tensor_map.encoding
    if any(step != 1 for step in encoding.element_strides):
        raise AccessError("element strides are not emulated")
    rank = len(encoding.box)
    strides = (tensor_map.element_bytes, *encoding.strides)
    addresses = np.full(encoding.box[::-1], tensor_map.address, np.int64)
    inside = np.ones(encoding.box[::-1], bool)
    for axis in range(rank):
        index = start[axis] + np.arange(encoding.box[axis])
        shape = [1] * rank
        shape[rank - 1 - axis] = -1
        addresses += (index * strides[axis]).reshape(shape)
        inside &= ((index >= 0) & (index < encoding.extents[axis])).reshape(shape)
    return addresses.reshape(-1), inside.reshape(-1)


def box_places(tensor_map: TensorMap, shared: SharedMemory, address: int) -> NDArray[np.int64]:
    """Return where in shared memory each byte of a box lies."""
    if address % 128:
        raise AccessError(f"a box is at {address:#x}, which is no multiple of 128")
    linear = address + np.arange(tensor_map.box_bytes)
    return shared.index(swizzled(linear, tensor_map.encoding.swizzle), 1)[:, 0]


def load_box(memory: GlobalMemory, tensor_map: TensorMap, start: tuple[int, ...]) -> Bytes:
    """Return the bytes of a box, with zeros outside the array."""
    addresses, inside = _elements(tensor_map, start)
    size = tensor_map.element_bytes
    box = np.zeros((len(addresses), size), np.uint8)
    if inside.any():
        box[inside] = memory.read(addresses[inside].astype(np.uint64), size)
    return box.reshape(-1)


def put_box(tensor_map: TensorMap, box: Bytes, shared: SharedMemory, address: int) -> None:
    """Write the bytes of a box into shared memory."""
    shared.data[box_places(tensor_map, shared, address)] = box


def take_box(tensor_map: TensorMap, shared: SharedMemory, address: int) -> Bytes:
    """Return the bytes of a box in shared memory."""
    return shared.data[box_places(tensor_map, shared, address)]


def store_box(
    memory: GlobalMemory,
    tensor_map: TensorMap,
    start: tuple[int, ...],
    data: Bytes,
    combine: Combination | None = None,
) -> None:
    """Write a box into the part of it that the array has, or combine it with that part."""
    addresses, inside = _elements(tensor_map, start)
    if min(start) < 0:
        raise AccessError(f"a box is stored at {start}: the H200 ends the kernel")
    box = data.reshape(len(addresses), -1)
    if inside.any():
        places, new = addresses[inside].astype(np.uint64), box[inside]
        if combine is not None:
            dtype = NUMPY_BY_NAME[tensor_map.encoding.dtype]
            old = memory.read(places, dtype.itemsize).view(dtype)
            new = combine(old, new.view(dtype)).view(np.uint8)
        memory.write(places, new)


class BoxStore:
    """A copy out of shared memory, which reads at one time and writes at another."""

    def __init__(
        self,
        memory: GlobalMemory,
        found: TensorMap,
        start: tuple[int, ...],
        shared: SharedMemory,
        at: int,
        combine: Combination | None = None,
    ) -> None:
        """Note what to copy, or to combine: the box at `start`, from shared memory at `at`."""
        self.memory, self.map, self.start, self.combine = memory, found, start, combine
        self.shared, self.at = shared, at
        self.data: Bytes | None = None

    def read(self) -> Bytes:
        """Return the box: shared memory at the time of the first call."""
        if self.data is None:
            self.data = take_box(self.map, self.shared, self.at)
        return self.data

    def __call__(self) -> None:
        """Write global memory."""
        store_box(self.memory, self.map, self.start, self.read(), self.combine)


assert SHARED_BASE % 128 == 0
