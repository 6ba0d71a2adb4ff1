"""Shared-memory layouts: a bijection onto bytes, legal TMA boxes, and the swizzle functions."""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.layout import (
    LayoutError,
    SharedLayout,
    Swizzle,
    choose_swizzle,
    matmul_operand,
    row_major,
    tma_boxes,
)

SHAPES = (
    st.lists(st.sampled_from([1, 2, 4, 6, 8, 16, 32, 64, 96, 128, 512]), min_size=1, max_size=5)
    .filter(lambda shape: prod(shape) <= 8192)
    .map(tuple)
)


@st.composite
def layouts(draw):
    bits = draw(st.sampled_from([8, 16, 32, 64]))
    shape = draw(SHAPES)
    if draw(st.booleans()):
        return row_major(shape, bits)
    while shape[-1] * bits % 128:
        shape = (*shape[:-1], shape[-1] * 2)
    return tma_boxes(shape, bits)


def swizzled(address, span):
    """XOR chunk bits with row bits, as the PTX ISA describes the three swizzling modes."""
    bits = {0: 0, 32: 1, 64: 2, 128: 3}[span]
    for bit in range(bits):
        address ^= ((address >> (7 + bit)) & 1) << (4 + bit)
    return address


@given(layouts())
def test_elements_occupy_distinct_aligned_bytes(layout):
    offsets = {layout.offset(coords) for coords in product(*map(range, layout.shape))}
    assert len(offsets) == prod(layout.shape)
    assert all(0 <= o < layout.size_bytes and o % layout.element_bytes == 0 for o in offsets)
    assert layout.size_bytes >= layout.transfer_bytes == prod(layout.shape) * layout.element_bytes


@given(layouts())
def test_offset_is_box_then_row_major_then_swizzle(layout):
    inner_terms = layout.address_terms()
    for start, corner in layout.boxes():
        assert start % layout.alignment == 0 or layout.box_count == 1
        for index, inside in enumerate(product(*map(range, layout.box))):
            if index % 5:
                continue
            coords = tuple(a + b for a, b in zip(corner, inside, strict=True))
            linear = start + index * layout.element_bytes
            assert layout.linear_offset(coords) == linear
            assert layout.offset(coords) == swizzled(linear, layout.swizzle.value)
            assert linear == sum(
                coords[term.axis] // term.divisor % term.extent * term.stride_bytes
                for term in inner_terms
            )


@given(layouts())
def test_boxes_tile_the_tile(layout):
    corners = [corner for _, corner in layout.boxes()]
    assert len(corners) == len(set(corners)) == layout.box_count
    assert layout.box_count * prod(layout.box) == prod(layout.shape)


@given(SHAPES, st.sampled_from([8, 16, 32, 64]))
def test_tma_boxes_are_legal(shape, bits):
    if shape[-1] * bits % 128:
        with pytest.raises(LayoutError, match="multiple of 16 bytes"):
            tma_boxes(shape, bits)
        return
    layout = tma_boxes(shape, bits)
    assert all(extent <= 256 for extent in layout.box)
    row = layout.box[-1] * bits // 8
    assert row % 16 == 0
    if layout.swizzle is not Swizzle.NONE:
        assert row == layout.swizzle.value
        assert layout.box_bytes % layout.alignment == 0


@pytest.mark.parametrize(
    ("shape", "bits", "box", "swizzle"),
    [
        ((128, 128), 16, (128, 64), Swizzle.B128),
        ((128, 32), 16, (128, 32), Swizzle.B64),
        ((128, 16), 16, (128, 16), Swizzle.B32),
        ((4, 4), 32, (4, 4), Swizzle.NONE),
        ((1024,), 32, (256,), Swizzle.NONE),
        ((1, 8192), 32, (1, 256), Swizzle.NONE),
        ((64, 1024), 32, (64, 256), Swizzle.NONE),
        ((512, 64), 16, (256, 64), Swizzle.B128),
        ((2, 2, 4, 4, 16), 32, (2, 2, 4, 4, 16), Swizzle.B64),
    ],
)
def test_tma_boxes_of_known_tiles(shape, bits, box, swizzle):
    layout = tma_boxes(shape, bits)
    assert (layout.box, layout.swizzle) == (box, swizzle)


@pytest.mark.parametrize(
    ("columns", "inner"), [(192, 32), (208, 208), (224, 224), (240, 240), (256, 64)]
)
def test_no_swizzled_box_holds_columns_of_two_parts(columns, inner):
    layout = tma_boxes((192, columns), 16, parts=2)
    assert layout.box[-1] == inner
    assert layout.swizzle is Swizzle.NONE or columns // 2 % inner == 0


def test_parts_of_an_operand_are_whole_spans():
    assert matmul_operand(64, 256, 16, parts=2).box == (64, 64)
    assert matmul_operand(64, 192, 16, parts=2).box == (64, 32)
    assert matmul_operand(64, 208, 16, parts=2).box == (64, 8)
    with pytest.raises(LayoutError, match="8 rows x 16 bytes"):
        matmul_operand(64, 200, 16, parts=2)


def test_the_walkthrough_tile_is_two_boxes():
    layout = tma_boxes((128, 128), 16)
    assert layout.boxes() == [(0, (0, 0)), (16384, (0, 64))]
    assert layout.transfer_bytes == 32768


@pytest.mark.parametrize(
    ("inner", "swizzle"),
    [(16, 0), (32, 32), (48, 0), (64, 64), (96, 32), (128, 128), (192, 64), (256, 128), (0, 0)],
)
def test_choose_swizzle(inner, swizzle):
    assert choose_swizzle(inner) is Swizzle(swizzle)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: SharedLayout((8, 8), 16, (3, 8)), "do not divide"),
        (lambda: SharedLayout((8, 8), 16, (8,)), "do not divide"),
        (lambda: SharedLayout((8, 8), 4, (8, 8)), "not whole bytes"),
        (lambda: SharedLayout((8, 64), 16, (8, 32), Swizzle.B128), "does not fit swizzle"),
        (lambda: tma_boxes((1,) * 6, 32), "rank 1 to 5"),
        (lambda: tma_boxes((), 32), "rank 1 to 5"),
        (lambda: matmul_operand(12, 64, 16), "8 rows x 16 bytes"),
        (lambda: matmul_operand(8, 4, 16), "8 rows x 16 bytes"),
        (lambda: row_major((8, 8), 16).offset((8, 0)), "outside a tile"),
        (lambda: row_major((8, 8), 16).offset((0,)), "outside a tile"),
    ],
)
def test_impossible_layouts(build, message):
    with pytest.raises(LayoutError, match=message):
        build()


def test_boxes_smaller_than_the_alignment_are_padded():
    layout = SharedLayout((2, 64), 16, (1, 64), Swizzle.B128)
    assert layout.box_pitch_bytes == 1024
    assert layout.size_bytes == 2048
    assert layout.transfer_bytes == 256
