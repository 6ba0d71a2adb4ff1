"""Whether the A operand of a product that threads compute stays in registers. Pure Python."""

from tilec.plan import machine
from tilec.plan.registers import accumulator_limit, accumulator_registers
from tilec.request.target import Target

SHORT_ROW_BYTES = 256
"""Row of an A operand that always stays in registers: 32 of a thread for 64 rows (PTX ISA, wgmma,
register fragments of A)."""
ELEMENTS_OF_A_SCALE = 16
"""Elements that share a scale in the finest of the usual formats, NVFP4."""


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
