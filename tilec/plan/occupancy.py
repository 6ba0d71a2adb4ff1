"""How many CTAs share an SM. Pure Python."""

from tilec.plan import machine
from tilec.plan.epilogue import Slices
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.plan.registers import accumulator_limit, entry_registers, instruction_registers
from tilec.plan.shared_memory import fitting_stages, is_memory_bound, round_cycles
from tilec.request.target import Target

SHARING = 2
"""CTAs with products that share an SM where memory bounds them."""
LIGHT_ELEMENTS = 32
"""Elements of a tile of a thread up to which CTAs without products share an SM, although a producer
loads their tiles: a round of one of them is mostly waits. Norms and element-wise loops over rows of
8192 then run 1.3 to 2.6 times as fast. With 64 elements a thread, one CTA is 1.14 times as fast as
two (H100, docs/measurements/2026-11-26-row-loops.md)."""
PRODUCT_ELEMENTS = 64
"""The same of CTAs whose warps multiply by themselves: in every round they meet several times, at
what they convert, at what a row is divided by, and at the operands of the next product. Attention
to keys of 8 bits with 16 queries takes 168 us with two CTAs of 64 elements a thread and 249 with
one; with 8 and 16 warps in one CTA it takes 253 and 310 (H100,
docs/measurements/2026-11-27-general-kernels.md). So it is where rounds repeat what they load: they
compute and reduce a larger tile (`LEAST_REPEATS` in `tilec/plan/copies.py`)."""
BOUND_BLOCKS = 3
"""CTAs with several tiles in registers up to which ptxas is told how many share an SM. Left alone,
it takes so many registers for tiles of 96 words a thread that fewer run: layer norm of 4096
columns, whose weights stay in registers, is 1.09 to 1.28 times as fast with 3. Where 4 and more
fit, its code lets as many run without a bound, which costs up to 2 % (gradients of norms, H100,
docs/measurements/2026-11-26-held-tiles.md)."""
WIDE_SPREAD_BLOCKS = 4
"""CTAs on an SM that are asked for at most where more than a portable cluster computes a block.
With registers for five, the end of RMS norm of 120000 columns, over 16 CTAs, runs some vectors at a
time, which takes 1.06 times as long as with four. Where it does so anyway, five are better: layer
norm of as many columns then takes 0.91 times as long (H100,
docs/measurements/2026-11-27-odd-rows.md)."""
STEP_REGISTERS = 32
"""Registers of a thread in addition to one for each element of its tile: addresses, indices and
what a reduction hands over. Softmax of 32 elements a thread takes 52 to 64 in all (ptxas 13.0)."""


def room_on_sm(warps: int, elements: int, target: Target) -> int:
    """Return how many CTAs find registers on an SM: 0 if a thread would get fewer than it needs.

    Args:
        warps: Warps that compute.
        elements: Elements of the largest tile that a thread holds, or words of all that it does.
        target: Machine.
    """
    return target.registers_per_sm // (warps * machine.WARP_THREADS * (STEP_REGISTERS + elements))


def choose_blocks_per_sm(
    problem: KernelProblem,
    specialize: bool,
    warps: int,
    elements: int,
    target: Target,
    overrides: PlanOverrides,
    ctas: int = 1,
) -> tuple[int, tuple[str, ...]]:
    """Return the least number of CTAs on an SM, and why unless there is nothing to choose.

    Args:
        problem: The kernel.
        specialize: Whether there is a producer warpgroup.
        warps: Warps that compute.
        elements: Elements of the largest tile that a thread holds.
        target: Machine.
        overrides: Fields that the user fixed.
        ctas: CTAs that compute a block together.
    """
    if specialize:
        return _blocks_with_producer(problem, warps, elements, target, overrides)
    if not (problem.waits_for_tiles and problem.thread_bytes and problem.blocks_per_sm):
        return 1, ()
    wanted = -(-machine.STREAM_FLIGHT_BYTES // problem.thread_bytes)
    if ctas > machine.MAX_CLUSTER_CTAS and problem.load_ahead:
        wanted = min(wanted, WIDE_SPREAD_BLOCKS)
    wanted = min(wanted, problem.most_per_sm or wanted)
    threads = warps * machine.WARP_THREADS
    held = problem.held_words // threads
    blocks = max(1, min(wanted, room_on_sm(warps, elements, target)))
    if held * blocks * threads > target.registers_per_sm:  # it would spill
        blocks = min(blocks, max(1, room_on_sm(warps, held, target)))
        if blocks > BOUND_BLOCKS:
            return 1, ()
    if blocks * threads * target.max_registers_per_thread <= target.registers_per_sm:
        return 1, ()  # so many fit, whatever a thread takes
    why = f"{blocks * problem.thread_bytes} bytes of loads in flight, as a step waits for its tile"
    return blocks, (f"blocks_per_sm = {blocks}: {why}",)


def _blocks_with_producer(
    problem: KernelProblem, warps: int, elements: int, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return how many CTAs without products share an SM where each has a producer, and why."""
    room = room_on_sm(warps + machine.WARPGROUP_THREADS // machine.WARP_THREADS, elements, target)
    multiplies = problem.product_bytes > 0
    meets = multiplies or problem.repeats_tiles
    most = PRODUCT_ELEMENTS if meets else LIGHT_ELEMENTS
    alone = overrides.persistent or not problem.blocks_per_sm or elements > most
    if alone or room < SHARING or (multiplies and not _has_slots(problem, target)):
        return 1, ()
    why = f"a round computes {elements} elements a thread, so one CTA mostly waits"
    if multiplies:
        why = "while the warps of one CTA meet between products, the other one computes"
    return SHARING, (f"blocks_per_sm = {SHARING}: {why}",)


def _has_slots(problem: KernelProblem, target: Target) -> bool:
    """Tell whether a CTA without wgmma has slots enough in its share of an SM."""
    outside = problem.bytes_outside_ring(0, Slices(0, 0, 0))
    return fitting_stages(problem, outside, target.share(SHARING)) >= machine.MIN_SHARED_STAGES


def choose_tail(problem: KernelProblem, blocks: int) -> tuple[bool, tuple[str, ...]]:
    """Return whether the end of a block runs some vectors at a time, and why if it does.

    With all loads first, layer_norm of 2048 x 131072 is 3 % faster and rms_norm 7 %. Where that
    halves the CTAs of an SM, as in layer_norm of 2048 x 50257, it takes 1.35 times as long (H100,
    docs/measurements/2026-11-26-rows.md).

    Args:
        problem: The kernel.
        blocks: CTAs that fit on an SM by the plan.
    """
    if problem.load_ahead or blocks == 1:
        return False, ()
    why = "all loads at the end of a block at once would take the registers of a CTA"
    return True, (f"stream_tail = true: {why}",)


def choose_blocks_with_mma(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return how many CTAs of a kernel with products share an SM, and why unless it is one.

    Two where memory bounds the kernel and both have what they need: one loads while the other one
    begins or ends, and an SM that is done takes the next block. Two also where one warpgroup
    computes an operand in its registers: nothing multiplies meanwhile. Attention with 64 queries a
    block then takes 0.67 to 0.86 of the time, and products with 8-bit weights 0.66 (H100,
    docs/measurements/2026-11-27-spills-and-strangers.md).

    Args:
        problem: The kernel.
        plan: Roles, warpgroups and teams.
        target: Machine.
        overrides: Fields that the user fixed.
    """
    given = overrides.persistent or overrides.producer_registers or overrides.consumer_registers
    bound = is_memory_bound(problem, target)
    splits = overrides.split_k or problem.split_k  # planned for CTAs that are alone
    alone = splits == 1 and plan.consumers == 1 and problem.operand_registers(1) > 0
    if given or not (plan.specialize and (bound or alone) and problem.blocks_per_sm):
        return 1, ()
    if not _has_room(problem, plan, target.share(SHARING), overrides):
        return 1, ()
    loading, computing = round_cycles(problem, target)
    why = f"a round loads for {loading:.0f} cycles and multiplies for {computing:.0f}"
    if not bound:
        why = "while one CTA computes an operand, the other one multiplies"
    return SHARING, (f"blocks_per_sm = {SHARING}: {why}",)


def _has_room(
    problem: KernelProblem, plan: KernelPlan, share: Target, overrides: PlanOverrides
) -> bool:
    """Tell whether a CTA with products has registers and slots enough in its share of an SM."""
    held = problem.accumulators(plan.team_consumers)
    operand = problem.operand_registers(plan.team_consumers)
    held += operand + machine.OPERAND_OVERHEAD if operand else 0
    threads = machine.WARPGROUP_THREADS * (plan.consumers + 1)
    entry = entry_registers(threads, share)
    wide = max(instruction_registers(tile.n, tile.accumulator_bytes) for tile in problem.mma)
    if held > accumulator_limit(plan.consumers, share) or wide > entry:
        return False
    slots = machine.EPILOGUE_SLOTS if problem.part_bytes else 0
    outside = problem.bytes_outside_ring(plan.consumers, Slices(0, 0, slots))
    outside += plan.teams * problem.scratch_bytes(plan.team_warps, None)
    return fitting_stages(problem, outside, share) >= (
        overrides.stages or machine.MIN_SHARED_STAGES
    )
