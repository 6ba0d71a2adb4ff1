"""What is planned, and what a plan says: the records that all choosers share. Pure Python."""

from collections.abc import Callable, Iterable
from typing import Any

from tilec.plan import machine
from tilec.plan.copies import PROMOTION
from tilec.plan.epilogue import SlicedTile, Slices
from tilec.plan.graph import LoopGraph
from tilec.plan.products import MmaTile
from tilec.plan.registers import accumulator_registers
from tilec.plan.schedule import TileSchedule
from tilec.support.fast_dataclasses import dataclass, replace

PLANNED_FACTS = {
    "cluster": "planned_cluster",
    "pingpong": "planned_pingpong",
    "l2_promotion": "planned_l2_promotion",
    "share_tiles": "planned_share_tiles",
    "dependent_launch": "planned_dependent_launch",
    "fill_gpu": "planned_fill_gpu",
    "split_k": "planned_split_k",
    "defer_stores": "planned_deferral",
    "snake_k": "planned_snake",
}
"""Field of the plan -> entry of the metadata that says what the tiles were planned for."""


def no_scratch(warps: int, room: "ScratchRoom | None") -> int:
    """Return the bytes of a scratch area of `warps` warps that move no values: 0."""
    return 0


def unknown_kernel(ctas: int, warps: int) -> str | None:
    """Return why CTAs cannot share blocks of a kernel of which nothing is known."""
    return "nothing is known of the kernel"


@dataclass(frozen=True, slots=True)
class Reuse:
    """What tiles of a grid share.

    Attributes:
        order: The axes of the grid from the slowest to the fastest: tiles that load the same in
            their loops follow each other, or come as far apart as possible, if their rounds are
            skipped by what is loaded; empty where no axis has such tiles.
        shared: The axes along which the loops of tiles load the same.
        growth: 1 if tiles have more rounds the larger their coordinate along the fastest axis is,
            -1 if they have fewer, 0 if they have the same or nobody knows.
        arrays: Names of the arrays that loops load from.
        once: Whether one tile alone loads what its loops load.
    """

    order: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    growth: int = 0
    arrays: tuple[str, ...] = ()
    once: bool = False

    @property
    def runs_together(self) -> bool:
        """Whether tiles that load the same follow each other."""
        return bool(self.order) and self.order[-1] in self.shared


@dataclass(frozen=True, slots=True)
class ScratchRoom:
    """Room for the scratch area of a team next to a ring.

    Attributes:
        free: Bytes that cost the ring no slot.
        slot: Bytes that another slot less makes room for.
        slot_cycles: Cycles of a tile that it costs.
    """

    free: int
    slot: int
    slot_cycles: int

    def cycles(self, area: int) -> float:
        """Return the cycles of a tile that an area of so many bytes costs."""
        return -(-max(0, area - self.free) // self.slot) * self.slot_cycles


@dataclass(frozen=True, slots=True)
class KernelProblem:
    """What the planner needs to know about a kernel.

    Attributes:
        mma: Every `mma` of the kernel.
        ring_slot_bytes: Shared memory of one stage: all TMA loads inside the loop.
        copied_slot_bytes: Shared memory of one stage of what threads copy in the loop (`cp.async`).
        opening_bytes: Shared memory of the tiles that TMA loads before a loop that loads more.
        fixed_bytes: Shared memory needed in addition to the ring: one-shot slots, staging buffers.
        part_bytes: One staging slot of one warpgroup, over all results that can be stored in parts.
        shared_part_bytes: One staging slot of one warpgroup that several results can share; 0 where
            they cannot.
        cluster: Cluster that was planned with the tiles, whose CTAs share tiles.
        pingpong: Whether the tiles were planned for consumers that ping-pong.
        why_not_pingpong: Why consumers cannot ping-pong; None when they can.
        whole_bytes: Staging buffers of the same stores when they go out whole.
        scratch_bytes: Returns the bytes of the area through which the threads of each team change
            the layout of tiles, given the warps of a team and the room next to the ring.
        tile_elements: Elements of the largest tile that is held in registers.
        held_words: Words of all tiles that are held together while a loop reduces one; 0 without.
        product_bytes: Bytes of the largest accumulator of a product; 0 without one.
        latency: Largest hint of a load in a loop: tiles that should be in flight; 0 without one.
        thread_bytes: Bytes of the largest tile that threads load; 0 without one.
        thread_vector: Elements that an access of a thread moves at most, of the largest tiles.
        thread_run: Elements of a run that threads load by aligned vectors, which they shift into
            place, of the largest tiles; 0 where they do not.
        one_shot_bytes: Bytes of the largest tile that TMA loads outside of loops; 0 without one.
        blocks_per_sm: Whether threads may get fewer registers so that more CTAs share an SM.
        most_per_sm: CTAs that may share an SM so at most; 0 for any number.
        load_ahead: Whether registers may do for all that threads load at the end of a block.
        persistent: Whether registers may do for the state of a loop over tiles.
        ends_early: Whether a loaded number decides if a block multiplies at all.
        why_not_ordered: Why tiles cannot be sorted by what they cost; None when they can, and
            loaded numbers decide what they cost.
        equal_tiles: Whether all tiles that do something cost the same, if tiles can be sorted.
        leaves_tiles_out: Whether some tiles may do nothing, as loaded numbers say.
        apart_bytes: Bytes of a round that only tiles with the same free digits load, if tiles can
            be sorted: their costs do not depend on those.
        shared_bytes: Bytes of a round that tiles with other free digits load, too.
        spread: Whether a block may be spread over as few CTAs as leave room for others, not over
            twice as many.
        warp_factor: Times as many warps share a block as its largest tile asks for: more than 1
            where the threads of so many had too few registers.
        waits_for_tiles: Whether each round of a loop, or a block without loops, reduces the tiles
            that it loads.
        own_tiles: Whether blocks load no tile that all of them load, as the weights of a norm, none
            in a loop, and store as large ones.
        repeats_tiles: Whether rounds of loops repeat all tiles that they load in larger ones.
        why_not_spread: Returns why so many CTAs of a cluster, of so many warps each, cannot compute
            a block together; None when they can.
        why_not_share_rounds: Why these CTAs cannot have some rounds of a loop each; None when they
            can.
        rounds: Rounds that the loop which they would share has at most.
        rounds_text: The rounds that a launch has, as an expression of dims; None where it is not
            known before.
        share_rounds: Whether launches may have rounds enough to share.
        cut_rows: Whether rows of the array that it loads end inside of a tile.
        exchanged_bytes: Bytes that each of these CTAs sends to each other one after the loop.
        sliced: Results that can be computed in slices. The bytes above are those without slices.
        l2_promotion: Bytes that TMA was planned to bring into L2 at a time.
        row_bytes: Bytes of the longest row of a tile that TMA loads.
        blocks: Blocks that the grid has at most.
        share_tiles: Whether the cluster was planned for CTAs that share what they load alike.
        dependent_launch: Whether the tiles were planned for a start before the kernel before has
            ended.
        fill_gpu: Whether they were planned for a CTA on every SM, though fewer need no more rounds.
        split_k: Splits of each tile's k-tiles that were planned with the tiles.
        tiles_are_planned: Whether the planner chose the extents of the largest product.
        why_not_split: Why k-tiles cannot be divided among CTAs; None when they can.
        why_not_backwards: Why k-tiles cannot run backwards; None when they can.
        defer_stores: Whether the tiles were planned for stores that wait for the next tile.
        why_not_deferral: Why nothing of a tile can run during the products of the next one; None
            when something can.
        tile_graph: Returns the graph of a tile, given the warpgroups that share it and whether its
            result is sliced; None without a loop over k-tiles.
        why_no_producer: Why no producer role can issue the loads; None when one can.
        defer_work: Whether registers may do for what is computed from a tile that waits.
        one_consumer: Whether registers may do for one consumer where two could share columns.
        snake_k: Whether the tiles were planned for operands that outgrow L2.
        reuse: What tiles of the grid share.
    """

    mma: tuple[MmaTile, ...]
    ring_slot_bytes: int
    fixed_bytes: int
    tile_elements: int
    held_words: int = 0
    product_bytes: int = 0
    latency: int = 0
    copied_slot_bytes: int = 0
    opening_bytes: int = 0
    thread_bytes: int = 0
    thread_vector: int = 1
    thread_run: int = 0
    one_shot_bytes: int = 0
    blocks_per_sm: bool = True
    most_per_sm: int = 0
    load_ahead: bool = True
    persistent: bool = True
    ends_early: bool = False
    why_not_ordered: str | None = "nothing is known about what a tile costs"
    equal_tiles: bool = False
    leaves_tiles_out: bool = False
    apart_bytes: int = 0
    shared_bytes: int = 0
    spread: bool = True
    warp_factor: int = 1
    waits_for_tiles: bool = False
    own_tiles: bool = False
    repeats_tiles: bool = False
    why_not_spread: Callable[[int, int], str | None] = unknown_kernel
    why_not_share_rounds: str | None = "nothing is known about its loops"
    rounds: int = 2**31 - 1
    rounds_text: str | None = None
    share_rounds: bool = True
    cut_rows: bool = False
    exchanged_bytes: int = 0
    part_bytes: int = 0
    shared_part_bytes: int = 0
    whole_bytes: int = 0
    scratch_bytes: Callable[[int, ScratchRoom | None], int] = no_scratch
    cluster: tuple[int, int] = (1, 1)
    pingpong: bool = False
    why_not_pingpong: str | None = None
    sliced: tuple[SlicedTile, ...] = ()
    l2_promotion: int = PROMOTION
    row_bytes: int = 0
    blocks: int = 2**31 - 1
    share_tiles: bool = True
    dependent_launch: bool = True
    fill_gpu: bool = False
    split_k: int = 1
    tiles_are_planned: bool = False
    why_not_split: str | None = None
    why_not_backwards: str | None = None
    defer_stores: bool = True
    why_not_deferral: str | None = "the kernel has no store that could wait"
    tile_graph: Callable[[int, bool], LoopGraph] | None = None
    why_no_producer: str | None = None
    defer_work: bool = True
    one_consumer: bool = True
    snake_k: bool = True
    reuse: Reuse = Reuse()

    @property
    def stage_bytes(self) -> int:
        """Shared memory of one stage: what TMA loads in the loop, and what threads copy."""
        return self.ring_slot_bytes + self.copied_slot_bytes

    @property
    def registers_hold_a(self) -> bool:
        """Whether the A operand of every product comes from registers."""
        return bool(self.mma) and all(tile.holds_a for tile in self.mma)

    def operand_registers(self, consumers: int) -> int:
        """Return the most registers that an A operand takes where `consumers` share its rows."""
        held = (tile for tile in self.mma if tile.holds_a)
        sizes = (accumulator_registers(t.m, t.k, t.element_bytes, consumers) for t in held)
        return max(sizes, default=0)

    def accumulators(self, consumers: int) -> int:
        """Return the most registers that live accumulators take where `consumers` share them."""
        return max(
            sum(accumulator_registers(*item, consumers) for item in tile.live) for tile in self.mma
        )

    def largest_accumulator(self, consumers: int) -> int:
        """Return the registers of the largest accumulator alone."""
        return max(accumulator_registers(*tile.accumulator, consumers) for tile in self.mma)

    def bytes_outside_ring(self, consumers: int, slices: Slices) -> int:
        """Return the shared memory needed in addition to the ring."""
        fixed, part = self.fixed_bytes, self.part_bytes
        if slices.columns:
            fixed += slices.bytes_for(self.sliced, consumers)
            fixed -= sum(tile.loaded_bytes for tile in self.sliced)
            part -= sum(tile.part_bytes(tile.columns) for tile in self.sliced)
        part = self.shared_part_bytes if slices.shared else part
        return fixed + (slices.slots * consumers * part if slices.slots else self.whole_bytes)


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """The decisions about one kernel.

    Attributes:
        stages: Slots of the ring; 1 when nothing is loaded in a loop.
        tile_stages: Slots of the ring of what a tile loads before a loop that loads more.
        cluster: CTAs of a cluster along the two axes of the tile grid.
        consumers: Warpgroups that execute `mma`; 0 when there is none.
        specialize: Whether a producer warpgroup issues the loads.
        worker_warps: Warps that compute; `4 * consumers` when there is an `mma`.
        spread: CTAs of a cluster that compute a block together, each a part of its tiles.
        share_rounds: Whether each has some rounds of a loop instead, with whole tiles.
        few_blocks: Blocks up to which a launch is planned for its own number of them; 0 for none.
        least_rounds: Rounds of a launch from which on that pays; 0 where nobody counts them.
        blocks_per_sm: Least number of CTAs whose registers fit an SM together.
        stream_tail: Whether threads load, compute and store some vectors at a time at the end of a
            block.
        producer_registers: Count for setmaxnreg in the producer; 0 when not specialised.
        consumer_registers: Count for setmaxnreg in the consumers; 0 when not specialised.
        persistent: Whether a CTA loops over tiles, and so loads the next one during an epilogue.
        order_tiles: Whether a CTA sorts the tiles by what they cost, as loaded numbers say.
        order_bytes: Bytes of which sorted tiles that run at the same time read parts apart; 0 where
            all tiles that cost the same for sure run at the same time.
        tile_group: Rows of tiles that are swept together; 0 for row-major order.
        tile_order: Axes of the grid from the slowest to the fastest; empty for the order of the
            source.
        balance_tiles: 1 if a CTA takes long and short tiles alternately, and tiles are longer the
            larger their coordinate along the fastest axis is; -1 if they are shorter; 0 if tiles
            come as they are.
        epilogue_slots: Staging slots of each warpgroup, through which results are stored in parts;
            0 when every result is staged whole.
        share_slots: Whether all results take the same slots one after the other.
        epilogue_batch: Parts that are staged after one barrier and stored after another one.
        one_consumer: Whether one consumer holds many registers that two could share.
        mma_pending: Groups of wgmma that stay in flight while the next one is issued.
        stream_results: Whether what TMA stores should leave L2 before everything else.
        teams: Teams of consumers that ping-pong; 1 when all consumers share every tile.
        epilogue_stages: Slots of the ring that slices of tiles loaded by the epilogue go through.
        epilogue_pace: Nanoseconds per k-tile that a producer warp sleeps before each such slice.
        slice_columns: Columns of the slices in which an epilogue runs; 0 for whole tiles.
        l2_promotion: Bytes that TMA brings into L2 at a time, where a load reads on in memory.
        share_tiles: Whether the CTAs of a cluster share the tiles that several of them load.
        dependent_launch: Whether the kernel may start before the one before it has ended.
        fill_gpu: Whether every SM has a CTA, though fewer need no more rounds of tiles.
        split_k: CTAs that share the k-tiles of a tile; 1 when each tile is computed by one.
        splits_by_launch: Whether launches take variants with as many of them as they need.
        snake_k: Whether a CTA runs the k-tiles of every second one of its tiles backwards.
        defer_stores: Whether a tile is stored while the products of the next one run.
        defer_work: Whether it waits as soon as it is rounded, and what is computed from it, too.
        scratch_room: Room for a scratch area; None where no ring needs it.
        tile_schedule: The schedule of the loop over tiles; None where there was nothing to choose.
        reasons: Why, one sentence per decision.
    """

    stages: int
    cluster: tuple[int, int]
    consumers: int
    specialize: bool
    worker_warps: int
    producer_registers: int
    consumer_registers: int
    reasons: tuple[str, ...]
    tile_stages: int = 1
    spread: int = 1
    share_rounds: bool = False
    few_blocks: int = 0
    least_rounds: int = 0
    blocks_per_sm: int = 1
    stream_tail: bool = False
    persistent: bool = False
    order_tiles: bool = False
    order_bytes: int = 0
    tile_group: int = 0
    tile_order: tuple[int, ...] = ()
    balance_tiles: int = 0
    epilogue_slots: int = 0
    share_slots: bool = False
    epilogue_batch: int = 1
    one_consumer: bool = False
    mma_pending: int = 0
    stream_results: bool = False
    teams: int = 1
    epilogue_stages: int = 0
    epilogue_pace: int = 0
    slice_columns: int = 0
    l2_promotion: int = PROMOTION
    share_tiles: bool = True
    dependent_launch: bool = True
    fill_gpu: bool = False
    split_k: int = 1
    splits_by_launch: bool = False
    snake_k: bool = False
    defer_stores: bool = False
    defer_work: bool = False
    scratch_room: ScratchRoom | None = None
    tile_schedule: TileSchedule | None = None

    def because(self, why: Iterable[str], **fields: Any) -> "KernelPlan":
        """Return the plan with other values in some fields, and why they have them."""
        return replace(self, reasons=(*self.reasons, *why), **fields)

    @property
    def team_consumers(self) -> int:
        """Warpgroups of a team, which share its tiles."""
        return self.consumers // self.teams

    @property
    def team_warps(self) -> int:
        """Warps of a team that compute."""
        return self.worker_warps // self.teams

    @property
    def block_threads(self) -> int:
        """Threads of a CTA."""
        producer = machine.WARPGROUP_THREADS if self.specialize else 0
        return producer + machine.WARP_THREADS * self.worker_warps
