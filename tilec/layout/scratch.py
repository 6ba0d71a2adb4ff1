"""Where a tile lies in shared memory while its register layout changes, and what that costs.

Threads write it in one layout and read it in the other one. Rows one after the other are right for
vectors along them. Where a warp accesses several rows at once, they fall into the same banks,
unless the chunks of 16 bytes are swizzled.
"""

from functools import lru_cache

from tilec.layout.banks import AccessCost, access_cost, matrix_access_cost
from tilec.layout.matrix_accesses import ELEMENT_BITS, MatrixAccesses, matrix_accesses
from tilec.layout.register import RegisterLayout
from tilec.layout.shared import CHUNK_BYTES, SharedLayout, Swizzle, row_major

SAMPLES = 4
"""Accesses of a warp whose passes are counted; the others go to the same banks, or differ in bits
of the address that do not choose the bank."""


@lru_cache(maxsize=1024)
def access(registers: RegisterLayout, shared: SharedLayout, is_store: bool) -> AccessCost:
    """Return what one warp pays to write or read a tile in shared memory, as code is made for it.

    Args:
        registers: Layout in registers.
        shared: Layout in shared memory, of the tile or of one that it is a box of.
        is_store: Whether it is written.
    """
    stores = matrix_stores(registers, shared) if is_store else None
    if stores is not None:
        return matrix_access_cost(stores, shared, warps=1)
    return _vector_access(registers, shared)


def matrix_stores(registers: RegisterLayout, shared: SharedLayout) -> MatrixAccesses | None:
    """Return how to store a tile by `stmatrix`, or None where its threads store vectors.

    Nothing computes tiles of other elements than those of 16 bits in the layout of matrices.
    """
    return matrix_accesses(registers, shared) if shared.element_bits == ELEMENT_BITS else None


@lru_cache(maxsize=1024)
def matrix_loads(registers: RegisterLayout, shared: SharedLayout) -> MatrixAccesses | None:
    """Return how to load operands of mma.sync by `ldmatrix`, or None where vectors cost no more.

    Args:
        registers: Layout of the fragments of a step of K.
        shared: Layout of the operand, which they are a box of.
    """
    found = matrix_accesses(registers, shared)
    if found is None:
        return None
    cycles = _cycles(matrix_access_cost(found, shared, warps=1))
    return found if cycles < _cycles(_vector_access(registers, shared)) else None


def _vector_access(registers: RegisterLayout, shared: SharedLayout) -> AccessCost:
    if registers.shape != shared.shape:
        registers = RegisterLayout(shared.shape, registers.modes)
    axis, width = registers.rank - 1, vector_width(registers, shared)
    return access_cost(registers, shared, axis, width, warps=1, samples=SAMPLES)


def _cycles(cost: AccessCost) -> int:
    return cost.instructions + cost.wavefronts


def vector_width(registers: RegisterLayout, shared: SharedLayout) -> int:
    """Return the elements of one access of a thread, along the last axis."""
    if not registers.rank:
        return 1
    width = registers.vector_width(registers.rank - 1, max(1, CHUNK_BYTES // shared.element_bytes))
    while width > 1 and (shared.box[-1] % width or shared.shape[-1] % width):
        width //= 2
    return width


@lru_cache(maxsize=256)
def scratch_layout(
    source: RegisterLayout, target: RegisterLayout, element_bits: int
) -> SharedLayout:
    """Return where a tile lies while its layout changes: the cheapest way, a plain one if it ties.

    Args:
        source: Layout that it is written in.
        target: Layout that it is read in, of the same shape.
        element_bits: Size of an element, a multiple of 8.
    """
    shape = source.shape
    found = [row_major(shape, element_bits)]
    row = shape[-1] * element_bits // 8 if shape else 0
    if len(shape) > 1:
        found += [
            SharedLayout(
                shape,
                element_bits,
                (*(1,) * (len(shape) - 2), shape[-2], swizzle.value * 8 // element_bits),
                swizzle,
            )
            for swizzle in (Swizzle.B128, Swizzle.B64, Swizzle.B32)
            if row % swizzle.value == 0 and shape[-2] % 8 == 0
        ]
    return min(found, key=lambda shared: _steps(source, target, shared))


def exchange(
    source: RegisterLayout, target: RegisterLayout, element_bits: int
) -> tuple[AccessCost, AccessCost]:
    """Return what one warp pays to write a tile in one layout and to read it in another one."""
    if source.shape == target.shape:
        places = scratch_layout(source, target, element_bits)
        return access(source, places, True), access(target, places, False)
    written, read = (row_major(item.shape, element_bits) for item in (source, target))
    return access(source, written, True), access(target, read, False)


def _steps(source: RegisterLayout, target: RegisterLayout, shared: SharedLayout) -> int:
    return sum(
        _cycles(cost) for cost in (access(source, shared, True), access(target, shared, False))
    )
