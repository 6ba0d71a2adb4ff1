"""Accesses to 8x8 matrices: the register tiles that `stmatrix` writes and `ldmatrix` reads.

A row of a matrix is 16 bytes. Lane i of a warp holds 32 bits of every matrix, the word i%4 of row
i/4: with elements of 16 bits (i/4, 2*(i%4)) and (i/4, 2*(i%4) + 1). One instruction takes 1, 2 or 4
matrices; lanes 8m to 8m + 7 give the addresses of the rows of matrix m. With `.trans`, which there
is for elements of 16 bits, these are the columns (PTX ISA, ldmatrix and stmatrix). wgmma
accumulators of 16-bit elements fall apart into such matrices, and so do operands of mma.sync, but
nothing here asks for one: any tile whose modes form the fragment is moved so.
"""

from collections.abc import Iterable
from functools import lru_cache

from tilec.layout.modes import Mode, Owner, canonical_modes
from tilec.layout.register import Coordinate, RegisterLayout
from tilec.layout.shared import CHUNK_BYTES, SharedLayout
from tilec.support.fast_dataclasses import dataclass

MATRIX_EXTENT = 8
"""Rows of a matrix, and columns of one with elements of 16 bits (PTX ISA, ldmatrix, m8n8)."""
ELEMENT_BITS = 16
"""Size of an element that `.trans` moves (PTX ISA, ldmatrix, type b16)."""
PAIR = 2
"""Elements of 16 bits that a lane holds of a matrix, in one register."""
WORDS_PER_ROW = 4
"""Lanes that share a row of a matrix."""
MAX_MATRICES = 4
"""Most matrices of one instruction (PTX ISA, ldmatrix and stmatrix, x4)."""
_WORD_BITS = 32


@dataclass(frozen=True)
class MatrixAccesses:
    """How the warps move a register tile as matrices.

    Attributes:
        rows: Layout of the first elements of the 16-byte rows: what `register` r of a thread
            holds is the row whose address the thread gives to instruction r.
        registers: For each instruction, the register that holds the first element of the word of
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
def matrix_accesses(registers: RegisterLayout, shared: SharedLayout) -> MatrixAccesses | None:
    """Return how to move a tile as matrices, or None where its elements do not lie that way.

    Args:
        registers: Layout of the tile in registers.
        shared: Layout in shared memory, in a slot that is aligned to it, of the same tile or of one
            that it is a box of, at a multiple of its extents.
    """
    if shared.element_bits not in (8, ELEMENT_BITS, _WORD_BITS) or not _is_box(registers, shared):
        return None
    word = _WORD_BITS // shared.element_bits
    fragment = _fragment(registers, word)
    if fragment is None:
        return None
    column, row = fragment
    contiguous = tuple(int(axis == registers.rank - 1) for axis in range(registers.rank))
    transposed = row == contiguous and shared.element_bits == ELEMENT_BITS
    if column != contiguous and not transposed:
        return None
    chosen, rest = _choose(_matrix_digits(registers, word), shared)
    lanes = [_Digit(MATRIX_EXTENT, column if transposed else row, 0), *chosen]
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
    return MatrixAccesses(rows, numbers, transposed)


def _is_box(registers: RegisterLayout, shared: SharedLayout) -> bool:
    """Tell whether the extents of a tile in shared memory are multiples of those in registers."""
    return registers.rank == len(shared.shape) and not any(
        whole % extent for whole, extent in zip(shared.shape, registers.shape, strict=True)
    )


def _fragment(registers: RegisterLayout, word: int) -> tuple[Coordinate, Coordinate] | None:
    """Return what an element and a row of the matrices add to the coordinate.

    None unless registers and lanes hold matrices as `stmatrix` reads them. `word` is the number of
    elements in 32 bits.
    """
    column = registers.thread_offset(1)
    if word > 1:
        first = next((mode for mode in registers.modes if mode.owner is Owner.REG), None)
        if first is None or first.extent % word:
            return None
        column = first.stride
    row = registers.thread_offset(WORDS_PER_ROW)
    wanted = (
        Mode(Owner.LANE, WORDS_PER_ROW, tuple(word * step for step in column)),
        Mode(Owner.LANE, MATRIX_EXTENT, row),
    )
    lanes = tuple(mode for mode in registers.modes if mode.owner is Owner.LANE)
    is_fragment = any(column) and any(row) and lanes == canonical_modes(wanted, registers.rank)
    return (column, row) if is_fragment else None


def _matrix_digits(registers: RegisterLayout, word: int) -> list[_Digit]:
    """Return the digits that choose among a thread's words, as small ones as there are.

    Digits that only make copies are left out: one of the copies is stored.
    """
    digits: list[_Digit] = []
    weight = 1
    for mode in (mode for mode in registers.modes if mode.owner is Owner.REG):
        extent, step = mode.extent, 1
        if weight == 1:
            extent, step = extent // word, word
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
    constants that an instruction adds to a common address. Of these, the matrices follow each other
    as the registers do: an operand of mma.sync takes registers in a row, and any other order costs
    a move of each (ptxas 13.0).
    """
    pairs = [digit for digit in digits if digit.extent == 2]
    pairs.sort(key=lambda digit: shared.linear_offset(digit.stride))
    chosen = pairs[: MAX_MATRICES.bit_length() - 1]
    chosen.sort(key=lambda digit: digit.weight)
    return chosen, [digit for digit in digits if digit not in chosen]


def _rows_are_chunks(rows: RegisterLayout, shared: SharedLayout) -> bool:
    """Tell whether all rows start at a multiple of 16 bytes and stay within a row of a box."""
    return shared.box[-1] * shared.element_bytes % CHUNK_BYTES == 0 and all(
        mode.stride[-1] * shared.element_bytes % CHUNK_BYTES == 0 for mode in rows.modes
    )


def _register_numbers(digits: Iterable[_Digit]) -> list[int]:
    """Return the register number of every value of `digits`, the first digit fastest."""
    numbers = [0]
    for digit in digits:
        numbers = [base + step * digit.weight for step in range(digit.extent) for base in numbers]
    return numbers
