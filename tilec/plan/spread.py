"""How many CTAs of a cluster compute a block together. Pure Python."""

from tilec.plan import machine
from tilec.plan.model import KernelProblem
from tilec.plan.occupancy import room_on_sm
from tilec.plan.overrides import PlanOverrides
from tilec.plan.shared_memory import FEW_BLOCKS
from tilec.plan.workers import choose_warps, elements_of_a_thread
from tilec.request.target import Target
from tilec.support.fast_dataclasses import replace

LEAST_BLOCKS = 2
"""CTAs that should fit on an SM: while one waits for its tile, or for the other CTAs of its
cluster, the loads of another one are in flight. A CTA that has the SM for itself had 0.61 to
0.90 of the speed of a copy where two had 1.05 to 1.20 (softmax and norms of rows of 131072 and
262144 bf16, H100, 2026-11-25)."""
GOOD_BLOCKS = 4
"""The same where a block is spread anyway and a portable cluster gives as many, or where blocks
have tiles of their own: softmax of 12288 and 16384 columns had 0.98 of the speed of a copy over two
CTAs, 0.86 and 0.94 in one. Layer norm had 0.84 and 0.92: CTAs that compute the same columns find
weights in L1 (H200, docs/measurements/2026-11-28-rows.md). Softmax of 4096x65536 had 1.25 with
four, 1.21 with two (H100, 2026-11-25). Where 8 CTAs leave room for two only, 16 give four: layer
norm of 120000 and 128256 columns had 0.82 and 0.85 of the speed of a copy instead of 0.77 and 0.79,
of 131072 1.08 instead of 1.07; of 98304, where 8 give three, 0.82 instead of 0.87 (H100,
docs/measurements/2026-11-27-spread-blocks.md)."""
IDLE_BLOCKS = 2
"""CTAs for each SM that a grid of few blocks is spread over at most. Sums of the columns of
262144x512, of 16 blocks, had 0.83 of the speed of a copy over 256 CTAs and 0.74 over 128 (same
note)."""
PART_BYTES = 16 * 1024
"""Bytes of a tile that each of them loads at least. Sums of 256 columns had 0.61 of the speed of a
copy with 8 KB, 0.77 with 16 KB and 0.76 with 32 KB (same note)."""


def choose_spread(
    problem: KernelProblem, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return over how many CTAs the tiles of a block are spread, and why if there is a choice.

    A CTA with a long row needs so many registers that few others fit on its SM, and then little
    hides its loads. Several CTAs hold a part of the row each, read it once, and exchange what they
    have reduced. The planner takes as few CTAs as leave room for others.

    Where a grid has so few blocks that most SMs have none, CTAs share a block, too.

    Raises:
        CompileError: The user asks for what is not possible (T0421).
    """
    defect = _why_not(problem, overrides.spread or 1, overrides)
    given = overrides.asked("spread", defect, "leave out spread")
    if given is not None:
        return given
    if _leaves_sms_idle(problem, target):
        return _ctas_for_idle_sms(problem, target, overrides)
    waited = max(problem.thread_bytes, problem.one_shot_bytes)
    enough = GOOD_BLOCKS if problem.own_tiles else LEAST_BLOCKS
    if not (problem.waits_for_tiles and waited) or _room(problem, 1, target, overrides) >= enough:
        return 1, ()
    moved_by_threads = replace(problem, thread_bytes=waited)
    return _fewest_ctas(moved_by_threads, target, overrides)


def _fewest_ctas(
    problem: KernelProblem, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return the fewest CTAs whose parts of a large block leave room for others, and why."""
    whole = _room(problem, 1, target, overrides)
    alone = f"an SM has registers for {whole} CTA{'s' * (whole != 1)} with whole tiles"
    why_not = {ctas: _why_not(problem, ctas, overrides) for ctas in machine.SPREADS[1:]}
    possible = [ctas for ctas, reason in why_not.items() if reason is None]
    if not possible:
        return 1, (f"spread = 1: {alone}, but {why_not[machine.SPREADS[1]]}",)
    room = {ctas: _room(problem, ctas, target, overrides) for ctas in possible}
    portable = [ctas for ctas in possible if ctas <= machine.MAX_CLUSTER_CTAS]
    good = [ctas for ctas in portable if room[ctas] >= GOOD_BLOCKS]
    enough = [ctas for ctas in possible if room[ctas] >= LEAST_BLOCKS]
    if enough and room[enough[0]] == LEAST_BLOCKS:
        good = good or [ctas for ctas in possible if room[ctas] >= GOOD_BLOCKS]
    ctas = (good or enough or possible[-1:])[0]
    if not problem.spread:
        ctas = next((more for more in possible if more > ctas), ctas)
    return ctas, (f"spread = {ctas}: {alone}; an SM holds {room[ctas]} with a part each",)


def _leaves_sms_idle(problem: KernelProblem, target: Target) -> bool:
    """Tell whether few blocks load large tiles, of which no ring holds two."""
    moved = max(problem.thread_bytes, problem.ring_slot_bytes)
    few = problem.blocks <= FEW_BLOCKS * target.sm_count
    return few and 2 * moved > target.shared_memory_bytes


def _ctas_for_idle_sms(
    problem: KernelProblem, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return over how many CTAs each of a few blocks is spread so that SMs have work, and why."""
    moved, most = max(problem.thread_bytes, problem.ring_slot_bytes), IDLE_BLOCKS * target.sm_count
    ctas, why_not = 1, None
    for more in machine.SPREADS[1:]:
        if problem.blocks * more <= most and moved >= more * PART_BYTES and why_not is None:
            why_not = _why_not(problem, more, overrides)
            ctas = ctas if why_not else more
    why = f"{problem.blocks} blocks leave most of {target.sm_count} SMs idle"
    return ctas, (f"spread = {ctas}: {why}" + (f", but {why_not}" if why_not else ""),)


def _room(problem: KernelProblem, ctas: int, target: Target, overrides: PlanOverrides) -> int:
    """Return how many CTAs fit on an SM where each has its part of a block."""
    part, warps = part_of(problem, ctas), _warps(problem, ctas, overrides)
    return room_on_sm(warps, elements_of_a_thread(part, warps), target)


def _warps(problem: KernelProblem, ctas: int, overrides: PlanOverrides) -> int:
    return overrides.worker_warps or choose_warps(part_of(problem, ctas), ctas)


def _why_not(problem: KernelProblem, ctas: int, overrides: PlanOverrides) -> str | None:
    """Return why `ctas` CTAs cannot share a block, with the fields that the user fixed, or None."""
    if ctas == 1:
        return None
    if overrides.cluster not in (None, (1, 1)):
        return "the CTAs of a cluster that shares tiles compute a block each"
    return problem.why_not_spread(ctas, _warps(problem, ctas, overrides))


def part_of(problem: KernelProblem, ctas: int) -> KernelProblem:
    """Return the problem of one of the CTAs that compute a block together."""
    if ctas == 1:
        return problem
    return replace(
        problem,
        tile_elements=-(-problem.tile_elements // ctas),
        thread_bytes=-(-problem.thread_bytes // ctas),
        held_words=-(-problem.held_words // ctas),
    )
