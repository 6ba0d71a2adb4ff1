"""Tiles of products with an operand that threads compute from what is loaded."""

import pytest

from tests.support.plain_product import TARGET
from tilec.plan import machine
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.tile import GemmTile, misfit
from tilec.plan.products import ProductsTogether
from tilec.support.fast_dataclasses import replace

WEIGHTS = ProductsTogether(loaded=(2.0, 1.0), computed=(False, True))
FIRST = ProductsTogether(loaded=(1.0, 2.0), computed=(True, False))
EXTENTS = (4096, 4096, 4096)


def test_a_computed_b_becomes_the_first_operand():
    tile = GemmTile(256, 128, 64, 2, 2, may_swap=True, together=WEIGHTS)
    assert (tile.is_swapped, tile.rows, tile.columns) == (True, 128, 256)
    assert (tile.held_elements, tile.staged_elements) == (128 * 64, 0)
    assert tile.slot_bytes == 256 * 64 * 2 + 128 * 64


def test_columns_that_are_no_slices_are_staged():
    tile = GemmTile(128, 96, 64, 2, 2, may_swap=True, together=WEIGHTS)
    assert (tile.is_swapped, tile.held_elements, tile.staged_elements) == (False, 0, 96 * 64)
    kept = replace(tile, n=128, may_swap=False)
    assert (kept.is_swapped, kept.held_elements, kept.staged_elements) == (False, 0, 128 * 64)


def test_a_computed_a_stays():
    tile = GemmTile(128, 256, 64, 2, 2, may_swap=True, together=FIRST)
    assert (tile.is_swapped, tile.held_elements, tile.staged_elements) == (False, 128 * 64, 0)


def test_threads_may_take_longer_than_products():
    """256 rows of weights for 128 columns; with 128 for 256, products hide the conversion."""
    many, few = (
        gemm_cost(GemmTile(m, n, 64, 2, 2, may_swap=True, together=WEIGHTS), EXTENTS, TARGET)
        for m, n in ((128, 256), (256, 128))
    )
    assert many.bound == "threads"
    assert many.threads == 256 * 64 * machine.HELD_CYCLES == 2 * few.threads
    assert few.bound == "tensor"


def test_fragments_take_registers():
    """64x64 elements of a warpgroup are 16 registers, and two such tiles are live."""
    tile = GemmTile(208, 256, 64, 2, 2, may_swap=True, together=WEIGHTS)
    assert tile.fragment_registers(2) == 32
    assert "takes 208 registers" in (misfit(tile, TARGET) or "")
    assert misfit(GemmTile(256, 128, 64, 2, 2, may_swap=True, together=WEIGHTS), TARGET) is None


def test_a_consumer_that_has_its_turn_hides_nothing():
    tile = GemmTile(128, 128, 64, 2, 2, may_swap=True, together=WEIGHTS)
    shared, turns = (
        gemm_cost(replace(tile, pingpong=pingpong), EXTENTS, TARGET) for pingpong in (False, True)
    )
    assert turns.bubble > shared.bubble
    assert turns.k_tile > shared.k_tile


@pytest.mark.parametrize("contiguous", [False, True])
@pytest.mark.parametrize(
    ("extents", "tile"),
    [
        (EXTENTS, (256, 128, 64)),
        ((16, 8192, 4096), (16, 64, 256)),
    ],
)
def test_measured_choices_stay(extents, tile, contiguous):
    """docs/measurements/2026-11-26-w8a16.md."""
    problem = GemmProblem(extents, n_contiguous=contiguous, may_swap=True, together=WEIGHTS)
    best = rank_tiles(problem, TARGET)[0].tile
    assert (best.m, best.n, best.k, best.split_k, best.pingpong) == (*tile, 1, False)


@pytest.mark.parametrize(("extents", "expected"), [(EXTENTS, True), ((4096, 4096, 2048), False)])
def test_waves_that_begin_with_what_l2_got_last(extents, expected):
    """24.5 MiB a wave, and half of that."""
    problem = GemmProblem(extents, may_swap=True, together=WEIGHTS)
    assert rank_tiles(problem, TARGET)[0].cost.outgrows_l2 == expected
