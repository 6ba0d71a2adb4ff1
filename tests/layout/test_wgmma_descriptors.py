"""wgmma descriptors against a brute-force model of the canonical layouts.

The model computes, from the start address and the two descriptor offsets alone, where hardware
reads element (index along M or N, k) of one k-step; that must be where the layout stores it.
"""

import pytest

from tilec.layout import (
    LayoutError,
    SharedLayout,
    Swizzle,
    descriptor_fields,
    k_step_bytes,
    matmul_operand,
    row_block_bytes,
    tma_boxes,
)

SPANS = {0: 0, 1: 128, 2: 64, 3: 32}


def hardware_address(start, fields, element_bytes, major, index, k):
    leading, stride, code = fields
    span = SPANS[code]
    chunk = (span or 16) // element_bytes
    if major == "k" and span:
        address = start + index // 8 * stride + index % 8 * span + k * element_bytes
    elif major == "k":
        address = start + index // 8 * stride + index % 8 * 16
        address += k // chunk * leading + k % chunk * element_bytes
    else:
        across, groups = (leading, stride) if span else (stride, leading)
        address = start + index // chunk * across + index % chunk * element_bytes
        address += k // 8 * groups + k % 8 * (span or 16)
    mask = span // 16 - 1 if span else 0
    return address ^ (((address >> 7) & mask) << 4)


def check(layout, major, block):
    """Compare every k-step of every block of `block` rows (K-major) or columns (MN-major)."""
    fields = descriptor_fields(layout, major)
    outer, depth = layout.shape if major == "k" else layout.shape[::-1]
    step = 32 // layout.element_bytes
    for first in range(0, outer, block):
        for number in range(depth // step):
            start = k_step_bytes(layout, major, number) + row_block_bytes(layout, major, first)
            for index in range(0, block, 3):
                for k in range(step):
                    place = (first + index, number * step + k)
                    expected = layout.offset(place if major == "k" else place[::-1])
                    found = hardware_address(start, fields, layout.element_bytes, major, index, k)
                    assert found == expected


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("row_bytes", [32, 64, 96, 128, 256])
@pytest.mark.parametrize("rows", [64, 128])
def test_k_major(rows, row_bytes, bits):
    check(matmul_operand(rows, row_bytes * 8 // bits, bits), "k", 64)


@pytest.mark.parametrize("columns", [64, 128, 256])
@pytest.mark.parametrize("depth", [16, 64, 128])
def test_mn_major(depth, columns):
    check(matmul_operand(depth, columns, 16), "mn", 64)


@pytest.mark.parametrize("columns", [8, 16, 24, 32, 96, 192])
def test_narrow_mn_major(columns):
    check(matmul_operand(32, columns, 16), "mn", columns)


@pytest.mark.parametrize("columns", range(64, 257, 16))
def test_columns_in_steps_of_16(columns):
    check(matmul_operand(64, columns, 16), "mn", columns)
    check(matmul_operand(columns, 64, 16), "k", columns)


@pytest.mark.parametrize("columns", range(64, 257, 16))
def test_columns_that_two_warpgroups_share(columns):
    check(matmul_operand(64, columns, 16, parts=2), "mn", columns // 2)
    check(matmul_operand(columns, 64, 16), "k", columns // 2)


def test_unswizzled_k_major():
    check(SharedLayout((64, 32), 16, (64, 8)), "k", 64)


@pytest.mark.parametrize("major", ["k", "mn"])
def test_more_rows_than_a_box_holds(major):
    layout = matmul_operand(512, 64, 16)
    assert layout.box == (256, 64)
    check(layout, major, 64)


def test_fields_of_the_usual_operands():
    assert descriptor_fields(matmul_operand(128, 64, 16), "k") == (16, 1024, 1)
    assert descriptor_fields(matmul_operand(128, 32, 16), "k") == (16, 512, 2)
    assert descriptor_fields(matmul_operand(128, 16, 16), "k") == (16, 256, 3)
    assert descriptor_fields(matmul_operand(64, 256, 16), "mn") == (8192, 1024, 1)


def test_advances_of_the_usual_operands():
    a = matmul_operand(128, 128, 16)
    assert [k_step_bytes(a, "k", i) for i in (0, 1, 3, 4)] == [0, 32, 96, 128 * 128]
    assert row_block_bytes(a, "k", 64) == 8192
    b = matmul_operand(64, 256, 16)
    assert [k_step_bytes(b, "mn", i) for i in range(3)] == [0, 2048, 4096]
    assert row_block_bytes(b, "mn", 128) == 2 * 64 * 128


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: descriptor_fields(matmul_operand(64, 64, 8), "mn"), "only 16-bit"),
        (lambda: descriptor_fields(SharedLayout((4, 64), 16, (4, 64), Swizzle.B128), "k"), "whole"),
        (lambda: descriptor_fields(SharedLayout((64, 64), 16, (64, 64)), "k"), "not columns"),
        (lambda: descriptor_fields(tma_boxes((64,), 16), "k"), "not columns"),
        (lambda: row_block_bytes(matmul_operand(64, 64, 16), "k", 4), "multiple of 8"),
        (lambda: row_block_bytes(matmul_operand(64, 128, 16), "mn", 32), "multiple of 64"),
        (lambda: k_step_bytes(matmul_operand(64, 64, 16), "k", 4), "outside a tile"),
    ],
)
def test_what_wgmma_cannot_read_is_refused(build, message):
    with pytest.raises(LayoutError, match=message):
        build()
