"""What a matrix multiply reads from memory, how fast, and what L2 keeps of it. Pure Python."""

from tilec.plan import machine
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.placement import Placement
from tilec.plan.work import tile_group
from tilec.request.target import Target


def memory_bytes(
    tile: GemmTile, extents: tuple[int, ...], batch: int, contiguous: tuple[bool, bool]
) -> float:
    """Return the bytes of operands and results, as many as cost what a first read of them costs.

    Each crosses the memory bus once. CTAs that read the same bytes do so at about the same time:
    the later ones wait for them, too, and load the way to memory.
    """
    m, n, k = extents
    rows, columns = -(-m // (tile.m * tile.cluster[0])), -(-n // (tile.n * tile.cluster[1]))
    sizes = tile.operand_bytes
    a, b = (
        size * _short_run(tile, size, strided)
        for size, strided in zip(sizes, contiguous, strict=True)
    )
    a *= m * tile.together.a_tiles * _reads(columns, tile)
    b *= n * tile.together.b_tiles * _reads(rows, tile)
    results = m * n * (tile.output_bytes + tile.epilogue_bytes)
    return batch * ((a + b) * k + results)


def _reads(readers: int, tile: GemmTile) -> float:
    """Return what `readers` of the same bytes cost, as a multiple of one."""
    if readers == 1:
        return 1.0
    is_crowded = readers >= machine.CROWD and tile.split_k == 1
    return machine.CROWDED_READ if is_crowded else machine.SHARED_READ


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
    bus = target.gpu.memory_rate / machine.MEMORY_CYCLES_PER_SECOND
    each, sharp = machine.SM_MEMORY_BYTES_PER_CYCLE, machine.MEMORY_SHARPNESS
    if place.idle >= machine.ROOM_FOR_NEXT:
        bus, each = min(bus, machine.EVEN_MOST), machine.EVEN_BYTES_PER_CYCLE
    sms = place.ctas / place.waves * each
    return (bus**-sharp + sms**-sharp) ** (-1 / sharp) / place.memory_share
