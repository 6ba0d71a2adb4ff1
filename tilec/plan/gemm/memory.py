"""What a matrix multiply reads from memory, how fast, and what L2 keeps of it. Pure Python."""

from tilec.plan import machine
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.placement import Placement
from tilec.plan.work import tile_group
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass


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
        spread = place.waves == 1 and not self.contiguous[0]
        crowd = machine.FAR_READ if spread else machine.CROWDED_READ
        return self._bytes((machine.SHARED_READ, crowd)) / memory_rate(place, target)

    def late_cycles(self, place: Placement, target: Target) -> float:
        """Return the cycles in which single CTAs stream after a late start; 0 if none would pay.

        Where the GPU is empty, CTAs with neighbouring numbers start in one GPC, and those of one
        column of tiles, which read the same bytes of B, have such numbers
        (`tilec/plan/placement.py`). CTAs that take several tiles soon read others, and so do the
        splits of a tile.
        """
        tile, (m, n, _) = self.tile, self.extents
        alone = place.waves == 1 and tile.split_k == 1 and tile.cluster == (1, 1)
        if not alone or tile.m >= m or tile.n >= n:
            return 0.0
        most = min(bus_rate(target), machine.LATE_MOST)
        rate = _bent(most, machine.EVEN_BYTES_PER_CYCLE * place.ctas)
        return self._bytes((1.0, machine.NEAR_READ)) / rate

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


def memory_rate(place: Placement, target: Target) -> float:
    """Return the bytes per cycle that CTAs draw from memory on average, after an early start."""
    bus, each = bus_rate(target), machine.SM_MEMORY_BYTES_PER_CYCLE
    if place.idle >= machine.ROOM_FOR_NEXT:
        bus, each = min(bus, machine.EVEN_MOST), machine.EVEN_BYTES_PER_CYCLE
    return _bent(bus, place.ctas / place.waves * each) / place.memory_share


def bus_rate(target: Target) -> float:
    """Return the bytes that cross the memory bus in a cycle of an SM."""
    return target.gpu.memory_rate / machine.MEMORY_CYCLES_PER_SECOND


def _bent(bus: float, sms: float) -> float:
    """Return the lesser rate, less where both are alike."""
    sharp = machine.MEMORY_SHARPNESS
    return (bus**-sharp + sms**-sharp) ** (-1 / sharp)
