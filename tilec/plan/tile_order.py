"""The order of tiles that loaded numbers make long or short, and leave out. Pure Python.

Blocks of a naive grid over (tile, sequence, head) do nothing where a sequence is shorter than the
longest one, and have as many rounds as theirs is long. Each CTA sorts all tiles before its roles
start, from what the kernel itself says about their rounds. Then the tiles are dealt out row by row:
CTAs that have had least to do get the longest ones. That takes 3 us and up to 0.4 us for each row,
in which a CTA computes a tile.

Tiles that differ only in coordinates that their rounds do not depend on (heads) are sorted once.
Where each of these reads arrays of its own in its loops, only as many of them run at the same time
as have their part of these arrays in L2: all heads at the same time would read their keys from
memory again and again (0.72 instead of 1.0 of FlashAttention-3, H100,
docs/measurements/2026-11-27-varlen.md). Where they share what they read, as the columns of a
product do, all of them run at the same time.

Where all tiles that do something cost the same, as those of groups of rows do, blocks that end
early are faster than sorted tiles: by 2 to 8 % with 64 groups (H100,
docs/measurements/2026-11-27-ragged.md).
"""

from tilec.plan import machine
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import PlanOverrides

ROUND_COST, TILE_COST = 2, 3
"""What a round and the ends of a tile cost: a tile of attention takes 1.5 rounds more than it has
(docs/measurements/2026-11-27-varlen.md)."""
MOST_ROUNDS = 1 << 20
"""Rounds from which on tiles cost the same, so that a cost fits 32 bits (choice)."""
SHARED_SHARE = 0.125
"""Where tiles share more than this part of what a round loads, all of them run at the same time
(assumption: masks are 0.01 of it, an operand of a product a third or more)."""


def choose_tile_order(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[bool, tuple[str, ...]]:
    """Return whether each CTA sorts the tiles by what they cost, and why.

    No reason where loaded numbers decide nothing.
    """
    defect = problem.why_not_ordered or _why_not(problem, plan, overrides)
    given = overrides.asked("order_tiles", defect)
    if given is not None:
        return given
    if problem.why_not_ordered is not None:
        return False, ()
    if defect is None and problem.equal_tiles:
        defect = "tiles that do anything cost the same, so blocks in their order share more of L2"
    if defect is not None:
        return False, (f"order_tiles = false: {defect}",)
    why = "loaded numbers say how long tiles are, so a CTA takes the longest first"
    left_out = ", and none that does nothing" if problem.leaves_tiles_out else ""
    return True, (f"order_tiles = true: {why}{left_out}",)


def choose_kept_bytes(problem: KernelProblem, ordered: bool) -> tuple[int, tuple[str, ...]]:
    """Return of how many bytes tiles that run at the same time read parts apart, and why.

    0 where all tiles that differ only in free digits run at the same time.
    """
    apart, shared = problem.apart_bytes, problem.shared_bytes
    if not ordered or not apart:
        return 0, ()
    if shared > SHARED_SHARE * (apart + shared):
        why = "tiles that cost the same share what they load, so they run together"
        return 0, (f"order_bytes = 0: {why}",)
    kept = machine.L2_KEPT_BYTES
    why = "tiles that cost the same load apart, so only as many run together as L2 has room for"
    return kept, (f"order_bytes = {kept}: {why}",)


def _why_not(problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides) -> str | None:
    """Return why tiles come in the order of the source, as far as the plan decides; None if not."""
    if overrides.persistent is False:
        return "a CTA computes one tile (persistent = false)"
    if overrides.persistent is None and not problem.persistent:
        return "a loop over tiles takes registers that a tile needs"
    if plan.split_k > 1:
        return f"CTAs share the k-tiles of a tile (split_k = {plan.split_k})"
    if not plan.specialize:
        return "no producer warp loads the next tile early"
    if plan.blocks_per_sm > 1:
        return "another CTA of the SM loads while one begins or ends"
    if overrides.cluster not in (None, (1, 1)):
        return "a cluster takes neighbouring tiles"
    for name in ("tile_group", "balance_tiles", "snake_k"):
        if getattr(overrides, name):
            return f"{name} orders the tiles"
    return None
