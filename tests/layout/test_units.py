"""Views that move no byte: dims of extent 1, and dims that are joined."""

from itertools import product

import pytest

from tilec.layout import (
    LayoutError,
    axis_in,
    box_of_view,
    differ_in_units,
    matmul_operand,
    without_units,
)


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
    layout = plain.viewed(shape)
    assert layout.shape == shape
    assert layout.swizzle == plain.swizzle
    assert layout.box_count == plain.box_count
    for coords in product(*map(range, shape)):
        rest = [coord for coord, extent in zip(coords, shape, strict=True) if extent != 1]
        assert layout.offset(coords) == plain.offset(rest)
    assert layout.viewed((64, 128)) == plain


@pytest.mark.parametrize("shape", [(8, 8, 128), (2, 1, 4, 8, 128), (1, 2, 32, 1, 128)])
def test_a_layout_of_several_axes_has_every_row_where_it_was(shape):
    plain = matmul_operand(64, 128, 16)
    layout = plain.viewed(shape)
    assert (layout.swizzle, layout.box_count) == (plain.swizzle, plain.box_count)
    for number, coords in enumerate(product(*map(range, shape[:-1]))):
        assert layout.offset((*coords, 72)) == plain.offset((number, 72))
    assert layout.viewed((64, 128)) == plain


@pytest.mark.parametrize(
    ("shape", "box", "result", "expected"),
    [
        ((2, 8, 8, 64), (1, 8, 8, 64), (128, 64), (64, 64)),
        ((2, 8, 8, 64), (1, 4, 8, 64), (128, 64), (32, 64)),
        ((2, 8, 8, 64), (2, 4, 8, 64), (128, 64), None),  # rows of two boxes alternate
        ((128, 64), (64, 64), (2, 1, 64, 64), (1, 1, 64, 64)),
        ((128, 64), (48, 64), (4, 32, 64), None),
        ((4, 6, 64), (4, 6, 64), (8, 3, 64), None),
        ((64, 64), (64, 64), (64, 32), None),
    ],
)
def test_boxes_of_a_view(shape, box, result, expected):
    assert box_of_view(shape, box, result) == expected


def test_units_are_the_only_difference():
    with pytest.raises(LayoutError, match="is no view of boxes"):
        matmul_operand(64, 128, 16).viewed((1, 128, 64))


def test_a_swizzled_row_is_no_column():
    with pytest.raises(LayoutError, match="box row of 2 bytes"):
        matmul_operand(64, 128, 16).viewed((64, 128, 1))
