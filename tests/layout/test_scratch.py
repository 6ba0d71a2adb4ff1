"""Where a tile lies while its layout changes."""

import pytest

from tilec.layout import Swizzle, blocked, row_major, wgmma_accumulator
from tilec.layout.scratch import access, exchange, scratch_layout, vector_width

SHAPE = (64, 64)
ROWS = blocked(SHAPE, 4, 8, (1, 0))
ACCUMULATOR = wgmma_accumulator(64, 64, 1)


def test_vectors_along_rows_need_no_swizzle():
    assert scratch_layout(ROWS, blocked(SHAPE, 4, 4, (1, 0)), 16) == row_major(SHAPE, 16)


@pytest.mark.parametrize("bits", [16, 32])
def test_a_swizzle_takes_the_conflicts_of_fragments(bits):
    """They are those of eight rows that a warp accesses at once."""
    found = scratch_layout(ACCUMULATOR, ROWS, bits)
    assert found.swizzle is Swizzle.B128
    plain = row_major(SHAPE, bits)
    steps = [access(ACCUMULATOR, where, True).wavefronts for where in (found, plain)]
    assert steps[0] < steps[1]


def test_rows_that_are_no_spans_stay_plain():
    layouts = [blocked((8, 12), 1, 4, order) for order in ((0, 1), (1, 0))]
    assert scratch_layout(*layouts, 32).swizzle is Swizzle.NONE


def test_views_have_their_elements_in_row_major_order():
    written, read = exchange(ROWS, blocked((32, 128), 4, 8, (1, 0)), 16)
    assert written == access(ROWS, row_major(SHAPE, 16), True)
    assert read.instructions == 4


def test_widths_stop_at_the_rows():
    assert vector_width(blocked((4, 6), 1, 2, (1, 0)), row_major((4, 6), 32)) == 2
    assert vector_width(blocked((), 1, 1, ()), row_major((), 32)) == 1
