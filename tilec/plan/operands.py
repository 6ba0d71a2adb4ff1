"""Which operands of products that threads load or compute wait in registers. Pure Python."""

from collections.abc import Sequence

from tilec.plan import machine
from tilec.plan.registers import accumulator_limit, accumulator_registers
from tilec.request.target import Target

SHORT_ROW_BYTES = 256
"""Row of an A operand that always stays in registers: 32 of a thread for 64 rows (PTX ISA, wgmma,
register fragments of A)."""
ELEMENTS_OF_A_SCALE = 16
"""Elements that share a scale in the finest of the usual formats, NVFP4."""
NEXT_ROUND_REGISTERS = 32
"""Registers that a thread keeps at most for tiles of the next round: 128 rows of 128 elements of 16
bits, where two warpgroups share them (estimate)."""


def fits_registers(
    extents: tuple[int, int, int], operand_bits: int, result_bytes: int, target: Target
) -> bool:
    """Tell whether a thread has room for A, the 32-bit tile that A is made from and the result.

    Where two warpgroups share the rows, and one has those of a tile of 64.

    Args:
        extents: M, N and K of the product.
        operand_bits: Bits of an element of A.
        result_bytes: Bytes of an element of the result.
        target: Machine that has the registers.
    """
    rows, columns, inner = extents
    if inner * operand_bits // 8 <= SHORT_ROW_BYTES:
        return True
    warpgroups = 1 if rows == machine.MMA_ROWS else 2
    needed = accumulator_registers(rows, inner, operand_bits + 32, 8 * warpgroups)
    needed += accumulator_registers(rows, columns, result_bytes, warpgroups)
    return needed <= accumulator_limit(warpgroups, target)


def few_elements(rows: int, columns: int) -> int:
    """Return how many elements threads may load for an operand whose rows they do not load.

    One for each row is few, and so is a scale for some of its elements.
    """
    return rows * max(1, columns // ELEMENTS_OF_A_SCALE)


def keeps_next_round(bits: int, rows: Sequence[int]) -> bool:
    """Tell whether threads keep what they load for the next round of a loop in registers.

    Args:
        bits: Bits of all such tiles.
        rows: M of the products of a round; two warpgroups share products of 128 rows.
    """
    shared = bool(rows) and min(rows) % (2 * machine.MMA_ROWS) == 0
    threads = (2 if shared else 1) * machine.WARPGROUP_THREADS
    return bits <= 32 * threads * NEXT_ROUND_REGISTERS
