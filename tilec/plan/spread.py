"""How many CTAs of a cluster compute a block together. Pure Python."""

from tilec.plan.failure import fail
from tilec.plan.model import KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.support.fast_dataclasses import replace


def choose_spread(problem: KernelProblem, overrides: PlanOverrides) -> tuple[int, tuple[str, ...]]:
    """Return over how many CTAs the tiles of a block are spread, and why unless it is one.

    A CTA with a long row needs so many registers that no other one finds room on its SM, and then
    nothing hides its loads. Several CTAs hold a part of the row each, read it once, and exchange
    what they have reduced. The default is one CTA: which rows gain is not measured yet.

    Raises:
        CompileError: The user asks for what is not possible (T0421).
    """
    wanted = overrides.spread
    if wanted is not None and wanted > 1:
        reason = problem.why_not_spread or _why_not_with(overrides)
        if reason is not None:
            fail("T0421", f"spread = {wanted}: {reason}", "leave out spread")
        return wanted, (f"spread = {wanted}: fixed by the user",)
    return 1, ()


def _why_not_with(overrides: PlanOverrides) -> str | None:
    """Return which field that the user fixed leaves no room for CTAs that share a block."""
    if overrides.cluster not in (None, (1, 1)):
        return "the CTAs of a cluster that shares tiles compute a block each"
    return None


def part_of(problem: KernelProblem, ctas: int) -> KernelProblem:
    """Return the problem of one of the CTAs that compute a block together."""
    if ctas == 1:
        return problem
    return replace(
        problem,
        tile_elements=-(-problem.tile_elements // ctas),
        thread_bytes=-(-problem.thread_bytes // ctas),
    )
