"""Slices of an epilogue: what they take of shared memory, and which ones to prefer. Pure Python.

An epilogue that loads tiles (a residual, say) can run slice by slice: some columns of the result at
a time, over all its rows. Each slice of the loaded tiles goes through one slot of a small ring, and
each slice of the result through the staging slots of its warpgroups. The narrower the slices, the
more slots fit next to the ring of the operands; the wider, the fewer barriers. A ring with a slot
for each slice of a tile is full before the products of the tile end, so that its epilogue waits for
no load; this is worth a stage of the operands.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from tilec.plan import machine
from tilec.support.fast_dataclasses import dataclass

MIN_SLICE_COLUMNS = 16
"""Narrowest slice: rows of a sector of L2 (32 bytes) in 16-bit elements."""
_HALVINGS = range(3)
"""How often the columns of a part are halved. Slices of a quarter of a part move single sectors."""
_SLOTS = (2, 1)
MAX_SLICES_AHEAD = 8
"""Most slots of the ring that slices go through."""


@dataclass(frozen=True, slots=True)
class SlicedTile:
    """A result that can be computed in slices of its columns.

    Attributes:
        rows: Its extent along the rows of the accumulator.
        columns: Its extent along the columns.
        result_bytes: Size of an element.
        load_bytes: Bytes that the epilogue loads by TMA for each element.
        is_costly: Whether it takes long, or many registers when whole: special functions compute
            it, of which an SM has few units, or threads load tiles for it.
    """

    rows: int
    columns: int
    result_bytes: int
    load_bytes: int
    is_costly: bool = False

    @property
    def is_worth_slicing(self) -> bool:
        """Whether slices save shared memory, or let stores overlap long computations."""
        return self.load_bytes > 0 or self.is_costly

    @property
    def loaded_bytes(self) -> int:
        """Bytes that the epilogue loads for the whole tile."""
        return self.rows * self.columns * self.load_bytes

    def part_bytes(self, columns: int) -> int:
        """Return the bytes of one staging slot of a warpgroup for slices of `columns`."""
        width = part_widths(columns, self.result_bytes)[0]
        return machine.MMA_ROWS * width * self.result_bytes


@dataclass(frozen=True, slots=True)
class Slices:
    """How an epilogue is sliced.

    Attributes:
        columns: Columns of a slice; 0 when the epilogue is not sliced.
        stages: Slots of the ring that slices of loaded tiles go through; 0 when none are loaded.
        slots: Staging slots of each warpgroup.
        shared: Whether all results take the same staging slots one after the other.
    """

    columns: int
    stages: int
    slots: int
    shared: bool = False

    def bytes_for(self, tiles: Iterable[SlicedTile], consumers: int) -> int:
        """Return the shared memory that `consumers` warpgroups need for slices of `tiles`."""
        return sum(
            self.stages * _aligned(tile.rows * self.columns * tile.load_bytes)
            + self.slots * consumers * _aligned(tile.part_bytes(self.columns))
            for tile in tiles
        )

    def cycles(self, tiles: Sequence[SlicedTile]) -> float:
        """Return the cycles that the epilogue of `tiles` takes for slices, without computing them.

        Those that have no slot of the ring are requested when one of the first has been computed.
        """
        count = slice_count(tiles, self.columns)
        waiting = count * machine.SLICE_CYCLES * (1 if self.slots > 1 else 2)
        if not self.stages:
            return waiting
        late = max(0, count - self.stages) / self.stages
        return waiting + late * machine.SLICE_LOAD_CYCLES


def slice_count(tiles: Iterable[SlicedTile], columns: int) -> int:
    """Return into how many slices of `columns` an epilogue cuts `tiles`."""
    return sum(tile.columns // columns for tile in tiles)


def part_columns(result_bytes: int) -> int:
    """Return the columns of a result that a warpgroup stages at a time."""
    return machine.EPILOGUE_PART_BYTES // (machine.MMA_ROWS * result_bytes)


def part_widths(columns: int, result_bytes: int) -> list[int]:
    """Return the columns of the parts that `columns` of a result are cut into, widest first.

    As many of the widest as there are; the rest in powers of two, which TMA can swizzle.
    """
    most = part_columns(result_bytes)
    widths = [most] * (columns // most)
    rest = columns % most
    while rest:
        widths.append(1 << (rest.bit_length() - 1))
        rest -= widths[-1]
    return widths


def shares_rows(tiles: Iterable[SlicedTile], consumers: int) -> bool:
    """Tell whether every slice has rows of each of `consumers` warpgroups, as many of each."""
    return all(tile.rows % (machine.MMA_ROWS * consumers) == 0 for tile in tiles)


def slice_options(tiles: Sequence[SlicedTile], consumers: int) -> list[Slices]:
    """Return the slices that `tiles` divide into, the widest first.

    Args:
        tiles: What the epilogue computes.
        consumers: Warpgroups that share each of them.
    """
    widest = min(part_columns(tile.result_bytes) for tile in tiles)
    widths = [widest >> shift for shift in _HALVINGS]
    widths = [item for item in widths if item >= MIN_SLICE_COLUMNS and divides(tiles, item)]
    if not any(tile.load_bytes for tile in tiles):
        return [Slices(width, 0, slots) for slots in _SLOTS for width in widths]
    threads = consumers * machine.WARPGROUP_THREADS
    rows = max(tile.rows for tile in tiles)
    narrow = [item for item in widths if rows * item <= machine.SLICE_ELEMENTS * threads]
    return [
        Slices(width, stages, slots)
        for width in narrow or widths[-1:]
        for slots in _SLOTS
        for stages in _ring_slots(tiles, width)
    ]


def _ring_slots(tiles: Iterable[SlicedTile], columns: int) -> Iterator[int]:
    """Yield the slots that a ring of slices may have: as many as there are slices, or a part."""
    count = slice_count(tiles, columns)
    return (slots for slots in range(min(count, MAX_SLICES_AHEAD), 0, -1) if count % slots == 0)


def divides(tiles: Iterable[SlicedTile], columns: int) -> bool:
    """Tell whether slices of `columns` make up each of `tiles`."""
    return all(tile.columns % columns == 0 for tile in tiles)


def best_slices(
    options: Sequence[Slices], tiles: Sequence[SlicedTile], stages: Callable[[Slices], int]
) -> Slices | None:
    """Return the best of the options for `tiles`; None for none.

    Without loads: the first of those that leave the most stages to the operands. Else the one that
    costs least of those that leave enough: what slices cost, and what few stages do.
    """
    if not any(tile.load_bytes for tile in tiles):
        return max(options, key=stages, default=None)

    def rank(option: Slices) -> tuple[bool, float]:
        left = stages(option)
        cycles = option.cycles(tiles) + machine.RING_CYCLES / left if left else math.inf
        return left < machine.MIN_STAGES, cycles

    return min(options, key=rank, default=None)


def _aligned(size: int) -> int:
    return -(-size // machine.SLOT_ALIGNMENT) * machine.SLOT_ALIGNMENT
