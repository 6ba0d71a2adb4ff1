"""How a kernel divides shared memory between the ring and the staging of results. Pure Python."""

from tilec.plan import machine
from tilec.plan.epilogue import (
    Slices,
    best_slices,
    divides,
    shares_rows,
    slice_count,
    slice_options,
)
from tilec.plan.failure import fail
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import BY_USER, PlanOverrides
from tilec.request.target import Target
from tilec.support.fast_dataclasses import replace

MIN_WIDE_STAGES = 4
"""Stages that a product wants at least: one is read, one is freed, two are in flight."""

FEW_BLOCKS = 0.5
"""Share of the SMs up to which blocks without products, where no more of them can be, keep more
bytes in flight than others. Sums of 2048 columns then have 1.02 of the speed of a copy instead of
0.63. With 94 and 128 blocks, three slots instead of two cost 5 and 1 % (H100,
docs/measurements/2026-11-26-column-sums.md)."""
FEW_FLIGHT_BYTES = 48 * 1024
"""Bytes that they keep in flight together, for each SM. With 64 KB, sums of 1024 and 4096 columns
had 0.94 and 0.97 of the speed of a copy, with 48 KB 1.01 and 1.02 (same note)."""
_NO_LOADS = "the epilogue loads no tiles"


def choose_slices(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> tuple[Slices, tuple[str, ...]] | None:
    """Return how the epilogue is sliced, and why; None where it is not.

    It is where it loads tiles, which whole would take the place of stages, or where it computes
    long: slices that are done are stored meanwhile, unless they wait for the next tile. (Of 128
    tanh a thread, ptxas 13.5 puts 122 before the first store otherwise, and uses 211 registers
    instead of 181.)
    """
    options, defect = _slice_options(problem, plan, overrides)
    if overrides.share_slots:
        defect = "slices do not share their slots with other stores (share_slots)"
    asked = overrides.slice_columns or overrides.epilogue_stages is not None
    if asked and defect is not None:
        name = "slice_columns" if overrides.slice_columns else "epilogue_stages"
        if defect == _NO_LOADS:
            name = "epilogue_stages"
        fail("T0421", f"{name} = {getattr(overrides, name)}: {defect}")
    if defect is not None or overrides.slice_columns == 0:
        return None

    def stages(option: Slices) -> int:
        outside = problem.bytes_outside_ring(plan.consumers, option)
        fitting = fitting_stages(problem, outside, target)
        return min(fitting, overrides.stages or _needed_stages(problem))

    best = best_slices(options, problem.sliced, stages)
    if best is None or not (asked or any(tile.is_worth_slicing for tile in problem.sliced)):
        return None
    count = slice_count(problem.sliced, best.columns)
    return best, _reasons(best, count, (stages(best), stages(Slices(0, 0, 1))), overrides)


def _reasons(
    slices: Slices, count: int, left: tuple[int, int], overrides: PlanOverrides
) -> tuple[str, ...]:
    """Return why an epilogue is cut into `count` slices.

    `left` are the stages that they leave to the operands, and those that whole tiles would.
    """
    stages, whole = left
    cut = "what takes long to compute is computed slice by slice"
    if slices.stages:
        cut = f"slices leave {stages} stage{'s' * (stages != 1)}, whole tiles {max(0, whole)}"
    ahead = "one slice of each load is loaded while others are in use"
    if slices.stages >= count:
        ahead = "all slices of a tile are loaded before its products end"
    elif slices.stages == 1:
        ahead = "one slice of each load at a time"
    turn = "one is filled while TMA reads the other" if slices.slots > 1 else "no room for more"
    fields = (
        ("slice_columns", slices.columns, cut),
        ("epilogue_stages", slices.stages, ahead),
        ("epilogue_slots", slices.slots, turn),
    )
    return tuple(
        f"{name} = {value}: {why if getattr(overrides, name) is None else BY_USER}"
        for name, value, why in fields
        if value
    )


def _slice_options(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[list[Slices], str | None]:
    """Return the slices to choose from and why there are none, if so."""
    tiles = problem.sliced
    if not tiles:
        return [], "no store of the kernel can be cut into slices"
    if not plan.specialize:
        return [], "slices need a producer warp that loads them early"
    if not shares_rows(tiles, plan.team_consumers):
        return [], f"{plan.team_consumers} consumer warpgroups do not share the rows of the result"
    if overrides.epilogue_slots == 0:
        return [], "slices need epilogue_slots"
    columns, stages = overrides.slice_columns, overrides.epilogue_stages
    if columns and not divides(tiles, columns):
        return [], f"{columns} columns do not divide those of the result"
    if stages is not None and not any(tile.load_bytes for tile in tiles):
        return [], _NO_LOADS
    fixed = {"columns": columns or None, "slots": overrides.epilogue_slots, "stages": stages}
    changes = {name: value for name, value in fixed.items() if value is not None}
    found = [replace(item, **changes) for item in slice_options(tiles, plan.team_consumers)]
    return found, None if found else "its columns are not made of slices"


def choose_epilogue(
    problem: KernelProblem, consumers: int, target: Target, overrides: PlanOverrides
) -> tuple[Slices, tuple[str, ...]]:
    """Return the staging slots of a warpgroup for results that are stored in parts of whole tiles.

    And why, unless there is nothing to choose.
    """
    _check_slots(problem, overrides)
    asked, shared = overrides.epilogue_slots, overrides.share_slots
    if asked is not None or not problem.part_bytes:
        fixed = [name for name in _SLOT_FIELDS if getattr(overrides, name) is not None]
        return Slices(0, 0, asked or 0, bool(shared)), tuple(map(overrides.fixed, fixed))

    def stages(option: Slices) -> int:
        return fitting_stages(problem, problem.bytes_outside_ring(consumers, option), target)

    two, one = (Slices(0, 0, slots, bool(shared)) for slots in (machine.EPILOGUE_SLOTS, 1))
    left, most = stages(two), stages(one)
    why = "one is filled while TMA reads the other"
    reasons = () if shared is None else (overrides.fixed("share_slots"),)
    if left < machine.MIN_STAGES and left < most:
        alone = f"stages = {left} with more of them"
        if shared is not None or not problem.shared_part_bytes:
            return one, (f"epilogue_slots = 1: {alone}, {most} with one", *reasons)
        two = Slices(0, 0, machine.EPILOGUE_SLOTS, shared=True)
        reasons = (f"share_slots = true: {alone} for each result, {stages(two)} so",)
    return two, (f"epilogue_slots = {two.slots}: {why}", *reasons)


_SLOT_FIELDS = ("epilogue_slots", "share_slots")


def _check_slots(problem: KernelProblem, overrides: PlanOverrides) -> None:
    """Refuse staging slots that no store takes, and slots that stores cannot share."""
    if overrides.epilogue_slots and not problem.part_bytes:
        message = "no store of the kernel can be cut into parts"
        fail("T0421", f"epilogue_slots = {overrides.epilogue_slots}: {message}")
    if not overrides.share_slots:
        return
    if not problem.shared_part_bytes:
        message = "the kernel has no two stores with parts of one size"
        hint = "leave it out, or store tiles whose rows are multiples of 128 bytes"
        fail("T0421", f"share_slots = true: {message}", hint)


def ring_slot(problem: KernelProblem) -> int:
    """Return the bytes between two slots of the ring."""
    return -(-problem.stage_bytes // machine.SLOT_ALIGNMENT) * machine.SLOT_ALIGNMENT


def fitting_stages(problem: KernelProblem, outside: int, target: Target) -> int:
    """Return how many ring slots fit next to `outside` other bytes; many without a ring."""
    free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - outside
    return free // ring_slot(problem) if problem.stage_bytes else machine.MAX_STAGES


def _needed_stages(problem: KernelProblem, together: int = 1) -> int:
    """Return how many ring slots keep enough bytes in flight, or as many tiles as hints ask for.

    CTAs that share an SM (`together`) share these bytes, but each has `MIN_WIDE_STAGES` of them, if
    as many are needed. So more CTAs fit: a layer norm that reads its rows three times had 0.82 of
    the speed of a copy with four slots of 8 KB instead of 0.68 with eight, sums of rows 1.05
    instead of 0.96, and means of 49 rows 0.70 instead of 0.57; others lost 1.5 % at most. With two
    slots of 16 KB instead of four, rows less their mean had 0.70 instead of 0.89 (H100,
    docs/measurements/2026-11-27-user-rows.md).
    """
    if not problem.stage_bytes:
        return 1
    flight = machine.FLIGHT_BYTES if problem.mma else machine.STREAM_FLIGHT_BYTES
    enough = -(-flight // ring_slot(problem))
    shared = -(-flight // (together * ring_slot(problem)))
    least = max(MIN_WIDE_STAGES if problem.mma else 2, problem.latency)
    return min(max(least, shared, min(enough, MIN_WIDE_STAGES)), machine.MAX_STAGES)


def _stream_stages(problem: KernelProblem, plan: KernelPlan, target: Target) -> int:
    """Return how many ring slots keep enough bytes in flight without products.

    Where most SMs have no block, each block loads for others, too.
    """
    needed = _needed_stages(problem, 1 if problem.product_bytes else plan.blocks_per_sm)
    if problem.blocks > FEW_BLOCKS * target.sm_count or not problem.stage_bytes:
        return needed
    rings = problem.blocks * (plan.spread if plan.share_rounds else 1)
    each = FEW_FLIGHT_BYTES * target.sm_count // (rings * ring_slot(problem))
    return min(max(needed, each), machine.MAX_STAGES)


def few_blocks(problem: KernelProblem, target: Target) -> int:
    """Return up to how many blocks a launch is planned for their number; 0 if it is known, or none.

    Where most SMs have no block, the ring of each one has more slots, and CTAs may share its loop.
    """
    few = int(FEW_BLOCKS * target.sm_count)
    streams = problem.ring_slot_bytes > 0 and not problem.product_bytes
    return few if streams and problem.blocks > few else 0


def round_cycles(problem: KernelProblem, target: Target) -> tuple[float, float]:
    """Return how long an SM loads in a round from memory, and how long it multiplies, in cycles."""
    products = sum(tile.m * tile.n * tile.k * tile.element_bytes for tile in problem.mma)
    memory = target.gpu.memory_rate / machine.MEMORY_CYCLES_PER_SECOND
    loading = problem.stage_bytes * target.sm_count / memory
    return loading, products / machine.MMA_BYTES_PER_CYCLE


def is_memory_bound(problem: KernelProblem, target: Target) -> bool:
    """Tell whether a kernel with products waits for memory: no two tiles load the same."""
    loading, computing = round_cycles(problem, target)
    return problem.reuse.once and loading >= computing


def _wanted_stages(problem: KernelProblem, plan: KernelPlan, target: Target) -> int:
    """Return how many ring slots to take: for products as many as there is room for.

    Where memory bounds the time, more loads in flight than it needs only wait longer.
    """
    if not (problem.mma and problem.stage_bytes):
        return _stream_stages(problem, plan, target)
    shared = not problem.copied_slot_bytes and plan.specialize
    if not (shared and is_memory_bound(problem, target)):
        return machine.MAX_STAGES
    enough = -(-machine.STREAM_FLIGHT_BYTES // (plan.blocks_per_sm * ring_slot(problem)))
    return min(max(machine.MIN_SHARED_STAGES, problem.latency, enough), machine.MAX_STAGES)


def wanted_stages(problem: KernelProblem, plan: KernelPlan, outside: int, target: Target) -> int:
    """Return how many of the wanted ring slots fit next to `outside` other bytes."""
    wanted = _wanted_stages(problem, plan, target)
    return min(wanted, fitting_stages(problem, outside, target))


def _check_outside(outside: int, target: Target) -> None:
    """Refuse a kernel whose `outside` bytes do not fit even without a ring."""
    available = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES
    if outside > available:
        fail(
            "T0424",
            f"the kernel needs {outside} bytes of shared memory outside of loops; "
            f"{available} are available",
            "use smaller tiles",
        )


def choose_stages(
    problem: KernelProblem,
    outside: int,
    target: Target,
    overrides: PlanOverrides,
    plan: KernelPlan,
) -> tuple[int, tuple[str, ...]]:
    """Return the number of ring slots: enough bytes in flight, within shared memory.

    Without a producer (`plan.specialize`) the threads that compute wait for each load at once, so
    that a second slot would not be used.
    """
    _check_outside(outside, target)
    if not problem.stage_bytes:
        if overrides.stages not in (None, 1):
            fail("T0421", f"stages = {overrides.stages}: the kernel has no loads in a loop")
        return 1, ("stages = 1: no loads in a loop",)
    slot, fit = ring_slot(problem), fitting_stages(problem, outside, target)
    if fit < 1 or (overrides.stages or 0) > fit:
        stages = overrides.stages or 1
        needed = stages * slot + outside + machine.SHARED_RESERVE_BYTES
        fail(
            "T0424",
            f"{stages} stage{'s' * (stages > 1)} of {slot} bytes, {outside} bytes "
            f"outside of the ring and {machine.SHARED_RESERVE_BYTES} bytes for barriers need "
            f"{needed} bytes of shared memory; {target.shared_memory_bytes} are available",
            "use smaller tiles" if fit < 1 else f"at most {fit} stages fit",
        )
    if overrides.stages is not None:
        return overrides.stages, (overrides.fixed("stages"),)
    if not (plan.specialize or problem.mma):
        return 1, (f"stages = 1 of {slot} bytes: no producer warp that loads ahead",)
    wanted = _wanted_stages(problem, plan, target)
    stages = wanted_stages(problem, plan, outside, target)
    limit = f"{fit} fit next to {outside} other bytes"
    return stages, (f"stages = {stages} of {slot} bytes: {wanted} wanted, {limit}",)


def leaves_stages(alone: int, left: int) -> bool:
    """Tell whether a second slot of other tiles may take the place of stages.

    Args:
        alone: Stages that fit without it.
        left: Stages that fit next to it.
    """
    return left >= min(alone, machine.MIN_STAGES)


def choose_tile_stages(
    problem: KernelProblem,
    plan: KernelPlan,
    outside: int,
    target: Target,
    overrides: PlanOverrides,
) -> tuple[int, tuple[str, ...]]:
    """Return the slots of what a tile loads before its loops, and why unless nothing is to choose.

    With one slot, the producer waits until all consumers have read it for the last time, before it
    loads anything of the next tile. Attention with heads of 128 and 1024 tokens reached 0.935 of
    FlashAttention-3 with one slot and 0.998 with two, causal 0.952 and 0.994 (H100,
    docs/measurements/2026-11-26-tile-boundaries.md).

    Args:
        problem: The kernel.
        plan: Roles and the loop over tiles.
        outside: Bytes outside of the ring of loops, with one slot.
        target: Machine.
        overrides: What the user fixed.
    """
    size, asked = problem.opening_bytes, overrides.tile_stages or 1
    defect = None if size else "no tile is loaded before a loop that loads more"
    if not (plan.specialize and plan.persistent):
        defect = "no producer warp loads the next tile early"
    given = overrides.asked("tile_stages", defect if asked > 1 else None)
    if given is not None:
        _check_outside(outside + (asked - 1) * size, target)
        return given
    if defect is not None:
        return 1, ()
    alone, left = (wanted_stages(problem, plan, outside + more, target) for more in (0, size))
    enough = leaves_stages(alone, left) if overrides.stages is None else left >= overrides.stages
    if not enough:
        return 1, (
            f"tile_stages = 1: a second slot of {size} bytes leaves too few stages ({left})",
        )
    why = "a tile is loaded before consumers have read the one before for the last time"
    return 2, (f"tile_stages = 2 of {size} bytes: {why}",)
