"""The plan of one kernel: stages, consumers, warp roles and registers. Pure Python.

The plan pass describes the kernel as a `KernelProblem` and writes the `KernelPlan` into the IR; the
later passes follow the plan and decide nothing. Tile extents are fixed before (`tiles.py`).
"""

from collections.abc import Mapping

from tilec.plan import machine
from tilec.plan.deferral import choose_deferral
from tilec.plan.epilogue import Slices
from tilec.plan.failure import fail
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.occupancy import choose_blocks_per_sm, choose_blocks_with_mma, choose_tail
from tilec.plan.overlap import choose_batch, choose_pending
from tilec.plan.overrides import BY_USER, PlanOverrides, PlanValue, parse_overrides
from tilec.plan.registers import (
    RoleRegisters,
    accumulator_limit,
    entry_registers,
    exceeds_pool,
    instruction_registers,
    least_consumer_registers,
    role_registers,
    shares,
    split_consumers,
)
from tilec.plan.scratch_room import scratch_room
from tilec.plan.shared_memory import (
    choose_epilogue,
    choose_slices,
    choose_stages,
    choose_tile_stages,
    few_blocks,
    wanted_stages,
)
from tilec.plan.shared_rounds import choose_ctas, least_rounds
from tilec.plan.split import choose_split, splits_by_launch
from tilec.plan.spread import part_of
from tilec.plan.teams import choose_teams
from tilec.plan.tile_order import choose_kept_bytes, choose_tile_order
from tilec.plan.work import choose_pace, choose_persistence, choose_streaming, plan_work
from tilec.plan.workers import choose_warps, elements_of_a_thread, more_warps
from tilec.request.target import Target
from tilec.support.fast_dataclasses import replace


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
    fields = parse_overrides(overrides or {})
    plan = _plan_roles(problem, target, fields)
    target = target.share(plan.blocks_per_sm) if problem.mma else target
    scratch = _scratch_bytes(problem, plan, target, fields)
    received = plan.spread * problem.exchanged_bytes if plan.share_rounds else 0
    problem = replace(problem, fixed_bytes=problem.fixed_bytes + scratch + received)
    plan = _plan_memory(problem, plan, scratch, target, fields)
    plan = plan_work(problem, plan, fields)
    return _plan_registers(problem, plan, target, fields) if problem.mma else plan


def _plan_memory(
    problem: KernelProblem,
    plan: KernelPlan,
    scratch: int,
    target: Target,
    fields: PlanOverrides,
) -> KernelPlan:
    """Plan the ring and the staging of results, next to `scratch` bytes for all scratch areas."""
    slices, why = _choose_epilogue(problem, plan, target, fields)
    pace, why_pace = choose_pace(problem, slices, fields)
    plan = plan.because(
        (*why, *why_pace),
        epilogue_slots=slices.slots,
        share_slots=slices.shared,
        epilogue_stages=slices.stages,
        epilogue_pace=pace,
        slice_columns=slices.columns,
        epilogue_batch=choose_batch(slices, fields),
    )
    outside = problem.bytes_outside_ring(plan.consumers, slices)
    tile_stages, why = choose_tile_stages(problem, plan, outside, target, fields)
    plan = plan.because(why, tile_stages=tile_stages)
    outside += (tile_stages - 1) * problem.opening_bytes
    stages, why = choose_stages(problem, outside, target, fields, plan)
    room = scratch_room(problem, outside - scratch, stages, plan.teams, target)
    plan = plan.because(why, stages=stages, scratch_room=room)
    pending, why = choose_pending(problem, plan, fields)
    streams, why_streams = fields.asked("stream_results") or choose_streaming(slices.stages > 0)
    return plan.because((*why, *why_streams), mma_pending=pending, stream_results=streams)


def _scratch_bytes(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> int:
    """Return the bytes of all scratch areas, where what the ring loses for them counts."""
    room = None
    if problem.mma and problem.stage_bytes:
        slices, _ = _choose_epilogue(problem, plan, target, overrides)
        outside = problem.bytes_outside_ring(plan.consumers, slices)
        stages = overrides.stages or wanted_stages(problem, plan, outside, target)
        room = scratch_room(problem, outside, stages, plan.teams, target)
    return plan.teams * problem.scratch_bytes(plan.team_warps, room)


def _plan_roles(problem: KernelProblem, target: Target, overrides: PlanOverrides) -> KernelPlan:
    """Plan who computes what: roles, teams, warpgroups, splits of tiles, and a loop over tiles."""
    plan = (_plan_mma if problem.mma else _plan_tiles)(problem, target, overrides)
    splits, why = choose_split(problem, overrides)
    by_launch = bool(problem.mma) and splits_by_launch(problem, overrides)
    plan = plan.because(why, split_k=splits, splits_by_launch=by_launch)
    ordered, why = choose_tile_order(problem, plan, overrides)
    plan = plan.because(why, order_tiles=ordered)
    kept, why = choose_kept_bytes(problem, ordered)
    plan = plan.because(why, order_bytes=kept)
    persistent, why = overrides.asked("persistent") or choose_persistence(problem, plan)
    return plan.because(why, persistent=persistent)


def _choose_epilogue(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> tuple[Slices, tuple[str, ...]]:
    """Return how the epilogue is cut, and why unless there is nothing to choose."""
    sliced = choose_slices(problem, plan, target, overrides)
    if sliced is not None:
        return sliced
    return choose_epilogue(problem, plan.consumers, target, overrides)


MANY_REGISTERS = 160
"""Registers of accumulators and operands from which on two consumers may spill less than one: the
gated delta rule holds 192, and spilled 540 bytes with one and 144 with two, which took 0.63 of the
time (H100, docs/measurements/2026-11-27-users-2.md)."""
_WITHOUT_MMA = {
    "worker_warps": "use consumers",
    "spread": "use consumers",
    "share_rounds": "use split_k",
    "stream_tail": "use slice_columns",
}
"""Fields for kernels without mma, and what does the same with it."""


def _plan_mma(problem: KernelProblem, target: Target, overrides: PlanOverrides) -> KernelPlan:
    """Plan everything but the stages of a kernel with `mma`."""
    for name, hint in _WITHOUT_MMA.items():
        if getattr(overrides, name) is not None:
            fail("T0421", f"{name} does not apply to a kernel with mma", hint)
    specialize, why_roles = _choose_roles(problem, overrides)
    teams, why_teams = choose_teams(problem, specialize, overrides)
    share = target.share(overrides.blocks_per_sm or 1)
    consumers, why_consumers = _choose_consumers(problem, teams, share, overrides)
    plan = KernelPlan(
        stages=1,
        cluster=(1, 1),
        consumers=consumers,
        specialize=specialize,
        worker_warps=consumers * machine.WARPGROUP_THREADS // machine.WARP_THREADS,
        producer_registers=0,
        consumer_registers=0,
        reasons=(why_consumers, *why_roles, *why_teams),
        teams=teams,
        one_consumer=consumers == 1 and _held_by_one(problem) >= MANY_REGISTERS,
    )
    given = overrides.asked("blocks_per_sm")
    blocks, why = given or choose_blocks_with_mma(problem, plan, target, overrides)
    _check_registers(problem, plan, target.share(blocks))
    return plan.because(why, blocks_per_sm=blocks)


def _choose_consumers(
    problem: KernelProblem, teams: int, target: Target, overrides: PlanOverrides
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
    if overrides.consumers is not None:
        if not all(shares(tile.m, tile.n, overrides.consumers) for tile in problem.mma):
            fail(
                "T0421",
                f"consumers = {overrides.consumers}: {_listed(rows)} rows do not split into "
                f"{overrides.consumers} parts of whole {machine.MMA_ROWS}-row slices, nor the "
                f"columns into multiples of {machine.MMA_COLUMN_STEP}",
            )
        return overrides.consumers, overrides.fixed("consumers")
    consumers = split_consumers((tile.accumulator for tile in problem.mma), target)
    alone = consumers == 1 and overrides.blocks_per_sm in (None, 1)
    held = _held_by_one(problem) if alone else 0
    too_many = problem.accumulators(1) > accumulator_limit(1, target)
    if held and (too_many or not problem.one_consumer):
        return 2, f"consumers = 2: one would hold {held} registers of accumulators and operands"
    whole = all(m % (machine.MMA_ROWS * consumers) == 0 for m in rows)
    how = "in slices of 64" if whole else "for all of them, columns shared"
    return consumers, f"consumers = {consumers}: {_listed(rows)} rows {how}"


def _held_by_one(problem: KernelProblem) -> int:
    """Return the registers that one consumer holds where two could share the columns; else 0."""
    splits = all(shares(tile.m, tile.n, 2) for tile in problem.mma)
    return problem.accumulators(1) + problem.operand_registers(1) if splits else 0


def _listed(values: set[int]) -> str:
    return " and ".join(map(str, sorted(values)))


def _choose_roles(problem: KernelProblem, overrides: PlanOverrides) -> tuple[bool, tuple[str, ...]]:
    """Return whether a producer warp runs the loads of loops, and why."""
    defect = problem.why_no_producer
    if not problem.ring_slot_bytes:
        defect = "the kernel has no loads in a loop for a producer warp"
    given = overrides.asked("specialize", defect)
    if given is not None:
        return given
    if defect is not None:
        return False, (f"specialize = false: {defect}",)
    return True, ("specialize = true: a producer warp keeps loads of the loop in flight",)


def _check_registers(problem: KernelProblem, plan: KernelPlan, target: Target) -> None:
    """Reject what spills, and what ptxas rejects with C7602: one wgmma larger than the allocation.

    Args:
        problem: The kernel.
        plan: Roles, warpgroups and teams.
        target: What a CTA has of an SM.
    """
    sharing = plan.team_consumers
    accumulators = problem.largest_accumulator(sharing)
    limit = accumulator_limit(plan.consumers, target)
    if accumulators > limit:
        fail(
            "T0423",
            f"an accumulator takes {accumulators} registers a thread of {sharing} "
            f"consumer warpgroup{'s' * (plan.teams < plan.consumers)}; at most {limit} fit",
            "use a smaller tile",
        )
    entry = entry_registers(plan.block_threads, target)
    for tile in problem.mma:
        columns = min(tile.n, machine.MMA_MAX_COLUMNS)
        needed = instruction_registers(tile.n, tile.accumulator_bytes)
        if needed > entry:
            fail(
                "T0423",
                f"a wgmma of {columns} columns needs {needed} registers, but each of "
                f"{plan.block_threads} threads has {entry} at kernel entry",
                "use fewer consumers or a narrower tile",
            )


def _plan_registers(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> KernelPlan:
    """Return the plan with what threads hold: accumulators, and tiles that wait to be stored."""
    found, why = choose_deferral(problem, plan, target, overrides)
    waiting = found.waiting if found is not None else 0
    if not plan.specialize:
        if (overrides.producer_registers, overrides.consumer_registers) != (None, None):
            fail("T0421", "producer_registers and consumer_registers need specialize = true")
        return plan.because(why)
    accumulators = problem.accumulators(plan.team_consumers)
    operand = problem.operand_registers(plan.team_consumers)
    held = accumulators + (waiting + machine.DEFERRAL_OVERHEAD if waiting else 0)
    held += operand + machine.OPERAND_OVERHEAD if operand else 0
    registers = _choose_registers(plan.consumers, held, target, overrides)
    what = f"{accumulators} hold accumulators" + (f", {waiting} the tile before" * bool(waiting))
    what += f", {operand} an operand" * bool(operand)
    given = f"{registers.producer} producer, {registers.consumer} consumer"
    return plan.because(
        (*why, f"registers = {given}: {what}"),
        defer_stores=waiting > 0,
        defer_work=found is not None and found.defers_work,
        tile_schedule=found,
        producer_registers=registers.producer,
        consumer_registers=registers.consumer,
    )


def _choose_registers(
    consumers: int, accumulators: int, target: Target, overrides: PlanOverrides
) -> RoleRegisters:
    given = (overrides.producer_registers, overrides.consumer_registers)
    default = role_registers(consumers, accumulators, target)
    roles = RoleRegisters(given[0] or default.producer, given[1] or default.consumer)
    least = least_consumer_registers(consumers, accumulators, target)
    if roles.consumer < least:
        message = f"consumer_registers = {roles.consumer}: a consumer has {least} or more"
        fail("T0425", message, "setmaxnreg adds to what threads have at entry")
    problem = exceeds_pool(roles, consumers, target)
    if problem is not None:
        fail("T0425", problem, "the consumers would wait for registers forever")
    return roles


def _plan_tiles(problem: KernelProblem, target: Target, overrides: PlanOverrides) -> KernelPlan:
    """Plan everything but the stages of a kernel without `mma`."""
    rounds, parts, why_spread = choose_ctas(problem, target, overrides)
    problem = part_of(problem, parts)
    for name in ("consumers", "producer_registers", "consumer_registers"):
        if getattr(overrides, name) is not None:
            message = f"{name} does not apply to a kernel without mma on the tensor cores"
            fail("T0421", message, "use worker_warps")
    specialize, why_roles = _choose_roles(problem, overrides)
    choose_teams(problem, specialize, overrides)  # refuses teams that the request asks for
    warps = overrides.worker_warps or more_warps(problem, choose_warps(problem, parts))
    each = elements_of_a_thread(problem, warps)
    blocks, why_blocks = overrides.asked("blocks_per_sm") or choose_blocks_per_sm(
        problem, specialize, warps, each, target, overrides, parts
    )
    streams, why_tail = overrides.asked("stream_tail") or choose_tail(problem, blocks)
    origin = f"{BY_USER}; " if overrides.worker_warps else ""
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
            *why_roles,
            *why_spread,
            *why_blocks,
            *why_tail,
        ),
        spread=rounds * parts,
        share_rounds=rounds > 1,
        few_blocks=few_blocks(problem, target) if specialize else 0,
        least_rounds=least_rounds(problem, overrides) if rounds > 1 else 0,
        blocks_per_sm=blocks,
        stream_tail=streams,
    )
