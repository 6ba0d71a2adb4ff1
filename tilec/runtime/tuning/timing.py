"""Interleaved timing of launches that do the same work.

The launches run on copies of the arrays, so those of the caller stay as they are. Small arrays have
several copies that are visited one after the other, so that L2 holds nothing of the call before.
Before each sample the GPU fills memory for a while, so that all launches of the sample wait on the
stream when the first one begins: the host's time does not count. Rounds visit all launches, in
changing order, because the clock drifts.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.cuda.api import Driver
from tilec.runtime.launch.launcher import LaunchPlan

L2_BYTES = 60 << 20
"""L2 of an H200 as the driver reports it; that of an H100 is smaller."""
MAX_COPIES = 16
"""Sets of addresses whose tensor maps a launch plan keeps (`tilec.runtime.launch.launcher`)."""
PLUG_BYTES = 256 << 20
"""What the GPU fills before a sample, at least once: about 0.1 ms (estimate: 2.7 TB/s)."""
SAMPLE_SECONDS, MIN_LAUNCHES = 0.001, 4
"""Length of a sample: shorter ones would feel the resolution of events, 0.5 us (CUDA driver API,
cuEventElapsedTime)."""
MIN_ROUNDS, MAX_ROUNDS, ROUND_SECONDS = 7, 31, 1.0
"""A comparison takes this many rounds, within a second for each launch if the least allow it."""
_ALIGNMENT = 256


@dataclass(frozen=True)
class Region:
    """Memory that arrays of a call lie in, without a gap between them.

    Attributes:
        start: First address.
        end: Address after the last byte.
    """

    start: int
    end: int


def regions(arrays: Sequence[ArrayView]) -> list[Region]:
    """Return the memory of arrays; those that overlap share a region."""
    found: list[Region] = []
    for start, end in sorted(_span(array) for array in arrays if 0 not in array.shape):
        if found and start < found[-1].end:
            found[-1] = Region(found[-1].start, max(end, found[-1].end))
        else:
            found.append(Region(start, end))
    return found


def _span(array: ArrayView) -> tuple[int, int]:
    steps = [
        (extent - 1) * stride * array.item_bytes
        for extent, stride in zip(array.shape, array.strides, strict=True)
    ]
    first = array.pointer + sum(step for step in steps if step < 0)
    last = array.pointer + sum(step for step in steps if step > 0)
    return first, last + array.item_bytes


class Bench:
    """Times launches on copies of the arrays of a call; see `open_bench`."""

    def __init__(
        self, driver: Driver, device: int, stream: int, sets: Sequence[tuple[int, ...]], plug: int
    ) -> None:
        """Keep what the samples need.

        Args:
            driver: The GPU driver.
            device: Ordinal of the GPU.
            stream: Stream to launch on.
            sets: Addresses of the arrays of each copy.
            plug: Address of `PLUG_BYTES` that are filled before a sample.
        """
        self._driver, self._device, self._stream = driver, device, stream
        self._sets = sets
        self._plug = plug
        self._order = random.Random(0)

    def compare(self, plans: Sequence[LaunchPlan], scalars: Sequence[int | float]) -> list[float]:
        """Return the seconds of a launch of each plan: medians of interleaved samples.

        Args:
            plans: The launches.
            scalars: Every scalar argument, in declaration order.

        Raises:
            DeviceError: A launch failed.
        """
        samples = [self._sample(plan, scalars, MIN_LAUNCHES) for plan in plans]  # also warms up
        counts = [max(MIN_LAUNCHES, round(SAMPLE_SECONDS / max(it, 1e-7))) for it in samples]
        length = sum(it * count for it, count in zip(samples, counts, strict=True)) / len(plans)
        rounds = min(MAX_ROUNDS, max(MIN_ROUNDS, round(ROUND_SECONDS / max(length, 1e-7))))
        times: list[list[float]] = [[] for _ in plans]
        places = list(range(len(plans)))
        for _ in range(rounds):
            self._order.shuffle(places)
            for place in places:
                times[place].append(self._sample(plans[place], scalars, counts[place]))
        return [statistics.median(item) for item in times]

    def _sample(self, plan: LaunchPlan, scalars: Sequence[int | float], count: int) -> float:
        """Return the seconds of one of `count` launches that wait on the stream together."""

        def launch() -> None:
            for number in range(count):
                plan.run(self._sets[number % len(self._sets)], scalars, self._stream)

        start = time.perf_counter()
        launch()
        host = time.perf_counter() - start
        fill = self._timed(lambda: self._fill(1))
        self._fill(1 + round(1.5 * host / max(fill, 1e-5)))
        return self._timed(launch) / count

    def _fill(self, times: int) -> None:
        for _ in range(times):
            self._driver.fill(self._device, self._plug, 0, PLUG_BYTES, self._stream)

    def _timed(self, work: Callable[[], None]) -> float:
        return self._driver.time(self._device, self._stream, work)


@contextmanager
def open_bench(
    driver: Driver, arguments: BoundArguments, written: frozenset[str], stream: int
) -> Iterator[Bench]:
    """Copy the arrays of a call as often as needed, and free the copies at the end.

    Args:
        driver: The GPU driver.
        arguments: The arguments, on a GPU.
        written: Names of the arrays that the kernel writes.
        stream: Stream to launch on.

    Raises:
        DeviceError: There is not enough memory.
    """
    device = arguments.device or 0
    whole = regions(list(arguments.arrays.values()))
    changed = regions([arguments.arrays[name] for name in written])
    copier = _Copier(driver, device)
    driver.synchronize(device)
    try:
        sets: list[tuple[int, ...]] = []
        for number in range(_copies(whole)):
            # What is only read need not be copied for the first set.
            kept = [] if number else [it for it in whole if not any(_meet(it, o) for o in changed)]
            places = {item: item.start if item in kept else copier.copy(item) for item in whole}
            sets.append(_addresses(arguments.arrays, places))
        yield Bench(driver, device, stream, sets, copier.allocate(PLUG_BYTES))
    finally:
        driver.synchronize(device)
        copier.free()


def _copies(whole: Sequence[Region]) -> int:
    """Return how many sets of arrays exceed L2 twice."""
    total = sum(item.end - item.start for item in whole)
    return min(MAX_COPIES, -(-2 * L2_BYTES // max(total, 1)))


class _Copier:
    """Copies regions of device memory, and frees the copies."""

    def __init__(self, driver: Driver, device: int) -> None:
        self._driver, self._device = driver, device
        self._allocated: list[int] = []

    def allocate(self, size: int) -> int:
        """Return the address of new memory."""
        self._allocated.append(self._driver.allocate(self._device, size))
        return self._allocated[-1]

    def copy(self, region: Region) -> int:
        """Return the address of a copy, which is aligned as the region is."""
        size = region.end - region.start
        address = self.allocate(size + _ALIGNMENT) + region.start % _ALIGNMENT
        self._driver.copy(self._device, address, region.start, size)
        return address

    def free(self) -> None:
        """Free everything."""
        for address in self._allocated:
            self._driver.free(self._device, address)


def _meet(first: Region, second: Region) -> bool:
    return first.start < second.end and second.start < first.end


def _addresses(arrays: Mapping[str, ArrayView], places: Mapping[Region, int]) -> tuple[int, ...]:
    """Return the address of each array where its region was moved."""

    def moved(array: ArrayView) -> int:
        for region, place in places.items():
            if region.start <= array.pointer < region.end:
                return array.pointer - region.start + place
        return array.pointer  # without elements

    return tuple(map(moved, arrays.values()))
