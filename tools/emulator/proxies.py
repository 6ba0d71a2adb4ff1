"""Which bytes of shared memory threads have accessed without a proxy fence since.

Threads reach memory through the generic proxy, TMA and wgmma through the async proxy. Between an
access of one kind and a later one of the other kind to the same bytes, at least one of them a
write, stands a `fence.proxy.async` of the thread (PTX ISA, "Async proxy"); barriers alone do not
order them. What TMA or wgmma did first is ordered by the wait for it.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


class AccessError(Exception):
    """An access that a GPU would end the kernel for, or that PTX does not define."""


@dataclass
class _Unfenced:
    """Bytes that each warp has accessed since its last fence."""

    size: int
    warps: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    dirty: set[int] = field(default_factory=set)

    def add(self, warp: int, places: Places) -> None:
        if warp not in self.warps:
            self.warps[warp] = np.zeros(self.size, bool)
        self.warps[warp][places] = True
        self.dirty.add(warp)

    def clear(self, warp: int) -> None:
        if warp in self.dirty:
            self.warps[warp][:] = False
            self.dirty.remove(warp)

    def users(self, places: Places) -> list[int]:
        return sorted(warp for warp in self.dirty if self.warps[warp][places].any())


class Proxies:
    """The accesses of threads to the shared memory of one CTA."""

    def __init__(self, size: int) -> None:
        """Begin with `size` bytes that were not accessed."""
        self._reads, self._writes = _Unfenced(size), _Unfenced(size)
        self._copied, self._copies, self._fenced = np.zeros(size, np.int64), 0, dict[int, int]()

    def read(self, warp: int, places: Places) -> None:
        """Note what a warp reads."""
        self._reads.add(warp, places)

    def write(self, warp: int, places: Places) -> None:
        """Note what a warp writes."""
        self._writes.add(warp, places)
        self._copied[places] = 0

    def land(self, places: Places) -> None:
        """Note that copies of threads (`cp.async`) are there."""
        self._copies += 1
        self._copied[places] = self._copies

    def fence(self, warp: int) -> None:
        """Order what a warp has done before what the async proxy does from here on.

        And the copies of threads that are there, for what this warp lets the async proxy do.
        """
        self._fenced[warp] = self._copies
        self._reads.clear(warp)
        self._writes.clear(warp)

    def check_async_read(self, places: Places, warps: list[int]) -> None:
        """Refuse a read by the async proxy of what a warp has written without a fence.

        Args:
            places: The bytes.
            warps: Who lets the async proxy read them.
        """
        _refuse("reads", "written", self._writes.users(places))
        self._check_copies("reads", places, warps)

    def _check_copies(self, does: str, places: Places, warps: list[int]) -> None:
        newest = self._copied[places].max(initial=0)
        late = [warp for warp in warps if self._fenced.get(warp, 0) < newest]
        if late:
            names = ", ".join(map(str, late))
            message = f"the async proxy {does} what threads have copied"
            raise AccessError(f"{message} without a proxy fence of warp {names} since")

    def check_async_write(self, places: Places, warps: list[int]) -> None:
        """Refuse a write by the async proxy to what a warp has used without a fence.

        Args:
            places: The bytes.
            warps: Who lets the async proxy write them.
        """
        self._check_copies("overwrites", places, warps)
        _refuse("overwrites", "read", self._reads.users(places))
        _refuse("overwrites", "written", self._writes.users(places))
        self._copied[places] = 0


def _refuse(does: str, done: str, warps: list[int]) -> None:
    if warps:
        names = ", ".join(map(str, warps))
        raise AccessError(
            f"the async proxy {does} what warp {names} has {done} without a proxy fence since"
        )
