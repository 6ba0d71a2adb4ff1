"""How wgmma addresses an operand in shared memory: descriptor fields and start-address advances.

The functions take a `matmul_operand` layout and its major-ness: "k" when the contiguous axis is K
(rows are M or N), "mn" when the contiguous axis is M or N (rows are K). All results are bytes; the
encoder divides by 16. A start address advances by linear offsets: hardware swizzles the final
address, so a k-step inside a swizzle span is a plain addition.

Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout" and "Matrix Descriptor
Format" of wgmma.
"""

from typing import Literal

from tilec.layout.errors import LayoutError
from tilec.layout.shared import CHUNK_BYTES, SharedLayout, Swizzle

Major = Literal["k", "mn"]

K_STEP_BYTES = 32
"""Bytes of K that one wgmma consumes (PTX ISA, wgmma.mma_async shapes)."""
CORE_ROWS = 8
"""Rows of a core matrix (PTX ISA, wgmma shared memory layout)."""
SWIZZLE_CODES = {Swizzle.NONE: 0, Swizzle.B128: 1, Swizzle.B64: 2, Swizzle.B32: 3}
"""Bits 62-63 of a descriptor (PTX ISA, matrix descriptor format). The codes of TMA tensor maps run
the other way round."""


def _check(layout: SharedLayout, major: Major) -> None:
    span = layout.swizzle.value or CHUNK_BYTES
    if len(layout.shape) != 2 or layout.box[1] * layout.element_bytes != span:
        raise LayoutError(f"boxes of {layout.box} are not columns of wgmma core matrices")
    if layout.box[0] % CORE_ROWS:
        raise LayoutError(f"a box of {layout.box[0]} rows does not hold whole core matrices")
    if major == "mn" and layout.element_bits != 16:
        raise LayoutError("wgmma reads only 16-bit operands with M or N contiguous")


def k_step(layout: SharedLayout) -> int:
    """Return how many elements of K one wgmma consumes."""
    return K_STEP_BYTES // layout.element_bytes


def descriptor_fields(layout: SharedLayout, major: Major) -> tuple[int, int, int]:
    """Return (leading byte offset, stride byte offset, swizzle code) of a descriptor.

    With a swizzle, the stride offset separates groups of eight rows; the leading offset separates
    the spans of an operand with M or N contiguous and is ignored otherwise (written as 16).
    Without one, core matrices are 16 bytes wide; the stride offset separates them along M or N and
    the leading offset along K, whichever of the two is contiguous.

    Raises:
        LayoutError: wgmma cannot read the layout with this major-ness.
    """
    _check(layout, major)
    code = SWIZZLE_CODES[layout.swizzle]
    group = CORE_ROWS * layout.box[1] * layout.element_bytes
    column = layout.box_pitch_bytes
    if layout.swizzle is Swizzle.NONE:
        return (column, group, code) if major == "k" else (group, column, code)
    return (CHUNK_BYTES if major == "k" else column, group, code)


def k_step_bytes(layout: SharedLayout, major: Major, k_index: int) -> int:
    """Return how far the start address of k-step number `k_index` lies after that of step 0.

    Raises:
        LayoutError: wgmma cannot read the layout so, or there is no such step.
    """
    _check(layout, major)
    start = k_index * k_step(layout)
    return layout.linear_offset((0, start) if major == "k" else (start, 0))


def row_block_bytes(layout: SharedLayout, major: Major, row: int) -> int:
    """Return how far the start address for M or N index `row` lies after that for index 0.

    Raises:
        LayoutError: wgmma cannot read the layout so, or no atom of the layout starts there.
    """
    _check(layout, major)
    unit = CORE_ROWS if major == "k" else layout.box[1]
    if row % unit:
        raise LayoutError(f"wgmma operand cannot start at index {row}: not a multiple of {unit}")
    return layout.linear_offset((row, 0) if major == "k" else (0, row))
