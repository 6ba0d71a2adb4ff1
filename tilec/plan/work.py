"""How CTAs are handed their tiles: in clusters, in a loop, in which order. Pure Python."""

from collections.abc import Sequence

from tilec.plan import machine
from tilec.plan.copies import PROMOTION, WIDE_PROMOTION
from tilec.plan.epilogue import Slices
from tilec.plan.failure import fail
from tilec.plan.model import KernelPlan, KernelProblem, Reuse
from tilec.plan.overrides import PlanOverrides

GROUP_ROWS = 2048
"""Rows of the result that are swept together. At 8192^3 in bf16 with 128-row tiles, against cuBLAS
of the same run (H200, driver 580, 2026-11-21): 4 rows of tiles 1.00, 8 rows 1.036, 16 rows 1.047,
row-major 0.977. At 4095x4104x4104 with 256-row tiles: 8 rows of tiles 1.003, 16 rows 0.975."""


def plan_work(problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides) -> KernelPlan:
    """Return the plan with how CTAs are handed their tiles.

    Who computes them is planned, and so is whether a CTA loops over them.
    """
    group, why = overrides.asked("tile_group") or _choose_tile_group(problem, plan)
    plan = plan.because(why, tile_group=group)
    unplanned = overrides.cluster is not None
    shares, why = overrides.asked("share_tiles") or (problem.share_tiles or unplanned, ())
    plan = plan.because(why, share_tiles=shares)
    cluster, why = overrides.asked("cluster") or _choose_cluster(problem, plan)
    plan = plan.because(why, cluster=cluster)
    order, balance, why = _choose_order(problem, plan, overrides)
    plan = plan.because(why, tile_order=order, balance_tiles=balance)
    snake, why = _choose_snake(problem, plan, overrides)
    plan = plan.because(why, snake_k=snake)
    promotion, why = overrides.asked("l2_promotion") or _choose_promotion(problem)
    plan = plan.because(why, l2_promotion=promotion)
    dependent, why = overrides.asked("dependent_launch") or _choose_launch(problem, plan)
    plan = plan.because(why, dependent_launch=dependent)
    fills, why = _choose_filling(problem, plan, overrides)
    return plan.because(why, fill_gpu=fills)


def choose_persistence(problem: KernelProblem, plan: KernelPlan) -> tuple[bool, tuple[str, ...]]:
    """Return whether a CTA loops over tiles, and why.

    Where loaded numbers say which blocks have no work, CTAs that take every 132nd tile get unequal
    shares of it, and drift apart until they share no operands in L2: 64 groups of up to 1024 rows
    took 818, 567 and 472 us in three tiles, and 1549, 1065 and 1018 us in loops over tiles (H100,
    docs/measurements/2026-11-27-spills-and-strangers.md).
    """
    loops, why = _loops_over_tiles(problem, plan)
    return loops, (f"persistent = {str(loops).lower()}: {why}",)


def _loops_over_tiles(problem: KernelProblem, plan: KernelPlan) -> tuple[bool, str]:
    """Return whether a CTA loops over tiles, and why, as a clause."""
    if not problem.persistent:
        return False, "a loop over tiles takes registers that a tile needs"
    if plan.split_k > 1:
        return True, "all CTAs run at the same time, so splits may wait"
    if plan.order_tiles:
        return True, "a CTA takes sorted tiles, one after the other"
    if plan.teams > 1:
        return True, "consumers that ping-pong take one tile after the other"
    if problem.ends_early:
        return False, "a block may end early, and its SM begins with the next"
    if plan.blocks_per_sm > 1:
        return False, "another CTA of the SM loads while one begins or ends"
    if plan.share_rounds:
        return False, "CTAs share the rounds of a block"
    if plan.specialize:
        return True, "loads of the next tile overlap the epilogue of this one"
    return False, "no producer warp that loads the next tile early"


def tile_group(rows: int) -> int:
    """Return how many rows of tiles of `rows` rows each are swept together."""
    return max(1, GROUP_ROWS // rows)


def _choose_tile_group(problem: KernelProblem, plan: KernelPlan) -> tuple[int, tuple[str, ...]]:
    """Return the rows of tiles to sweep together, and why unless there is nothing to choose."""
    if not problem.mma or plan.order_tiles:
        return 0, ()
    if not plan.persistent:
        return 0, ("tile_group = 0: row-major order, as blocks do not loop over tiles",)
    if problem.reuse.once:
        return 0, ("tile_group = 0: each tile loads what no other one loads",)
    if problem.reuse.order:
        how = "run together" if problem.reuse.runs_together else "are spread: rounds are skipped"
        return 0, (f"tile_group = 0: {_sharing(problem.reuse)} {how}",)
    why = "rows of tiles that run at the same time share operands in L2"
    group = tile_group(max(tile.m for tile in problem.mma))
    return group, (f"tile_group = {group}: {why}",)


def _sharing(reuse: Reuse) -> str:
    """Return which tiles load the same."""
    axes = f"ax{'es' if len(reuse.shared) > 1 else 'is'} {_listed(reuse.shared)}"
    return f"tiles along {axes} of the grid, which load the same of {_listed(reuse.arrays)},"


def _listed(items: Sequence[object]) -> str:
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last


def _choose_order(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[tuple[int, ...], int, tuple[str, ...]]:
    """Return the order of the axes of the grid, where long tiles are if CTAs balance them, and why.

    No reason where the source decides. A CTA takes its tiles by fixed numbers, so their order also
    decides who has how much to do. Causal attention in bf16, 16384 tokens, 2048 elements of all
    heads, in TFLOP/s (H200, driver 580, 2026-11-24, one process of 6 rounds), heads of 128 elements
    in sequences of 16384, 4096 and 1024: long and short tiles alternately 573, 506, 359; row-major
    306, 302, 253; groups of 16 rows 479, 442, 251, of 4 rows 577, 508, 253. Heads of 64: 430, 223,
    402, 431 with sequences of 16384; 272, 183, 277, 182 with 1024. Heads of 256 with 16384: 567,
    318, 481, 551.
    """
    reuse = problem.reuse
    defect = _why_not_reordered(problem, plan)
    order = () if defect is not None or overrides.tile_group is not None else reuse.order
    if defect is None and not reuse.growth:
        defect = "the rounds of its products do not grow along an axis where tiles load the same"
    if overrides.balance_tiles:
        if overrides.tile_group:
            defect = f"tile_group = {overrides.tile_group} sweeps rows of tiles together"
        if defect is not None:
            fail("T0421", f"balance_tiles = true: {defect}")
        order = reuse.order
    if overrides.balance_tiles is not None:
        growth = reuse.growth if overrides.balance_tiles else 0
        return order, growth, (overrides.fixed("balance_tiles"),)
    if defect is not None or not order:
        return order, 0, ()
    what = "more" if reuse.growth > 0 else "fewer"
    why = f"tiles have {what} rounds the larger their coordinate along axis {order[-1]} is"
    reason = f"balance_tiles = true: {why}, so a CTA takes a long and a short one alternately"
    return order, reuse.growth, (reason,)


def _why_not_reordered(problem: KernelProblem, plan: KernelPlan) -> str | None:
    """Return why tiles keep the order of the source, or None."""
    if not problem.mma or not problem.reuse.order:
        return "the loops of its tiles do not load the same along an axis of the grid"
    if not plan.persistent or plan.split_k > 1:
        return "a CTA computes one tile, or shares it with others"
    if plan.order_tiles:
        return "each CTA sorts the tiles by what they cost (order_tiles = true)"
    return None if plan.cluster == (1, 1) else "a cluster takes neighbouring tiles"


def _choose_cluster(
    problem: KernelProblem, plan: KernelPlan
) -> tuple[tuple[int, int], tuple[str, ...]]:
    """Return the cluster, and why; no reason for a single CTA that is the default."""
    alone = plan.split_k > 1 or plan.order_tiles
    if problem.cluster == (1, 1) or not plan.specialize or alone:
        return (1, 1), ()
    rows, columns = problem.cluster
    why = "its CTAs share tiles, each of which is read from L2 once"
    if not plan.share_tiles:
        why = "its CTAs read neighbouring parts of an operand at the same time"
    return problem.cluster, (f"cluster = {rows} x {columns}: {why}",)


def _choose_snake(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[bool, tuple[str, ...]]:
    """Return whether every second tile runs backwards along K, and why if one does.

    The k-tiles with which a wave of tiles ends are in L2 when the next wave begins. That gains
    nothing where L2 keeps all operands of a wave; the tiles were planned with the answer.
    """
    defect = problem.why_not_backwards or _why_not_backwards(plan)
    given = overrides.asked("snake_k", defect)
    if given is not None:
        return given
    if defect is not None or not problem.snake_k:
        return False, ()
    return True, ("snake_k = true: a tile begins with the k-tiles that L2 got last",)


def _why_not_backwards(plan: KernelPlan) -> str | None:
    """Return which other decision keeps a CTA from running k-tiles backwards."""
    if plan.split_k > 1:
        return f"its CTAs share the k-tiles of a tile (split_k = {plan.split_k})"
    if plan.order_tiles:
        return "its tiles come in the order of what they cost (order_tiles = true)"
    return None if plan.persistent else "no CTA has a second tile (persistent = false)"


def choose_streaming(loads: bool) -> tuple[bool, tuple[str, ...]]:
    """Return whether results leave L2 before everything else, and why if that was asked for.

    Where an epilogue loads tiles (`loads`), they and the results cross L2 once each, in addition to
    operands that many CTAs read. With bias, GELU and a residual at 4096^3, in bf16, the kernel
    reached 0.992, 0.998 and 0.976 of the product without an epilogue, and 0.967, 0.977 and 0.971
    without it (H200, driver 580, 2026-11-22: three runs of 14 rounds). Plain products did not gain.
    """
    if loads:
        return True, ("stream_results = true: what the epilogue loads and operands stay in L2",)
    return False, ()


def _choose_promotion(problem: KernelProblem) -> tuple[int, tuple[str, ...]]:
    """Return how many bytes TMA brings into L2 at a time, and why where it is not the usual."""
    if not problem.mma and problem.row_bytes >= WIDE_PROMOTION:
        why = "a row of a tile takes several boxes"
        return WIDE_PROMOTION, (f"l2_promotion = {WIDE_PROMOTION}: {why}",)
    if problem.l2_promotion == PROMOTION:
        return PROMOTION, ()
    why = "an operand is read once, and the next k-tile follows in memory"
    return problem.l2_promotion, (f"l2_promotion = {problem.l2_promotion}: {why}",)


def _choose_launch(problem: KernelProblem, plan: KernelPlan) -> tuple[bool, tuple[str, ...]]:
    """Return whether the kernel may start before the one before it has ended, and why if not.

    Clusters that share the rounds of few blocks load more slowly after an early start. One call
    after the other, sums of 65536 and 262144 rows of 256 and 512 columns had 0.58 to 0.66 of the
    speed of a copy, and 0.90 to 0.94 after late starts; rings that fill an SM, so that no two CTAs
    share one, gave no more than 0.77. Of eight shapes one lost, 65536x640 with 0.96 and 0.88 (H100,
    docs/measurements/2026-11-27-placed-clusters.md).
    """
    if plan.share_rounds:
        why = "clusters that share rounds load faster where they start on an empty GPU"
        return False, (f"dependent_launch = false: {why}",)
    if problem.dependent_launch:
        return True, ()
    why = "its CTAs spread evenly, and neighbours start in one GPC, only on an empty GPU"
    return False, (f"dependent_launch = false: {why}",)


def _choose_filling(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[bool, tuple[str, ...]]:
    """Return whether every SM gets a CTA that loops over tiles, and why if it does.

    Otherwise a launch has the fewest CTAs that need no more rounds of tiles: idle SMs save power.
    """
    defect = None if plan.persistent else "no CTA loops over tiles (persistent = false)"
    given = overrides.asked("fill_gpu", defect)
    if given is not None:
        return given
    if defect is not None or not problem.fill_gpu:
        return False, ()
    return True, ("fill_gpu = true: memory bounds the time, and more SMs draw more from it",)


def choose_pace(
    problem: KernelProblem, slices: Slices, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return the nanoseconds per k-tile to sleep before each slice, and why if there is a sleep.

    Loads may take their time only where each slice of a tile has a slot: a slot that is used again
    in the same tile is freed by an epilogue that runs already.
    """
    defect = None if slices.stages else "the epilogue loads no slices"
    given = overrides.asked("epilogue_pace", defect)
    if given is not None:
        return given
    if defect is not None:
        return 0, ()
    counts = [tile.columns // slices.columns for tile in problem.sliced if tile.load_bytes]
    if slices.stages < max(counts):
        return 0, ()
    volume = max(tile.m * tile.n * tile.k * tile.element_bytes for tile in problem.mma)
    cycles = machine.PACE_SHARE * volume / machine.MMA_BYTES_PER_CYCLE / sum(counts)
    pace = round(cycles / machine.LOADED_CYCLES_PER_NANOSECOND)
    why = "the loads of the epilogue spread over the products of their tile"
    return pace, (f"epilogue_pace = {pace} ns a k-tile: {why}",)
