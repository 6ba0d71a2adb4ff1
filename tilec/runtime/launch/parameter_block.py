"""The memory that the driver reads kernel parameters from.

A block is written once per argument signature; later launches only replace what changed. Layout:
pointers first, then the scalars that may differ from call to call, then everything that the
signature fixes, then the tensor maps. The driver takes an array of addresses, so the order in
memory is free.
"""

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from tilec.runtime.args.scalars import scalar_encoder
from tilec.runtime.cuda.api import TensorMapEncoder
from tilec.runtime.launch.tensor_map import TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES

_SLOT = 8
"""Room for every parameter but a tensor map."""


@dataclass
class ParameterLayout:
    """Where the parameters of one kernel come from.

    Attributes:
        order: Per kernel parameter ("pointer" | "scalar" | "fixed" | "map", index in its group).
        pointers: Per pointer parameter the index of the array argument.
        scalars: Per run-time scalar its index among the scalar arguments and its type.
        fixed: Bytes of the parameters that the argument signature determines.
        maps: Per tensor map the index of the array argument and its encoder.
    """

    order: list[tuple[str, int]] = field(default_factory=list)
    pointers: list[int] = field(default_factory=list)
    scalars: list[tuple[int, str]] = field(default_factory=list)
    fixed: list[bytes] = field(default_factory=list)
    maps: list[tuple[int, TensorMapEncoder]] = field(default_factory=list)

    def add_pointer(self, array: int) -> None:
        """Append the address of an array argument."""
        self.order.append(("pointer", len(self.pointers)))
        self.pointers.append(array)

    def add_scalar(self, scalar: int, dtype: str) -> None:
        """Append a scalar argument whose value is read at every launch."""
        self.order.append(("scalar", len(self.scalars)))
        self.scalars.append((scalar, dtype))

    def add_fixed(self, value: bytes) -> None:
        """Append a value that belongs to the signature."""
        self.order.append(("fixed", len(self.fixed)))
        self.fixed.append(value)

    def add_map(self, array: int, encoder: TensorMapEncoder) -> None:
        """Append a tensor map of an array argument."""
        self.order.append(("map", len(self.maps)))
        self.maps.append((array, encoder))


class ParameterBlock:
    """Parameters of one launch in host memory.

    The driver copies them before the launch call returns, so a block can be used again at once,
    but by one thread at a time.

    Attributes:
        address: Address of the array of parameter addresses.
    """

    __slots__ = (
        "_data",
        "_maps",
        "_memory",
        "_order",
        "_pack",
        "_pointer_table",
        "_pointers",
        "_scalars",
        "_start",
        "address",
    )

    def __init__(self, layout: ParameterLayout) -> None:
        """Lay out the block and write the fixed values."""
        words = len(layout.pointers) + len(layout.scalars) + len(layout.fixed)
        maps_offset = -(-words * _SLOT // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        size = maps_offset + len(layout.maps) * TENSOR_MAP_BYTES
        self._data = bytearray(size + TENSOR_MAP_ALIGNMENT)
        self._memory = (ctypes.c_char * len(self._data)).from_buffer(self._data)
        base = ctypes.addressof(self._memory)
        self._start = -base % TENSOR_MAP_ALIGNMENT
        base += self._start
        groups = {
            "pointer": (0, _SLOT),
            "scalar": (len(layout.pointers) * _SLOT, _SLOT),
            "fixed": ((len(layout.pointers) + len(layout.scalars)) * _SLOT, _SLOT),
            "map": (maps_offset, TENSOR_MAP_BYTES),
        }
        offsets = [groups[group][0] + index * groups[group][1] for group, index in layout.order]
        for index, value in enumerate(layout.fixed):
            start = self._start + groups["fixed"][0] + index * _SLOT
            self._data[start : start + len(value)] = value
        self._pointer_table = (ctypes.c_void_p * max(1, len(offsets)))(
            *(base + offset for offset in offsets)
        )
        self.address: int = ctypes.addressof(self._pointer_table)
        self._pack = struct.Struct(f"<{len(layout.pointers)}Q").pack_into
        self._pointers: tuple[int, ...] | None = None
        self._maps = [
            (array, encode, base + maps_offset + index * TENSOR_MAP_BYTES)
            for index, (array, encode) in enumerate(layout.maps)
        ]
        self._scalars = [
            (index, scalar_encoder(dtype), self._start + groups["scalar"][0] + position * _SLOT)
            for position, (index, dtype) in enumerate(layout.scalars)
        ]
        self._order = layout.pointers

    def fill(self, pointers: tuple[int, ...], scalars: Sequence[bool | int | float]) -> None:
        """Write the addresses of the arrays and the scalars of a call.

        Args:
            pointers: Address of every array argument.
            scalars: Every scalar argument.
        """
        if pointers != self._pointers:
            self._pointers = None  # stays so if an encoder raises half-way
            self._pack(self._data, self._start, *(pointers[array] for array in self._order))
            for array, encode, destination in self._maps:
                encode(destination, pointers[array])
            self._pointers = pointers
        for index, encode_value, offset in self._scalars:
            value = encode_value(scalars[index])
            self._data[offset : offset + len(value)] = value
