"""Stand-ins for a GPU driver and for device arrays."""

import ctypes
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.args.dlpack import row_major_strides
from tilec.runtime.cuda.api import DeviceInfo, LaunchShape, LoadedKernel


@dataclass
class Launch:
    name: str
    shape: LaunchShape
    stream: int
    parameters: list


class FakeDriver:
    """Records launches; tensor maps are 128 bytes that start with the address.

    `execute`, if a test sets it, is called with every launch after it was recorded.
    """

    def __init__(self, capability=90, devices=1, parameter_sizes=None):
        self.capability = capability
        self.devices = devices
        self.launches: list[Launch] = []
        self.loads: list[str] = []
        self.encodings = []
        self.orders = []
        self.parameter_sizes = parameter_sizes or {}
        self.memory: dict[int, ctypes.Array] = {}
        self.execute: Any = None
        self.cleared: list[int] = []
        self.captures: dict[int, int] = {}
        self.price: Any = lambda launch: 1e-3

    def device_count(self):
        return self.devices

    def device(self, ordinal):
        return DeviceInfo(ordinal, "Fake H200", self.capability, 132, 232_448)

    def load(self, device, name, cubin, ptx, shared_bytes):
        self.loads.append(name)
        return LoadedKernel(name, device, name, None)

    def active_clusters(self, kernel, shape):
        return 128 // prod(shape.cluster)

    def launch(self, prepared, stream, parameters):
        sizes = self.parameter_sizes.get(prepared.kernel.name, [])
        table = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_void_p))
        read = [ctypes.string_at(table[index], size) for index, size in enumerate(sizes)]
        self.launches.append(Launch(prepared.kernel.name, prepared.shape, stream, read))
        if self.execute is not None:
            self.execute(self.launches[-1])

    def tensor_map_encoder(self, encoding):
        self.encodings.append(encoding)

        def write(destination, address):
            assert destination % 64 == 0
            ctypes.memmove(destination, address.to_bytes(8, "little") + b"\xab" * 120, 128)

        return write

    def pointer_device(self, pointer):
        return 0

    def order_streams(self, device, first, then):
        self.orders.append((first, then))

    def allocate(self, device, size):
        block = ctypes.create_string_buffer(b"\xa5" * max(size, 1), max(size, 1))
        self.memory[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, device, pointer):
        del self.memory[pointer]

    def upload(self, device, pointer, source, size):
        ctypes.memmove(pointer, source, size)

    def download(self, device, destination, pointer, size):
        ctypes.memmove(destination, pointer, size)

    def copy(self, device, destination, source, size):
        ctypes.memmove(destination, source, size)

    def time(self, device, stream, work):
        """Return what the launches in `work` cost, by `price`."""
        first = len(self.launches)
        work()
        return sum(self.price(launch) for launch in self.launches[first:])

    def fill(self, device, pointer, value, size, stream):
        ctypes.memset(pointer, value, size)

    def clear(self, device, pointer, size):
        self.cleared.append(size)
        ctypes.memset(pointer, 0, size)

    def capture_id(self, device, stream):
        return self.captures.get(stream, 0)

    def synchronize(self, device):
        pass


@dataclass
class FakeArray:
    """A device array that speaks `__cuda_array_interface__`."""

    shape: tuple
    typestr: str = "<f4"
    pointer: int = 1 << 20
    strides: tuple | None = None
    stream: int | None = None
    extra: dict = field(default_factory=dict)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.typestr,
            "data": (self.pointer, False),
            "strides": self.strides,
            "version": 3,
            "stream": self.stream,
            **self.extra,
        }


def device_view(shape, dtype="f32", pointer=1 << 20, strides=None, device=0):
    return ArrayView(
        pointer,
        tuple(shape),
        tuple(strides) if strides is not None else row_major_strides(tuple(shape)),
        dtype,
        "cuda",
        device,
        "torch",
    )
