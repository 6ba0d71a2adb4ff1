"""The MMA-atom registry: which wgmma instruction multiplies tiles of given types and extents.

Pure Python: no MLIR import. Source of the shapes and types: PTX ISA 8.0, `wgmma.mma_async`.
"""

from tilec.dialects.cute.registry import ELEMENT_BITS
from tilec.support.fast_dataclasses import dataclass

WGMMA_TIER = 90
WGMMA_ROWS = 64
"""M of every wgmma: one warpgroup computes 64 rows."""
WGMMA_INNER_BITS = 256
"""K of every wgmma in bits: 16 elements of 16 bits, 32 of 8 bits, 8 of tf32."""
_FLOAT_COLUMNS = tuple(range(8, 257, 8))
_INTEGER_COLUMNS = (8, 16, 24, 32, *range(48, 257, 16))
_ACCUMULATORS: dict[str, tuple[str, ...]] = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "i8": ("i32",),
}
_FP8 = ("f8E4M3FN", "f8E5M2")


@dataclass(frozen=True, slots=True)
class MmaAtom:
    """One matrix-multiply instruction.

    Attributes:
        name: Witness name, for example `sm90_wgmma_m64n128k16_f32_bf16_bf16`.
        shape: M, N and K in elements.
        accumulator_registers: 32-bit registers per thread that hold the result.
    """

    name: str
    shape: tuple[int, int, int]
    accumulator_registers: int


def select_mma_atom(
    a: str, b: str, accumulator: str, extents: tuple[int, int, int]
) -> MmaAtom | str:
    """Return the widest wgmma that tiles a product, or the reason why there is none.

    Args:
        a: MLIR element type of A.
        b: MLIR element type of B.
        accumulator: MLIR element type of the accumulator.
        extents: M, N and K of the tile product in elements.
    """
    same = a == b or (a in _FP8 and b in _FP8)
    if a not in _ACCUMULATORS or not same or accumulator not in _ACCUMULATORS[a]:
        return f"wgmma does not multiply {a} and {b} into {accumulator}"
    rows, columns, inner = extents
    step = WGMMA_INNER_BITS // ELEMENT_BITS[a]
    if rows % WGMMA_ROWS:
        return f"M = {rows} is not a multiple of {WGMMA_ROWS}"
    if inner % step:
        return f"K = {inner} is not a multiple of {step}"
    legal = _INTEGER_COLUMNS if a == "i8" else _FLOAT_COLUMNS
    fitting = [width for width in legal if columns % width == 0]
    if not fitting:
        return f"N = {columns} is not a multiple of 8"
    width = fitting[-1]
    name = f"sm90_wgmma_m{WGMMA_ROWS}n{width}k{step}_{accumulator}_{a}_{b}".lower()
    bits = ELEMENT_BITS[accumulator]
    return MmaAtom(name, (WGMMA_ROWS, width, step), WGMMA_ROWS * width * bits // (128 * 32))


def fallback_mma_atom(a: str, b: str, accumulator: str) -> MmaAtom:
    """Return the fused multiply-add of one thread, which multiplies everything else."""
    name = f"universal_fma_{accumulator}_{a}_{b}".lower()
    return MmaAtom(name, (1, 1, 1), 1)


def supports_transposed_operands(element: str) -> bool:
    """Tell whether wgmma can read operands of `element` that are not K-major.

    The transpose bits of wgmma exist for 16-bit types only; other types must be K-major.
    """
    return element in ("f16", "bf16")
