"""Tiles of two products in a loop, of which the second one needs the first."""

import pytest

from tilec.plan import machine
from tilec.plan.chain_tiles import STORE_CYCLES, ChainProblem, rank_chains
from tilec.plan.overrides import parse_overrides
from tilec.plan.products import NextProduct, ProductsTogether
from tilec.plan.tiles import TileRole, TileUse, plan_tiles
from tilec.request.specialization import Specialization
from tilec.request.target import get_target

TARGET = get_target("sm_90a")
NOTHING = parse_overrides({})
SMS = 132
MEASURED = [
    (128, 128, 128, 571, 1628),
    (128, 144, 128, 585, 1642),
    (128, 160, 128, 611, 1718),
    (128, 176, 128, 635, 1718),
    (128, 128, 64, 397, 1860),
    (128, 176, 64, 444, 1822),
    (128, 192, 64, 437, 1770),
    (192, 128, 64, 483, 1770),
    (192, 112, 64, 447, 1852),
    (128, 64, 256, 700, 1760),
]
"""M, N, depth, TFLOP/s and MHz: docs/measurements/2026-11-24-attention.md, sequences of 16384."""


SHORT = [(128, 256, 505, 1830), (192, 128, 651, 1800)]
"""M, N, TFLOP/s and MHz of depth 64 in 8 bits: docs/measurements/2026-11-25-attention-heads.md."""


def ranked(depth=128, tile=(None, None), limit=None, overrides=NOTHING, element_bytes=2, **known):
    problem = ChainProblem((*tile, depth), depth, element_bytes, **known)
    return rank_chains(problem, TARGET, limit, overrides)


def best(*args, **known):
    tile = ranked(*args, **known)[0].tile
    return tile.m, tile.n


@pytest.mark.parametrize(("m", "n", "depth", "speed", "clock"), MEASURED)
def test_the_model_gives_the_measured_rounds(m, n, depth, speed, clock):
    (found,) = ranked(depth, (m, n))
    rounds = speed * 1e12 / SMS / (4 * m * n * depth)
    assert found.round_cycles == pytest.approx(clock * 1e6 / rounds, rel=0.05)


@pytest.mark.parametrize(("m", "n", "speed", "clock"), SHORT)
def test_more_warpgroups_hide_more_where_special_functions_bind(m, n, speed, clock):
    (found,) = ranked(64, (m, n), element_bytes=1)
    rounds = speed * 1e12 / SMS / (4 * m * n * 64)
    assert found.round_cycles == pytest.approx(clock * 1e6 / rounds, rel=0.05)
    assert found.round_cycles >= m * n / machine.SPECIAL_PER_CYCLE


@pytest.mark.parametrize(
    ("depth", "length", "staircase", "expected"),
    [
        (64, 16384, False, (192, 128)),
        (64, 1024, True, (128, 128)),
        (64, 2048, True, (192, 128)),
        (128, 16384, False, (128, 192)),
        (128, 8192, True, (128, 176)),
        (128, 16384, True, (128, 176)),
        (128, 4096, False, (128, 192)),
        (128, 4096, True, (128, 128)),
        (128, 2048, True, (128, 128)),
        (128, 2048, False, (128, 128)),
        (128, 1024, False, (128, 128)),
        (128, 1024, True, (128, 128)),
        (256, 16384, False, (128, 80)),
        (256, 16384, True, (128, 80)),
        (256, 4096, True, (128, 80)),
        (256, 2048, False, (128, 80)),
        (256, 1024, False, (128, 80)),
        (256, 1024, True, (128, 64)),
    ],
)
def test_the_best_tiles_that_were_measured(depth, length, staircase, expected):
    assert best(depth, rows=length, inner=length, staircase=staircase) == expected


@pytest.mark.parametrize("length", [1024, 4096, 16384])
@pytest.mark.parametrize("staircase", [False, True])
def test_three_warpgroups_for_8_bits_and_depth_64(length, staircase):
    known = {"rows": length, "inner": length, "staircase": staircase}
    assert best(64, element_bytes=1, **known) == (192, 128)


def test_a_tile_needs_two_slots_of_the_ring():
    """Of 192 columns of depth 128, two fit next to A, but not next to a staged result."""
    staged, stored = (ranked(128, (128, columns))[0] for columns in (176, 192))
    assert (staged.slots, stored.slots) == (2, 2)
    assert stored.tile_cycles == staged.tile_cycles + STORE_CYCLES * 128 * 128
    assert ranked(256, (128, 96)) == []


def test_a_tile_fits_the_registers():
    """64 rows of 240 columns: 120 registers of the first result and 60 of the operand."""
    assert ranked(64, (128, 224))
    assert ranked(64, (128, 240)) == []
    assert ranked(64, (192, 144)) == [], "three warpgroups have 160 registers a thread"
    assert ranked(512) == [], "the result alone takes 256"


def test_columns_are_whole_steps_of_the_second_product():
    """An instruction takes 32 bytes of K: 16 elements of 16 bits, 32 of 8."""
    for element_bytes, step in ((2, 16), (1, 32)):
        problem = ChainProblem((None, None, 128), 128, element_bytes, rows=4096, inner=4096)
        columns = {item.tile.n for item in rank_chains(problem, TARGET, None, NOTHING)}
        assert {extent % step for extent in columns} == {0}
        assert len(columns) > 4


def test_what_is_given_stays():
    assert {item.tile.n for item in ranked(tile=(None, 96))} == {96}
    assert {item.tile.m for item in ranked(tile=(64, None))} == {64}
    assert ranked(tile=(48, None)) == []
    assert {item.tile.m for item in ranked(overrides=parse_overrides({"consumers": 3}))} == {192}


def test_powers_of_two_and_a_limit():
    assert best(128, powers_of_two=True) == (128, 128)
    assert all(item.tile.volume <= 128**3 for item in ranked(limit=128**3))


def test_a_ragged_end_and_a_staircase_cost_rounds():
    def of(**known):
        return ranked(128, (128, 128), **known)[0]

    assert of(rows=1024, inner=1024).rounds == 8
    assert of(rows=1024, inner=1025).rounds == 9
    assert of(rows=1024, inner=1024, staircase=True).rounds == 4.5
    assert of(rows=1025, inner=1024).score > of(rows=1024, inner=1024).score


ROLES: dict[str, TileRole] = {"BM": "mma_m", "BN": "mma_n"}


def uses(columns=128):
    together = ProductsTogether(next=NextProduct(columns))
    return {
        name: TileUse(role, 2, ("BM", "BN", 128), "S", together=together)
        for name, role in ROLES.items()
    }


def test_auto_constants_get_the_tile_and_its_runners_up():
    choice = plan_tiles(uses(), Specialization(sizes={"S": 8192}))
    assert choice.values == {"BM": 128, "BN": 192}
    assert (choice.cluster, choice.pingpong, choice.split_k) == ((1, 1), False, 1)
    assert (choice.defer_stores, choice.snake_k) == (False, False)
    assert choice.mma_elements == 128 * 192 * 128
    assert "runners-up: 128x176x128" in choice.reasons[0]
    assert choice.candidates[0].startswith("128x192x128: ")
    assert choice.candidates[0].endswith("/ 128 rows, 2 slots")


def test_products_that_no_tile_of_registers_holds_are_planned_apart():
    assert plan_tiles(uses(512)).cluster != (1, 1)
