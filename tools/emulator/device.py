"""Replaces the CUDA driver: a kernel is called as usual, on arrays in host memory."""

import ctypes
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilec.runtime.args import device_array
from tilec.runtime.cuda.api import DeviceInfo, LoadedKernel
from tilec.runtime.launch.tensor_map import TENSOR_MAP_BYTES, TensorMapEncoding
from tilec.testing.check import Arguments
from tools.emulator.instructions import build
from tools.emulator.launched import Launched
from tools.emulator.machine import Run, make_actions
from tools.emulator.memory import POISON, GlobalMemory
from tools.emulator.program import parse
from tools.emulator.transfers import TensorMap

_ALIGNMENT = 128
_GUARD_BYTES = 256
"""Bytes around an array that nothing may write to."""


class DeviceArray:
    """An array that kernels take, by `__cuda_array_interface__`."""

    def __init__(
        self, shape: tuple[int, ...], strides: tuple[int, ...], typestr: str, first: int = 0
    ) -> None:
        """Allocate poisoned room for `shape`, with strides in elements.

        Its address is `first` elements after an aligned one.
        """
        self.shape, self.typestr = shape, typestr
        self.item = int(typestr[2:])
        extent = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        size = max(extent, 1) * self.item
        self._store = np.full(size + 2 * _GUARD_BYTES + _ALIGNMENT, POISON, np.uint8)
        start = -self._store.ctypes.data % _ALIGNMENT + _GUARD_BYTES + first * self.item
        self.bytes = self._store[start : start + size]
        self.strides = tuple(step * self.item for step in strides)
        self.address = self.bytes.ctypes.data

    def view(self, kind: Any) -> NDArray:
        """Return the elements as a NumPy array."""
        return np.ndarray(self.shape, kind, self.bytes, 0, self.strides)

    def is_intact_around(self) -> bool:
        """Tell whether nothing was written outside the elements."""
        outside = np.ones(len(self._store), bool)
        start = self.address - self._store.ctypes.data
        inside = np.zeros(len(self.bytes), bool)
        index = np.indices(self.shape).reshape(len(self.shape), -1)
        offsets = np.asarray(self.strides) @ index
        inside[(offsets[:, None] + np.arange(self.item)).reshape(-1)] = True
        outside[start : start + len(self.bytes)] = ~inside
        return bool((self._store[outside] == POISON).all())

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Describe the array."""
        return {
            "shape": self.shape,
            "typestr": self.typestr,
            "data": (self.address, False),
            "strides": self.strides,
            "version": 3,
        }


def launch_copies(device: "EmulatedDriver", kernel: Any, arguments: Arguments) -> None:
    """Call a kernel on copies of arrays on the device, and copy all of their memory back.

    Args:
        device: What `set_driver` was given.
        kernel: What is called with the arrays and scalars by name.
        arguments: Its arrays hold the results afterwards.
    """
    arrays = {
        name: device_array.DeviceArray(
            item.memory, item.offset, item.shape, item.strides, driver=device
        )
        for name, item in arguments.arrays.items()
    }
    kernel(**arrays, **arguments.scalars)
    for name, item in arguments.arrays.items():
        arrays[name].download(item.memory)


class EmulatedDriver:
    """A device that runs kernels on the CPU.

    Attributes:
        seed: Order of the warps and of the copies.
        multiprocessors: How many SMs it has: persistent kernels launch that many CTAs.
    """

    def __init__(self, seed: int = 0, multiprocessors: int = 4) -> None:
        """Make a device without memory."""
        self.seed = seed
        self.multiprocessors = multiprocessors
        self.memory = GlobalMemory()
        self._kernels: dict[int, Any] = {}
        self._encodings: list[TensorMapEncoding] = []
        self._blocks: dict[int, NDArray[np.uint8]] = {}

    def array(
        self,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        typestr: str = "<u2",
        first: int = 0,
    ) -> DeviceArray:
        """Return a new array with strides in elements, `first` of them after an aligned address."""
        made = DeviceArray(shape, strides, typestr, first)
        self.memory.add(made.address, made.bytes)
        return made

    def device_count(self) -> int:
        """Return 1."""
        return 1

    def device(self, ordinal: int) -> DeviceInfo:
        """Describe the device."""
        return DeviceInfo(ordinal, "emulated", 90, self.multiprocessors, 232_448)

    def load(
        self, device: int, name: str, cubin: bytes, ptx: str, shared_bytes: int
    ) -> LoadedKernel:
        """Read a kernel's PTX."""
        program = parse(ptx)
        for table in program.constants.values():
            self.memory.add(table.ctypes.data, table)
        number = len(self._kernels)
        self._kernels[number] = (program, make_actions(program, build))
        return LoadedKernel(name, device, number, None)

    def active_clusters(self, kernel: LoadedKernel, shape: Any) -> int:
        """Return how many clusters the device runs at once."""
        return max(1, self.multiprocessors // int(np.prod(shape.cluster)))

    def launch(self, prepared: Any, stream: int, parameters: Any) -> None:
        """Run a kernel to its end."""
        program, actions = self._kernels[prepared.kernel.function]
        table = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_void_p))
        block = bytearray(64 + sum(offset + size for offset, size in program.parameters.values()))
        maps: dict[int, TensorMap] = {}
        for index, (offset, size) in enumerate(program.parameters.values()):
            block[offset : offset + size] = ctypes.string_at(table[index], size)
            if size == TENSOR_MAP_BYTES:
                number, address = np.frombuffer(bytes(block[offset : offset + 16]), np.uint64)
                maps[offset] = TensorMap(self._encodings[int(number)], int(address))
        shape = prepared.shape
        launched = Launched(
            program,
            bytes(block),
            maps,
            shape.blocks,
            shape.threads,
            shape.cluster,
            shape.shared_bytes,
        )
        with np.errstate(all="ignore"):
            Run(launched, actions, self.memory, self.seed).run()

    def tensor_map_encoder(self, encoding: TensorMapEncoding) -> Any:
        """Return what writes a map: its number and the address."""
        number = len(self._encodings)
        self._encodings.append(encoding)

        def write(destination: int, address: int) -> None:
            text = np.array([number, address], np.uint64).tobytes()
            ctypes.memmove(destination, text.ljust(TENSOR_MAP_BYTES, b"\0"), TENSOR_MAP_BYTES)

        return write

    def pointer_device(self, pointer: int) -> int:
        """Return the only device."""
        return 0

    def order_streams(self, device: int, first: int, then: int) -> None:
        """Do nothing: launches run one after the other."""

    def allocate(self, device: int, size: int) -> int:
        """Return the address of poisoned memory."""
        block = np.full(size + _ALIGNMENT, POISON, np.uint8)
        start = -block.ctypes.data % _ALIGNMENT
        address = block.ctypes.data + start
        self._blocks[address] = block
        self.memory.add(address, block[start : start + size])
        return address

    def free(self, device: int, pointer: int) -> None:
        """Forget memory."""
        self.memory.remove(pointer)
        del self._blocks[pointer]

    def upload(self, device: int, pointer: int, source: int, size: int) -> None:
        """Copy to the device."""
        ctypes.memmove(pointer, source, size)

    def download(self, device: int, destination: int, pointer: int, size: int) -> None:
        """Copy from the device."""
        ctypes.memmove(destination, pointer, size)

    def copy(self, device: int, destination: int, source: int, size: int) -> None:
        """Copy bytes."""
        ctypes.memmove(destination, source, size)

    def fill(self, device: int, pointer: int, value: int, size: int, stream: int) -> None:
        """Set bytes."""
        ctypes.memset(pointer, value, size)

    def clear(self, device: int, pointer: int, size: int) -> None:
        """Set bytes to zero."""
        ctypes.memset(pointer, 0, size)

    def capture_id(self, device: int, stream: int) -> int:
        """Return 0: nothing is captured."""
        return 0

    def synchronize(self, device: int) -> None:
        """Do nothing: launches end before they return."""

    def time(self, device: int, stream: int, work: Callable[[], None]) -> float:
        """Return the seconds that the emulator takes."""
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
