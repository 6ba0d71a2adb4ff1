"""How many CTAs of a cluster share the rounds of a loop, where a kernel has few blocks.

Pure Python.
"""

from typing import NamedTuple

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.model import KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.plan.spread import choose_spread
from tilec.plan.workers import choose_warps
from tilec.request.target import Target

SM_RATE = 125e9
"""Bytes per second that the ring of one block loads at least, with as many slots as fit: 125 to 155
GB/s (sums of columns, H100, docs/measurements/2026-11-26-column-sums.md)."""

CUT_ROWS = 0.64e9
"""Rows per second that TMA copies where they end inside of a box, as those of the last columns do:
sums of 65536x1000 in tiles of 32 columns took 103 us with one CTA for a block, whatever the pitch
of a row, of 65536x992 and x1024 53 us (H100,
docs/measurements/2026-11-27-launches-of-few-rounds.md)."""
LEAST_BYTES = 256 * 1024
"""Bytes that a block loads in a loop that is worth a cluster. In 16 rounds of 16 KB, sums of 128 to
768 columns gained 4 to 15 %, in 8 none (same note)."""
CTAS_OF_AN_SM = 0.48
"""CTAs per SM that share rounds, at least. 64 CTAs with 6 slots of 16 KB each are the fewest that
were timed with sums of 256 and 512 columns, and the best: 262144x256 had 0.84 of the speed of a
copy with 64 CTAs and 0.54 with 128, 262144x512 0.88 with 64 and 0.81 with 128. With 80 and 96 CTAs
sums of 640 and 768 columns gained 4 to 18 %, with 160 and 192 up to 16 % (same note)."""


WARPS_OF_AN_SM = 5.5
"""Warps of each SM, at least, where threads load the tiles, as they do rows that begin at any
element. A block of four warps then loads 12 GB/s. 65536x1500, of 47 blocks, had 0.19 of the speed
of a copy alone and 0.59 with 188 CTAs; 65536x500, of 16, had 0.07, 0.48 with 128 and 0.64 with 256;
32768x2047, of 64, had 0.25, 0.48 with 128 and 0.66 with 256. Of eight warps, 16384x4100, of 65
blocks, had 0.47, 0.74 with 130 and 0.53 with 260, and 65536x8191, of 128, 0.77 alone and 0.76 with
256 (H100, docs/measurements/2026-11-27-placed-clusters.md)."""


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
    parts, why_parts = choose_spread(problem, target, overrides)
    return 1, parts, (*why, *why_parts)


def least_rounds(problem: KernelProblem, overrides: PlanOverrides) -> int:
    """Return the rounds of a launch from which on CTAs share them; 0 where all launches do."""
    if overrides.share_rounds is not None or problem.rounds_text is None:
        return 0
    return _worthwhile(problem)


def _worthwhile(problem: KernelProblem) -> int:
    """Return the rounds from which on a cluster pays."""
    return -(-LEAST_BYTES // max(1, problem.ring_slot_bytes or problem.thread_bytes))


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
    enough = _enough_ctas(problem, target, overrides)
    if problem.rounds < _worthwhile(problem) or problem.blocks >= enough.alone:
        return 1, ()
    if not problem.share_rounds:
        why = f"launches of {_worthwhile(problem)} rounds or more share them"
        return 1, (f"share_rounds = false: {why}",)
    ctas = next((n for n in machine.SPREADS[1:] if problem.blocks * n >= enough.sharing), None)
    return _with_reason(ctas or machine.SPREADS[-1], problem, overrides)


class _Enough(NamedTuple):
    """From how many blocks on none shares its rounds, and how many CTAs else do at least."""

    alone: float
    sharing: float


def _enough_ctas(problem: KernelProblem, target: Target, overrides: PlanOverrides) -> _Enough:
    """Return how many CTAs are enough, by what loads their tiles."""
    if problem.ring_slot_bytes:
        alone = target.gpu.memory_rate / _rate(problem)
        return _Enough(alone, CTAS_OF_AN_SM * target.sm_count)
    warps = overrides.worker_warps or choose_warps(problem)
    ctas = WARPS_OF_AN_SM * target.sm_count / warps
    return _Enough(ctas, ctas)


def _with_reason(
    ctas: int, problem: KernelProblem, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return how many CTAs share rounds, and why."""
    why = f"{problem.blocks} blocks load less than memory delivers, so CTAs share their rounds"
    if problem.cut_rows:
        why = "rows that end inside of a tile load slowly, so CTAs share the rounds of a block"
    least = least_rounds(problem, overrides)
    why += f"; launches of less than {least} rounds share none" if least else ""
    return ctas, (f"spread = {ctas}: {why}",)


def _rate(problem: KernelProblem) -> float:
    """Return the bytes per second that the slowest block loads, whose tiles count as whole."""
    return min(SM_RATE, CUT_ROWS * problem.row_bytes) if problem.cut_rows else SM_RATE


def _why_not(problem: KernelProblem, overrides: PlanOverrides) -> str | None:
    """Return why no CTAs can share rounds, or None."""
    if not (problem.ring_slot_bytes or problem.thread_bytes):
        return "it loads no tiles"
    if problem.ring_slot_bytes and overrides.specialize is False:
        return "no ring loads the tiles of a loop"
    if overrides.cluster not in (None, (1, 1)):
        return "the CTAs of a cluster that shares tiles compute a block each"
    return problem.why_not_share_rounds
