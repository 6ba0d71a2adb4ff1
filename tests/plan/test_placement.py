"""Where CTAs of products of few rows start: next to their neighbours, early or late."""

import math

import pytest

from tests.plan.test_tile_choice import gemm_uses
from tests.support.gemm_source import gemm_source
from tests.support.plain_product import TARGET, plan, problem
from tilec.compiler.driver import compile_source
from tilec.plan import machine, plan_tiles
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.memory import bus_rate, memory_rate
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.placement import gathers, may_gather
from tilec.request.gpu import GPUS
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.support.fast_dataclasses import replace

H100, H200 = (replace(TARGET, gpu=GPUS[name]) for name in ("H100", "H200"))
MATMUL = gemm_source(
    "f",
    scalars=("BM: const = auto", "BN: const = auto", "BK: const = auto"),
    rows="BM",
    columns="BN",
    depth="BK",
)


def tile_of(m, n, cluster, **fields):
    return GemmTile(m, n, 64, 2, 2, cluster=cluster, may_swap=True, **fields)


@pytest.mark.parametrize(
    ("extents", "tile", "cluster", "expected"),
    [
        ((16, 7168, 4096), (16, 64), (1, 4), True),
        ((16, 7168, 4096), (16, 64), (4, 1), False),  # the others would lie outside
        ((7168, 16, 4096), (64, 16), (4, 1), True),
        ((7168, 16, 4096), (64, 16), (1, 4), False),
        ((32, 7168, 4096), (16, 64), (1, 4), False),  # two rows of tiles read B
        ((16, 7168, 4096), (16, 64), (1, 2), False),  # they share A
    ],
)
def test_what_lies_along_an_operand_that_is_read_once(extents, tile, cluster, expected):
    assert gathers(tile_of(tile[0], tile[1], cluster), extents) is expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(7168, True), (4096, True), (5056, False)],  # a cluster would lack a CTA
)
def test_clusters_of_neighbours_are_whole(columns, expected):
    assert may_gather(tile_of(16, 64, (1, 4)), (16, columns, 4096)) is expected


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        (112, True),
        (120, False),  # no room for clusters of the next launch
        (64, True),
        (224, True),  # two waves of 112, or all clusters that fit
        (256, True),  # all clusters that fit: the rest of them waits for nobody
    ],
)
def test_clusters_of_neighbours_find_room(tiles, expected):
    cost = gemm_cost(tile_of(16, 64, (1, 4)), (16, 64 * tiles, 4096), H100)
    assert cost.finds_room is expected


def costs(extents, rows=40, clusters=((1, 1), (1, 4))):
    """Return what tiles of 64 columns cost in each cluster."""
    return [gemm_cost(tile_of(rows, 64, cluster), extents, H100) for cluster in clusters]


@pytest.mark.parametrize("rows", [40, 64])
def test_neighbours_read_as_much_in_less_time(rows):
    """They share nothing, whether their rows would divide or not."""
    single, gathered = costs((rows, 7168, 8192), rows)
    assert gathered.memory == pytest.approx(machine.NEIGHBOUR_SHARE * single.memory)
    assert gathered.l2 == pytest.approx(machine.NEIGHBOUR_SHARE * single.l2)
    assert gathered.start == single.start
    assert (single.placement.gathered, gathered.placement.gathered) == (False, True)


def test_neighbours_draw_what_the_bus_gives_after_a_late_start():
    """48x64x64 tiles in 1x4 took 15.7 us at 48x5120x5120 on an H200, three splits 17.1."""
    for target, saved in ((H100, 0.1), (H200, 0.25)):
        cost = gemm_cost(tile_of(48, 64, (1, 4)), (48, 5120, 5120), target)
        assert cost.placement.ctas == 80
        assert cost.late_memory == pytest.approx(
            cost.memory * memory_rate(cost.placement, target) / bus_rate(target), rel=0.01
        )
        assert cost.late_start_saves > saved * cost.memory - machine.LAUNCH_CYCLES > 0
    short = gemm_cost(tile_of(48, 64, (1, 4)), (48, 5120, 256), H200)
    assert short.late_start_saves == 0


@pytest.mark.parametrize("columns", [64 * 96, 64 * 264])
def test_neighbours_that_are_many_or_take_several_tiles_start_early(columns):
    cost = gemm_cost(tile_of(48, 64, (1, 4)), (48, columns, 5120), H100)
    assert cost.placement.gathered
    assert (cost.late_memory, cost.late_start_saves) == (math.inf, 0)


def test_of_equal_tiles_the_wider_one_is_taken():
    best, *others = rank_tiles(
        GemmProblem((128, 128, 65536), n_contiguous=True, may_defer=True, may_swap=True), H200
    )
    assert (best.tile.m, best.tile.n, best.tile.split_k) == (32, 64, 16)
    equal = [item.tile for item in others if item.score == best.score]
    assert (64, 32) in {(tile.m, tile.n) for tile in equal}


def test_only_neighbours_that_memory_bounds_start_late():
    single, gathered = costs((40, 5120, 8192))
    assert gathered.late_start_saves > 0 == single.late_start_saves
    assert gathered.cycles < single.cycles
    computing = gemm_cost(tile_of(192, 64, (1, 4)), (192, 4608, 8192), H100)
    assert computing.placement.gathered
    assert computing.memory < machine.MEMORY_BOUND * computing.computing
    assert computing.late_start_saves == 0


def test_single_ctas_that_read_the_same_bytes_start_late():
    """64x192x64 tiles took 24 us instead of 34 at 220x5120x5120: four CTAs read B."""
    tile = GemmTile(64, 192, 64, 2, 2)
    crowd = gemm_cost(tile, (220, 5120, 5120), H100)
    assert crowd.late_memory < 0.8 * crowd.memory
    assert crowd.late_start_saves > 0.1 * crowd.streaming
    assert gemm_cost(tile, (64, 4 * 5120, 5120), H100).late_memory == math.inf  # nobody reads twice
    computing = gemm_cost(GemmTile(128, 128, 64, 2, 2), (1024, 2048, 8192), H100)
    assert computing.late_memory < math.inf
    assert computing.late_start_saves == 0


@pytest.mark.parametrize(
    ("fields", "extents"),
    [
        ({"cluster": (2, 1)}, (220, 5120, 5120)),  # they share B
        ({"split_k": 2}, (110, 5120, 5120)),  # the splits of a tile read other bytes
        ({}, (440, 7680, 5120)),  # two waves
    ],
)
def test_what_never_starts_late(fields, extents):
    cost = gemm_cost(GemmTile(64, 192, 64, 2, 2, **fields), extents, H100)
    assert (cost.late_memory, cost.late_start_saves) == (math.inf, 0)


def test_nothing_starts_late_where_rows_of_b_begin_inside_of_sectors():
    """48x128x64 took 13% longer than 96x64x64 in 1x4 at 94x5864x5232 NN."""
    tile = GemmTile(64, 192, 64, 2, 2)
    assert gemm_cost(tile, (220, 5120, 5120), H100, factors=(1.45, 1.0)).late_start_saves > 0
    assert gemm_cost(tile, (220, 5120, 5120), H100, factors=(1.0, 1.45)).late_memory == math.inf


def test_few_ctas_stream_as_fast_as_all():
    """64 CTAs drew 1460 bytes a cycle, 128 drew 1550; in clusters, they would start in turn."""
    few, gathered = costs((8, 4096, 8192), 8)
    (all_,) = costs((8, 8192, 4096), 8, clusters=((1, 1),))
    assert 1 < few.memory / all_.memory < 1.15
    assert gathered.memory > 1.15 * few.memory
    assert gathered.late_start_saves > 0


def test_crowds_start_late_where_memory_nearly_binds():
    """Also where computing takes longer: 64x64x64 tiles took 6% less at 128x2880x4096."""
    crowd = gemm_cost(GemmTile(64, 64, 64, 2, 2), (128, 2880, 4096), H100)
    assert 0.7 < crowd.memory / crowd.computing < 1
    assert crowd.late_start_saves > 0.02 * crowd.streaming
    computing = gemm_cost(GemmTile(64, 128, 64, 2, 2), (1024, 1024, 8192), H100)
    assert computing.memory < 0.7 * computing.computing
    short = gemm_cost(GemmTile(32, 64, 128, 2, 2), (128, 1024, 1024), H100)
    few = gemm_cost(GemmTile(64, 64, 64, 2, 2), (128, 2048, 4096), H100)  # 64 CTAs
    assert [cost.late_start_saves for cost in (computing, short, few)] == [0, 0, 0]


def test_what_cut_tiles_save_does_not_count():
    """They start late: 64x80x64 tiles took 26% less at 224x2560x2560."""
    cut, whole, more = (
        gemm_cost(GemmTile(64, 80, 64, 2, 2), (rows, 2560, 2560), H100) for rows in (224, 256, 260)
    )
    assert 0 < cut.late_start_saves <= 1
    assert whole.late_start_saves > 0.02 * whole.streaming
    assert more.late_start_saves == 0  # not timed


def test_neighbours_alone_change_no_tile():
    """128x128x64 in 1x4 took 2% longer than 64x256x64 at 128x13824x5120, where less is modelled."""
    known = GemmProblem((128, 13824, 5120), n_contiguous=True, may_defer=True, may_swap=True)
    best, second, *_ = rank_tiles(known, H100)
    assert (best.tile.m, best.tile.n) == (64, 256)
    assert second.score < best.score


@pytest.mark.parametrize(
    ("sizes", "n_contiguous", "tile", "cluster", "early"),
    [
        ((16, 7168, 16384), True, (16, 64, 64), (1, 4), True),  # 4.9% less time
        ((1, 28672, 4096), False, (8, 64, 128), (1, 4), True),  # 4.0%
        ((48, 5120, 5120), True, (48, 64, 64), (1, 4), False),  # 10.4%
        ((3, 5120, 5120), False, (8, 64, 128), (1, 4), False),  # 5.7%
        ((1, 8192, 8192), True, (8, 64, 64), (1, 1), True),  # in 1x4 25% more
        ((40, 4096, 4096), True, (40, 64, 128), (1, 1), True),  # 8% less than in two splits
        ((178, 4096, 4096), False, (64, 112, 64), (1, 1), False),  # 12%, three rows of tiles
        ((131, 2880, 2880), True, (72, 64, 64), (1, 1), False),  # 15%, two rows of tiles
        (
            (224, 2560, 2560),
            False,
            (64, 80, 64),
            (1, 1),
            False,
        ),  # 26%, though half of a tile is cut
        ((115, 2112, 7168), False, (32, 64, 128), (1, 1), False),  # 14% less than four splits
        ((52, 2048, 2048), True, (64, 32, 128), (1, 1), True),  # 16% less than in 1x4
        ((4096, 4096, 4096), True, (128, 256, 64), (2, 1), True),
    ],
)
def test_measured_choices(sizes, n_contiguous, tile, cluster, early):
    """docs/measurements/2026-11-26-skinny-clusters.md."""
    found = GemmProblem(sizes, n_contiguous=n_contiguous, may_defer=True, may_swap=True)
    best = rank_tiles(found, H100)[0]
    assert ((best.tile.m, best.tile.n, best.tile.k), best.tile.cluster) == (tile, cluster)
    assert best.plan_fields["dependent_launch"] is early
    known = Specialization(sizes=dict(zip("MNK", sizes, strict=True)), gpu="H100")
    choice = plan_tiles(gemm_uses(swappable=True, n_contiguous=n_contiguous), known)
    assert (choice.cluster, choice.dependent_launch) == (cluster, early)


def test_the_plan_of_the_kernel():
    assert plan(problem()).dependent_launch
    late = plan(problem(dependent_launch=False))
    assert not late.dependent_launch
    reason = "its CTAs spread evenly, and neighbours start in one GPC, only on an empty GPU"
    assert f"dependent_launch = false: {reason}" in late.reasons
    fixed = plan(problem(dependent_launch=False), dependent_launch=True)
    assert fixed.dependent_launch
    assert "dependent_launch = true: fixed by the user" in fixed.reasons


def test_whether_ctas_share_tiles():
    gathered = problem(cluster=(1, 4), share_tiles=False)
    why = "its CTAs read neighbouring parts of an operand at the same time"
    assert not plan(gathered).share_tiles
    assert f"cluster = 1 x 4: {why}" in plan(gathered).reasons
    assert plan(gathered, cluster=(1, 2)).share_tiles  # not what was planned
    fixed = plan(gathered, share_tiles=True)
    assert "share_tiles = true: fixed by the user" in fixed.reasons
    assert fixed.share_tiles
    assert plan(problem(cluster=(2, 1))).share_tiles


@pytest.mark.parametrize(
    ("sizes", "cluster", "tiles", "early"),
    [
        ({"M": 48, "N": 5120, "K": 5120}, [4, 1, 1], [1, 4], False),
        ({"M": 5120, "N": 48, "K": 5120}, [4, 1, 1], [4, 1], False),
        ({"M": 130, "N": 4096, "K": 4096}, [2, 1, 1], [2, 1], True),  # shares B, is swapped
    ],
)
def test_what_the_launcher_gets(sizes, cluster, tiles, early):
    """Products are swapped after the tiles were planned, and the cluster with them."""
    options = CompileOptions(emit="ptx", run_ptxas=False)
    known = Specialization(sizes=sizes, gpu="H100")
    made = compile_source(SourceFile("f.tile", MATMUL), None, known, options)
    metadata = made.artifact.kernels[0].metadata
    assert (metadata["cluster"], metadata["cluster_tiles"]) == (cluster, tiles)
    assert metadata["dependent_launch"] is early


def test_every_sm_streams_where_rounds_of_tiles_are_uneven():
    """140 tiles took 11.4 us on 132 SMs, 13.8 us on 70, which need two rounds of them, too."""
    best = rank_tiles(
        GemmProblem((1, 8960, 1536), n_contiguous=True, may_defer=True, may_swap=True), H100
    )[0]
    assert (best.tile.m, best.tile.n, best.cost.ctas, best.cost.waves) == (8, 64, 140, 2)
    assert best.plan_fields["fill_gpu"]
    assert best.cost.filled_memory < 0.9 * best.cost.memory


@pytest.mark.parametrize(
    ("columns", "cluster"),
    [
        (14336, (1, 4)),  # 224 tiles: 92 more than 132 SMs, or 104 more than 30 clusters
        (16384, (1, 1)),  # 256 tiles: 124 more, or 16 more than two waves of clusters
    ],
)
def test_neighbours_on_every_sm_where_the_last_wave_is_uneven(columns, cluster):
    best = rank_tiles(GemmProblem((8, columns, 4096), may_defer=True, may_swap=True), H200)[0]
    assert (best.tile.n, best.tile.cluster, best.plan_fields["fill_gpu"]) == (64, cluster, True)


@pytest.mark.parametrize(
    ("tile", "extents"),
    [
        (GemmTile(8, 64, 64, 2, 2, may_swap=True), (3, 8192, 3072)),  # one round
        (GemmTile(64, 64, 64, 2, 2), (128, 9216, 3072)),  # two tiles read the same columns
        (GemmTile(8, 64, 64, 2, 2, split_k=2, may_swap=True), (3, 9216, 3072)),
        (GemmTile(128, 256, 64, 2, 2), (8192, 8192, 8192)),  # computing takes longer
    ],
)
def test_other_tiles_have_the_fewest_ctas(tile, extents):
    cost = gemm_cost(tile, extents, H100, contiguous=(False, True))
    assert not cost.fills_gpu


def test_whether_every_sm_has_a_cta():
    assert not plan(problem()).fill_gpu
    filled = plan(problem(fill_gpu=True))
    assert filled.fill_gpu
    reason = "fill_gpu = true: memory bounds the time, and more SMs draw more from it"
    assert reason in filled.reasons
    assert not plan(problem(fill_gpu=True), fill_gpu=False).fill_gpu
    assert "fill_gpu = true: fixed by the user" in plan(problem(), fill_gpu=True).reasons
    assert not plan(problem(fill_gpu=True), persistent=False).fill_gpu
    with pytest.raises(CompileError, match="fill_gpu = true: no CTA loops over tiles"):
        plan(problem(), fill_gpu=True, persistent=False)
