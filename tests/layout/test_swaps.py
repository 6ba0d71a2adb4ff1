"""Swaps of words in warps: every lane ends with the elements that the other layout gives it."""

import pytest

from tilec.layout import RegisterLayout, wgmma_accumulator
from tilec.layout.banks import SECTOR_BYTES
from tilec.layout.swaps import Swap, find_swaps, gathered

LANES = 32
WORD_BYTES = 4


def layout(text):
    return RegisterLayout.from_text(text)


def swapped(source, target, element_bytes, warp):
    """Return the coordinates that the lanes of a warp hold after the swaps."""
    start = warp * LANES
    found = find_swaps(source, target, element_bytes)
    assert found is not None
    assert found.per_word == WORD_BYTES // element_bytes
    held = []
    for lane in range(LANES):
        have = [source.coordinates(number, start + lane) for number in found.packed]
        held.append([have[at : at + found.per_word] for at in range(0, len(have), found.per_word)])
    for step in found.steps:
        before = [list(words) for words in held]
        for low, high in step.pairs(found.words):
            for lane in range(LANES):
                other = before[lane ^ step.lanes]
                if lane & step.lanes:
                    held[lane][low] = other[high]
                else:
                    held[lane][high] = other[low]
    every = [[place for word in words for place in word] for words in held]
    return [[places[number] for number in found.taken] for places in every]


def places(target, warp):
    return [
        [target.coordinates(number, warp * LANES + lane) for number in range(target.num_registers)]
        for lane in range(LANES)
    ]


ACCUMULATORS = [(64, 32, 1), (128, 128, 2), (64, 96, 1), (192, 64, 3)]
ROWS = layout("32x8|reg:8*(0,1)|lane:32*(1,0)")
COLUMNS = layout("32x8|reg:8*(4,0)|lane:4*(1,0),8*(0,1)")
PAIRS = layout("64x8|reg:2*(0,1),2*(32,0),4*(0,2)|lane:32*(1,0)")
HALVES = layout("64x8|reg:8*(0,1),2*(16,0)|lane:16*(1,0),2*(32,0)")


@pytest.mark.parametrize("extents", ACCUMULATORS, ids=str)
@pytest.mark.parametrize(("width", "element_bytes"), [(4, 2), (8, 2), (8, 1), (16, 1)])
def test_lanes_gather_the_rows_of_an_accumulator(extents, width, element_bytes):
    source = wgmma_accumulator(*extents)
    target = gathered(source, 1, width, SECTOR_BYTES // element_bytes)
    if target is None:
        assert extents[1] % (8 * width) or width == 16
        return
    assert target.vector_width(1, width) == width
    for warp in (0, source.num_warps - 1):
        assert swapped(source, target, element_bytes, warp) == places(target, warp)


@pytest.mark.parametrize("extents", ACCUMULATORS, ids=str)
@pytest.mark.parametrize(
    ("width", "run", "element_bytes"),
    [(1, 16, 2), (1, 32, 2), (2, 16, 2), (2, 32, 2), (1, 16, 1), (2, 32, 1)],
)
def test_lanes_line_up_along_the_rows_of_an_accumulator(extents, width, run, element_bytes):
    """`run` elements of a row are in the registers of neighbouring lanes with the same number."""
    source = wgmma_accumulator(*extents)
    target = gathered(source, 1, width, run)
    assert target is not None
    for warp in (0, source.num_warps - 1):
        held = places(target, warp)
        assert swapped(source, target, element_bytes, warp) == held
        for first in range(0, target.num_registers, width):
            together = [coordinate for lane in held for coordinate in lane[first : first + width]]
            rows = {row for row, _ in together}
            assert len(together) == len(rows) * run
            assert {column // run for _, column in together} == {together[0][1] // run}


def test_words_are_made_of_registers_that_stay():
    """Pairs of columns go to other lanes; rows 8 apart stay, so a word holds two of these."""
    source = wgmma_accumulator(64, 32, 1)
    found = find_swaps(source, gathered(source, 1, 1, 16), 2)
    assert found is not None
    assert not found.is_packed
    assert found.packed[:4] == (0, 2, 1, 3)
    assert found.order is None
    assert found.shuffles == 8


def test_registers_of_another_axis_swap_too():
    found = find_swaps(PAIRS, HALVES, 2)
    assert found is not None
    assert swapped(PAIRS, HALVES, 2, 0) == places(HALVES, 0)
    assert found.steps == (Swap(lanes=16, words=1),)
    assert found.is_packed
    assert found.order is not None


def test_eight_columns_take_two_swaps_of_half_of_the_words():
    source = wgmma_accumulator(64, 128, 1)
    found = find_swaps(source, gathered(source, 1, 8, 16), 2)
    assert found is not None
    assert [(step.lanes, step.words) for step in found.steps] == [(1, 2), (2, 4)]
    assert found.order is not None
    assert found.shuffles == found.words == len(found.order) == 32


@pytest.mark.parametrize(
    ("source", "target", "element_bytes"),
    [
        (ROWS, ROWS, 2),  # nothing moves
        (ROWS, COLUMNS, 2),  # three digits of the lane would become one of a word
        (wgmma_accumulator(64, 32, 1), wgmma_accumulator(64, 64, 1), 2),
        (wgmma_accumulator(128, 32, 1), wgmma_accumulator(128, 32, 2), 2),
    ],
)
def test_what_takes_more_goes_another_way(source, target, element_bytes):
    assert find_swaps(source, target, element_bytes) is None


def test_a_warp_that_holds_no_vectors_gathers_none():
    assert gathered(wgmma_accumulator(64, 80, 1), 1, 8, 16) is None  # 10 times 8 columns
    assert gathered(ROWS, 1, 8, 8) is None  # a lane has them
