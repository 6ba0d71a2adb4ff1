"""Tile extents for `auto` constants."""

import itertools
from dataclasses import replace
from math import prod

import pytest

from tilec.plan import TileUse, choose_tiles, plan_tiles
from tilec.plan.elementwise_tiles import MAX_TILE_ELEMENTS
from tilec.plan.gemm import candidates
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles, round_up_power_of_two
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.ranked_tile import is_power_of_two, tile_text
from tilec.plan.gemm.tile import GemmTile, misfit
from tilec.plan.overrides import parse_overrides
from tilec.plan.products import ProductsTogether
from tilec.plan.tiles import TileRole
from tilec.request.specialization import Specialization
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, InternalCompilerError

TARGET = get_target("sm_90a")


ROLES: dict[str, TileRole] = {"M": "mma_m", "N": "mma_n", "K": "mma_k"}


def gemm_uses(element_bytes=2, output_bytes=2, overrides=None, **known):
    """Return the uses of a product; `fixed` has extents by axis, `known` fields of `TileUse`."""
    overrides = overrides or {}
    extents = tuple(overrides.get(axis, f"B{axis}") for axis in ROLES)
    common = {"extents": extents, "output_bytes": output_bytes, **known}
    return {
        f"B{axis}": TileUse(role, element_bytes, dim=axis, **common)
        for axis, role in ROLES.items()
        if axis not in overrides
    }


def gemm(sizes=None, **kwargs):
    return choose_tiles(gemm_uses(**kwargs), Specialization(sizes=sizes or {}))


def elementwise(extents, element_bytes=4, sizes=None):
    names = dict.fromkeys(item for item in extents if isinstance(item, str))
    uses = {name: TileUse("elementwise", element_bytes, extents, name) for name in names}
    return choose_tiles(uses, Specialization(sizes=sizes or {}))


def test_large_and_unknown_gemms_get_the_playbook_tile():
    expected = {"BM": 128, "BN": 256, "BK": 64}
    assert gemm() == expected
    assert gemm({"M": 8192, "N": 8192, "K": 8192}) == expected


SWIGLU = ProductsTogether(products=2, a_tiles=1, b_tiles=2, also_live=(("BM", "BN"),))


@pytest.mark.parametrize("size", [0, 512, 4096, 8192])
def test_two_products_of_one_loop_hold_two_accumulators(size: int):
    sizes = dict.fromkeys("MNK", size) if size else {}
    choice = plan_tiles(gemm_uses(together=SWIGLU), Specialization(sizes=sizes))
    m, n = choice.values["BM"], choice.values["BN"]
    threads = 128 if choice.pingpong or m == 64 else 256
    assert 2 * m * n / threads <= 184
    if size != 512:
        assert (m, n, choice.pingpong) == (128, 128, False)
    assert choice.split_k == 1


def test_accumulators_of_other_extents_count_where_these_are_known():
    tile = GemmTile(128, 128, 64, 2, 2)
    assert tile.accumulators(2) == 64
    assert replace(tile, also_live=((128, 64),)).accumulators(2) == 96
    together = ProductsTogether(also_live=(("BM", 64), ("BX", 64)))
    assert together.accumulators_with({"BM": 128}) == ((128, 64),)


def test_a_sum_that_no_product_adds_to_takes_as_many_registers_as_an_accumulator():
    scaled = ProductsTogether(sums=1)
    choice = plan_tiles(gemm_uses(together=scaled), Specialization(sizes={}))
    m, n = choice.values["BM"], choice.values["BN"]
    assert GemmTile(m, n, 64, 2, 2, sums=1).accumulators(2) == 2 * m * n // 256 <= 208
    few = Specialization(sizes={"M": 64, "N": 512, "K": 16384})
    assert plan_tiles(gemm_uses(), few).split_k > 1
    assert plan_tiles(gemm_uses(together=scaled), few).split_k == 1


def test_tiles_of_consumers_that_may_not_take_turns():
    """What `pingpong` disabled means: the tile changes only if the schedule does."""
    narrow = {"M": 4096, "N": 4096, "K": 1024}
    known = Specialization(sizes=narrow)
    assert plan_tiles(gemm_uses(), known).pingpong
    shared = plan_tiles(gemm_uses(), replace(known, disabled=frozenset({"pingpong"})))
    assert not shared.pingpong


def test_a_wide_result_costs_no_more_room_than_a_narrow_one():
    assert gemm(output_bytes=4) == gemm(output_bytes=2) == {"BM": 128, "BN": 256, "BK": 64}


def test_what_the_epilogue_loads_leaves_room_for_the_ring():
    """Next to 128x256: two parts a warpgroup and four slots, or all four slices and three slots."""
    expected = {"BM": 128, "BN": 256, "BK": 64}
    assert gemm(epilogue_bytes=2) == gemm(epilogue_bytes=4) == expected
    wide = GemmTile(128, 256, 64, 2, 2)
    loading = replace(wide, epilogue_bytes=2)
    assert (wide.stages(TARGET), wide.staging_bytes(TARGET)) == (4, 32768)
    assert (loading.stages(TARGET), loading.staging_bytes(TARGET)) == (3, 4 * 16384 + 2 * 8192)


@pytest.mark.parametrize(("depth", "columns"), [(512, 128), (2048, 128), (4096, 256)])
def test_a_fused_product_of_few_k_tiles_takes_turns(depth, columns):
    """Where a warpgroup stores, another one multiplies: that is worth narrow tiles."""
    extents = {"M": 8192, "N": 8192, "K": depth}
    assert gemm(extents, epilogue_bytes=2)["BN"] == columns


def test_what_the_epilogue_loads_is_not_sliced_where_warpgroups_share_columns():
    tile = GemmTile(192, 208, 64, 2, 2)
    assert tile.consumers(TARGET) == 2
    loading = replace(tile, epilogue_bytes=2)
    whole = 192 * 208 * 2
    assert loading.staging_bytes(TARGET) == tile.staging_bytes(TARGET) // 2 + whole


def test_one_swizzle_span_of_k_for_every_element_size():
    assert gemm(element_bytes=1, output_bytes=1)["BK"] == 128
    assert gemm(element_bytes=4)["BK"] == 32


def test_small_gemms_spread_over_the_chip():
    tiles = gemm({"M": 512, "N": 512, "K": 512})
    assert 512 // tiles["BM"] * (512 // tiles["BN"]) >= 64


def test_a_batch_of_small_gemms_fills_the_chip_with_large_tiles():
    sizes = {"M": 512, "N": 512, "K": 512, "B": 64}
    large, small = gemm(sizes, batch=("B",)), gemm(sizes)
    assert large["BM"] * large["BN"] > 4 * small["BM"] * small["BN"]
    assert gemm(sizes, batch=(64,)) == gemm(sizes, batch=(4, 16)) == large


def test_extents_do_not_exceed_the_rounded_problem():
    tiles = gemm({"M": 20, "N": 20, "K": 20})
    assert tiles["BM"] == 64  # the rows of one wgmma
    assert tiles["BN"] <= 32
    assert tiles["BK"] == 32


@pytest.mark.parametrize("sizes", list(itertools.product([1, 64, 1000, 4096], repeat=3)))
@pytest.mark.parametrize("output_bytes", [2, 4])
def test_every_choice_fits(sizes, output_bytes):
    known = Specialization(sizes=dict(zip("MNK", sizes, strict=True)))
    for plain in (False, True):
        choice = plan_tiles(gemm_uses(output_bytes=output_bytes), known, powers_of_two=plain)
        m, n, k = (choice.values[f"B{axis}"] for axis in "MNK")
        assert misfit(GemmTile(m, n, k, 2, output_bytes), TARGET) is None
        assert not plain or all(map(is_power_of_two, (m, n, k)))


@pytest.mark.parametrize(
    ("sizes", "tile"),
    [
        ((8192, 8192, 8192), (128, 256, 64)),
        ((4096, 4096, 4096), (128, 256, 64)),
        ((8192, 8192, 512), (128, 192, 64)),
        ((2048, 2048, 2048), (128, 256, 64)),
        ((1024, 1024, 1024), (64, 128, 64)),
        ((512, 512, 512), (64, 32, 128)),
        ((1000, 1000, 1000), (64, 128, 64)),
    ],
)
@pytest.mark.parametrize("n_contiguous", [False, True])
def test_measured_choices_stay(sizes, tile, n_contiguous):
    """The tiles of docs/performance.md: what was measured outweighs what is only modelled."""
    found = gemm(dict(zip("MNK", sizes, strict=True)), n_contiguous=n_contiguous)
    assert tuple(found.values()) == tile


@pytest.mark.parametrize(
    ("n_contiguous", "tile"),
    [(False, "128x208x64 in 2x1 in ping-pong"), (True, "256x128x64 in 2x1")],
)
def test_measured_choices_of_rows_inside_sectors_stay(n_contiguous, tile):
    """32 x 20 tiles of 128x208 fill five waves, 16 x 33 of 256x128 fill four."""
    problem = GemmProblem((4095, 4104, 4104), n_contiguous=n_contiguous)
    assert tile_text(rank_tiles(problem, TARGET)[0].tile) == tile


@pytest.mark.parametrize("size", [3000, 4095, 5000, 6144, 9000])
def test_contiguous_columns_come_in_whole_swizzle_spans(size):
    found = gemm({"M": size, "N": size, "K": size}, n_contiguous=True)
    assert found["BN"] % 64 == 0


def test_the_choice_prices_few_tiles(monkeypatch):
    """The search takes 10 to 20 ms, as many tiles as there are (2026)."""
    priced = []
    monkeypatch.setattr(candidates, "gemm_cost", lambda *args: priced.append(1) or gemm_cost(*args))
    plan_tiles(gemm_uses(), Specialization(sizes={"M": 4095, "N": 4104, "K": 4104}))
    assert len(priced) < 150


def test_the_runners_up_are_listed():
    choice = plan_tiles(gemm_uses(), Specialization(sizes=dict.fromkeys("MNK", 8192)))
    assert len(choice.candidates) == 5
    assert choice.candidates[0] == (
        "128x256x64 in 2x1: 2704775 cycles = 16 waves of [128 k-tiles of (1063 tensor + 75 bubble"
        " + 20 power) + 2495 epilogue] + 3074 start"
    )
    assert "; runners-up: 128x256x64 in 1x2 +0.4%, 128x256x64 +0.8%, " in choice.reasons[0]


def test_the_cluster_comes_with_the_tile():
    def cluster(size: int, **known):
        sizes = Specialization(sizes=dict.fromkeys("MNK", size))
        return plan_tiles(gemm_uses(**known), sizes).cluster

    assert (cluster(8192), cluster(2048)) == ((2, 1), (1, 1))
    assert cluster(8192, overrides={"M": 128, "N": 128}) == (2, 1)
    assert plan_tiles({"A": TileUse("elementwise", 4, ("A",))}).cluster == (1, 1)


def test_the_cluster_is_that_of_the_largest_mma():
    small = TileUse("mma_m", 2, ("SM", 16, 64), "S", 2)
    choice = plan_tiles({"SM": small, **gemm_uses()}, Specialization(sizes={"S": 64}))
    assert (choice.cluster, choice.mma_elements) == ((2, 1), 128 * 256 * 64)


@pytest.mark.parametrize(
    ("overrides", "holds"),
    [
        ({"consumers": 3}, lambda tile: tile.consumers(TARGET) == 3),
        ({"consumers": 1}, lambda tile: tile.consumers(TARGET) == 1),
        ({"stages": 7}, lambda tile: tile.stages(TARGET) >= 7),
        ({"cluster": (2, 2)}, lambda tile: tile.cluster == (2, 2)),
        ({"cluster": (1, 1)}, lambda tile: tile.cluster == (1, 1)),
        ({"pingpong": 1}, lambda tile: tile.pingpong),
        ({"pingpong": 0}, lambda tile: not tile.pingpong),
        ({"persistent": 0}, lambda tile: not tile.pingpong),
        ({"split_k": 4}, lambda tile: tile.split_k == 4 and not tile.pingpong),
        ({"slice_columns": 40}, lambda tile: tile.n % 40 == 0),
        (
            {"slice_columns": 24, "consumers": 2},
            lambda tile: tile.n % 24 == 0 and (tile.pingpong or tile.m % 128 == 0),
        ),
    ],
)
@pytest.mark.parametrize("size", [512, 2048, 8192])
def test_tiles_go_with_what_is_fixed(overrides, holds, size):
    problem = GemmProblem((size, size, size), overrides=parse_overrides(overrides))
    ranked = rank_tiles(problem, TARGET)
    assert ranked
    assert all(holds(item.tile) for item in ranked)


def test_splits_are_priced():
    """Few tiles leave SMs idle; splits of larger ones do not."""
    sizes = Specialization(sizes={"M": 512, "N": 512, "K": 16384})
    found = {
        splits: plan_tiles(gemm_uses(), sizes, overrides=parse_overrides({"split_k": splits}))
        for splits in (1, 8)
    }
    assert [choice.split_k for choice in found.values()] == [1, 8]
    whole, split = (prod(choice.values.values()) for choice in found.values())
    assert split > whole
    assert plan_tiles(gemm_uses(), sizes).split_k == 4


def test_only_a_single_product_is_split():
    """The plan of a kernel with several refuses splits, and its tiles would be chosen for them."""
    sizes = Specialization(sizes={"M": 512, "N": 512, "K": 16384})
    other = {
        f"{name}2": replace(use, extents=tuple(f"{item}2" for item in use.extents))
        for name, use in gemm_uses().items()
    }
    assert plan_tiles({**gemm_uses(), **other}, sizes).split_k == 1


def test_what_cannot_be_had_is_left_to_the_plan_of_the_kernel():
    """Its errors say what is wrong with 31 stages."""
    overrides = parse_overrides({"stages": 31})
    assert plan_tiles(gemm_uses(), overrides=overrides).values == gemm()


def test_tiles_of_the_cuda_cores_stay_powers_of_two():
    found = gemm({"M": 4095, "N": 4104, "K": 4104}, element_bytes=4)
    assert all(map(is_power_of_two, found.values()))


@pytest.mark.parametrize("overrides", [{"M": 64}, {"N": 32}, {"M": 128, "N": 128}, {"K": 32}])
def test_extents_fixed_by_the_user_are_respected(overrides):
    tiles = gemm(overrides=overrides)
    assert set(tiles) == {f"B{axis}" for axis in "MNK" if axis not in overrides}
    m, n, k = (overrides.get(axis) or tiles[f"B{axis}"] for axis in "MNK")
    assert misfit(GemmTile(m, n, k, 2, 2), TARGET) is None


def test_one_constant_for_two_extents_of_an_mma():
    uses = {
        "B": TileUse("mma_m", 2, ("B", "B", "BK"), "M", 2),
        "BK": TileUse("mma_k", 2, ("B", "B", "BK"), "K", 2),
    }
    assert choose_tiles(uses) == {"B": 192, "BK": 64}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"M": 40}, "40 x 16 x 64 is not made of wgmma instructions"),
        ({"N": 12}, "x 12 x 64 is not made of wgmma instructions"),
        ({"M": 512, "N": 512}, "takes 1024 registers a thread of 2 warpgroups; at most 208 fit"),
        ({"N": 128, "K": 512}, "holds 1 stage of 196608 bytes next to a 64 x 128 result; 3 are"),
    ],
)
def test_impossible_requests_name_the_numbers(overrides, message):
    with pytest.raises(CompileError, match=message) as caught:
        gemm(overrides=overrides)
    assert caught.value.diagnostics[0].code == "T0410"


@pytest.mark.parametrize(
    ("extents", "element_bytes", "expected"),
    [
        (("A",), 4, {"A": 4096}),
        (("A",), 2, {"A": 8192}),
        (("A",), 1, {"A": 8192}),
        (("A",), 8, {"A": 2048}),
        (("A", "B"), 4, {"A": 64, "B": 64}),
        (("A", "B"), 2, {"A": 64, "B": 128}),
        (("A", "A"), 4, {"A": 64}),
        (("A", 128), 2, {"A": 64}),
        (("A", "B", "C", "D", "E"), 4, {"A": 2, "B": 2, "C": 4, "D": 4, "E": 64}),
    ],
)
def test_elementwise_tiles_of_unknown_extents(extents, element_bytes, expected):
    assert elementwise(extents, element_bytes) == expected


@pytest.mark.parametrize("sizes", list(itertools.product([1, 5, 64, 100_000], repeat=3)))
def test_elementwise_tiles_stay_in_the_extents_and_the_budget(sizes):
    tiles = elementwise(("A", "B", "C"), 4, dict(zip("ABC", sizes, strict=True)))
    for name, size in zip("ABC", sizes, strict=True):
        assert tiles[name] <= round_up_power_of_two(size)
    assert prod(tiles.values()) <= MAX_TILE_ELEMENTS
    whole = prod(round_up_power_of_two(size) for size in sizes)
    assert prod(tiles.values()) == min(4096, whole)


def test_a_vector_with_an_mma_takes_the_extent_of_the_mma():
    uses = {"BR": TileUse("elementwise", 2, ("BM", "BR"), "R"), **gemm_uses()}
    tiles = choose_tiles(uses)
    assert (tiles["BM"], tiles["BR"]) == (128, 64)


def test_reasons_say_what_was_assumed():
    choice = plan_tiles(gemm_uses(), Specialization(sizes={"M": 256}))
    assert len(choice.reasons) == 1
    assert "BM covers 256 elements" in choice.reasons[0]
    assert "large extents assumed for N, K" in choice.reasons[0]


def test_unknown_names_are_a_compiler_error():
    with pytest.raises(InternalCompilerError, match="unknown constants"):
        choose_tiles({"A": TileUse("elementwise", 4, ("A", "Z"))})


def test_the_model_prefers_the_tile_with_less_traffic():
    extents = (8192, 8192, 8192)
    wide, square = GemmTile(128, 256, 64, 2, 2), GemmTile(128, 128, 64, 2, 2)
    costs = [gemm_cost(tile, extents, TARGET).cycles for tile in (wide, square)]
    assert costs == sorted(costs)
