"""The plan of one kernel: stages, consumers, warp roles and registers. Pure Python.

The plan pass describes the kernel as a `KernelProblem` and writes the `KernelPlan` into the IR; the
passes behind it follow the plan and decide nothing. Tile extents are fixed before (`tiles.py`).
"""

from collections.abc import Mapping

from tilec.plan import machine
from tilec.plan.deferral import choose_deferral, defers_work
from tilec.plan.epilogue import SlicedTile, Slices
from tilec.plan.failure import fail
from tilec.plan.overlap import choose_batch, choose_pending
from tilec.plan.overrides import PlanOverrides, PlanValue, parse_overrides
from tilec.plan.products import MmaTile
from tilec.plan.registers import (
    RoleRegisters,
    accumulator_limit,
    accumulator_registers,
    entry_registers,
    exceeds_pool,
    instruction_registers,
    least_consumer_registers,
    role_registers,
    shares,
    split_consumers,
)
from tilec.plan.shared_memory import choose_epilogue, choose_slices, choose_stages
from tilec.plan.split import choose_split
from tilec.plan.teams import choose_teams
from tilec.plan.work import choose_pace, choose_streaming, plan_work
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass, replace

DEFAULT_WORKER_WARPS = 4
MAX_WORKER_WARPS = 16
MAX_ELEMENTS_PER_THREAD = 64
"""Elements of one tile that a thread should hold at most: with two tiles of 32-bit elements alive
that is half of the registers of a thread."""


@dataclass(frozen=True, slots=True)
class KernelProblem:
    """What the planner needs to know about a kernel.

    Attributes:
        mma: Every `mma` of the kernel.
        ring_slot_bytes: Shared memory of one stage: all TMA loads inside the loop.
        fixed_bytes: Shared memory needed besides the ring: one-shot slots, staging buffers.
        part_bytes: One staging slot of one warpgroup, over all stores that can go out in parts.
        cluster: Cluster that was planned with the tiles, whose CTAs share tiles.
        pingpong: Whether the tiles were planned for consumers that take them in turn.
        pingpong_defect: Why consumers cannot take tiles in turn; None when they can.
        whole_bytes: Staging buffers of the same stores when they go out whole.
        scratch_bytes: Area through which the threads of each team change the layout of tiles.
        tile_elements: Elements of the largest tile that is held in registers.
        has_loop_loads: Whether a loop contains TMA loads.
        sliced: Results that can be computed in slices. The bytes above are those without slices.
        split_k: Splits of each tile's k-tiles that were planned with the tiles.
        split_defect: Why k-tiles can be neither divided among CTAs nor walked backwards; None when
            they can.
        defer_stores: Whether the tiles were planned for stores that wait for the next tile.
        deferral_defect: Why the store of a tile cannot wait; None when it can.
        defer_work: Whether registers may do for what is computed from a tile that waits.
        snake_k: Whether the tiles were planned for operands that outgrow L2.
    """

    mma: tuple[MmaTile, ...]
    ring_slot_bytes: int
    fixed_bytes: int
    tile_elements: int
    has_loop_loads: bool
    part_bytes: int = 0
    whole_bytes: int = 0
    scratch_bytes: int = 0
    cluster: tuple[int, int] = (1, 1)
    pingpong: bool = False
    pingpong_defect: str | None = None
    sliced: tuple[SlicedTile, ...] = ()
    split_k: int = 1
    split_defect: str | None = None
    defer_stores: bool = True
    deferral_defect: str | None = "the kernel has no store that could wait"
    defer_work: bool = True
    snake_k: bool = True

    def accumulators(self, consumers: int) -> int:
        """Return the most registers that live accumulators take where `consumers` share them."""
        return max(
            sum(accumulator_registers(*item, consumers) for item in tile.live) for tile in self.mma
        )

    def largest_accumulator(self, consumers: int) -> int:
        """Return the registers of the largest accumulator alone."""
        return max(accumulator_registers(*tile.accumulator, consumers) for tile in self.mma)

    def bytes_beside_ring(self, consumers: int, slices: Slices) -> int:
        """Return the shared memory needed besides the ring."""
        fixed, part = self.fixed_bytes, self.part_bytes
        if slices.columns:
            fixed += slices.bytes_for(self.sliced, consumers)
            fixed -= sum(tile.loaded_bytes for tile in self.sliced)
            part -= sum(tile.part_bytes(tile.columns) for tile in self.sliced)
        return fixed + (slices.slots * consumers * part if slices.slots else self.whole_bytes)


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """The decisions about one kernel.

    Attributes:
        stages: Slots of the ring; 1 when nothing is loaded in a loop.
        cluster: CTAs of a cluster along the two axes of the tile grid.
        consumers: Warpgroups that execute `mma`; 0 when there is none.
        specialize: Whether a producer warpgroup issues the loads.
        worker_warps: Warps that compute; `4 * consumers` when there is an `mma`.
        producer_registers: Count for setmaxnreg in the producer; 0 when not specialised.
        consumer_registers: Count for setmaxnreg in the consumers; 0 when not specialised.
        persistent: Whether a CTA loops over tiles, and so loads the next one during an epilogue.
        tile_group: Rows of tiles that are swept together; 0 for row-major order.
        epilogue_slots: Staging slots of each warpgroup, through which results leave in parts; 0
            when every result is staged whole.
        epilogue_batch: Parts that are staged behind one barrier and stored behind another one.
        mma_pending: Groups of wgmma that stay in flight while the next one is issued.
        stream_results: Whether what TMA stores should leave L2 before everything else.
        teams: Teams of consumers that take tiles in turn; 1 when all consumers share every tile.
        epilogue_stages: Slots of the ring that slices of tiles loaded by the epilogue go through.
        epilogue_pace: Nanoseconds per k-tile that a producer warp sleeps ahead of each such slice.
        slice_columns: Columns of the slices in which an epilogue runs; 0 for whole tiles.
        split_k: CTAs that share the k-tiles of a tile; 1 when each tile is computed by one.
        snake_k: Whether a CTA walks the k-tiles of every second one of its tiles backwards.
        defer_stores: Whether a tile is stored while the products of the next one run.
        defer_work: Whether it waits as soon as it is rounded, and what is computed from it, too.
            `nv-tileas-defer-stores` takes that back where nothing is.
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
    persistent: bool = False
    tile_group: int = 0
    epilogue_slots: int = 0
    epilogue_batch: int = 1
    mma_pending: int = 0
    stream_results: bool = False
    teams: int = 1
    epilogue_stages: int = 0
    epilogue_pace: int = 0
    slice_columns: int = 0
    split_k: int = 1
    snake_k: bool = False
    defer_stores: bool = False
    defer_work: bool = False

    @property
    def block_threads(self) -> int:
        """Threads of a CTA."""
        producer = machine.WARPGROUP_THREADS if self.specialize else 0
        return producer + machine.WARP_THREADS * self.worker_warps


def plan_kernel(
    problem: KernelProblem, target: Target, overrides: Mapping[str, PlanValue] | None = None
) -> KernelPlan:
    """Plan a kernel.

    Args:
        problem: The kernel.
        target: Machine to plan for.
        overrides: Plan fields that the user fixed, from hints or `--plan`.

    Raises:
        CompileError: An override is impossible (T0420, T0421), an `mma` has a shape that wgmma
            does not have (T0422), accumulators or roles need too many registers (T0423, T0425), or
            shared memory does not hold the kernel (T0424). The message has the numbers.
    """
    fixed = parse_overrides(overrides or {})
    plan = _plan_roles(problem, target, fixed)
    scratch = plan.teams * problem.scratch_bytes
    problem = replace(problem, fixed_bytes=problem.fixed_bytes + scratch)
    slices, why_slots = _choose_epilogue(problem, plan, target, fixed)
    beside = problem.bytes_beside_ring(plan.consumers, slices)
    stages, reason = choose_stages(problem, beside, target, fixed)
    pending, why_pending = choose_pending(plan, stages, fixed)
    streams, why_streams = choose_streaming(slices.stages > 0, fixed)
    pace, why_pace = choose_pace(problem, slices, fixed)
    plan = replace(
        plan,
        stages=stages,
        epilogue_slots=slices.slots,
        epilogue_stages=slices.stages,
        epilogue_pace=pace,
        slice_columns=slices.columns,
        epilogue_batch=choose_batch(slices.slots, fixed),
        mma_pending=pending,
        stream_results=streams,
    )
    reasons = (*plan.reasons, *why_slots, *why_pace, reason, *why_pending, *why_streams)
    plan = plan_work(problem, replace(plan, reasons=reasons), fixed)
    return _plan_registers(problem, plan, target, fixed) if problem.mma else plan


def _plan_roles(problem: KernelProblem, target: Target, fixed: PlanOverrides) -> KernelPlan:
    """Plan who computes what: roles, teams, warpgroups, and splits of tiles."""
    plan = _plan_mma(problem, target, fixed) if problem.mma else _plan_tiles(problem, fixed)
    splits, why = choose_split(problem, fixed)
    return replace(plan, split_k=splits, reasons=(*plan.reasons, *why))


def _choose_epilogue(
    problem: KernelProblem, plan: KernelPlan, target: Target, fixed: PlanOverrides
) -> tuple[Slices, tuple[str, ...]]:
    """Return how the epilogue is cut, and why unless there is nothing to choose."""
    sliced = choose_slices(problem, plan, target, fixed)
    if sliced is not None:
        return sliced
    slots, why = choose_epilogue(problem, plan.consumers, target, fixed)
    return Slices(0, 0, slots), why


def _plan_mma(problem: KernelProblem, target: Target, fixed: PlanOverrides) -> KernelPlan:
    """Plan everything but the stages of a kernel with `mma`."""
    if fixed.worker_warps is not None:
        fail("T0421", "worker_warps does not apply to a kernel with mma", "use consumers")
    specialize, why_roles = _choose_roles(problem, fixed)
    teams, why_teams = choose_teams(problem, specialize, fixed)
    consumers, why_consumers = _choose_consumers(problem, teams, target, fixed)
    accumulators = problem.largest_accumulator(consumers // teams)
    limit = accumulator_limit(consumers)
    if accumulators > limit:
        fail(
            "T0423",
            f"an accumulator takes {accumulators} registers a thread of {consumers // teams} "
            f"consumer warpgroup{'s' * (consumers > teams)}; at most {limit} fit",
            "use a smaller tile",
        )
    threads = machine.WARPGROUP_THREADS * (consumers + specialize)
    _check_instruction_registers(problem, threads, target)
    return KernelPlan(
        stages=1,
        cluster=(1, 1),
        consumers=consumers,
        specialize=specialize,
        worker_warps=consumers * machine.WARPGROUP_THREADS // machine.WARP_THREADS,
        producer_registers=0,
        consumer_registers=0,
        reasons=(why_consumers, why_roles, *why_teams),
        teams=teams,
    )


def _choose_consumers(
    problem: KernelProblem, teams: int, target: Target, fixed: PlanOverrides
) -> tuple[int, str]:
    """Return the number of consumer warpgroups, of all teams."""
    for tile in problem.mma:
        step = machine.MMA_K_BYTES // tile.element_bytes
        rows, columns = tile.m % machine.MMA_ROWS, tile.n % machine.MMA_COLUMN_STEP
        if rows or columns or tile.k % step:
            fail(
                "T0422",
                f"mma of {tile.m} x {tile.n} x {tile.k} is not made of wgmma instructions: M must "
                f"be a multiple of {machine.MMA_ROWS}, N of {machine.MMA_COLUMN_STEP}, K of {step}",
            )
    rows = {tile.m for tile in problem.mma}
    if teams > 1:
        return teams, f"consumers = {teams}: {_listed(rows)} rows each"
    if fixed.consumers is not None:
        if not all(shares(tile.m, tile.n, fixed.consumers) for tile in problem.mma):
            fail(
                "T0421",
                f"consumers = {fixed.consumers}: {_listed(rows)} rows do not split into "
                f"{fixed.consumers} parts of whole {machine.MMA_ROWS}-row slices, nor the columns "
                f"into multiples of {machine.MMA_COLUMN_STEP}",
            )
        return fixed.consumers, f"consumers = {fixed.consumers}: fixed by the user"
    consumers = split_consumers((tile.accumulator for tile in problem.mma), target)
    whole = all(m % (machine.MMA_ROWS * consumers) == 0 for m in rows)
    how = "in slices of 64" if whole else "for all of them, columns shared"
    return consumers, f"consumers = {consumers}: {_listed(rows)} rows {how}"


def _listed(values: set[int]) -> str:
    return " and ".join(map(str, sorted(values)))


def _choose_roles(problem: KernelProblem, fixed: PlanOverrides) -> tuple[bool, str]:
    possible = problem.has_loop_loads and problem.ring_slot_bytes > 0
    if fixed.specialize and not possible:
        fail("T0421", "specialize = true: the kernel has no loads in a loop for a producer warp")
    if fixed.specialize is not None:
        return fixed.specialize, f"specialize = {str(fixed.specialize).lower()}: fixed by the user"
    if possible:
        return True, "specialize = true: a producer warp keeps loads of the loop in flight"
    return False, "specialize = false: no loads in a loop"


def _check_instruction_registers(problem: KernelProblem, threads: int, target: Target) -> None:
    """Reject what ptxas rejects with C7602: one wgmma larger than the allocation at entry."""
    entry = entry_registers(threads, target)
    for tile in problem.mma:
        columns = min(tile.n, machine.MMA_MAX_COLUMNS)
        needed = instruction_registers(tile.n, tile.accumulator_bytes)
        if needed > entry:
            fail(
                "T0423",
                f"a wgmma of {columns} columns needs {needed} registers, but each of {threads} "
                f"threads has {entry} at kernel entry",
                "use fewer consumers or a narrower tile",
            )


def _plan_registers(
    problem: KernelProblem, plan: KernelPlan, target: Target, fixed: PlanOverrides
) -> KernelPlan:
    """Return the plan with what threads hold: accumulators, and tiles that wait to be stored."""
    waiting, why = choose_deferral(problem, plan, fixed)
    defer_work = defers_work(problem, waiting, fixed)
    if not plan.specialize:
        if (fixed.producer_registers, fixed.consumer_registers) != (None, None):
            fail("T0421", "producer_registers and consumer_registers need specialize = true")
        return replace(plan, reasons=(*plan.reasons, *why))
    accumulators = problem.accumulators(plan.consumers // plan.teams)
    held = accumulators + (waiting + machine.DEFERRAL_OVERHEAD if waiting else 0)
    registers = _choose_registers(plan.consumers, held, target, fixed)
    what = f"{accumulators} hold accumulators" + (f", {waiting} the tile before" * bool(waiting))
    given = f"{registers.producer} producer, {registers.consumer} consumer"
    return replace(
        plan,
        defer_stores=waiting > 0,
        defer_work=defer_work,
        producer_registers=registers.producer,
        consumer_registers=registers.consumer,
        reasons=(*plan.reasons, *why, f"registers = {given}: {what}"),
    )


def _choose_registers(
    consumers: int, accumulators: int, target: Target, fixed: PlanOverrides
) -> RoleRegisters:
    given = (fixed.producer_registers, fixed.consumer_registers)
    default = role_registers(consumers, accumulators)
    roles = RoleRegisters(given[0] or default.producer, given[1] or default.consumer)
    least = least_consumer_registers(consumers, accumulators, target)
    if roles.consumer < least:
        message = f"consumer_registers = {roles.consumer}: a consumer has {least} or more"
        fail("T0425", message, "setmaxnreg adds to what threads have at entry")
    problem = exceeds_pool(roles, consumers, target)
    if problem is not None:
        fail("T0425", problem, "the consumers would wait for registers for ever")
    return roles


def _plan_tiles(problem: KernelProblem, fixed: PlanOverrides) -> KernelPlan:
    """Plan everything but the stages of a kernel without `mma`."""
    for name in ("consumers", "producer_registers", "consumer_registers"):
        if getattr(fixed, name) is not None:
            message = f"{name} does not apply to a kernel without mma on the tensor cores"
            fail("T0421", message, "use worker_warps")
    specialize, why_roles = _choose_roles(problem, fixed)
    choose_teams(problem, specialize, fixed)  # refuses to take turns, if somebody asks for it
    warps = DEFAULT_WORKER_WARPS
    while (
        warps < MAX_WORKER_WARPS
        and problem.tile_elements > warps * machine.WARP_THREADS * MAX_ELEMENTS_PER_THREAD
    ):
        warps *= 2
    warps = fixed.worker_warps or warps
    each = -(-problem.tile_elements // (warps * machine.WARP_THREADS))
    origin = "fixed by the user; " if fixed.worker_warps else ""
    return KernelPlan(
        stages=1,
        cluster=(1, 1),
        consumers=0,
        specialize=specialize,
        worker_warps=warps,
        producer_registers=0,
        consumer_registers=0,
        reasons=(
            f"worker_warps = {warps}: {origin}{each} element{'s' * (each != 1)} of the largest "
            "tile a thread",
            why_roles,
        ),
    )
