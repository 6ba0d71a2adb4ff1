"""wgmma fragments against the formulas of the PTX ISA, and blocked layouts."""

from itertools import product

import pytest

from tilec.layout import (
    LayoutError,
    Owner,
    access_cost,
    blocked,
    choose_blocked,
    row_major,
    tma_boxes,
    warpgroup_share,
    wgmma_a_fragment,
    wgmma_accumulator,
)


@pytest.mark.parametrize(("m", "n", "warpgroups"), [(64, 8, 1), (128, 72, 2), (256, 16, 2)])
def test_accumulator_formula(m, n, warpgroups):
    layout = wgmma_accumulator(m, n, warpgroups)
    blocks = m // warpgroups // 64
    for thread in range(0, 128 * warpgroups, 7):
        group, warp, lane = thread // 128, thread // 32 % 4, thread % 32
        for block, j, i, c in product(range(blocks), range(n // 8), range(2), range(2)):
            register = block * (n // 2) + 4 * j + 2 * i + c
            row = group * (m // warpgroups) + 64 * block + 16 * warp + lane // 4 + 8 * i
            assert layout.coordinates(register, thread) == (row, 8 * j + 2 * (lane % 4) + c)


@pytest.mark.parametrize(("m", "n", "warpgroups"), [(192, 208, 2), (64, 256, 2), (64, 72, 3)])
def test_warpgroups_share_columns_where_rows_do_not_split(m, n, warpgroups):
    layout = wgmma_accumulator(m, n, warpgroups)
    columns = n // warpgroups
    assert warpgroup_share(m, n, warpgroups) == (m, columns)
    assert layout.is_injective
    assert layout.is_surjective
    own = wgmma_accumulator(m, columns, 1)
    for thread in range(0, 128 * warpgroups, 7):
        group, rest = divmod(thread, 128)
        for register in range(layout.num_registers):
            row, column = own.coordinates(register, rest)
            assert layout.coordinates(register, thread) == (row, column + group * columns)


@pytest.mark.parametrize("m", [64, 128, 192, 256])
@pytest.mark.parametrize("n", range(64, 257, 16))
def test_every_tile_of_the_planner_is_a_bijection(m, n):
    for warpgroups in (1, 2, 3):
        rows, columns = m % (64 * warpgroups), n % (8 * warpgroups)
        if rows and columns:
            with pytest.raises(LayoutError, match="do not split"):
                wgmma_accumulator(m, n, warpgroups)
            continue
        layout = wgmma_accumulator(m, n, warpgroups)
        assert layout.is_injective
        assert layout.is_surjective
        assert layout.num_registers == m * n // (128 * warpgroups)


@pytest.mark.parametrize(("bits", "packed"), [(8, 4), (16, 2), (32, 1)])
def test_a_fragment_formula(bits, packed):
    layout = wgmma_a_fragment((64, 8, 512 // bits), bits, 1)
    k = 256 // bits
    for thread in range(128):
        row, quad = 16 * (thread // 32) + thread % 32 // 4, thread % 4
        for step, part, item in product(range(2), range(4), range(packed)):
            register = (step * 4 + part) * packed + item
            column = step * k + (part // 2) * 4 * packed + quad * packed + item
            assert layout.coordinates(register, thread) == (row + 8 * (part % 2), column)


def test_accumulator_converts_in_place_to_a_16_bit_fragment():
    assert wgmma_accumulator(128, 64, 2) == wgmma_a_fragment((128, 64, 64), 16, 2)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: wgmma_accumulator(64, 12, 1), "multiple of 8 columns"),
        (lambda: wgmma_accumulator(64, 8, 2), "blocks of 64"),
        (lambda: wgmma_accumulator(64, 8, 0), "blocks of 64"),
        (lambda: wgmma_a_fragment((64, 8, 8), 16, 1), "whole wgmma k-steps"),
        (lambda: wgmma_a_fragment((64, 8, 8), 64, 1), "64-bit elements"),
        (lambda: blocked((8, 8), 4, 1, (0,)), "does not name the axes"),
        (lambda: blocked((8, 8), 6, 1, (0, 1)), "whole warpgroups"),
        (lambda: blocked((8, 8), 0, 1, (0, 1)), "whole warpgroups"),
    ],
)
def test_impossible_requests(build, message):
    with pytest.raises(LayoutError, match=message):
        build()


def test_blocked_fills_the_fastest_axis_first():
    layout = blocked((64, 64), 4, 4, (1, 0))
    assert [layout.coordinates(r, 0) for r in range(4)] == [(0, c) for c in range(4)]
    assert [layout.coordinates(0, t) for t in (1, 15, 16, 32)] == [(0, 4), (0, 60), (1, 0), (2, 0)]


def test_small_tiles_are_replicated():
    layout = blocked((4, 4), 4, 1, (1, 0))
    assert layout.num_registers == 1
    assert layout.replication == 8
    assert {term.owner for term in layout.replica_terms()} == {Owner.LANE, Owner.WARP}


@pytest.mark.parametrize(
    ("shape", "bits", "warps", "vector"),
    [((128, 64), 16, 4, 8), ((128, 64), 32, 8, 4), ((16, 16), 16, 4, 2), ((4, 192), 8, 4, 2)],
)
def test_choose_blocked_uses_wide_vectors_and_every_thread(shape, bits, warps, vector):
    layout = choose_blocked(shape, bits, warps)
    assert layout.vector_width(len(shape) - 1, 128 // bits) == vector
    assert layout.replication == 1


def test_choose_blocked_along_another_axis():
    layout = choose_blocked((64, 128), 16, 4, contiguous_axis=0)
    assert layout.vector_width(0, 8) == 8


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("shape", [(128, 32), (64, 64), (32, 128), (4096,), (8, 16, 32)])
def test_choose_blocked_is_free_of_bank_conflicts(shape, bits):
    layout = choose_blocked(shape, bits, 4)
    axis = len(shape) - 1
    width = layout.vector_width(axis, 128 // bits)
    for shared in (row_major(shape, bits), tma_boxes(shape, bits)):
        assert access_cost(layout, shared, axis, width).conflicts == 0


def test_large_tiles_are_cheap_to_describe():
    layout = wgmma_accumulator(128, 256, 2)
    assert len(layout.modes) <= 8
    assert layout.num_registers == 128
