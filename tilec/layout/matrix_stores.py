"""Stores of 8x8 matrices: which register tiles a warp can write to shared memory with `stmatrix`.

Lane i of a warp holds elements (i/4, 2*(i%4)) and (i/4, 2*(i%4) + 1) of every matrix in one 32-bit
register. One instruction writes 1, 2 or 4 matrices; lanes 8m to 8m + 7 give the addresses of the
rows of matrix m, 16 bytes each. With `.trans` these are the columns (PTX ISA, stmatrix). wgmma
accumulators of 16-bit elements fall apart into such matrices, but nothing here asks for one: any
tile whose modes form the fragment is stored so.
"""

from collections.abc import Iterable
from functools import lru_cache

from tilec.layout.modes import Mode, Owner, canonical_modes
from tilec.layout.register import Coordinate, RegisterLayout
from tilec.layout.shared import CHUNK_BYTES, SharedLayout
from tilec.support.fast_dataclasses import dataclass

MATRIX_EXTENT = 8
"""Rows and columns of a matrix (PTX ISA, stmatrix, shape m8n8)."""
ELEMENT_BITS = 16
"""Size of an element (PTX ISA, stmatrix, type b16)."""
PAIR = 2
"""Elements of a matrix that a lane holds, in one register."""
PAIRS_PER_ROW = MATRIX_EXTENT // PAIR
MAX_MATRICES = 4
"""Most matrices of one instruction (PTX ISA, stmatrix, x4)."""


@dataclass(frozen=True)
class MatrixStores:
    """How the warps store a register tile as matrices.

    Attributes:
        rows: Layout of the first elements of the 16-byte rows: what `register` r of a thread
            holds is the row whose address the thread gives to instruction r.
        registers: For each instruction, the register that holds the first element of the pair of
            each matrix.
        transposed: Whether columns of the matrices are the rows in memory.
    """

    rows: RegisterLayout
    registers: tuple[tuple[int, ...], ...]
    transposed: bool

    @property
    def matrices(self) -> int:
        """Matrices of one instruction: 1, 2 or 4."""
        return len(self.registers[0])


@dataclass(frozen=True, slots=True)
class _Digit:
    """A digit of the number of a matrix within a warp's share of the tile.

    Attributes:
        extent: Number of values.
        stride: What one step adds to the coordinate.
        weight: What one step adds to the register number.
    """

    extent: int
    stride: Coordinate
    weight: int


@lru_cache(maxsize=64)
def matrix_stores(registers: RegisterLayout, shared: SharedLayout) -> MatrixStores | None:
    """Return how to store a tile as matrices, or None where its elements do not lie that way.

    Args:
        registers: Layout of the tile in registers.
        shared: Layout in shared memory, in a slot that is aligned to it, of the same tile or of one
            that it is a box of, at a multiple of its extents.
    """
    fragment = _fragment(registers)
    if fragment is None or shared.element_bits != ELEMENT_BITS or not _is_box(registers, shared):
        return None
    pair, row = fragment
    contiguous = tuple(int(axis == registers.rank - 1) for axis in range(registers.rank))
    if contiguous not in fragment:
        return None
    transposed = row == contiguous
    chosen, rest = _choose(_matrix_digits(registers), shared)
    lanes = [_Digit(MATRIX_EXTENT, pair if transposed else row, 0), *chosen]
    modes = [
        *(Mode(Owner.REG, digit.extent, digit.stride) for digit in rest),
        *(Mode(Owner.LANE, digit.extent, digit.stride) for digit in lanes),
        *(mode for mode in registers.modes if mode.owner not in (Owner.REG, Owner.LANE)),
    ]
    rows = RegisterLayout(registers.shape, modes)
    if not _rows_are_chunks(rows, shared):
        return None
    steps = _register_numbers(chosen)
    numbers = tuple(tuple(first + step for step in steps) for first in _register_numbers(rest))
    return MatrixStores(rows, numbers, transposed)


def _is_box(registers: RegisterLayout, shared: SharedLayout) -> bool:
    """Tell whether the extents of a tile in shared memory are multiples of those in registers."""
    return registers.rank == len(shared.shape) and not any(
        whole % extent for whole, extent in zip(shared.shape, registers.shape, strict=True)
    )


def _fragment(registers: RegisterLayout) -> tuple[Coordinate, Coordinate] | None:
    """Return what a column and a row of the matrices add to the coordinate.

    None unless registers and lanes hold 8x8 matrices as `stmatrix` reads them.
    """
    first = next((mode for mode in registers.modes if mode.owner is Owner.REG), None)
    if first is None or first.extent % PAIR:
        return None
    pair, row = first.stride, registers.thread_offset(PAIRS_PER_ROW)
    wanted = (
        Mode(Owner.LANE, PAIRS_PER_ROW, tuple(PAIR * step for step in pair)),
        Mode(Owner.LANE, MATRIX_EXTENT, row),
    )
    lanes = tuple(mode for mode in registers.modes if mode.owner is Owner.LANE)
    is_fragment = any(pair) and any(row) and lanes == canonical_modes(wanted, registers.rank)
    return (pair, row) if is_fragment else None


def _matrix_digits(registers: RegisterLayout) -> list[_Digit]:
    """Return the digits that choose among a thread's pairs, as small ones as there are.

    Digits that only make copies are left out: one of the copies is stored.
    """
    digits: list[_Digit] = []
    weight = 1
    for mode in (mode for mode in registers.modes if mode.owner is Owner.REG):
        extent, step = mode.extent, 1
        if weight == 1:
            extent, step = extent // PAIR, PAIR
        while extent > 1:
            factor = 2 if extent % 2 == 0 else extent
            if not mode.is_replicated:
                stride = tuple(step * part for part in mode.stride)
                digits.append(_Digit(factor, stride, weight * step))
            extent, step = extent // factor, step * factor
        weight *= mode.extent
    return digits


def _choose(digits: list[_Digit], shared: SharedLayout) -> tuple[list[_Digit], list[_Digit]]:
    """Return the digits that choose a matrix within an instruction, and those among instructions.

    The lanes take the digits that move least in memory. Those are the ones that stay inside the
    swizzle pattern, where each instruction would need an address of its own; further moves are
    constants that an instruction adds to a common address.
    """
    pairs = [digit for digit in digits if digit.extent == 2]
    pairs.sort(key=lambda digit: shared.linear_offset(digit.stride))
    chosen = pairs[: MAX_MATRICES.bit_length() - 1]
    return chosen, [digit for digit in digits if digit not in chosen]


def _rows_are_chunks(rows: RegisterLayout, shared: SharedLayout) -> bool:
    """Tell whether all rows start at a multiple of 16 bytes and stay within a row of a box."""
    return shared.box[-1] * shared.element_bytes % CHUNK_BYTES == 0 and all(
        mode.stride[-1] % MATRIX_EXTENT == 0 for mode in rows.modes
    )


def _register_numbers(digits: Iterable[_Digit]) -> list[int]:
    """Return the register number of every value of `digits`, the first digit fastest."""
    numbers = [0]
    for digit in digits:
        numbers = [base + step * digit.weight for step in range(digit.extent) for base in numbers]
    return numbers
