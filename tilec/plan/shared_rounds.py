"""How many CTAs of a cluster share the rounds of a loop, where a kernel has few blocks.

Pure Python.
"""

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.model import KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.plan.spread import choose_spread
from tilec.request.target import Target

SM_RATE = 125e9
"""Bytes per second that the ring of one block loads at least, with as many slots as fit: 125 to 155
GB/s (sums of columns, H100, docs/measurements/2026-11-26-column-sums.md)."""

LEAST_ROUNDS = 32
"""Rounds of a loop that is worth a cluster, where they are known. With 32 rounds, sums of 256
columns gained 6 %, with 16 and 8, sums of 640 and 512 columns lost 9 and 38 %
(H100, docs/measurements/2026-11-27-shared-rounds.md)."""
CTAS_OF_AN_SM = 2
"""CTAs for each SM that they are at most. Sums of 512 columns had 0.83 of the speed of a copy with
256 CTAs and 0.70 with 128, of 65536x768 0.86 with 384, 0.81 with 192 and 0.78 with 96, but of
4096x640 0.33 with 320, 0.46 with 160 and 0.53 with 80
(same note)."""


def choose_ctas(
    problem: KernelProblem, target: Target, overrides: PlanOverrides
) -> tuple[int, int, tuple[str, ...]]:
    """Return how many CTAs share the rounds of a loop, how many each tile, and why.

    Each number is 1 where CTAs share nothing.

    Args:
        problem: What is known about the kernel.
        target: The GPU.
        overrides: What the user fixed.

    Raises:
        CompileError: The user asks for what is not possible (T0421).
    """
    rounds, why = _choose_rounds(problem, target, overrides)
    if rounds > 1:
        return rounds, 1, why
    parts, why = choose_spread(problem, target, overrides)
    return 1, parts, why


def _choose_rounds(
    problem: KernelProblem, target: Target, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return how many CTAs of a cluster have some rounds of a loop each, and why; 1 for none.

    The blocks of a grid that has few of them load less than memory could deliver. CTAs with rounds
    of their own each load whole tiles through a ring, and combine what they have at the end.
    """
    asked = overrides.share_rounds
    if asked is False or (asked is None and overrides.spread is not None):
        return 1, ()
    reason = _why_not(problem, overrides)
    if reason is not None:
        if asked:
            fail("T0421", f"share_rounds = true: {reason}", "leave out share_rounds")
        return 1, ()
    if asked and overrides.spread == 1:
        fail("T0421", "share_rounds = true: spread = 1 leaves one CTA", "leave out spread")
    if asked:
        return overrides.spread or machine.SPREADS[-1], (overrides.fixed("share_rounds"),)
    if problem.rounds < LEAST_ROUNDS or problem.blocks * SM_RATE >= target.gpu.memory_rate:
        return 1, ()
    most = CTAS_OF_AN_SM * target.sm_count
    fitting = [ctas for ctas in machine.SPREADS if problem.blocks * ctas <= most]
    ctas = fitting[-1] if fitting else 1
    why = f"{problem.blocks} blocks load less than memory delivers, so CTAs share their rounds"
    return ctas, (f"spread = {ctas}: {why}",)


def _why_not(problem: KernelProblem, overrides: PlanOverrides) -> str | None:
    """Return why no CTAs can share rounds, or None."""
    if not problem.ring_slot_bytes or overrides.specialize is False:
        return "no ring loads the tiles of a loop"
    if overrides.cluster not in (None, (1, 1)):
        return "the CTAs of a cluster that shares tiles compute a block each"
    return problem.why_not_share_rounds
