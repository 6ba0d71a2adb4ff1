"""Accesses to matrices: what `stmatrix` and `ldmatrix` move, simulated, is what is there.

`stmatrix` writes what element-wise stores write, and `ldmatrix` reads what each register holds.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.layout import (
    Mode,
    Owner,
    RegisterLayout,
    SharedLayout,
    Swizzle,
    blocked,
    matrix_access_cost,
    matrix_accesses,
    move_after_swizzle,
    row_major,
    thread_bits,
    tma_boxes,
    warpgroup_part,
    wgmma_accumulator,
)
from tilec.layout.scratch import matrix_loads
from tilec.layout.warp_products import WarpProduct

EMPTY = -1


def number_of(coords, shape):
    return int(np.ravel_multi_index(coords, shape))


def stored_by_element(shared):
    """Return memory in units of two bytes after every element was stored where it belongs."""
    memory = np.full(shared.size_bytes // 2, EMPTY)
    for coords in np.ndindex(*shared.shape):
        memory[shared.offset(coords) // 2] = number_of(coords, shared.shape)
    return memory


def stored_by_matrix(stores, registers, shared):
    """Return memory after the instructions of all warps (PTX ISA, stmatrix)."""
    memory = np.full(shared.size_bytes // 2, EMPTY)
    for warp in range(registers.num_warps):
        lanes = range(32 * warp, 32 * warp + 32)
        for instruction, matrices in enumerate(stores.registers):
            rows = [shared.offset(stores.rows.coordinates(instruction, lane)) for lane in lanes]
            assert all(row % 16 == 0 for row in rows)
            for matrix, first in enumerate(matrices):
                for lane in range(32):
                    for half in range(2):
                        row, column = lane // 4, lane % 4 * 2 + half
                        if stores.transposed:
                            row, column = column, row
                        coords = registers.coordinates(first + half, lanes[lane])
                        place = rows[8 * matrix + row] // 2 + column
                        memory[place] = number_of(coords, shared.shape)
    return memory


def expect_stores(registers, shared):
    stores = matrix_accesses(registers, shared)
    assert stores is not None
    return stores


def check(registers, shared):
    """Simulate the stores of a tile and return them."""
    stores = expect_stores(registers, shared)
    written = sorted(first for matrices in stores.registers for first in matrices)
    assert written == list(range(0, registers.num_registers, 2))
    assert all(list(matrices) == sorted(matrices) for matrices in stores.registers)
    memory = stored_by_matrix(stores, registers, shared)
    np.testing.assert_array_equal(memory, stored_by_element(shared))
    return stores


def swizzled(shape, swizzle):
    """Return the layout of boxes as wide as the swizzle, or None where the rows are no such."""
    if swizzle is Swizzle.NONE:
        return row_major(shape, 16)
    if shape[-1] * 2 % swizzle.value:
        return None
    return SharedLayout(shape, 16, (*shape[:-1], swizzle.value // 2), swizzle)


@given(
    st.sampled_from([(64, 1), (128, 1), (128, 2), (256, 2)]),
    st.sampled_from([8, 16, 24, 32, 40, 64, 96, 128]),
    st.sampled_from(Swizzle),
    st.booleans(),
    st.booleans(),
)
def test_accumulators_are_stored_as_matrices(rows, columns, swizzle, transposed, batched):
    m, warpgroups = rows
    registers = wgmma_accumulator(m, columns, warpgroups)
    if transposed:
        registers = registers.permute((1, 0))
    if batched:
        registers = registers.expand_dims(0)
    shared = swizzled(registers.shape, swizzle)
    if shared is not None:
        assert check(registers, shared).transposed == transposed


PARTS = [
    pytest.param(rows, columns, warpgroups, transposed, id=f"{rows}x{columns}-{warpgroups}-{name}")
    for rows, warpgroups in ((64, 1), (128, 2), (64, 2))
    for columns in (64, 32, 16, 8)
    for transposed, name in ((False, "rows"), (True, "columns"))
]


def part_of_accumulator(rows, columns, warpgroups, transposed):
    """Return the layouts of a part of 64 rows that a warpgroup stages, the second one of its share.

    Of 64 rows two warpgroups own the columns.
    """
    share = 4 * columns
    n = share if rows == 64 * warpgroups else share * warpgroups
    axis, shape, origin = int(n > share), (64, columns), (0, columns)
    tile = wgmma_accumulator(rows, n, warpgroups)
    if transposed:
        tile, shape, origin, axis = tile.permute((1, 0)), shape[::-1], origin[::-1], 1 - axis
    return warpgroup_part(tile, shape, origin, axis).layout, tma_boxes(shape, 16)


@pytest.mark.parametrize(("rows", "columns", "warpgroups", "transposed"), PARTS)
def test_parts_take_few_instructions_and_addresses(rows, columns, warpgroups, transposed):
    """Four matrices at a time, without bank conflicts, from one address a thread or two."""
    registers, shared = part_of_accumulator(rows, columns, warpgroups, transposed)
    stores = check(registers, shared)
    matrices = columns // 4
    assert stores.matrices == min(4, matrices)
    assert len(stores.registers) * stores.matrices == matrices
    assert stores.transposed == transposed
    assert matrix_access_cost(stores, shared).conflicts == 0
    assert len(lane_bases(stores.rows, shared)) == (2 if columns == 64 and not transposed else 1)


def lane_bases(rows, shared):
    """Return the masks of a thread's addresses, each checked: the rest is an immediate."""
    bits = thread_bits(rows, shared)
    masks = set()
    for instruction, offset in enumerate(rows.register_offsets()):
        parts = move_after_swizzle(shared, shared.linear_offset(offset), bits)
        assert parts is not None
        mask, rest = parts
        masks.add(mask)
        for thread in range(rows.num_threads):
            own = shared.swizzle.apply(shared.linear_offset(rows.thread_offset(thread)))
            assert (own ^ mask) + rest == shared.offset(rows.coordinates(instruction, thread))
    return masks


@pytest.mark.parametrize("columns", [64, 96, 128, 192, 256])
@pytest.mark.parametrize("transposed", [False, True])
def test_no_choice_of_matrices_needs_fewer_addresses(columns, transposed):
    """Four matrices of an instruction cover at most four places in the swizzle pattern."""
    registers = wgmma_accumulator(128, columns, 2)
    registers = registers.permute((1, 0)) if transposed else registers
    shared = tma_boxes(registers.shape, 16)
    matrices = map(shared.linear_offset, registers.register_offsets()[::2])
    places = {offset % shared.swizzle.alignment for offset in matrices}
    assert len(lane_bases(check(registers, shared).rows, shared)) == -(-len(places) // 4)


@pytest.mark.parametrize("swizzle", [Swizzle.B32, Swizzle.B64, Swizzle.B128])
@pytest.mark.parametrize("transposed", [False, True])
def test_swizzled_stores_are_free_of_conflicts(swizzle, transposed):
    registers = wgmma_accumulator(128, 128, 2)
    registers = registers.permute((1, 0)) if transposed else registers
    shared = SharedLayout((128, 128), 16, (128, swizzle.value // 2), swizzle)
    cost = matrix_access_cost(check(registers, shared), shared)
    assert cost.conflicts == 0
    assert cost.wavefronts == 128 * 128 * 2 // 128


def test_rows_of_a_plain_tile_conflict():
    """Rows of 128 bytes begin in one bank: a matrix takes eight passes."""
    registers, shared = wgmma_accumulator(64, 64, 1), row_major((64, 64), 16)
    cost = matrix_access_cost(check(registers, shared), shared)
    assert cost.wavefronts == 8 * cost.ideal_wavefronts


@st.composite
def layouts(draw):
    """Return layouts whose bits are dealt at random, after a fragment or anything else."""
    shape = tuple(1 << draw(st.integers(3, 6)) for _ in range(2))
    bits = [
        tuple(int(index == axis) << bit for index in range(2))
        for axis, extent in enumerate(shape)
        for bit in range(extent.bit_length() - 1)
    ]
    axis = draw(st.integers(0, 1))
    columns = [bit for bit in bits if bit[axis]]
    rows = [bit for bit in bits if not bit[axis]]
    head = columns[:3] + rows[:3]
    if draw(st.integers(0, 3)) == 0:
        head = draw(st.permutations(head))
    rest = draw(st.permutations(columns[3:] + rows[3:]))
    warps = draw(st.integers(0, min(2, len(rest))))
    owners = [Owner.REG] + [Owner.LANE] * 5 + [Owner.WARP] * warps + [Owner.REG] * len(rest)
    modes = [Mode(owner, 2, bit) for owner, bit in zip(owners, head + rest, strict=False)]
    return RegisterLayout(shape, modes), head == columns[:3] + rows[:3]


@given(layouts(), st.sampled_from(Swizzle))
def test_every_fragment_and_nothing_else_is_stored_as_matrices(case, swizzle):
    registers, is_fragment = case
    shared = swizzled(registers.shape, swizzle)
    if shared is None:
        return
    assert (matrix_accesses(registers, shared) is not None) == is_fragment
    if is_fragment:
        check(registers, shared)


def test_copies_are_stored_once():
    modes = [*wgmma_accumulator(64, 8, 1).modes, Mode(Owner.REG, 2, (0, 0))]
    registers, shared = RegisterLayout((64, 8), modes), tma_boxes((64, 8), 16)
    stores = expect_stores(registers, shared)
    assert stores.registers == ((0, 2),)
    memory = stored_by_matrix(stores, registers, shared)
    np.testing.assert_array_equal(memory, stored_by_element(shared))


REFUSED = [
    pytest.param(wgmma_accumulator(64, 64, 1), tma_boxes((64, 64), 32), id="elements-of-32-bits"),
    pytest.param(wgmma_accumulator(64, 64, 1), tma_boxes((64, 64), 8), id="elements-of-8-bits"),
    pytest.param(wgmma_accumulator(64, 64, 1), tma_boxes((64, 96), 16), id="not-a-box"),
    pytest.param(blocked((64, 64), 4, 8, (1, 0)), tma_boxes((64, 64), 16), id="vectors"),
    pytest.param(blocked((64, 64), 4, 1, (1, 0)), tma_boxes((64, 64), 16), id="single-elements"),
    pytest.param(
        wgmma_accumulator(64, 24, 1), SharedLayout((64, 24), 16, (64, 12)), id="rows-cut-by-boxes"
    ),
    pytest.param(
        wgmma_accumulator(64, 8, 1).reshape((64, 2, 4)),
        row_major((64, 2, 4), 16),
        id="rows-over-two-axes",
    ),
    pytest.param(RegisterLayout((64,), []), row_major((64,), 16), id="one-register"),
    pytest.param(RegisterLayout((), []), row_major((), 16), id="a-scalar"),
    pytest.param(
        RegisterLayout((1, 64), [Mode(Owner.REG, 2, (0, 1)), Mode(Owner.LANE, 4, (0, 2))]),
        row_major((1, 64), 16),
        id="copied-rows",
    ),
]


@pytest.mark.parametrize(("registers", "shared"), REFUSED)
def test_other_tiles_are_refused(registers, shared):
    assert matrix_accesses(registers, shared) is None


def loaded_by_matrix(loads, registers, shared):
    """Return the element in each register of each thread after the loads (PTX ISA, ldmatrix)."""
    size = shared.element_bytes
    memory = {shared.offset(coords): coords for coords in np.ndindex(*shared.shape)}
    found = {}
    for warp in range(registers.num_warps):
        lanes = range(32 * warp, 32 * warp + 32)
        for instruction, matrices in enumerate(loads.registers):
            rows = [shared.offset(loads.rows.coordinates(instruction, lane)) for lane in lanes]
            assert all(row % 16 == 0 for row in rows)
            for (matrix, first), lane in itertools.product(enumerate(matrices), range(32)):
                for number in range(4 // size):
                    row, place = lane // 4, lane % 4 * 4 + number * size
                    if loads.transposed:
                        row, place = place // size, row * size
                    at = memory[rows[8 * matrix + row] + place]
                    found[first + number, lanes[lane]] = at
    return found


OPERANDS = [
    pytest.param(bits, m, n, warps, batch, id=f"{bits}-{m}x{n}-{warps}-{batch}")
    for bits, (m, n), warps, batch in itertools.product(
        (8, 16, 32), ((16, 8), (32, 64), (96, 40)), (4, 8), (None, 2)
    )
]


@pytest.mark.parametrize(("bits", "m", "n", "warps", "batch"), OPERANDS)
def test_operands_of_warp_products_are_loaded_as_matrices(bits, m, n, warps, batch):
    product = WarpProduct(m, n, 16, 256 // bits, bits, warps, batch)
    for layout in (product.left, product.right):
        orders = [layout]
        if bits == 16:
            swapped = (1, 0) if batch is None else (0, 2, 1)
            orders.append(layout.permute(swapped))
        for order in orders:
            shared = tma_boxes(order.shape, bits)
            loads = matrix_accesses(order, shared)
            assert loads is not None
            assert loads.transposed == (order is not layout)
            found = loaded_by_matrix(loads, order, shared)
            numbers = {number for number, _ in found}
            assert numbers == set(range(order.num_registers))
            for (number, lane), coords in found.items():
                assert coords == tuple(order.coordinates(number, lane))
            assert matrix_access_cost(loads, shared).conflicts == 0


@pytest.mark.parametrize("bits", [8, 32])
def test_only_16_bits_are_transposed(bits):
    layout = WarpProduct(16, 16, 16, 256 // bits, bits, 2).right.permute((1, 0))
    assert matrix_accesses(layout, tma_boxes(layout.shape, bits)) is None


def test_doubles_are_no_words_of_matrices():
    layout = WarpProduct(8, 8, 8, 4, 64, 4).left
    assert matrix_accesses(layout, row_major(layout.shape, 64)) is None


def test_loads_of_matrices_have_a_price():
    """One matrix costs as much as a load of words, so words are loaded; four cost less."""
    for n, is_cheaper in ((8, False), (16, True)):
        right = WarpProduct(16, n, 16, 4, 32, 1).right
        assert (matrix_loads(right, tma_boxes((n, 4), 32)) is not None) == is_cheaper
