"""What a matrix multiply costs with a given tile, and whether the tile fits the machine.

The model takes, per k-tile, the slowest of tensor cores, shared memory and L2, adds the epilogue
and counts waves of CTAs. It ranks tiles of one problem; it does not predict times. Pure Python.
"""

from dataclasses import dataclass

from tilec.plan import machine
from tilec.plan.registers import accumulator_limit, accumulator_registers
from tilec.target import Target

LARGE_EXTENT = 8192
"""Extent of a dim whose size is not known."""
MIN_STAGES = 3
"""Fewest slots that keep loads ahead of a consumer that holds one and frees one."""


@dataclass(frozen=True, slots=True)
class GemmTile:
    """One CTA's share of a matrix multiply.

    Attributes:
        m: Rows of the accumulator.
        n: Columns of the accumulator.
        k: Depth of one k-tile.
        element_bytes: Size of an operand element.
        output_bytes: Size of a result element.
    """

    m: int
    n: int
    k: int
    element_bytes: int
    output_bytes: int

    @property
    def consumers(self) -> int:
        """Warpgroups that share the tile: one per 64 rows, up to two."""
        return 2 if self.m % (2 * machine.MMA_ROWS) == 0 else 1

    @property
    def slot_bytes(self) -> int:
        """Bytes of both operands of one k-tile."""
        return (self.m + self.n) * self.k * self.element_bytes

    def stages(self, target: Target) -> int:
        """Return how many slots fit beside the staging buffer of the epilogue."""
        staging = machine.EPILOGUE_SLOTS * self.consumers * machine.EPILOGUE_PART_BYTES
        free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - staging
        return max(0, free // self.slot_bytes)


def misfit(tile: GemmTile, target: Target) -> str | None:
    """Return why the tile does not fit the machine, or None when it does."""
    step = machine.MMA_K_BYTES // tile.element_bytes
    if tile.m % machine.MMA_ROWS or tile.n % machine.MMA_COLUMN_STEP or tile.k % step:
        return (
            f"an mma of {tile.m} x {tile.n} x {tile.k} is not made of wgmma instructions "
            f"(multiples of {machine.MMA_ROWS} x {machine.MMA_COLUMN_STEP} x {step})"
        )
    registers = accumulator_registers(tile.m, tile.n, 4, tile.consumers)
    limit = accumulator_limit(tile.consumers)
    if registers > limit:
        return (
            f"the {tile.m} x {tile.n} accumulator takes {registers} registers a thread of "
            f"{tile.consumers} warpgroup{'s' * (tile.consumers > 1)}; at most {limit} fit"
        )
    stages = tile.stages(target)
    if stages < MIN_STAGES:
        return (
            f"shared memory of {target.shared_memory_bytes} bytes holds {stages} stages of "
            f"{tile.slot_bytes} bytes beside a {tile.m} x {tile.n} result; {MIN_STAGES} are needed"
        )
    return None


def gemm_clocks(tile: GemmTile, extents: tuple[int, ...], target: Target) -> float:
    """Return the modelled clocks of an M x N x K multiply on the whole chip.

    Args:
        tile: A tile that fits.
        extents: M, N and K.
        target: Machine.
    """
    m, n, k = extents
    ctas = -(-m // tile.m) * -(-n // tile.n)
    waves = -(-ctas // target.sm_count)
    k_tiles = -(-k // tile.k)
    active = min(ctas, target.sm_count)
    tensor = tile.m * tile.n * tile.k * tile.element_bytes / machine.MMA_BYTES_PER_CLOCK
    shared = (_operand_bytes(tile) + tile.slot_bytes) / machine.SHARED_BYTES_PER_CLOCK
    level2 = tile.slot_bytes * active / machine.L2_BYTES_PER_CLOCK
    epilogue = (
        tile.m
        * tile.n
        * (tile.output_bytes / machine.STORE_BYTES_PER_CLOCK + machine.CONVERT_CLOCKS)
    )
    bubble = machine.MMA_BUBBLE_CLOCKS[tile.consumers]
    per_k_tile = max(tensor / 0.97, shared, level2) + bubble
    per_tile = k_tiles * per_k_tile + epilogue + machine.START_CLOCKS
    return waves * per_tile


def _operand_bytes(tile: GemmTile) -> int:
    """Return the bytes that wgmma reads from shared memory for one k-tile.

    Every 64-row instruction reads its own rows of A and all of its columns of B.
    """
    row_blocks = tile.m // machine.MMA_ROWS
    column_blocks = -(-tile.n // machine.MMA_MAX_COLUMNS)
    rows_of_a = tile.m * column_blocks
    return (rows_of_a + tile.n * row_blocks) * tile.k * tile.element_bytes
