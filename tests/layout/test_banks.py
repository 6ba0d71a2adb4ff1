"""Bank conflicts of known access patterns."""

import pytest

from tilec.layout import (
    LayoutError,
    access_cost,
    blocked,
    row_major,
    tma_boxes,
    wavefronts,
    wgmma_accumulator,
)


@pytest.mark.parametrize(
    ("stride", "width", "expected"),
    [
        (4, 4, 1),
        (0, 4, 1),
        (8, 4, 2),
        (128, 4, 32),
        (132, 4, 1),
        (8, 8, 2),
        (16, 16, 4),
        (128, 16, 32),
        (144, 16, 4),
        (1, 1, 1),
        (2, 2, 1),
    ],
)
def test_wavefronts_of_strided_accesses(stride, width, expected):
    assert wavefronts([lane * stride for lane in range(32)], width) == expected


def test_width_must_exist():
    with pytest.raises(LayoutError, match="3 bytes"):
        wavefronts([0] * 32, 3)


def test_swizzle_removes_the_conflicts_of_accumulator_stores():
    registers = wgmma_accumulator(64, 64, 1)
    plain = access_cost(registers, row_major((64, 64), 16), 1, 2)
    swizzled = access_cost(registers, tma_boxes((64, 64), 16), 1, 2)
    assert plain.wavefronts == 8 * plain.ideal_wavefronts
    assert swizzled.conflicts == 0


def test_column_of_vectors_under_a_swizzle():
    """Eight rows of one 16-byte column fall into eight different chunks."""
    registers = blocked((64, 64), 1, 8, (1, 0)).permute((0, 1))
    column = blocked((64, 8), 1, 8, (0, 1))
    assert access_cost(registers, tma_boxes((64, 64), 16), 1, 8).conflicts == 0
    assert column.vector_width(1, 8) == 1


def test_transposed_reads_conflict_without_a_swizzle():
    registers = blocked((32, 32), 1, 1, (0, 1))
    assert access_cost(registers, row_major((32, 32), 32), 1, 1).wavefronts == 32 * 32
    assert access_cost(registers, tma_boxes((32, 32), 32), 1, 1).wavefronts < 32 * 32


def test_layouts_must_describe_the_same_tile():
    registers = wgmma_accumulator(64, 64, 1)
    with pytest.raises(LayoutError, match="differ"):
        access_cost(registers, row_major((64, 32), 16), 1, 2)
    with pytest.raises(LayoutError, match="not contiguous"):
        access_cost(registers.permute((1, 0)), row_major((64, 64), 16), 0, 2)
