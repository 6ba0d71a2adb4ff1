"""Split-K: the order of the work items, who waits for whom, and when the planner splits."""

import random

import pytest

from tests.support.plain_product import TARGET, plan, problem
from tilec.plan.gemm import candidates
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.ranked_tile import SPLIT_MARGIN, tile_text
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.split import split_range, work_item
from tilec.runtime.launch.launch_shape import persistent_blocks
from tilec.support.diagnostics import CompileError

TILES, SPLITS = (1, 2, 7, 32, 131, 132, 133, 400), (1, 2, 3, 4, 8, 16)


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("splits", SPLITS)
def test_every_item_comes_once_and_those_that_wait_come_last(tiles, splits):
    items = [work_item(index, tiles) for index in range(tiles * splits)]
    assert set(items) == {(tile, split) for tile in range(tiles) for split in range(splits)}
    assert len(set(items)) == len(items)
    assert items[-tiles:] == [(tile, splits - 1) for tile in range(tiles)]


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("splits", SPLITS)
def test_no_order_of_events_deadlocks(tiles, splits):
    """CTAs that run at the same time finish items in random order; a CTA has its items in order."""
    dice = random.Random(tiles * splits)
    ctas = persistent_blocks(tiles * splits, 132)
    assert ctas <= 132
    left = {cta: list(range(cta, tiles * splits, ctas)) for cta in range(ctas)}
    there = [0] * tiles
    while left:
        ready = [
            cta
            for cta, queue in left.items()
            for tile, split in [work_item(queue[0], tiles)]
            if split < splits - 1 or there[tile] == splits - 1
        ]
        assert ready, "every CTA waits"
        cta = dice.choice(ready)
        tile, split = work_item(left[cta].pop(0), tiles)
        there[tile] = 0 if split == splits - 1 else there[tile] + 1
        if not left[cta]:
            del left[cta]
    assert there == [0] * tiles


@pytest.mark.parametrize("splits", SPLITS)
@pytest.mark.parametrize("k_tiles", [0, 1, 2, 3, 9, 64, 129])
def test_splits_divide_the_k_tiles(k_tiles, splits):
    parts = [split_range(split, splits, k_tiles) for split in range(splits)]
    assert [k for part in parts for k in part] == list(range(k_tiles))
    assert max(map(len, parts)) == -(-k_tiles // splits)


def test_the_override():
    found = plan(problem(), split_k=4)
    assert (found.split_k, found.persistent, found.cluster) == (4, True, (1, 1))
    assert "split_k = 4: fixed by the user" in found.reasons
    assert plan(problem()).split_k == 1
    assert plan(problem(why_not_split="never mind"), split_k=1).split_k == 1


def test_splits_come_before_what_was_planned_with_the_tiles():
    found = plan(problem(cluster=(2, 1), pingpong=True), split_k=2)
    assert (found.split_k, found.cluster, found.teams) == (2, (1, 1), 1)


def test_planned_splits_give_way():
    assert plan(problem(split_k=3)).split_k == 3
    assert plan(problem(split_k=3), persistent=False).split_k == 1
    whole = plan(problem(split_k=3, why_not_split="never mind"))
    assert whole.split_k == 1
    assert "split_k = 1: 3 were planned with the tiles, but never mind" in whole.reasons
    assert plan(problem(split_k=3), split_k=1).split_k == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"split_k": 0}, "split_k = 0: expected 1 to 16"),
        ({"split_k": 17}, "split_k = 17: expected 1 to 16"),
        ({"split_k": 2, "persistent": False}, "split_k = 2: only CTAs that loop over tiles"),
        ({"split_k": 2, "cluster": (2, 1)}, "split_k = 2: the CTAs of a cluster work on whole"),
        ({"split_k": 2, "pingpong": True}, "a split of a tile takes all consumers (split_k = 2)"),
    ],
)
def test_what_does_not_go_together_is_refused(fields, reason):
    with pytest.raises(CompileError) as caught:
        plan(problem(), **fields)
    (found,) = caught.value.diagnostics
    assert found.code == "T0421"
    assert reason in found.message


def test_a_kernel_that_cannot_be_split_is_refused():
    with pytest.raises(CompileError, match="split_k = 2: the kernel has no mma"):
        plan(problem(why_not_split="the kernel has no mma"), split_k=2)


def test_the_model_divides_the_k_tiles_and_adds_the_reduction():
    whole = gemm_cost(GemmTile(128, 256, 64, 2, 2), (512, 512, 16384), TARGET)
    split = gemm_cost(GemmTile(128, 256, 64, 2, 2, split_k=4), (512, 512, 16384), TARGET)
    assert (whole.ctas, whole.k_tiles, whole.reduction) == (8, 256, 0)
    assert (split.ctas, split.k_tiles, split.waves) == (32, 64, 1)
    assert 0 < split.reduction < whole.cycles - split.cycles


@pytest.mark.parametrize(
    ("extents", "tile", "splits"),
    [
        ((512, 512, 16384), (64, 128, 64), 4),
        ((1024, 1024, 8192), (128, 128, 64), 2),
        ((4096, 128, 4096), (64, 64, 64), 1),
        ((128, 8192, 8192), (64, 128, 64), 1),  # waits for memory
        ((4096, 4096, 4096), (128, 256, 64), 1),
    ],
)
def test_measured_splits_stay(extents, tile, splits):
    """docs/measurements/2026-11-22-split-k.md and 2026-11-25-skinny-products.md."""
    best = rank_tiles(GemmProblem(extents, n_contiguous=True), TARGET)[0].tile
    assert ((best.m, best.n, best.k), best.split_k) == (tile, splits)


def test_where_the_planner_splits():
    best = rank_tiles(GemmProblem((512, 512, 16384)), TARGET)[0]
    assert "splits" in tile_text(best.tile)
    assert "reduction" in str(best)
    assert best.score == pytest.approx(SPLIT_MARGIN * best.cost.cycles)
    wide = rank_tiles(GemmProblem((512, 512, 16384), element_bytes=4), TARGET)
    assert {item.tile.split_k for item in wide} == {1}
    for extents in ((512, 512, 2048), (8192, 8192, 8192)):
        several = GemmProblem(extents, (128, 128, 64), splits=candidates.SPLITS)
        assert {item.tile.split_k for item in rank_tiles(several, TARGET)} == {1}


def test_all_splits_run_at_the_same_time():
    ranked = rank_tiles(GemmProblem((16, 4096, 16384), may_swap=True), TARGET)
    split = [item for item in ranked if item.tile.split_k > 1]
    assert {item.cost.waves for item in split} == {1}
    assert max(item.cost.ctas for item in split) <= TARGET.sm_count
