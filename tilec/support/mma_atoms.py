"""The registry of MMA atoms: which instruction multiplies tiles of given types and extents.

An *atom* is one instruction with its shape. A *family* is all atoms of one unit for given element
types; passes, planner and frontend ask it instead of looking at types. Pure Python.

Element types have their MLIR names, but for unsigned bytes, which are `u8`. Sources: PTX ISA 8.5,
`wgmma.mma_async` and `mma`, for types and shapes; H200 datasheet for rates.

wgmma is what a warpgroup starts on tiles in shared memory; `mma.sync` is what each warp computes
from its registers, for smaller tiles and for f64.
"""

import enum
from functools import cache

from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass

WGMMA_ROWS = 64
"""M of every wgmma: one warpgroup computes 64 rows (PTX ISA, wgmma.mma_async)."""
COLUMN_STEP = 8
"""N of every instruction is a multiple of this (PTX ISA, wgmma.mma_async and mma)."""
TENSOR_BYTES_PER_CYCLE = 4096
"""Multiply-adds per cycle of one SM's tensor cores, times the bytes of an operand element: 1024 in
tf32, 2048 in 16 bits, 4096 in 8 bits (H200 datasheet: 494, 989 and 1979 TFLOP/s over 132 SMs at
1.83 GHz)."""
DOUBLE_RATE = 128
"""Multiply-adds per cycle of one SM's tensor cores in f64 (H200 datasheet: 67 TFLOP/s)."""
FMA_RATE = 128
"""Multiply-adds per cycle of one SM's CUDA cores in f32 (H200 datasheet: 67 TFLOP/s)."""

_INNER_BYTES = 32
"""K of an instruction in bytes: 8 elements of tf32, 16 of 16 bits, 32 of 8 bits (PTX ISA)."""
_FLOAT_COLUMNS = tuple(range(8, 257, 8))
_INTEGER_COLUMNS = (8, 16, 24, 32, *range(48, 257, 16))
_FP8, _BYTES = ("f8E4M3FN", "f8E5M2"), ("i8", "u8")
_WGMMA_ACCUMULATORS: dict[str, tuple[str, ...]] = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    **dict.fromkeys(_FP8, ("f16", "f32")),
    **dict.fromkeys(_BYTES, ("i32",)),
}
_WARP_ACCUMULATORS: dict[str, tuple[str, ...]] = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    **dict.fromkeys(_FP8, ("f32",)),
    **dict.fromkeys(_BYTES, ("i32",)),
    "f64": ("f64",),
}
_WARP_ROWS, _WARP_COLUMNS = 16, (8,)
_DOUBLE_SHAPES = ((16, 16), (16, 8), (16, 4), (8, 4))
"""M and K of the instructions for f64, the largest first: one replaces several smaller ones (PTX
ISA, mma: `.m16n8k4`, `.m16n8k8` and `.m16n8k16` need sm_90)."""
_PTX_NAMES = {
    "f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "i8": "s8", "u8": "u8", "i32": "s32",
}  # fmt: skip
_PARTS = {"tf32": ("tf32", 1), "tf32x3": ("tf32", 3), "bf16x3": ("bf16", 3)}
"""Precision of a product of f32 -> the type of the operands of its instructions, and how many
products it takes."""
_BITS = {dtype.mlir: dtype.bits for dtype in DTYPES.values()} | {"u8": 8}


def products_of(precision: str | None) -> int:
    """Return how many products of the tensor cores a product of f32 with `precision` takes."""
    return _PARTS.get(precision or "", ("", 1))[1]


class Unit(enum.Enum):
    """What multiplies."""

    WGMMA = "wgmma"
    MMA_SYNC = "mma_sync"
    FMA = "fma"


@dataclass(frozen=True, slots=True)
class ProductTypes:
    """Element types of a product, as the instruction reads them."""

    a: str
    b: str
    accumulator: str

    @classmethod
    def of(
        cls,
        elements: tuple[str, str, str],
        precision: str | None = None,
        signedness: tuple[str, str] = ("signed", "signed"),
    ) -> "ProductTypes":
        """Return the types of a product from what the IR says.

        Args:
            elements: MLIR element types of A, B and the accumulator.
            precision: How f32 operands are multiplied: `tf32`, `tf32x3`, `bf16x3`, or None for
                exactly.
            signedness: Of A and of B, for integers.
        """
        names = []
        for element, sign in zip(elements[:2], signedness, strict=True):
            parts = _PARTS.get(precision or "") if element == "f32" else None
            read = element if parts is None else parts[0]
            names.append("u8" if read == "i8" and sign == "unsigned" else read)
        return cls(names[0], names[1], elements[2])

    @property
    def operand_bytes(self) -> int:
        """Size of an operand element in memory."""
        return _BITS[self.a] // 8

    @property
    def accumulator_bytes(self) -> int:
        """Size of an accumulator element in registers."""
        return _BITS[self.accumulator] // 8

    @property
    def ptx(self) -> str:
        """The types in the order of PTX: `f32.bf16.bf16`."""
        names = (self.accumulator, self.a, self.b)
        return ".".join(_PTX_NAMES.get(name, name) for name in names)

    def __str__(self) -> str:
        """Return the types in words."""
        return f"{self.a} and {self.b} into {self.accumulator}"


@dataclass(frozen=True, slots=True)
class MmaFamily:
    """The instructions of one unit for operands of given types.

    Attributes:
        unit: What multiplies.
        types: Element types.
        rows: M of an instruction.
        columns: Every N that an instruction may have, in ascending order.
        inner: K of an instruction in elements.
        reads_transposed: Whether it reads operands from shared memory whose contiguous axis is M
            or N; otherwise that axis must be K (PTX ISA, wgmma: the transpose bits exist for 16-bit
            types only).
        rate: Multiply-adds per cycle of one SM.
    """

    unit: Unit
    types: ProductTypes
    rows: int
    columns: tuple[int, ...]
    inner: int
    reads_transposed: bool
    rate: int

    @property
    def is_integer(self) -> bool:
        """Whether it multiplies integers."""
        return self.types.a in _BYTES

    def widest(self, columns: int, step: int = COLUMN_STEP) -> int | None:
        """Return N of the instructions that tile `columns`, the widest possible; None if none do.

        Args:
            columns: Columns of the tile.
            step: The tile may be cut at multiples of this; one instruction may take all of it.
        """
        fitting = (
            width
            for width in reversed(self.columns)
            if columns % width == 0 and (width == columns or width % step == 0)
        )
        return next(fitting, None)


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


@cache
def wgmma_family(types: ProductTypes) -> MmaFamily | None:
    """Return the wgmma instructions for products of `types`, or None where there are none."""
    if not _multiplies(types, _WGMMA_ACCUMULATORS):
        return None
    size = types.operand_bytes
    columns = _INTEGER_COLUMNS if types.a in _BYTES else _FLOAT_COLUMNS
    rate = TENSOR_BYTES_PER_CYCLE // size
    inner = _INNER_BYTES // size
    return MmaFamily(Unit.WGMMA, types, WGMMA_ROWS, columns, inner, size == 2, rate)


@cache
def warp_families(types: ProductTypes) -> tuple[MmaFamily, ...]:
    """Return the `mma.sync` instructions for products of `types`, the fastest first.

    Threads bring the operands into registers, so they may lie in shared memory as they like. The
    last family tiles everything that another one tiles. There may be none.
    """
    if not _multiplies(types, _WARP_ACCUMULATORS):
        return ()
    size, is_double = types.operand_bytes, types.a == "f64"
    shapes = _DOUBLE_SHAPES if is_double else ((_WARP_ROWS, _INNER_BYTES // size),)
    rate = DOUBLE_RATE if is_double else TENSOR_BYTES_PER_CYCLE // size
    return tuple(
        MmaFamily(Unit.MMA_SYNC, types, rows, _WARP_COLUMNS, inner, True, rate)
        for rows, inner in shapes
    )


@cache
def warp_family(
    types: ProductTypes, extents: tuple[int, int, int] | None = None
) -> MmaFamily | None:
    """Return the fastest `mma.sync` instructions that tile a product, or None where there are none.

    Args:
        types: Element types of the product.
        extents: M, N and K of the tile product in elements. If no instruction tiles it, or without
            them, the result is the family that asks least of the extents.
    """
    families = warp_families(types)
    if extents is not None:
        families = [f for f in families if why_not_tiled(f, extents) is None][:1] or families
    return families[-1] if families else None


def _multiplies(types: ProductTypes, accumulators: dict[str, tuple[str, ...]]) -> bool:
    """Tell whether an instruction multiplies `types`, given its accumulators by operand type."""
    a, b = types.a, types.b
    alike = a == b or any(a in mixed and b in mixed for mixed in (_FP8, _BYTES))
    return alike and types.accumulator in accumulators.get(a, ())


def fma_family(types: ProductTypes) -> MmaFamily:
    """Return the multiply-adds of the CUDA cores, one element of the result at a time."""
    return MmaFamily(Unit.FMA, types, 1, (1,), 1, True, FMA_RATE)


def find_family(types: ProductTypes) -> MmaFamily:
    """Return the fastest instructions for products of `types`, whatever their extents."""
    return wgmma_family(types) or warp_family(types) or fma_family(types)


def why_not_tiled(family: MmaFamily, extents: tuple[int, int, int]) -> str | None:
    """Return why instructions of `family` do not tile a product of M x N x K, or None."""
    rows, columns, inner = extents
    if rows % family.rows:
        return f"M = {rows} is not a multiple of {family.rows}"
    if inner % family.inner:
        return f"K = {inner} is not a multiple of {family.inner}"
    if family.widest(columns) is None:
        return f"N = {columns} is not a multiple of {COLUMN_STEP}"
    return None


@cache
def serves_swapped(types: ProductTypes, extents: tuple[int, int, int]) -> bool:
    """Tell whether wgmma tiles the transpose of a product, C^T = B^T A^T, and not the product.

    Args:
        types: Element types of the product.
        extents: M, N and K of the tile product in elements.
    """
    rows, columns, inner = extents
    family = wgmma_family(types)
    if family is None or why_not_tiled(family, extents) is None:
        return False
    return why_not_tiled(family, (columns, rows, inner)) is None


def select_mma_atom(types: ProductTypes, extents: tuple[int, int, int]) -> MmaAtom | str:
    """Return the widest instruction that tiles a product, or the reason why there is none.

    wgmma comes first, then `mma.sync`; of the reasons, that against wgmma is the one.

    Args:
        types: Element types of the product.
        extents: M, N and K of the tile product in elements.
    """
    defects = []
    for family in (wgmma_family(types), warp_family(types, extents)):
        defect = None if family is None else why_not_tiled(family, extents)
        if family is not None and defect is None:
            return _atom(family, extents[1])
        defects.append(defect or f"wgmma does not multiply {types}")
    return defects[0]


_NAMES = {Unit.WGMMA: "sm90_wgmma", Unit.MMA_SYNC: "sm90_mma"}


def _atom(family: MmaFamily, columns: int) -> MmaAtom:
    """Return the widest instruction of `family` that tiles `columns`."""
    types, width = family.types, family.widest(columns) or COLUMN_STEP
    shape = (family.rows, width, family.inner)
    m, n, k = shape
    name = f"{_NAMES[family.unit]}_m{m}n{n}k{k}_{types.accumulator}_{types.a}_{types.b}"
    threads = 128 if family.unit is Unit.WGMMA else 32
    registers = m * n * types.accumulator_bytes // (threads * 4)
    return MmaAtom(name.lower(), shape, registers)


def fallback_mma_atom(types: ProductTypes) -> MmaAtom:
    """Return the fused multiply-add of one thread, which multiplies everything else."""
    name = f"universal_fma_{types.accumulator}_{types.a}_{types.b}"
    return MmaAtom(name.lower(), (1, 1, 1), 1)
