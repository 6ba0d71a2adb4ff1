"""Address spaces: global memory in allocations, shared memory of CTAs with their mbarriers."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tools.emulator.proxies import AccessError, Proxies

Bytes = NDArray[np.uint8]

SHARED_BASE = 1024
"""Address of dynamic shared memory in its window (sm_90 keeps the first KiB for itself)."""
CTA_SHIFT = 24
"""Bits of a shared::cluster address below the rank of the CTA, which counts from 1."""
PARAM_BASE = 1 << 60
"""Address of the parameters in generic space, where no allocation is."""
VECTOR_BYTES = 16
"""Widest access of a thread."""
_BYTES = np.arange(VECTOR_BYTES)
POISON = 0xFF
"""Byte of memory that was not written: NaN as a float of any size."""


class GlobalMemory:
    """The allocations that a kernel may touch, by address."""

    def __init__(self) -> None:
        """Begin without any."""
        self._blocks: dict[int, Bytes] = {}

    def add(self, address: int, data: Bytes) -> None:
        """Make the bytes at `address` known."""
        self._blocks[address] = data

    def remove(self, address: int) -> None:
        """Forget an allocation."""
        self._blocks.pop(address, None)

    def find(self, low: int, high: int) -> tuple[Bytes, int]:
        """Return the allocation that holds the addresses from `low` to `high`, and its address."""
        for base, data in self._blocks.items():
            if base <= low and high < base + len(data):
                return data, base
        raise AccessError(f"global addresses {low:#x} to {high:#x} are in no allocation")

    def read(self, addresses: NDArray, size: int) -> Bytes:
        """Return `size` bytes at each address."""
        low, high = int(addresses.min()), int(addresses.max()) + size - 1
        if size == VECTOR_BYTES and not (addresses % np.uint64(VECTOR_BYTES)).any():
            data, base = self._find_around(low, high)
        else:
            data, base = self.find(low, high)
        start = (addresses - np.uint64(base)).astype(np.int64)
        return data[start[..., None] + _BYTES[:size]]

    def _find_around(self, low: int, high: int) -> tuple[Bytes, int]:
        """Return the allocation of aligned vectors, with poison where they are only partly in it.

        Pages begin and end at multiples of their size, so such a read is no fault.
        """
        for base, data in self._blocks.items():
            before, after = base % VECTOR_BYTES, -(base + len(data)) % VECTOR_BYTES
            if base - before <= low and high < base + len(data) + after:
                if base <= low and high < base + len(data):
                    return data, base
                around = (np.full(count, POISON, np.uint8) for count in (before, after))
                return np.concatenate([next(around), data, next(around)]), base - before
        return self.find(low, high)

    def write(self, addresses: NDArray, values: Bytes) -> None:
        """Write the last axis of `values` at each address."""
        size = values.shape[-1]
        data, base = self.find(int(addresses.min()), int(addresses.max()) + size - 1)
        start = (addresses - np.uint64(base)).astype(np.int64)
        data[start[..., None] + _BYTES[:size]] = values


@dataclass
class MBarrier:
    """An mbarrier object: arrivals and bytes that its phase still waits for."""

    count: int
    pending: int
    tx: int = 0
    phase: int = 0

    def arrive(self, count: int = 1) -> None:
        """Count arrivals."""
        if self.pending < count:
            raise AccessError("more arrivals than an mbarrier expects")
        self.pending -= count
        self.settle()

    def settle(self) -> None:
        """Go on to the next phase when nothing is missing."""
        if self.pending == 0 and self.tx == 0:
            self.phase += 1
            self.pending = self.count


@dataclass
class SharedMemory:
    """Shared memory of one CTA."""

    size: int
    data: Bytes = field(init=False)
    barriers: dict[int, MBarrier] = field(default_factory=dict)
    proxies: Proxies = field(init=False)

    def __post_init__(self) -> None:
        """Poison it."""
        self.data = np.full(self.size, POISON, np.uint8)
        self.proxies = Proxies(self.size)

    def read(self, warp: int, places: NDArray[np.int64]) -> Bytes:
        """Return the bytes that a warp reads."""
        self.proxies.read(warp, places)
        return self.data[places]

    def write(self, warp: int, places: NDArray[np.int64], values: Bytes) -> None:
        """Write bytes for a warp."""
        self.proxies.write(warp, places)
        self.data[places] = values

    def index(self, addresses: NDArray, size: int) -> NDArray[np.int64]:
        """Return the places of `size` bytes at each address of the own window."""
        start = addresses.astype(np.int64) - SHARED_BASE
        beyond = start.view(np.uint64) > self.size - size  # a negative one is a large one
        if np.count_nonzero(beyond):
            raise AccessError(f"shared address {int(addresses.max()):#x} is outside")
        return start[..., None] + _BYTES[:size]

    def barrier(self, address: int) -> MBarrier:
        """Return the mbarrier at an address."""
        if address not in self.barriers:
            raise AccessError(f"no mbarrier was initialised at {address:#x}")
        return self.barriers[address]


def swizzled(addresses: NDArray, span: int) -> NDArray:
    """Return where TMA and wgmma put the bytes of `addresses` under a swizzle of `span` bytes."""
    if not span:
        return addresses
    chunks = addresses.dtype.type(span // 16 - 1)
    return addresses ^ ((addresses >> addresses.dtype.type(7) & chunks) << addresses.dtype.type(4))
