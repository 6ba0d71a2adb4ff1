"""What a matrix multiply costs with a given tile.

The model takes, per k-tile, the slowest of tensor cores, shared memory and L2, adds the epilogue
and counts waves of CTAs. It ranks tiles of one problem; it does not predict times. Pure Python.
"""

import math

from tilec.plan import machine
from tilec.plan.epilogue import part_widths
from tilec.plan.gemm.edges import outside_cycles
from tilec.plan.gemm.memory import Traffic, add_powers, l2_cycles, outgrows_l2
from tilec.plan.gemm.tile import GemmTile, shares_divide
from tilec.plan.placement import Placement, gathers
from tilec.plan.split import HELD_BYTES, split_range
from tilec.plan.teams import PINGPONG_TEAMS
from tilec.plan.thread_operands import copy_cycles
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass, replace

LARGE_EXTENT = 8192
"""Extent of a dim whose size is not known."""


@dataclass(frozen=True, slots=True)
class GemmCost:
    """The modelled time of a matrix multiply, in cycles of an SM, and its terms.

    Attributes:
        placement: How many CTAs there are, and where they start.
        k_tiles: k-tiles of one tile, or of one split of it.
        tensor: Per k-tile: the tensor cores.
        shared: Per k-tile: shared memory, written by TMA and read by wgmma.
        l2: Per k-tile: L2, which all CTAs that run share.
        threads: Per k-tile: threads that compute an operand in registers.
        outside: Per k-tile: TMA, where it fills rows of a tile that lie outside of the array.
        bubble: Per k-tile: tensor cores idle between two k-tiles.
        epilogue: Per tile: conversion and store, and what the epilogue loads.
        loading: Per tile: the part of the epilogue that loaded tiles take.
        outgrows_l2: Whether the operands of a wave are more than L2 keeps for the next one.
        reads_on: Whether an operand is read once and has K contiguous.
        latency: Per k-tile: what its copy takes from issue to arrival, over the stages.
        memory: Once: the least time in which operands and result cross the memory bus.
        filled_memory: The same with a CTA on every SM, where fewer need as many rounds of tiles; 0
            where there is one round.
        late_memory: The same after a late start, of neighbours or of single CTAs; infinite where it
            cannot pay.
        cut: Whether half of the rows of the last tiles lie outside, or more.
        few_rows: Whether the product has as few rows as those whose crowds were timed.
        pingpong: Whether one consumer multiplies while the other one stores.
        start: Once: until the first operands have arrived. Loads of later tiles overlap the
            epilogue of the one before.
        reduction: Once: the last split of a tile waits for the others and adds their sums.
        deferred: Whether a tile is stored while the products of the next one run.
    """

    placement: Placement
    k_tiles: int
    tensor: float
    shared: float
    l2: float
    bubble: float
    epilogue: float
    start: float
    latency: float = 0.0
    memory: float = 0.0
    filled_memory: float = 0.0
    late_memory: float = math.inf
    cut: bool = False
    few_rows: bool = False
    pingpong: bool = False
    reduction: float = 0.0
    deferred: bool = False
    loading: float = 0.0
    outgrows_l2: bool = False
    outside: float = 0.0
    reads_on: bool = False
    threads: float = 0.0

    @property
    def ctas(self) -> int:
        """Tiles of the result, rounded up to whole clusters; each split of a tile counts."""
        return self.placement.ctas

    @property
    def waves(self) -> int:
        """Rounds of tiles on the machine."""
        return self.placement.waves

    @property
    def power(self) -> float:
        """Per k-tile: what the clock loses to the power that the traffic of L2 draws."""
        return self.l2 * machine.L2_POWER_SHARE

    @property
    def k_tile(self) -> float:
        """Cycles of one k-tile: its slowest term, the bubble and the power."""
        loading = self.l2 + self.outside
        slowest = max(self.tensor, self.shared, loading, self.threads)
        busy = slowest + self.bubble + self.power
        return max(busy, self.latency)

    @property
    def computing(self) -> float:
        """Cycles of the whole product, were memory as fast as L2.

        Consumers that ping-pong overlap the store of a tile with the products of the next one, but
        for the last store, and for what is longer than these products. So do those that defer it,
        but for some of it: what is loaded is added to a tile before it can wait.
        """
        products = self.k_tiles * self.k_tile
        one, last = products + self.epilogue, 0.0
        if self.pingpong:
            one = max(products, one / PINGPONG_TEAMS) + machine.TURN_CYCLES
            last = self.epilogue
        elif self.deferred:
            last = self.epilogue - self.loading
            one = max(products, last) + machine.DEFERRED_CYCLES + self.loading
        return self.waves * one + last + self.start + self.reduction

    @property
    def streaming(self) -> float:
        """Cycles from the first operands to the last whole sums: computing and memory overlap."""
        memory = self.filled_memory if self.fills_gpu else self.memory
        return add_powers(self._working, memory, machine.OVERLAP_SHARPNESS)

    @property
    def fills_gpu(self) -> bool:
        """Whether every SM should have a CTA: memory bounds the time, and gives more to more."""
        return self._working < self.memory and 0 < self.filled_memory < self.memory

    @property
    def finds_room(self) -> bool:
        """Whether neighbours leave room for clusters of the next launch, or take all SMs."""
        place = self.placement
        return not place.gathered or place.idle >= machine.ROOM_FOR_CLUSTERS or self.fills_gpu

    @property
    def _working(self) -> float:
        """Cycles from the first operands to the last whole sums, were memory as fast as L2."""
        return self.computing - self.start - self.reduction

    @property
    def late_start_saves(self) -> float:
        """Cycles that a start after the end of the kernel before saves; 0 for an early start."""
        if math.isinf(self.late_memory):
            return 0.0
        return self._neighbours_save if self.placement.gathered else self._crowd_saves

    @property
    def _neighbours_save(self) -> float:
        """The same of neighbours, if memory binds them."""
        late = add_powers(self._working, self.late_memory, machine.OVERLAP_SHARPNESS)
        saved = self.streaming - late - self.placement.late_start_cycles
        bound = self.memory >= machine.MEMORY_BOUND * self.computing
        return saved if bound and saved > machine.LATE_MARGIN * self.streaming else 0.0

    @property
    def _crowd_saves(self) -> float:
        """The same of single CTAs that read the same bytes, if these bind or a crowd reads them.

        Computing and memory then overlap. A crowd of cut tiles starts late, but that does not make
        it better than other tiles (docs/measurements/2026-11-27-late-crowds.md).
        """
        saved = self.streaming - max(self._working, self.late_memory) - machine.LAUNCH_CYCLES
        near = saved if saved > machine.NEAR_MARGIN * self.streaming else 0.0
        crowd = machine.CROWD_SAVES * self.streaming - machine.LAUNCH_CYCLES
        if not self._is_crowd or crowd <= machine.CROWD_MARGIN * self.streaming:
            return near
        return max(near, 1.0 if self.cut else crowd)

    @property
    def _is_crowd(self) -> bool:
        """Whether an early start spreads single CTAs that read the same bytes: no others fit."""
        fills = self.placement.idle < machine.ROOM_FOR_NEXT
        return fills and self.few_rows and self.memory >= machine.CROWD_BOUND * self.computing

    @property
    def cycles(self) -> float:
        """Cycles of the whole product.

        Where the memory bus decides, a little of the rest still does, so that plans differ. Nothing
        is read before the kernel has started, nor while the splits of tiles are added up. What TMA
        fills outside of arrays keeps nobody from reading.
        """
        alone = self.start + self.reduction
        work = replace(self, outside=0.0).computing
        hidden = machine.HIDDEN_SHARE * work
        return self.streaming + alone + hidden - self.late_start_saves

    @property
    def bound(self) -> str:
        """Which term of a k-tile is the slowest."""
        terms = {
            "tensor": self.tensor,
            "shared": self.shared,
            "L2": self.l2,
            "outside": self.outside,
            "threads": self.threads,
        }
        return max(terms, key=terms.__getitem__)


def gemm_cost(
    tile: GemmTile,
    extents: tuple[int, ...],
    target: Target,
    batch: int = 1,
    factors: tuple[float, float] = (1.0, 1.0),
    contiguous: tuple[bool, bool] = (False, False),
) -> GemmCost:
    """Model an M x N x K multiply on the whole chip.

    Args:
        tile: A tile that fits.
        extents: M, N and K.
        target: Machine.
        batch: How many such products the kernel computes.
        factors: Bytes of L2 that a byte of A and of B costs.
        contiguous: Whether M is contiguous in A, and N in B; else K is.
    """
    place = _placement(tile, extents, batch, contiguous, target)
    sharing = _sharing(tile, place, contiguous)
    active = min(place.ctas, tile.at_once(target))
    # Where rows of B begin inside of sectors, late starts and single CTAs for pairs were slower.
    known = factors[1] == 1.0 and not contiguous[0]
    peers = sharing.cluster[0] if known else 1
    traffic = Traffic(tile, extents, batch, contiguous)
    together = replace(traffic, tile=sharing)
    filled = together.filled_cycles(place, tile.at_once(target), target)
    return replace(
        _working(tile, place, extents, contiguous, target),
        l2=l2_cycles(sharing, extents, factors, active) * place.l2_share,
        memory=together.early_cycles(place, target),
        filled_memory=filled,
        late_memory=traffic.late_cycles(place, target, crowds=known),
        cut=2 * (-extents[0] % tile.m) >= tile.m,
        few_rows=extents[0] <= machine.CROWD_ROWS,
        outgrows_l2=place.waves > 1 and outgrows_l2(tile, extents, active, batch),
        outside=outside_cycles(sharing, extents, place.waves, peers),
    )


def _working(
    tile: GemmTile,
    place: Placement,
    extents: tuple[int, ...],
    contiguous: tuple[bool, bool],
    target: Target,
) -> GemmCost:
    """Return the cost without what comes from L2 and from memory."""
    consumers = tile.consumers(target)
    return GemmCost(
        placement=place,
        k_tiles=len(split_range(0, tile.split_k, -(-extents[2] // tile.k))),
        tensor=_tensor(tile),
        shared=_shared(tile, consumers, contiguous),
        l2=0.0,
        bubble=_bubble(tile, consumers),
        epilogue=_epilogue(tile, consumers, target),
        start=_start(tile, place.gathered),
        latency=machine.COPY_CYCLES / min(tile.stages(target), machine.MAX_STAGES),
        pingpong=tile.pingpong,
        reduction=_reduction(tile, consumers),
        deferred=tile.defers(place.waves, target),
        loading=_loading(tile, consumers, target),
        reads_on=_reads_on(tile, extents, contiguous),
        threads=_held(tile) if consumers > 1 else 0.0,
    )


def _placement(
    tile: GemmTile,
    extents: tuple[int, ...],
    batch: int,
    contiguous: tuple[bool, bool],
    target: Target,
) -> Placement:
    """Return how many CTAs there are, and where they start."""
    ctas = batch * _tiles_in_clusters(tile, extents)
    waves = -(-ctas // tile.at_once(target))
    idle = 1 - ctas / (waves * target.sm_count)
    whole = extents[0] <= tile.m and not contiguous[0]
    return Placement(ctas, waves, idle, gathers(tile, extents), whole)


def _sharing(tile: GemmTile, place: Placement, contiguous: tuple[bool, bool]) -> GemmTile:
    """Return the tile in the cluster whose CTAs share what they load; alone where none does."""
    own = place.gathered or not shares_divide(tile, contiguous)
    return replace(tile, cluster=(1, 1)) if own else tile


def _tiles_in_clusters(tile: GemmTile, extents: tuple[int, ...]) -> int:
    """Return the tiles of a product, rounded up to whole clusters; each split of a tile counts."""
    (m, n, _), (along_m, along_n) = extents, tile.cluster
    clusters = -(-m // (tile.m * along_m)) * -(-n // (tile.n * along_n))
    return clusters * along_m * along_n * tile.split_k


def _tensor(tile: GemmTile) -> float:
    """Return the cycles of the tensor cores for one k-tile."""
    rate = tile.rate * machine.MMA_ISSUE_SHARE
    return tile.together.products * tile.volume / rate


def _reads_on(tile: GemmTile, extents: tuple[int, ...], contiguous: tuple[bool, bool]) -> bool:
    """Tell whether an operand is read once and has K contiguous: its next k-tile follows it."""
    (m, n, _), (along_m, along_n) = extents, tile.cluster
    once = n <= tile.n * along_n, m <= tile.m * along_m
    return any(one and not strided for one, strided in zip(once, contiguous, strict=True))


def _reduction(tile: GemmTile, consumers: int) -> float:
    """Return the cycles in which the last split of a tile waits for the others and adds them."""
    if tile.split_k == 1:
        return 0.0
    count, partial = tile.split_k - 1, tile.m * tile.n * tile.accumulator_bytes
    held = consumers * machine.WARPGROUP_THREADS * HELD_BYTES // partial
    rounds = -(-count // max(1, held))
    adding = count * partial / machine.PARTIAL_BYTES_PER_CYCLE[consumers]
    return machine.EXCHANGE_CYCLES + max(adding, rounds * machine.PARTIAL_LATENCY)


def _epilogue(tile: GemmTile, consumers: int, target: Target) -> float:
    """Return the cycles of a warpgroup for its share of the result, part after part, with loads."""
    rows, columns = tile.rows // machine.MMA_ROWS, tile.columns
    if rows % consumers:
        columns //= consumers
    else:
        rows //= consumers
    parts = rows * len(part_widths(columns, tile.output_bytes))
    each = tile.m * tile.n / (consumers * machine.WARPGROUP_THREADS)
    cycles = parts * machine.PART_CYCLES + each * machine.ELEMENT_CYCLES
    slower = machine.PINGPONG_EPILOGUE if tile.pingpong else 1.0
    own = machine.EPILOGUE_CYCLES + slower * cycles
    return own + _loading(tile, consumers, target)


def _loading(tile: GemmTile, consumers: int, target: Target) -> float:
    """Return the cycles that the tiles which an epilogue loads add to it."""
    if not tile.epilogue_bytes:
        return 0.0
    each = tile.m * tile.n / (consumers * machine.WARPGROUP_THREADS)
    slices = tile.slices(target)
    waiting = slices.cycles(tile.sliced) if slices is not None else machine.SLICE_LOAD_CYCLES
    return waiting + each * machine.LOADED_CYCLES


def _start(tile: GemmTile, gathered: bool) -> float:
    """Return the cycles until the first k-tile has arrived."""
    filling = tile.slot_bytes / machine.FILL_BYTES_PER_CYCLE
    together = machine.CLUSTER_CYCLES if tile.cluster != (1, 1) and not gathered else 0
    return machine.START_CYCLES + filling + together


def _bubble(tile: GemmTile, consumers: int) -> float:
    clustered = tile.epilogue_bytes and tile.cluster != (1, 1)
    waiting = machine.LOADED_CLUSTER_CYCLES if clustered else 0
    waiting += tile.staged_elements * machine.STAGED_CYCLES + copy_cycles(tile.copies)
    waiting += _held(tile) * machine.ALONE_SHARE if consumers == 1 else 0
    own = machine.MMA_BUBBLE_CYCLES[consumers]
    if tile.together.products > 1:
        own = min(own, machine.TOGETHER_BUBBLE_CYCLES)
    return waiting + (machine.PINGPONG_BUBBLE_CYCLES if tile.pingpong else own)


def _held(tile: GemmTile) -> float:
    """Return the cycles in which threads compute a k-tile of A in registers.

    The products of other consumers hide them, but not those of one that is alone or has its turn:
    at 256x8192x4096, 256x64x64 tiles took 10% longer than 128x128x64 ones (weights of 8 bits, H100,
    2026-11-26).
    """
    return tile.held_elements * machine.HELD_CYCLES


def _shared(tile: GemmTile, consumers: int, contiguous: tuple[bool, bool]) -> float:
    """Return the cycles in which TMA writes a k-tile to shared memory and wgmma reads it.

    Every 64-row instruction reads its own rows of A and all of its columns of B (of B and A where
    they are swapped). Warpgroups that share the columns all read the rows of A. Threads read what
    they compute A from in accesses of one element, or of two where K is contiguous; one access of a
    warp takes a cycle. An operand that they stage they read and write once.
    """
    readers_of_a = consumers if tile.rows % (machine.MMA_ROWS * consumers) else 1
    readers_of_b: float = max(1, tile.rows // machine.MMA_ROWS)
    if tile.pingpong and tile.epilogue_bytes:
        readers_of_b = 1 + (readers_of_b - 1) * machine.LOADED_REREAD_SHARE
    rows = 0 if tile.held_elements else tile.rows * readers_of_a
    read = (rows + tile.columns * readers_of_b) * tile.k * tile.element_bytes
    products = tile.together.products
    overlaps = products > 1 and consumers > 1
    written = tile.slot_bytes * (machine.TOGETHER_WRITE_SHARE if overlaps else 1)
    traffic = products * read + written
    traffic += 2 * tile.staged_elements * tile.element_bytes
    each = 1 if contiguous[tile.is_swapped] else 2
    accesses = tile.held_elements / (each * machine.WARP_THREADS)
    return traffic / machine.SHARED_BYTES_PER_CYCLE + accesses
