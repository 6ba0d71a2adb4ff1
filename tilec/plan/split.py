"""Split-K: several CTAs share the k-tiles of a tile, and one adds up their parts. Pure Python.

Work items are pairs (tile, split). Split s runs the k-tiles of the s-th share of its tile. All but
the last one leave their partial sum in memory, each in a place of its own, without waiting for
anybody. The last one waits until they are all there, adds them to its own, split 0 first, and
computes the result of the tile. So the order of the additions is fixed, and results are the same
bit by bit in every launch. A sum that goes from split to split would be as fixed, but each of them
would wait for the one before it (docs/measurements/2026-11-22-split-k.md).

Item number `split * tiles + tile`: CTAs that run at the same time work on the same range of k of
different tiles, which share operands, and the last splits, which wait, have the largest numbers. A
CTA takes the items `cta, cta + ctas, ...` in that order. No order of events deadlocks: what a CTA
runs ahead of its first last split does not wait, so every CTA gets through with that. Then all
partial sums are there, and no wait lasts. That needs all CTAs to run: one that has yet to start may
find no room as long as others wait. So the launch is cooperative, which makes all of them run at
the same time (`tilec.runtime.launch.launch_shape`).
"""

from tilec.plan.model import KernelProblem
from tilec.plan.overrides import PlanOverrides

SPLITS = (1, 2, 3, 4, 6, 8, 12, 16)
"""Into how many splits along K to divide tiles of products that have few of them."""
SPLIT_SHARE = 0.5
"""Tiles are split where they take less than this share of the SMs (the rest would stay idle)."""
SPLIT_DEPTH = 3072
"""Least K of a product whose tiles are split: a split should keep 8 k-tiles or more (CUTLASS)."""
PARTIAL_BYTES = 4
"""Size of an element of the partial sums that CTAs exchange."""
HELD_BYTES = 256
"""Bytes of partial sums that a thread loads before it adds the first of them: 64 of its registers,
of 168 or more, next to an accumulator that is not larger."""
COUNTER_BYTES = 4
"""Size of the counter of the partial sums of a tile."""


def work_item(index: int, tiles: int) -> tuple[int, int]:
    """Return tile and split of a work item, as `nv-tileas-schedule-tiles` computes them."""
    split, tile = divmod(index, tiles)
    return tile, split


def split_range(split: int, splits: int, k_tiles: int) -> range:
    """Return the k-tiles of one split: none where the splits before it have them all."""
    share = -(-k_tiles // splits)
    first = min(split * share, k_tiles)
    return range(first, min(first + share, k_tiles))


def choose_split(problem: KernelProblem, overrides: PlanOverrides) -> tuple[int, tuple[str, ...]]:
    """Return the number of splits, and why unless tiles stay whole as planned."""
    defect, splits = problem.why_not_split or _conflict(overrides), problem.split_k
    given = overrides.asked("split_k", None if overrides.split_k == 1 else defect)
    if given is not None:
        return given
    if splits == 1:
        return 1, ()
    if defect is not None:
        return 1, (f"split_k = 1: {splits} were planned with the tiles, but {defect}",)
    return splits, (f"split_k = {splits}: there are too few tiles for all SMs",)


_WHOLE_TILES = ("snake_k", "order_tiles", "balance_tiles", "defer_stores", "defer_work")
"""Fields that a user turns on for CTAs that compute whole tiles."""


def splits_by_launch(problem: KernelProblem, overrides: PlanOverrides) -> bool:
    """Tell whether each launch decides into how many splits its tiles go.

    It does for tiles whose extents are written; those of `auto` tiles are planned with them.
    """
    if problem.tiles_are_planned or problem.split_k > 1 or overrides.split_k is not None:
        return False
    if _conflict(overrides) or any(getattr(overrides, name) for name in _WHOLE_TILES):
        return False
    return problem.why_not_split is None and problem.persistent


def _conflict(overrides: PlanOverrides) -> str | None:
    """Return which other field of the plan keeps tiles from being split."""
    if overrides.persistent is False:
        return "only CTAs that loop over tiles take splits in order (persistent = false)"
    if overrides.cluster not in (None, (1, 1)):
        return "the CTAs of a cluster work on whole tiles"
    if overrides.pingpong:
        return "consumers that ping-pong have tiles of their own (pingpong = true)"
    return None
