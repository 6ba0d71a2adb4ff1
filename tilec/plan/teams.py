"""Whether consumers share each tile (cooperative) or ping-pong. Pure Python."""

from tilec.plan.failure import fail
from tilec.plan.model import KernelProblem
from tilec.plan.overrides import BY_USER, PlanOverrides

PINGPONG_TEAMS = 2
"""Teams of one warpgroup each: one multiplies while the other one stores."""


def choose_teams(
    problem: KernelProblem, specialize: bool, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return the number of teams, and why unless all consumers share every tile by default."""
    wanted = problem.pingpong if overrides.pingpong is None else overrides.pingpong
    defect = problem.why_not_pingpong or turns_conflict(specialize, overrides)
    if not defect and not problem.persistent:
        defect = "a loop over tiles takes registers that a tile needs"
    if overrides.pingpong and defect:
        fail("T0421", f"pingpong = true: {defect}")
    if not wanted or defect:
        return 1, () if overrides.pingpong is None else (overrides.fixed("pingpong"),)
    why = BY_USER if overrides.pingpong else "one multiplies while the other one stores"
    what = f"pingpong = true: {PINGPONG_TEAMS} consumers ping-pong"
    return PINGPONG_TEAMS, (f"{what}; {why}",)


def turns_conflict(specialize: bool, overrides: PlanOverrides) -> str | None:
    """Return which other field of the plan keeps consumers from ping-pong."""
    if not specialize:
        return "consumers that load for themselves do not ping-pong"
    if overrides.persistent is False:
        return "a CTA takes one tile only (persistent = false)"
    if overrides.split_k not in (None, 1):
        return f"a split of a tile takes all consumers (split_k = {overrides.split_k})"
    if overrides.consumers not in (None, PINGPONG_TEAMS):
        return f"it takes {PINGPONG_TEAMS} consumers, not {overrides.consumers}"
    if overrides.epilogue_slots == 0:
        return "results that are stored whole (epilogue_slots = 0) take all consumers"
    if overrides.stages == 1:
        return "one stage cannot hold the slots of two tiles"
    return None
