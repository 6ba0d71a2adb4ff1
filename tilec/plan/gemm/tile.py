"""One CTA's share of a matrix multiply, and what it needs of the machine. Pure Python."""

import functools
from math import ceil

from tilec.plan import machine
from tilec.plan.deferral import fits_together
from tilec.plan.epilogue import SlicedTile, Slices, best_slices, shares_rows, slice_options
from tilec.plan.products import ALONE, TYPES_BY_SIZE, ProductsTogether
from tilec.plan.registers import (
    HELD_FRAGMENTS,
    accumulator_limit,
    accumulator_registers,
    shares,
    split_consumers,
)
from tilec.plan.teams import PINGPONG_TEAMS
from tilec.plan.thread_operands import WIDEST_COPY
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass
from tilec.support.mma_atoms import (
    ProductTypes,
    find_family,
    serves_swapped,
    warp_family,
    wgmma_family,
    why_not_tiled,
)

MAX_WARP_REGISTERS = 64
"""Most accumulator registers of a thread whose warp multiplies by mma.sync: the fragments of both
operands are in registers, too."""


@dataclass(frozen=True, slots=True)
class GemmTile:
    """One CTA's share of a matrix multiply.

    Attributes:
        m: Rows of the accumulator.
        n: Columns of the accumulator.
        k: Depth of one k-tile.
        element_bytes: Size of an operand element.
        output_bytes: Size of a result element.
        epilogue_bytes: Bytes that the epilogue loads for each element of the result.
        cluster: CTAs of a cluster along M and N. CTAs along N share their rows of A, CTAs along M
            their columns of B: one load from L2 serves all of them.
        pingpong: Whether two consumers ping-pong, instead of sharing each of them.
        split_k: CTAs that share the k-tiles of a tile.
        fixed_consumers: Warpgroups that share the tile, where that is given; 0 where it is not.
        may_defer: Whether the kernel lets the store of a tile wait for the next tile.
        may_swap: Whether the kernel lets wgmma compute the transpose.
        together: The products that run with it on the same k-tile.
        also_live: Rows and columns of the other accumulators that are live with its own.
        sums: Tiles of its shape that its loop carries next to its accumulator.
        product: Element types; None for those that go with the size of an operand element.
    """

    m: int
    n: int
    k: int
    element_bytes: int
    output_bytes: int
    epilogue_bytes: int = 0
    cluster: tuple[int, int] = (1, 1)
    pingpong: bool = False
    split_k: int = 1
    fixed_consumers: int = 0
    may_defer: bool = False
    may_swap: bool = False
    together: ProductsTogether = ALONE
    also_live: tuple[tuple[int, int], ...] = ()
    sums: int = 0
    product: ProductTypes | None = None

    @property
    def types(self) -> ProductTypes:
        """Element types of the product."""
        return self.product or TYPES_BY_SIZE[self.element_bytes]

    @property
    def accumulator_bytes(self) -> int:
        """Size of an element of the accumulator."""
        return self.types.accumulator_bytes

    @property
    def is_swapped(self) -> bool:
        """Whether wgmma computes its transpose.

        That alone has whole slices of 64 rows, or keeps a computed B in registers.
        """
        if not self.may_swap:
            return False
        if serves_swapped(self.types, (self.m, self.n, self.k)):
            return True
        family = wgmma_family(self.types)
        turned = (self.n, self.m, self.k)
        only_b = self.together.computed == (False, True)
        return only_b and family is not None and why_not_tiled(family, turned) is None

    @property
    def rows(self) -> int:
        """Rows of the accumulator as wgmma computes it."""
        return self.n if self.is_swapped else self.m

    @property
    def columns(self) -> int:
        """Columns of the accumulator as wgmma computes it."""
        return self.m if self.is_swapped else self.n

    @property
    def by_warps(self) -> bool:
        """Whether single warps multiply it (mma.sync), as it has fewer rows than a wgmma."""
        extents = (self.m, self.n, self.k)
        family = warp_family(self.types, extents)
        whole = family is not None and why_not_tiled(family, extents) is None
        return whole and self.rows % machine.MMA_ROWS != 0

    @property
    def rate(self) -> int:
        """Multiply-adds per cycle of an SM."""
        return find_family(self.types).rate

    @property
    def volume(self) -> int:
        """Multiply-adds of one k-tile."""
        return self.m * self.n * self.k

    @property
    def operand_bytes(self) -> tuple[float, float]:
        """Bytes of memory that an element of A and of B takes."""
        return self.together.loaded or (self.element_bytes, self.element_bytes)

    @property
    def sharing(self) -> tuple[int, int]:
        """How many CTAs of the cluster share a tile of A, and one of B.

        Each loads for itself what threads copy, and what they compute an operand from: their reads
        are not ordered with the copies of other CTAs.
        """
        along_m, along_n = self.cluster
        a, b = map(any, zip(self.together.computed, self.together.copied, strict=True))
        return 1 if a else along_n, 1 if b else along_m

    @property
    def slot_bytes(self) -> int:
        """Bytes of the operands of one k-tile."""
        a, b = self.operand_bytes
        rows, columns = self.m * self.together.a_tiles, self.n * self.together.b_tiles
        return ceil((rows * a + columns * b) * self.k)

    @property
    def held_elements(self) -> int:
        """Elements of a k-tile of A, as wgmma reads it, that threads compute in registers."""
        return self.rows * self.k * self.together.computed[self.is_swapped]

    def fragment_registers(self, consumers: int) -> int:
        """Return the registers of each thread for an A operand that threads compute."""
        depth = self.held_elements // self.rows
        return accumulator_registers(self.rows, depth, self.element_bytes, consumers)

    @property
    def staged_elements(self) -> int:
        """Elements of a k-tile of B, as wgmma reads it, that threads store in shared memory."""
        return self.columns * self.k * self.together.computed[not self.is_swapped]

    @property
    def copies(self) -> float:
        """Copies of 16 bytes by which threads bring a k-tile to shared memory."""
        (a, b), (copies_a, copies_b) = self.operand_bytes, self.together.copied
        rows = self.m * self.together.a_tiles * a * copies_a
        columns = self.n * self.together.b_tiles * b * copies_b
        return (rows + columns) * self.k / WIDEST_COPY

    def accumulators(self, consumers: int) -> int:
        """Return the registers of the accumulators that are live together, of each thread."""
        tiles = (*[(self.m, self.n)] * (1 + self.sums), *self.also_live)
        return sum(accumulator_registers(m, n, self.accumulator_bytes, consumers) for m, n in tiles)

    def l2_bytes(self, factors: tuple[float, float] = (1.0, 1.0)) -> float:
        """Return the bytes of one k-tile that a CTA causes to be read from L2.

        A cluster of c_m x c_n reads each row of A once for its c_n CTAs along N, and each column of
        B once for its c_m CTAs along M. `factors` is what a byte of A and of B costs.
        """
        (a, b), (sharing_a, sharing_b) = self.operand_bytes, self.sharing
        rows = self.together.a_tiles * self.m / sharing_a * factors[0] * a
        columns = self.together.b_tiles * self.n / sharing_b * factors[1] * b
        return (rows + columns) * self.k

    def consumers(self, target: Target) -> int:
        """Return how many warpgroups share the tile."""
        if self.pingpong:
            return 1
        rule = split_consumers([(self.rows, self.columns, self.accumulator_bytes)], target)
        return self.fixed_consumers or rule

    def warpgroups(self, target: Target) -> int:
        """Return how many warpgroups consume tiles at a time."""
        return PINGPONG_TEAMS if self.pingpong else self.consumers(target)

    def defers(self, waves: int, target: Target) -> bool:
        """Tell whether the store of a tile waits for the next one, of `waves` that a CTA has."""
        return self.may_defer and waves > 1 and self.can_defer(target)

    def at_once(self, target: Target) -> int:
        """Return how many CTAs, in whole clusters, run at the same time."""
        size = self.cluster[0] * self.cluster[1]
        room = target.sm_count if size <= 2 else int(target.sm_count * machine.CLUSTER_ROOM)
        return room // size * size

    def can_defer(self, target: Target) -> bool:
        """Tell whether its store can wait: in registers, with the accumulators of the next."""
        consumers = self.consumers(target)
        accumulators = self.accumulators(consumers)
        waiting = accumulator_registers(self.m, self.n, self.output_bytes, consumers)
        fits = fits_together(accumulators, waiting, consumers, target, self.epilogue_bytes)
        return fits and not self.pingpong and not self.by_warps and self.split_k == 1

    @property
    def sliced(self) -> tuple[SlicedTile]:
        """The result as what an epilogue computes in slices."""
        return (SlicedTile(self.rows, self.columns, self.output_bytes, self.epilogue_bytes),)

    def slices(self, target: Target) -> Slices | None:
        """Return the slices of an epilogue that loads tiles; None where it stays whole."""
        consumers, warpgroups = self.consumers(target), self.warpgroups(target)
        if not self.epilogue_bytes or not shares_rows(self.sliced, consumers):
            return None
        return _best_slices(self.sliced, self.slot_bytes, consumers, warpgroups, target)

    def staging_bytes(self, target: Target) -> int:
        """Return the bytes of shared memory of the epilogue: what it loads and what it stores."""
        warpgroups = self.warpgroups(target)
        slices = self.slices(target)
        if slices is not None:
            return slices.bytes_for(self.sliced, warpgroups)
        slots = 1 if self.epilogue_bytes else machine.EPILOGUE_SLOTS
        parts = slots * warpgroups * machine.EPILOGUE_PART_BYTES
        return parts + self.m * self.n * self.epilogue_bytes

    def stages(self, target: Target) -> int:
        """Return how many slots fit next to what the epilogue needs."""
        return _fitting(self.staging_bytes(target), self.slot_bytes, target)


def _fitting(staging: int, slot_bytes: int, target: Target) -> int:
    """Return how many slots fit next to what the epilogue needs."""
    free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - staging
    return max(0, free // slot_bytes)


@functools.cache
def _best_slices(
    tiles: tuple[SlicedTile], slot_bytes: int, consumers: int, warpgroups: int, target: Target
) -> Slices | None:
    """Return the slices of tiles that `consumers` share, next to slots of `slot_bytes`.

    Kept: tiles in clusters have the slices of those without, and every term asks for them.
    """
    return best_slices(
        slice_options(tiles, consumers),
        tiles,
        lambda item: _fitting(item.bytes_for(tiles, warpgroups), slot_bytes, target),
    )


def shares_divide(tile: GemmTile, contiguous: tuple[bool, bool], *, cut: bool = True) -> bool:
    """Tell whether the CTAs of the cluster of a tile can divide what they share among them.

    They divide the swizzle spans of the contiguous axis, or the rows of a single span; steps of K
    along the rows also where there are several spans (`nv-tileas-assign-operand-layouts`).

    Args:
        tile: The tile.
        contiguous: Whether M is contiguous in A, and N in B; else K is.
        cut: Whether spans may be cut.
    """
    shared = zip((tile.m, tile.n), contiguous, tile.sharing, strict=True)
    sizes = (machine.SWIZZLE_BYTES, machine.MMA_K_BYTES)
    span, step = (size // tile.element_bytes for size in sizes)

    def divides(outer: int, is_contiguous: bool, peers: int) -> bool:
        extent = outer if is_contiguous else tile.k
        steps = cut and is_contiguous and tile.k % (peers * step) == 0
        return extent <= span or extent // span % peers == 0 or steps

    return all(divides(*item) for item in shared)


def misfit(tile: GemmTile, target: Target) -> str | None:
    """Return why the tile does not fit the machine, or None when it does."""
    if tile.by_warps:
        return _misfit_of_warps(tile, target)
    step = machine.MMA_K_BYTES // tile.element_bytes
    if tile.rows % machine.MMA_ROWS or tile.columns % machine.MMA_COLUMN_STEP or tile.k % step:
        return (
            f"an mma of {tile.m} x {tile.n} x {tile.k} is not made of wgmma instructions "
            f"(multiples of {machine.MMA_ROWS} x {machine.MMA_COLUMN_STEP} x {step})"
        )
    consumers = tile.consumers(target)
    if not shares(tile.rows, tile.columns, consumers):
        return f"{consumers} warpgroups cannot share a {tile.m} x {tile.n} accumulator"
    registers = tile.accumulators(consumers)
    limit = accumulator_limit(tile.warpgroups(target), target)
    limit -= machine.LOADED_REGISTERS if tile.epilogue_bytes else 0
    limit -= machine.COMBINED_REGISTERS if tile.also_live else 0
    limit -= HELD_FRAGMENTS * tile.fragment_registers(consumers)
    if registers > limit:
        others = len(tile.also_live) + tile.sums
        several = f" with {others} more" if others else ""
        return (
            f"the {tile.m} x {tile.n} accumulator{several} takes {registers} registers a thread of "
            f"{consumers} warpgroup{'s' * (consumers > 1)}; at most {limit} fit"
        )
    return _short_of_stages(tile, target)


def _misfit_of_warps(tile: GemmTile, target: Target) -> str | None:
    """Return why a tile that single warps multiply does not fit the machine."""
    if tile.pingpong or tile.split_k > 1:
        return "only products of wgmma can ping-pong or be split along K"
    if tile.accumulators(1) > MAX_WARP_REGISTERS:
        return (
            f"the {tile.m} x {tile.n} accumulator takes {tile.accumulators(1)} registers a thread"
            f" of 4 warps; at most {MAX_WARP_REGISTERS} fit"
        )
    return _short_of_stages(tile, target)


def _short_of_stages(tile: GemmTile, target: Target) -> str | None:
    """Return why shared memory does not hold enough stages, or None when it does."""
    stages = tile.stages(target)
    if stages < machine.MIN_STAGES:
        return (
            f"shared memory of {target.shared_memory_bytes} bytes holds {stages} "
            f"stage{'s' * (stages != 1)} of {tile.slot_bytes} bytes next to a {tile.m} x {tile.n} "
            f"result; {machine.MIN_STAGES} are needed"
        )
    return None
