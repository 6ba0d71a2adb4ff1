"""Layouts of mma.sync fragments, against the tables of the PTX ISA."""

import pytest

from tilec.layout import LayoutError
from tilec.layout.warp_products import WarpProduct

SHAPES = [
    (16, 8, 1),
    (16, 64, 4),
    (32, 32, 4),
    (96, 40, 8),
    (64, 256, 8),
    (48, 24, 12),
    (16, 16, 2),
]


def element(layout, register, lane):
    return layout.coordinates(register, lane)


@pytest.mark.parametrize(("m", "n", "warps"), SHAPES)
@pytest.mark.parametrize(
    ("rows", "inner", "bits"), [(16, 16, 16), (16, 32, 8), (16, 8, 32), (16, 16, 64), (8, 4, 64)]
)
def test_every_element_belongs_to_a_thread(m, n, warps, rows, inner, bits):
    shares = WarpProduct(m, n, rows, inner, bits, warps)
    for layout in (shares.accumulator, shares.left, shares.right):
        assert layout.is_injective
        assert layout.is_surjective


@pytest.mark.parametrize("lane", [0, 5, 31])
def test_fragments_of_16_bits(lane):
    shares = WarpProduct(16, 8, 16, 16, 16, 1)
    row, quad = divmod(lane, 4)
    a = [(row + 8 * (i // 2 % 2), 2 * quad + i % 2 + 8 * (i // 4)) for i in range(8)]
    b = [(row, 2 * quad + i % 2 + 8 * (i // 2)) for i in range(4)]
    c = [(row + 8 * (i // 2), 2 * quad + i % 2) for i in range(4)]
    for layout, want in ((shares.left, a), (shares.right, b), (shares.accumulator, c)):
        assert [element(layout, register, lane) for register in range(len(want))] == want
        assert layout.num_registers == len(want)


@pytest.mark.parametrize("lane", [0, 6, 31])
def test_fragments_of_f64(lane):
    shares = WarpProduct(8, 8, 8, 4, 64, 1)
    row, quad = divmod(lane, 4)
    assert element(shares.left, 0, lane) == (row, quad)
    assert element(shares.right, 0, lane) == (row, quad)
    assert [element(shares.accumulator, i, lane) for i in (0, 1)] == [
        (row, 2 * quad + i) for i in (0, 1)
    ]


@pytest.mark.parametrize("lane", [0, 6, 31])
@pytest.mark.parametrize("inner", [4, 8, 16])
def test_fragments_of_f64_with_16_rows(inner, lane):
    shares = WarpProduct(16, 8, 16, inner, 64, 1)
    row, quad = divmod(lane, 4)
    a = [(row + 8 * (i % 2), quad + 4 * (i // 2)) for i in range(inner // 2)]
    b = [(row, quad + 4 * i) for i in range(inner // 4)]
    c = [(row + 8 * (i // 2), 2 * quad + i % 2) for i in range(4)]
    left = shares.in_order([element(shares.left, i, lane) for i in range(len(a))])
    assert left == a
    for layout, want in ((shares.right, b), (shares.accumulator, c)):
        assert [element(layout, register, lane) for register in range(len(want))] == want
        assert layout.num_registers == len(want)


@pytest.mark.parametrize(
    ("rows", "inner", "bits", "runs"),
    [(16, 16, 64, [1, 2, 4]), (16, 4, 64, [1]), (8, 4, 64, [1]), (16, 16, 16, [1, 2])],
)
def test_both_operands_have_the_same_order_of_k(rows, inner, bits, runs):
    found = list(WarpProduct(32, 16, rows, inner, bits, 1).runs)
    assert [shares.run for shares in found] == runs
    packed = max(1, 32 // bits)
    for shares in found:
        assert shares.left.is_injective
        for lane in range(32):
            b = [element(shares.right, i, lane)[1] for i in range(inner // 4)]
            words = [element(shares.left, i, lane) for i in range(inner * rows // 32)]
            grouped = [words[i : i + packed] for i in range(0, len(words), packed)]
            a = [word for group in shares.in_order(grouped) for word in group]
            for half in range(rows // 8):
                own = [k for row, k in a if row == lane // 4 + 8 * half]
                assert own == b


@pytest.mark.parametrize(
    ("m", "n", "warps", "blocks"), [(32, 64, 4, (1, 4)), (16, 8, 8, (1, 1)), (96, 40, 8, (3, 5))]
)
def test_warps_share_rows_and_then_columns(m, n, warps, blocks):
    shares = WarpProduct(m, n, 16, 16, 16, warps)
    assert shares.blocks == (1, *blocks)
    assert shares.accumulator.num_registers == 4 * blocks[0] * blocks[1]
    assert shares.left.num_registers == 8 * blocks[0]
    assert shares.right.num_registers == 4 * blocks[1]


@pytest.mark.parametrize(
    ("batch", "warps", "blocks"), [(4, 4, (1, 2, 2)), (3, 4, (3, 1, 1)), (2, 8, (1, 1, 1))]
)
def test_warps_share_the_products_of_a_batch_first(batch, warps, blocks):
    shares = WarpProduct(32, 16, 16, 16, 16, warps, batch)
    assert shares.blocks == blocks
    for layout in (shares.accumulator, shares.left, shares.right):
        assert layout.shape[0] == batch
        assert layout.is_injective
        assert layout.is_surjective


def test_a_batch_of_one_is_a_plain_product():
    plain, batched = (WarpProduct(32, 16, 16, 16, 16, 4, *batch) for batch in ((), (1,)))
    for name in ("accumulator", "left", "right"):
        one = getattr(batched, name)
        assert one.reshape(one.shape[1:]) == getattr(plain, name)


def test_the_operands_of_a_warp_go_with_its_sums():
    shares = WarpProduct(64, 96, 16, 16, 16, 8)
    for thread in range(0, 256, 7):
        rows = {element(shares.left, i, thread)[0] for i in range(shares.left.num_registers)}
        columns = {element(shares.right, i, thread - thread % 32)[0] for i in range(4)}
        sums = [element(shares.accumulator, i, thread) for i in range(4)]
        assert {row for row, _ in sums} <= rows
        assert min(columns) // 8 == min(column for _, column in sums) // 8


def test_a_tile_is_made_of_whole_instructions():
    with pytest.raises(LayoutError, match="24 x 8 is not made of products of 16 x 8"):
        WarpProduct(24, 8, 16, 16, 16, 4)
