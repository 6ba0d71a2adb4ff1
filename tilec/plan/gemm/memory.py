"""What a matrix multiply reads from memory, how fast, and what L2 keeps of it. Pure Python."""

import math

from tilec.plan import machine
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.placement import Placement
from tilec.plan.work import tile_group
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a matrix multiply reads from memory and writes there.

    Attributes:
        tile: The tile, in the cluster whose CTAs share what they load.
        extents: M, N and K.
        batch: How many such products the kernel computes.
        contiguous: Whether M is contiguous in A, and N in B; else K is.
    """

    tile: GemmTile
    extents: tuple[int, ...]
    batch: int
    contiguous: tuple[bool, bool]

    def early_cycles(self, place: Placement, target: Target) -> float:
        """Return the cycles in which CTAs stream after an early start, which spreads a crowd.

        Where M is contiguous in A, the rows of its boxes bind, too, which the model does not count.
        """
        return self._early_bytes(place) / memory_rate(place, target)

    def filled_cycles(self, place: Placement, slots: int, target: Target) -> float:
        """Return the same where all of `slots` CTAs start, not the fewest; 0 if none would pay.

        All draw what the bus gives until whole waves are done. Of those with one tile more, single
        CTAs lie unevenly, and neighbours in clusters evenly. CTAs that read the same bytes gain
        nothing.
        """
        if place.waves == 1 or not place.whole or self.tile.split_k > 1:
            return 0.0
        rest, each = place.ctas % slots, self._early_bytes(place) / place.ctas
        busy = _bent(bus_rate(target), slots * machine.FILLED_BYTES_PER_CYCLE)
        rate, waiting = machine.EVEN_BYTES_PER_CYCLE, 0.0
        if not place.gathered:
            rate, waiting = machine.LAST_BYTES_PER_CYCLE, machine.UNEVEN_LAST * (1 - rest / slots)
        last = rest and rest * each / _bent(busy, rest * rate)
        return (place.ctas - rest + waiting * rest) * each / busy + last

    def _early_bytes(self, place: Placement) -> float:
        """Return `_bytes` after an early start, which spreads a crowd."""
        spread = place.waves == 1 and not self.contiguous[0]
        crowd = machine.FAR_READ if spread else machine.CROWDED_READ
        return self._bytes((machine.SHARED_READ, crowd))

    def late_cycles(self, place: Placement, target: Target, *, crowds: bool) -> float:
        """Return the cycles in which CTAs stream after a late start; infinite if it cannot pay.

        Args:
            place: Where they start.
            target: Machine.
            crowds: Whether it may pay for single CTAs that read the same bytes.
        """
        if place.waves > 1:
            return math.inf
        if not place.gathered:
            return self._late_crowd(place, target) if crowds else math.inf
        if place.idle < machine.MANY_IDLE:
            return math.inf
        alone = replace(self, tile=replace(self.tile, cluster=(1, 1)))
        return alone._early_bytes(place) / _even_rate(place, bus_rate(target))

    def _late_crowd(self, place: Placement, target: Target) -> float:
        """Return `late_cycles` of single CTAs that read the same bytes.

        Where the GPU is empty, CTAs with neighbouring numbers start in one GPC, and those of one
        column of tiles, which read the same bytes of B, have such numbers
        (`tilec/plan/placement.py`). CTAs that take several tiles soon read others, and so do the
        splits of a tile.
        """
        tile, (m, n, _) = self.tile, self.extents
        alone = tile.split_k == 1 and tile.cluster == (1, 1)
        if not alone or tile.m >= m or tile.n >= n:
            return math.inf
        most = min(bus_rate(target), machine.LATE_MOST)
        return self._bytes((1.0, machine.NEAR_READ)) / _even_rate(place, most)

    def _bytes(self, reads_of_b: tuple[float, float]) -> float:
        """Return the bytes of operands and results, as many as cost what a first read of them does.

        Each crosses the memory bus once. CTAs that read the same bytes do so at about the same
        time: the later ones wait for them, too, and load the way to memory. `reads_of_b` says what
        several and what a crowd of readers of the same columns of B cost, as a multiple of one.
        """
        tile, (m, n, k) = self.tile, self.extents
        rows, columns = -(-m // (tile.m * tile.cluster[0])), -(-n // (tile.n * tile.cluster[1]))
        sizes = tile.operand_bytes
        a, b = (
            size * _short_run(tile, size, strided)
            for size, strided in zip(sizes, self.contiguous, strict=True)
        )
        reads_of_a = machine.SHARED_READ, machine.CROWDED_READ
        a *= m * tile.together.a_tiles * _reads(columns, tile, *reads_of_a)
        b *= n * tile.together.b_tiles * _reads(rows, tile, *reads_of_b)
        results = m * n * (tile.output_bytes + tile.epilogue_bytes)
        return self.batch * ((a + b) * k + results)


def _reads(readers: int, tile: GemmTile, several: float, crowd: float) -> float:
    """Return what `readers` of the same bytes cost, as a multiple of one: several, or a crowd."""
    if readers == 1:
        return 1.0
    return crowd if readers >= machine.CROWD and tile.split_k == 1 else several


def _short_run(tile: GemmTile, size: float, strided: bool) -> float:
    """Return what memory takes longer where K is contiguous and a k-tile has little of each row.

    Args:
        tile: The tile.
        size: Bytes of memory of an element of the operand.
        strided: Whether K is not contiguous.
    """
    is_short = not strided and tile.k * size < machine.RUN_BYTES
    return machine.SHORT_RUN if is_short else 1.0


def outgrows_l2(tile: GemmTile, extents: tuple[int, ...], active: int, batch: int) -> bool:
    """Tell whether L2 cannot keep what `active` CTAs read of A and B for the next wave.

    Tiles in a group of rows are swept together, whatever the user fixed. A wave that has all tiles
    of a matrix is followed by one that shares nothing with it.
    """
    m, n, k = extents
    rows, columns = -(-m // tile.m), -(-n // tile.n)
    if rows * columns <= active and batch > 1:
        return False
    high = min(rows, tile_group(tile.m))
    wide = min(columns, -(-active // high))
    a, b = tile.operand_bytes
    rows = high * tile.m * tile.together.a_tiles * a
    columns = wide * tile.n * tile.together.b_tiles * b
    held = any(tile.together.computed)
    return (rows + columns) * k > (machine.HELD_L2_BYTES if held else machine.L2_KEPT_BYTES)


def l2_cycles(
    tile: GemmTile, extents: tuple[int, ...], factors: tuple[float, float], active: int
) -> float:
    """Return the cycles in which `active` CTAs load a k-tile from L2."""
    return tile.l2_bytes(_cold(tile, extents, factors)) * active / machine.L2_BYTES_PER_CYCLE


def _cold(
    tile: GemmTile, extents: tuple[int, ...], factors: tuple[float, float]
) -> tuple[float, float]:
    """Return what a byte of A and of B costs: its first reader has to wait for memory.

    TMA fills the rows of a tile that lie outside of the array, and reads nothing for them.
    """
    m, n, _ = extents
    readers = (-(-n // tile.n), -(-m // tile.m))
    rows, columns = (
        factor * (1 + machine.COLD_SHARE / count)
        for factor, count in zip(factors, readers, strict=True)
    )
    return rows * min(1.0, m / tile.m), columns * min(1.0, n / tile.n)


def memory_rate(place: Placement, target: Target) -> float:
    """Return the bytes per cycle that CTAs draw from memory on average, after an early start."""
    bus, each = bus_rate(target), machine.SM_MEMORY_BYTES_PER_CYCLE
    if place.idle >= machine.ROOM_FOR_NEXT:
        bus, each = min(bus, machine.EVEN_MOST), machine.EVEN_BYTES_PER_CYCLE
    return _bent(bus, place.ctas / place.waves * each) / place.memory_share


def _even_rate(place: Placement, most: float) -> float:
    """Return the bytes per cycle that CTAs draw after a late start: they lie evenly spread.

    Args:
        place: Where the CTAs start.
        most: What any number of them draws.
    """
    return _bent(most, machine.EVEN_BYTES_PER_CYCLE * place.ctas)


def bus_rate(target: Target) -> float:
    """Return the bytes that cross the memory bus in a cycle of an SM."""
    return target.gpu.memory_rate / machine.MEMORY_CYCLES_PER_SECOND


def add_powers(first: float, second: float, power: float) -> float:
    """Return two numbers added as powers: about the larger one, the smaller one if `power` < 0."""
    return (first**power + second**power) ** (1 / power)


def _bent(bus: float, sms: float) -> float:
    """Return the lesser rate, less where both are alike."""
    return add_powers(bus, sms, -machine.MEMORY_SHARPNESS)
