"""The model of a matrix multiply: its terms, clusters, and the table that shows them."""

from pathlib import Path

import pytest

from tilec.plan.__main__ import main
from tilec.plan.gemm_candidates import GemmProblem, candidates, rank_tiles
from tilec.plan.gemm_model import GemmTile, gemm_cost, misfit
from tilec.target import get_target

TARGET = get_target("sm_90a")
CUBE = (8192, 8192, 8192)


@pytest.mark.parametrize(
    ("m", "n", "cluster", "bytes_per_flop"),
    [
        (128, 128, (1, 1), 0.0156),
        (128, 256, (1, 1), 0.0117),
        (128, 256, (1, 2), 0.0098),
        (128, 256, (2, 1), 0.0078),
        (192, 192, (2, 1), 0.0078),
        (256, 192, (2, 1), 0.0072),
        (128, 256, (2, 2), 0.0059),
    ],
)
def test_a_cluster_shares_operands(m, n, cluster, bytes_per_flop):
    tile = GemmTile(m, n, 64, 2, 2, cluster)
    assert tile.level2_bytes / (2 * m * n * 64) == pytest.approx(bytes_per_flop, abs=1e-4)


def test_clusters_are_counted_whole():
    tile = GemmTile(128, 256, 64, 2, 2, (2, 2))
    cost = gemm_cost(tile, (3 * 128, 3 * 256, 64), TARGET)
    assert (cost.ctas, cost.waves) == (16, 1)  # 2 x 2 clusters of 4
    assert gemm_cost(tile, CUBE, TARGET).waves == 16
    assert cost.start > gemm_cost(GemmTile(128, 256, 64, 2, 2), CUBE, TARGET).start


def test_the_terms_add_up():
    cost = gemm_cost(GemmTile(128, 128, 64, 2, 2), CUBE, TARGET)
    assert (cost.ctas, cost.waves, cost.k_tiles, cost.bound) == (4096, 32, 128, "L2")
    per_tile = 128 * (cost.level2 + cost.bubble) + cost.epilogue
    assert cost.clocks == pytest.approx(32 * per_tile + cost.start)


def test_a_batch_multiplies_the_tiles():
    tile = GemmTile(128, 128, 64, 2, 2)
    assert gemm_cost(tile, (512, 512, 512), TARGET, batch=7).ctas == 7 * 16


@pytest.mark.parametrize("columns", range(80, 201, 8))
def test_192_rows_have_three_consumers(columns):
    tile = GemmTile(192, columns, 64, 2, 2)
    assert tile.consumers(TARGET) == 3
    assert (misfit(tile, TARGET) is None) == (tile.stages(TARGET) >= 3)


def test_candidates_of_an_unknown_problem():
    problem = GemmProblem(CUBE, known=(False, False, False))
    found = list(candidates(problem))
    assert {tile.m for tile in found} == {64, 128, 192, 256}
    assert {tile.n for tile in found} == {16, 32, *range(64, 257, 16)}
    assert {tile.k for tile in found} == {64, 128}
    assert {tile.cluster for tile in found} == {(1, 1)}


def test_all_columns_in_one_tile():
    found = {tile.n for tile in candidates(GemmProblem((4096, 100, 64)))}
    assert 104 in found


def test_the_score_prefers_powers_of_two():
    ranked = rank_tiles(GemmProblem(CUBE), TARGET)
    by_tile = {(item.tile.m, item.tile.n): item for item in ranked}
    odd, plain = by_tile[128, 240], by_tile[128, 256]
    assert odd.score == pytest.approx(1.03 * odd.cost.clocks)
    assert plain.score == plain.cost.clocks


def test_no_tile_is_over_the_limit():
    ranked = rank_tiles(GemmProblem(CUBE), TARGET, mma_limit=128 * 128 * 64)
    assert max(item.tile.m * item.tile.n * item.tile.k for item in ranked) == 128 * 128 * 64
    assert rank_tiles(GemmProblem(CUBE), TARGET, mma_limit=1) == []


def test_the_table(capsys):
    assert main(["4096", "4096", "4096", "--top", "3"]) == 0
    header, first, *rest = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["tile", "clocks"]
    assert first.split()[0] == "128x256x64"
    assert first.split()[2] == "+0.0%"
    assert len(rest) == 2


def test_the_table_compares_clusters(capsys):
    assert main(["8192", "8192", "8192", "--powers-of-two", "--cluster", "2x1"]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("128x256x64 in 2x1 ")
    assert all(" in 2x1 " in row for row in rows)


def test_the_table_in_the_docs(capsys):
    page = Path(__file__).resolve().parents[2] / "docs" / "debugging.md"
    main(["4096", "4096", "4096", "--top", "3"])
    assert capsys.readouterr().out in page.read_text()
