"""Dims of extent 1: they come and go without moving a byte."""

from itertools import product

import pytest

from tilec.layout import LayoutError, axis_in, differ_in_units, matmul_operand, without_units


def test_units_are_dropped_wherever_they_stand():
    assert without_units((1, 128, 1, 64)) == (128, 64)
    assert differ_in_units((128, 64), (128, 1, 64, 1))
    assert not differ_in_units((128, 64), (64, 1, 128))


@pytest.mark.parametrize(
    ("source", "axis", "result", "expected"),
    [
        ((128, 64), 1, (1, 128, 1, 64), 3),
        ((1, 128, 1, 64), 1, (128, 64), 0),
        ((1, 128, 64), 0, (128, 64), None),
        ((128, 64), 0, (64, 128), None),
    ],
)
def test_an_axis_is_found_by_its_place_among_the_others(source, axis, result, expected):
    assert axis_in(source, axis, result) == expected


@pytest.mark.parametrize("shape", [(1, 64, 1, 128), (64, 1, 128), (1, 1, 64, 1, 128)])
def test_a_layout_with_units_has_every_element_where_it_was(shape):
    plain = matmul_operand(64, 128, 16)
    layout = plain.with_units(shape)
    assert layout.shape == shape
    assert layout.swizzle == plain.swizzle
    assert layout.box_count == plain.box_count
    for coords in product(*map(range, shape)):
        rest = [coord for coord, extent in zip(coords, shape, strict=True) if extent != 1]
        assert layout.offset(coords) == plain.offset(rest)
    assert layout.with_units((64, 128)) == plain


def test_units_are_the_only_difference():
    with pytest.raises(LayoutError, match="differ in more than units"):
        matmul_operand(64, 128, 16).with_units((1, 128, 64))


def test_a_swizzled_row_is_no_column():
    with pytest.raises(LayoutError, match="box row of 2 bytes"):
        matmul_operand(64, 128, 16).with_units((64, 128, 1))
