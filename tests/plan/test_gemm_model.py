"""The model of a matrix multiply: its terms, clusters, and the table that shows them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tilec.plan import machine
from tilec.plan.__main__ import main
from tilec.plan.gemm.candidates import (
    CLUSTERED_TILES,
    CLUSTERS,
    STRADDLING,
    GemmProblem,
    candidates,
    rank_tiles,
)
from tilec.plan.gemm.memory import add_powers
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.tile import GemmTile, misfit
from tilec.request.gpu import GPUS
from tilec.request.target import get_target

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
    tile = GemmTile(m, n, 64, 2, 2, cluster=cluster)
    assert tile.l2_bytes() / (2 * m * n * 64) == pytest.approx(bytes_per_flop, abs=1e-4)


def test_each_operand_has_a_factor_of_its_own():
    tile = GemmTile(128, 256, 64, 2, 2, cluster=(2, 1))
    rows, columns = 128 * 64 * 2, 256 * 64 * 2 / 2  # two CTAs share the columns
    assert tile.l2_bytes((1.25, 1.0)) == 1.25 * rows + columns
    assert tile.l2_bytes((1.0, 1.25)) == rows + 1.25 * columns
    plain, dear = (gemm_cost(tile, CUBE, TARGET, factors=(x, x)) for x in (1.0, 1.25))
    assert dear.l2 == pytest.approx(1.25 * plain.l2)
    assert dear.power == pytest.approx(1.25 * plain.power)


@pytest.mark.parametrize(
    ("extents", "contiguous", "factors"),
    [
        ((4096, 4096, 4096), (False, False), (1.0, 1.0)),
        ((4096, 4096, 4104), (False, False), (STRADDLING, STRADDLING)),
        ((4096, 4104, 4096), (False, False), (1.0, 1.0)),
        ((4096, 4104, 4096), (False, True), (1.0, STRADDLING)),
        ((4104, 4096, 4096), (True, False), (STRADDLING, 1.0)),
        ((4096, 4096, 4112), (False, False), (1.0, 1.0)),
    ],
)
def test_rows_that_begin_inside_a_sector_cost_more(extents, contiguous, factors):
    """A row is what lies contiguous: along K, or along M of A and N of B."""
    m_contiguous, n_contiguous = contiguous
    problem = GemmProblem(extents, m_contiguous=m_contiguous, n_contiguous=n_contiguous)
    assert problem.sector_factors == factors


def test_clusters_are_counted_whole():
    tile = GemmTile(128, 256, 64, 2, 2, cluster=(2, 2))
    cost = gemm_cost(tile, (3 * 128, 3 * 256, 64), TARGET)
    assert (cost.ctas, cost.waves) == (16, 1)  # 2 x 2 clusters of 4
    assert gemm_cost(tile, CUBE, TARGET).waves == 18  # 30 clusters of 4 fit
    alone = gemm_cost(GemmTile(128, 256, 64, 2, 2), CUBE, TARGET)
    assert cost.start == alone.start + machine.CLUSTER_CYCLES
    assert gemm_cost(tile, CUBE, TARGET).power < alone.power


def test_a_cluster_leaves_sms_that_fill_no_other_one():
    """132 SMs hold 16 clusters of 8 CTAs; the rest idles."""
    tile = GemmTile(128, 256, 64, 2, 2, cluster=(4, 2))
    cost = gemm_cost(tile, (128 * 12, 256 * 11, 64), TARGET)
    assert (cost.ctas, cost.waves) == (3 * 6 * 8, 2)


def test_the_terms_add_up():
    cost = gemm_cost(GemmTile(128, 128, 64, 2, 2), CUBE, TARGET)
    assert (cost.ctas, cost.waves, cost.k_tiles, cost.bound) == (4096, 32, 128, "shared")
    per_tile = 128 * (cost.shared + cost.bubble + cost.power) + cost.epilogue
    computing = 32 * per_tile + cost.start
    assert cost.latency < cost.shared
    assert cost.memory < computing
    assert cost.cycles == pytest.approx((1 + machine.HIDDEN_SHARE) * computing)


def test_the_memory_bus_may_decide():
    cost = gemm_cost(GemmTile(128, 256, 64, 2, 2), (16384, 16384, 64), TARGET)
    read = machine.CROWDED_READ * machine.SHORT_RUN  # by many CTAs, 128 bytes of a row
    moved = 2 * (read * 2 * 16384 * 64 + 16384 * 16384)
    bus = TARGET.gpu.memory_rate / machine.MEMORY_CYCLES_PER_SECOND
    assert bus == pytest.approx(2440, rel=1e-3)
    assert moved / bus < cost.memory < 1.15 * moved / bus
    assert cost.cycles > cost.memory > 0.5 * cost.cycles


def test_waves_that_leave_sms_idle_draw_less_from_memory():
    """99 CTAs, and 198 in two waves of 132 SMs: on average 99 of them read."""
    tile = GemmTile(64, 64, 64, 2, 2)
    few, two_waves = (gemm_cost(tile, (64, 64 * count, 64), TARGET) for count in (99, 198))
    rate = machine.SM_MEMORY_BYTES_PER_CYCLE

    def moved(tiles):
        first = machine.SHORT_RUN * 2 * 64 * 64 * (tiles + machine.CROWDED_READ)
        return first + 2 * 64 * 64 * tiles

    assert 1 < few.memory / (moved(99) / (99 * rate)) < 1.1  # the bus gives a little more
    assert 1 < two_waves.memory / (moved(198) / (99 * rate)) < 1.1


def test_gpus_differ_by_their_memory():
    h100 = replace(TARGET, gpu=GPUS["H100"])
    times = [
        gemm_cost(GemmTile(8, 64, 128, 2, 2), (1, 8192, 8192), t).memory for t in (h100, TARGET)
    ]
    assert times[0] == pytest.approx(1.33 * times[1], rel=0.02)  # 128 CTAs do not fill an H200


def test_readers_of_the_same_bytes_wait_for_each_other_unless_they_share_them():
    alone, shared = (
        gemm_cost(GemmTile(64, 64, 64, 2, 2, cluster=cluster), (128, 4096, 7168), TARGET)
        for cluster in ((1, 1), (2, 1))
    )
    weights = 2 * 4096 * 7168 * machine.SHORT_RUN
    lost = (machine.SHARED_READ - 1) * weights
    rate = 2 * 128 * 7168 * machine.SHORT_RUN * machine.CROWDED_READ + weights + 2 * 128 * 4096
    assert alone.memory / shared.memory == pytest.approx(1 + lost / rate)


@pytest.mark.parametrize(
    ("splits", "factor", "far"),
    [
        (1, machine.CROWDED_READ, machine.FAR_READ),
        (2, machine.SHARED_READ, machine.SHARED_READ),
    ],
)
def test_three_readers_of_the_same_bytes_cost_more_where_tiles_are_whole(splits, factor, far):
    """The weights are read in three rows of tiles, the rows by 16 columns of tiles."""
    extents = (192, 1024, 7168)
    alone, shared = (
        gemm_cost(GemmTile(64, 64, 64, 2, 2, cluster=cluster, split_k=splits), extents, TARGET)
        for cluster in ((1, 1), (3, 1))
    )
    rows, weights = (2 * extent * 7168 * machine.SHORT_RUN for extent in (192, 1024))
    rest = factor * rows + 2 * 192 * 1024
    expected = (far * weights + rest) / (weights + rest)
    assert alone.memory / shared.memory == pytest.approx(expected)


def test_short_runs_of_rows_of_k_take_memory_longer():
    def memory(k, **contiguous):
        return gemm_cost(GemmTile(8, 64, k, 2, 2), (1, 64, 4096), TARGET, **contiguous).memory

    assert memory(64) == pytest.approx(machine.SHORT_RUN * memory(128), rel=1e-3)
    assert memory(64, contiguous=(True, True)) == pytest.approx(memory(128))


def test_rows_outside_of_the_array_cost_time_of_tma():
    """Only where the tile of every CTA has them, or that of the CTA which ends last."""
    few, many = ((m, 4096, 4096) for m in (5, 133))
    tile = GemmTile(64, 32, 128, 2, 2)
    assert gemm_cost(tile, few, TARGET).outside == 59 * 2 * machine.OUTSIDE_ROW_CYCLES
    assert gemm_cost(tile, few, TARGET).bound == "outside"
    cost = gemm_cost(tile, few, TARGET)
    assert cost.k_tile == pytest.approx(cost.l2 + cost.outside + cost.bubble + cost.power)
    second = gemm_cost(GemmTile(64, 192, 64, 2, 2), (100, 4096, 4096), TARGET)
    assert (second.waves, second.outside) == (1, 28 * machine.OUTSIDE_ROW_CYCLES)
    third = gemm_cost(GemmTile(64, 256, 64, 2, 2), (130, 10240, 8192), TARGET)
    assert (third.waves, third.outside) == (1, 62 * machine.OUTSIDE_ROW_CYCLES)
    inside = gemm_cost(GemmTile(64, 112, 64, 2, 2), (180, 2112, 7168), TARGET)
    assert (inside.waves, inside.outside) == (1, 0)
    assert gemm_cost(tile, many, TARGET).outside == 0
    assert gemm_cost(tile, (4096, 5, 4096), TARGET).outside == 27 * 2 * machine.OUTSIDE_ROW_CYCLES


def test_peers_wait_for_the_tile_at_the_edge():
    """Of four 64x128 tiles in 2x1 the last one has 46 rows outside; of three, a fourth is added."""
    for m, outside in ((210, 46), (192, 64)):
        pair = gemm_cost(GemmTile(64, 128, 64, 2, 2, cluster=(2, 1)), (m, 4096, 4096), TARGET)
        assert (pair.waves, pair.outside) == (1, outside * machine.OUTSIDE_ROW_CYCLES)
        assert gemm_cost(GemmTile(64, 128, 64, 2, 2), (m, 4096, 4096), TARGET).outside == 0


def test_what_ctas_share_is_filled_in_each_of_them():
    alone = GemmTile(192, 96, 64, 2, 2)
    single, pair = (
        gemm_cost(replace(alone, cluster=cluster), (130, 10240, 8192), TARGET).outside
        for cluster in ((1, 1), (1, 2))
    )
    assert (single, pair) == (62 * machine.OUTSIDE_ROW_CYCLES, 2 * single)


def test_splits_are_added_up_after_the_last_bytes_have_come():
    tile = GemmTile(8, 64, 128, 2, 2, split_k=2, may_swap=True)
    cost = gemm_cost(tile, (1, 4096, 14336), TARGET)
    assert cost.memory > cost.computing
    work = replace(cost, outside=0.0).computing  # filling rows keeps nobody from reading
    rest = cost.start + cost.reduction + machine.HIDDEN_SHARE * work
    assert cost.streaming == pytest.approx(cost.memory, rel=0.02)
    assert cost.cycles == pytest.approx(cost.streaming + rest)


def test_partial_sums_that_threads_hold_share_a_latency():
    """128 threads hold 32 KB: all of a few small tiles, so that their latency is what counts."""

    def adding(m, splits):
        tile = GemmTile(m, 64, 128, 2, 2, split_k=splits, may_swap=True)
        return gemm_cost(tile, (128, 128, 65536), TARGET).reduction - machine.EXCHANGE_CYCLES

    assert adding(8, 4) == machine.PARTIAL_LATENCY
    assert adding(64, 12) == pytest.approx(11 * 64 * 64 * 4 / machine.PARTIAL_BYTES_PER_CYCLE[1])


def test_few_stages_wait_for_copies():
    shallow, deep = (gemm_cost(GemmTile(64, n, 64, 2, 2), (64, n, 4096), TARGET) for n in (256, 16))
    assert shallow.latency == pytest.approx(machine.COPY_CYCLES / 5)
    assert deep.latency == pytest.approx(machine.COPY_CYCLES / machine.MAX_STAGES)
    assert replace(deep, shared=0.0).k_tile == deep.latency


def test_turns_hide_the_stores_but_for_the_last_one():
    tile = GemmTile(128, 128, 64, 2, 2, pingpong=True)
    cost = gemm_cost(tile, CUBE, TARGET)
    products = 128 * cost.k_tile
    computing = 32 * (products + machine.TURN_CYCLES) + cost.epilogue + cost.start
    assert cost.cycles == pytest.approx((1 + machine.HIDDEN_SHARE) * computing)
    short = gemm_cost(tile, (8192, 8192, 64), TARGET)
    one = (short.k_tile + short.epilogue) / 2 + machine.TURN_CYCLES
    computing = 32 * one + short.epilogue + short.start
    sharpness = machine.OVERLAP_SHARPNESS
    streaming = add_powers(computing - short.start, short.memory, sharpness)
    assert short.cycles == pytest.approx(streaming + short.start + machine.HIDDEN_SHARE * computing)


def test_parts_of_odd_widths_are_few():
    """A part costs barriers and a store: 208 columns are three of 64 and one of 16."""
    odd, plain = (gemm_cost(GemmTile(128, n, 64, 2, 2), CUBE, TARGET) for n in (208, 256))
    assert odd.epilogue < plain.epilogue


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
    assert odd.score == pytest.approx(1.03 * odd.cost.cycles)
    assert plain.score == plain.cost.cycles


@pytest.mark.parametrize(
    ("extents", "cluster"),
    [
        ((8192, 8192, 8192), (2, 1)),
        ((4096, 4096, 4096), (2, 1)),
        ((8192, 8192, 512), (1, 1)),
        ((2048, 2048, 2048), (1, 1)),
        ((1024, 1024, 1024), (1, 1)),
        ((512, 512, 512), (1, 1)),
        ((2048, 2048, 2056), (2, 1)),
        ((2000, 2000, 2000), (1, 1)),
        ((2000, 2000, 2008), (2, 1)),
        ((4096, 4096, 4104), (2, 1)),
    ],
)
def test_clusters_in_the_ranking(extents, cluster):
    """What clusters save must outweigh that they start later.

    Several waves share the start. One wave pays it alone, unless rows that begin inside sectors
    make L2 what the product waits for.
    """
    assert rank_tiles(GemmProblem(extents), TARGET)[0].tile.cluster == cluster


def test_clusters_that_may_be_considered():
    ranked = rank_tiles(GemmProblem(CUBE, clusters=()), TARGET)
    assert {item.tile.cluster for item in ranked} == {(1, 1)}
    assert (ranked[0].tile.m, ranked[0].tile.n) == (128, 256)
    ranked = rank_tiles(GemmProblem(CUBE), TARGET)
    for cluster in CLUSTERS:
        found = [item.tile for item in ranked if item.tile.cluster == cluster]
        assert len({(tile.m, tile.n, tile.k) for tile in found}) == CLUSTERED_TILES


def test_a_cluster_has_a_tile_for_each_cta():
    """Along M there is one tile: the second CTA of a 2x1 cluster would compute nothing."""
    problem = GemmProblem((32, 8192, 8192), may_swap=True)
    assert {item.tile.cluster for item in rank_tiles(problem, TARGET)} == {(1, 1), (1, 2), (1, 4)}


def test_no_tile_is_over_the_limit():
    ranked = rank_tiles(GemmProblem(CUBE), TARGET, mma_limit=128 * 128 * 64)
    assert max(item.tile.m * item.tile.n * item.tile.k for item in ranked) == 128 * 128 * 64
    assert rank_tiles(GemmProblem(CUBE), TARGET, mma_limit=1) == []


def test_the_table(capsys):
    assert main(["4096", "4096", "4096", "--top", "3"]) == 0
    header, first, *rest = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["tile", "cycles"]
    assert first.startswith("128x256x64 in 2x1 ")
    assert first.split()[4] == "+0.0%"
    assert len(rest) == 2


def clusters_of(rows):
    return {found[1] if (found := re.search(r" in (\dx\d) ", row)) else "1x1" for row in rows}


def test_the_table_compares_clusters(capsys):
    assert main(["8192", "8192", "8192", "--powers-of-two", "--cluster", "2x1"]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("128x256x64 in 2x1 ")
    assert clusters_of(rows) == {"1x1", "2x1"}
    assert main(["8192", "8192", "8192", "--powers-of-two"]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert clusters_of(rows) == {"1x1", "2x1", "1x2"}


def test_the_table_in_the_docs(capsys):
    page = Path(__file__).resolve().parents[2] / "docs" / "debugging.md"
    main(["4096", "4096", "4096", "--top", "3"])
    assert capsys.readouterr().out in page.read_text()
