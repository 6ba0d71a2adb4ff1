"""Tiles of few rows, whose transpose wgmma computes: what they are, and when they are chosen."""

import pytest

from tests.support.plain_product import TARGET
from tilec.plan.__main__ import main
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.tile import GemmTile, misfit
from tilec.request.gpu import GPUS
from tilec.support.fast_dataclasses import replace


def test_swapped_tiles_share_b_alone_and_have_neighbours():
    """In clusters of 2x1 where these have all rows, of 1x4 where there is one row of tiles."""
    problem = GemmProblem((100, 4096, 14336), may_swap=True)
    swapped = [item.tile for item in rank_tiles(problem, TARGET) if item.tile.is_swapped]
    clusters = {(tile.m, tile.cluster) for tile in swapped if tile.cluster != (1, 1)}
    assert {(56, (2, 1)), (104, (1, 4))} <= clusters
    assert not any(cluster == (1, 2) or m * cluster[0] < 100 for m, cluster in clusters)


def test_rows_and_columns_change_places():
    tile = GemmTile(16, 128, 64, 2, 2, may_swap=True)
    assert (tile.is_swapped, tile.rows, tile.columns) == (True, 128, 16)
    assert tile.consumers(TARGET) == 2
    assert misfit(tile, TARGET) is None
    whole = GemmTile(64, 128, 64, 2, 2, may_swap=True)
    assert (whole.is_swapped, whole.rows, whole.columns) == (False, 64, 128)


def test_a_kernel_that_does_not_allow_it_keeps_single_warps():
    tile = GemmTile(16, 128, 64, 2, 2)
    assert not tile.is_swapped
    assert tile.by_warps
    assert misfit(GemmTile(40, 64, 64, 2, 2), TARGET) is not None


@pytest.mark.parametrize(
    ("extents", "tile", "splits", "cluster"),
    [
        ((1, 4096, 14336), (8, 64, 128), 1, (1, 4)),
        ((1, 8192, 8192), (8, 64, 128), 1, (1, 1)),
        ((4, 3584, 18944), (8, 64, 128), 1, (1, 4)),  # 3% less than two splits
        ((16, 4096, 4096), (16, 64, 128), 1, (1, 4)),
        ((16, 4096, 14336), (16, 64, 128), 2, (1, 1)),
        ((32, 4096, 7168), (32, 64, 128), 2, (1, 1)),
        ((32, 8192, 8192), (32, 64, 128), 1, (1, 1)),
        ((100, 4096, 14336), (104, 64, 64), 2, (1, 1)),
    ],
)
@pytest.mark.parametrize("n_contiguous", [False, True])
def test_measured_choices_stay(extents, tile, splits, cluster, n_contiguous):
    """docs/measurements/2026-11-25-skinny-products.md; clusters: 2026-11-28-few-rows.md."""
    problem = GemmProblem(extents, n_contiguous=n_contiguous, may_defer=True, may_swap=True)
    best = rank_tiles(problem, TARGET)[0].tile
    depth = 64 if extents == (1, 8192, 8192) and n_contiguous else tile[2]
    expected = (*tile[:2], depth), splits, cluster
    assert ((best.m, best.n, best.k), best.split_k, best.cluster) == expected


@pytest.mark.parametrize(
    ("extents", "n_contiguous", "tile", "cluster", "splits"),
    [
        ((17, 24576, 4096), False, (24, 64, 128), (1, 1), 1),  # 64x64x64 took 5% longer
        ((24, 7168, 18432), True, (24, 64, 128), (1, 4), 1),  # 64x64x64 took 7% longer
        ((100, 10240, 8192), True, (64, 256, 64), (1, 1), 1),  # 64x192x64 took 1% less
        ((180, 5120, 14336), True, (64, 128, 64), (1, 1), 1),  # 184x128x64 in 3 took 10% longer
        ((180, 4096, 4096), False, (64, 112, 64), (1, 1), 1),  # 96x64x64 in 2x1 as long
        ((200, 7168, 2048), True, (200, 64, 64), (1, 4), 1),  # 64x256x64 took 34% longer
        ((250, 7168, 2048), True, (128, 128, 64), (1, 1), 1),  # 64x256x64 took 12% longer
        ((180, 2112, 7168), False, (64, 112, 64), (1, 1), 2),  # 184x64x64 in 3 took 12% longer
    ],
)
def test_measured_choices_stay_on_an_h100(extents, n_contiguous, tile, cluster, splits):
    """docs/measurements/2026-11-25-skinny-products.md and 2026-11-26-skinny-clusters.md."""
    problem = GemmProblem(extents, n_contiguous=n_contiguous, may_defer=True, may_swap=True)
    best = rank_tiles(problem, replace(TARGET, gpu=GPUS["H100"]))[0].tile
    assert ((best.m, best.n, best.k), best.split_k, best.cluster) == (tile, splits, cluster)


@pytest.mark.parametrize(
    ("extents", "tile"),
    [
        ((72, 13824, 5120), (72, 128, 64)),  # 128x128x64 took 7% longer
        ((67, 16384, 3072), (72, 128, 64)),  # 128x128x64 took 6% longer
    ],
)
def test_tiles_of_exactly_the_rows_need_no_margin(extents, tile):
    problem = GemmProblem(extents, n_contiguous=True, may_defer=True, may_swap=True)
    best = rank_tiles(problem, replace(TARGET, gpu=GPUS["H100"]))[0].tile
    assert (best.m, best.n, best.k) == tile


def rows_of(extents, **fields):
    """Return the rows of the tiles to consider."""
    problem = GemmProblem(extents, may_swap=True, **fields)
    return {item.tile.m for item in rank_tiles(problem, TARGET)}


@pytest.mark.parametrize(
    ("extents", "n_contiguous", "depth"),
    [
        ((1, 8192, 8192), True, 64),
        ((8, 4096, 4096), True, 64),  # 6% less time than 128
        ((8, 4096, 4096), False, 128),
        ((2, 2048, 8192), True, 128),  # four splits
        ((40, 5120, 5120), True, 128),  # 64 took 1% longer
    ],
)
def test_few_rows_take_shallow_tiles_of_weights_without_long_runs(extents, n_contiguous, depth):
    """docs/measurements/2026-11-27-late-crowds.md."""
    problem = GemmProblem(extents, n_contiguous=n_contiguous, may_defer=True, may_swap=True)
    assert rank_tiles(problem, replace(TARGET, gpu=GPUS["H100"]))[0].tile.k == depth


def test_more_rows_than_a_tile_are_divided_evenly():
    """88x128x64 tiles took 0.67 of the time of 64x192x64 at 346x4096x7168."""
    whole = {64, 128, 192, 256}
    assert rows_of((346, 4096, 7168)) == {72, 88, 120, 176} | whole
    assert rows_of((1024, 4096, 4096)) >= {72, 80, 96, 104, 208} | whole
    assert rows_of((1025, 4096, 4096)) == whole  # not measured


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(200, {64, 128, 192, 256}), (96, {48, 64, 96, 128}), (24, {24, 64}), (48, {48, 64})],
)
def test_rows_that_are_contiguous_come_in_boxes(rows, expected):
    """Of 104 rows, boxes would have 16 bytes of M: such tiles took twice the time."""
    assert rows_of((rows, 4096, 4096), m_contiguous=True) == expected


@pytest.mark.parametrize(
    ("extents", "n_contiguous", "tile"),
    [
        ((774, 7168, 16384), True, (200, 256)),  # 0.77 of the time of 64x256x64 in 2x1
        ((400, 4096, 4096), True, (200, 64)),  # 0.77 of 64x256x64
        ((777, 3333, 1111), False, (200, 128)),  # 0.82 of 128x224x64
        ((1024, 1024, 8192), True, (128, 128)),
    ],
)
def test_measured_tiles_of_more_rows(extents, n_contiguous, tile):
    """docs/measurements/2026-11-26-skinny-others.md; H100."""
    problem = GemmProblem(extents, n_contiguous=n_contiguous, may_defer=True, may_swap=True)
    best = rank_tiles(problem, replace(TARGET, gpu=GPUS["H100"]))[0].tile
    assert (best.m, best.n) == tile


def test_every_candidate_has_whole_slices():
    problem = GemmProblem((100, 4096, 4096), may_swap=True)
    tiles = [item.tile for item in rank_tiles(problem, TARGET)]
    assert any(tile.is_swapped for tile in tiles)
    assert all(tile.rows % 64 == 0 for tile in tiles)


def test_the_table_shows_what_decides(capsys):
    """Tiles of few rows, rows outside of the array, memory, and the sums of splits."""
    assert main(["1", "4096", "14336", "--top", "300"]) == 0
    header, first, *rest = capsys.readouterr().out.splitlines()
    names = header.replace("vs best", "change").split()
    assert first.startswith("8x64x128 in 1x4 ")
    split = next(row for row in rest if row.startswith("8x64x128 in 2 splits "))
    adding = [int(row.split()[names.index("adding") - len(names)]) for row in (first, split)]
    assert adding[0] == 0 < adding[1]
    whole = next(row for row in rest if row.startswith("64x32x128 "))
    columns = dict(zip(names, whole.split(), strict=True))
    assert int(columns["outside"]) > int(columns["L2"])
    assert int(columns["memory"]) > 0
