"""Parts of a tile: together they are its registers, each held where its layout says."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.layout import (
    LayoutError,
    Mode,
    Owner,
    RegisterLayout,
    blocked,
    sliced_from,
    tile_slice,
    warpgroup_part,
    wgmma_accumulator,
)

WARPGROUP_THREADS = 128


def divisors(number):
    return [value for value in range(1, number + 1) if number % value == 0]


@st.composite
def cut_tiles(draw):
    """Return an accumulator or its transpose, the extents of its parts, and the shared axis."""
    warpgroups = draw(st.integers(1, 3))
    blocks, columns = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    tile = wgmma_accumulator(64 * blocks * warpgroups, 8 * columns, warpgroups)
    part = (
        64 * draw(st.sampled_from(divisors(blocks))),
        8 * draw(st.sampled_from(divisors(columns))),
    )
    if draw(st.booleans()):
        return tile.permute((1, 0)), part[::-1], 1
    return tile, part, 0


def share_of(tile, axis):
    share = list(tile.shape)
    share[axis] //= tile.num_warpgroups
    return share


def parts_of(tile, shape, axis):
    """Return {origin: part} of all parts of the share of warpgroup 0."""
    steps = (range(0, w, e) for w, e in zip(share_of(tile, axis), shape, strict=True))
    return {origin: warpgroup_part(tile, shape, origin, axis) for origin in product(*steps)}


@given(cut_tiles())
def test_the_parts_of_a_tile_partition_its_registers(case):
    tile, shape, axis = case
    parts = parts_of(tile, shape, axis)
    registers = [register for part in parts.values() for register in part.registers]
    assert sorted(registers) == list(range(tile.num_registers))


@given(cut_tiles())
def test_a_part_holds_the_elements_of_its_box(case):
    """In every warpgroup, at the same place of its share."""
    tile, shape, axis = case
    share = share_of(tile, axis)[axis]
    for origin, part in parts_of(tile, shape, axis).items():
        assert part.layout.shape == shape
        assert part.layout.num_threads == WARPGROUP_THREADS
        assert part.layout.is_surjective
        for thread, (index, register) in product(
            range(0, tile.num_threads, 7), enumerate(part.registers)
        ):
            warpgroup, own = divmod(thread, WARPGROUP_THREADS)
            expected = [
                a + b for a, b in zip(part.layout.coordinates(index, own), origin, strict=True)
            ]
            expected[axis] += warpgroup * share
            assert tile.coordinates(register, thread) == tuple(expected)


@given(cut_tiles())
def test_a_part_of_the_whole_share_is_the_share(case):
    tile, _, axis = case
    share = tuple(share_of(tile, axis))
    part = warpgroup_part(tile, share, (0, 0), axis)
    assert part.registers == tuple(range(tile.num_registers))
    assert part.layout.register_offsets() == tile.register_offsets()


def test_a_tile_with_a_leading_extent_of_one():
    tile = wgmma_accumulator(128, 32, 2).reshape((1, 128, 32))
    part = warpgroup_part(tile, (1, 64, 16), (0, 0, 16), 1)
    assert part.layout == wgmma_accumulator(64, 16, 1).reshape((1, 64, 16))
    assert len(part.registers) == 8


TILE = wgmma_accumulator(128, 64, 2)
SHARES = "warpgroups do not share axis"
REGISTERS = "is not made of registers of"


@pytest.mark.parametrize(
    ("tile", "shape", "origin", "axis", "message"),
    [
        (TILE, (64, 32), (0, 0), 1, f"{SHARES} 1 .* in blocks of 32"),
        (blocked((128, 64), 8, 4, (1, 0)), (64, 32), (0, 0), 0, f"{SHARES} 0 .* in blocks of 64"),
        (TILE, (64, 32), (0, 16), 0, r"a part of \(64, 32\) cannot begin at \(0, 16\)"),
        (TILE, (64, 32), (64, 0), 0, REGISTERS),
        (TILE, (64, 32), (0, 64), 0, REGISTERS),
        (TILE, (32, 32), (0, 0), 0, "leaves the tile"),
        (TILE, (64, 4), (0, 0), 0, "leaves the tile"),
        (TILE, (128, 32), (0, 0), 0, REGISTERS),
    ],
)
def test_impossible_parts_are_refused(tile, shape, origin, axis, message):
    with pytest.raises(LayoutError, match=message):
        warpgroup_part(tile, shape, origin, axis)


@pytest.mark.parametrize("stride", [(1, 1), (0, 0)])
def test_registers_that_move_along_no_single_axis_are_refused(stride):
    tile = RegisterLayout((2, 2), [Mode(Owner.REG, 2, stride)])
    with pytest.raises(LayoutError, match=f"a register digit moves along {sum(stride)} axes"):
        warpgroup_part(tile, (2, 2), (0, 0), 0)


@st.composite
def sliced_tiles(draw):
    """Return an accumulator or its transpose, or a row that goes with one, and slices of it."""
    warpgroups = draw(st.integers(1, 3))
    blocks, columns = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    tile = wgmma_accumulator(64 * blocks * warpgroups, 8 * columns, warpgroups)
    width = 8 * draw(st.sampled_from(divisors(columns)))
    if draw(st.booleans()):
        return tile.permute((1, 0)), (width, tile.shape[0])
    if draw(st.booleans()):
        row, _ = tile.broadcast_source((1, 8 * columns))
        return row, (1, width)
    return tile, (tile.shape[0], width)


@given(sliced_tiles())
def test_slices_name_every_register_of_a_tile_once(case):
    tile, shape = case
    steps = [range(0, whole, extent) for whole, extent in zip(tile.shape, shape, strict=True)]
    registers: list[int] = []
    for origin in product(*steps):
        found = tile_slice(tile, shape, origin)
        registers.extend(found.registers)
        for thread, (index, register) in product(
            range(0, tile.num_threads, 7), enumerate(found.registers)
        ):
            inside = found.layout.coordinates(index, thread)
            expected = tuple(a + b for a, b in zip(inside, origin, strict=True))
            assert tile.coordinates(register, thread) == expected
    assert sorted(registers) == list(range(tile.num_registers))


@given(sliced_tiles())
def test_a_layout_made_from_slices_has_them(case):
    tile, shape = case
    part = tile_slice(tile, shape, (0,) * tile.rank).layout
    whole = sliced_from(part, tile.shape)
    assert whole.shape == tile.shape
    assert tile_slice(whole, shape, (0,) * tile.rank).layout == part


def test_lanes_do_not_fall_into_slices():
    tile = blocked((64, 64), 4, 4, (1, 0))
    with pytest.raises(LayoutError):
        tile_slice(tile, (64, 16), (0, 0))
    with pytest.raises(LayoutError, match="no multiple of it"):
        warpgroup_part(wgmma_accumulator(64, 64, 1), (64, 32), (0, 16), 0)
    with pytest.raises(LayoutError, match="do not make up"):
        sliced_from(wgmma_accumulator(64, 32, 1), (64, 80))


@pytest.mark.parametrize("first", [112, 64, 16])
def test_two_slices_of_any_width_make_up_a_tile(first):
    tile = wgmma_accumulator(128, 176, 2)
    slices = [
        tile_slice(tile, (128, extent), (0, start))
        for start, extent in ((0, first), (first, 176 - first))
    ]
    registers = [register for part in slices for register in part.registers]
    assert sorted(registers) == list(range(tile.num_registers))
    assert [part.layout for part in slices] == [
        wgmma_accumulator(128, extent, 2) for extent in (first, 176 - first)
    ]
