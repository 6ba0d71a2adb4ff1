"""Shared-memory layouts: where the elements of a tile lie in a slot.

A tile is cut into boxes, the units that TMA moves; boxes lie one after another, the grid of boxes
in row-major order, and a box is row-major inside. A swizzle then permutes the 16-byte chunks of
eight consecutive rows, so that accesses along either axis spread over all banks.

Sources: cuda.h, `cuTensorMapEncodeTiled`, for box limits and swizzle spans; PTX ISA, "Swizzling
modes" of tensors, for the address permutation.
"""

import enum
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from math import prod
from operator import add

from tilec.layout.errors import LayoutError
from tilec.layout.units import box_of_view
from tilec.support.fast_dataclasses import dataclass

MAX_BOX_EXTENT = 256
"""Largest extent of a TMA box (cuda.h, cuTensorMapEncodeTiled)."""
CHUNK_BYTES = 16
"""Unit of swizzles and of the inner extent of TMA boxes (cuda.h, cuTensorMapEncodeTiled)."""
UNSWIZZLED_ALIGNMENT = 128
"""Alignment of a TMA destination in shared memory (PTX ISA, cp.async.bulk.tensor)."""
MAX_SWIZZLED_BOXES = 8
"""Beyond this many boxes per tile the issue cost of TMA outweighs fewer bank conflicts."""


class Swizzle(enum.Enum):
    """Permutation of 16-byte chunks; the value is the span in bytes (0: none)."""

    NONE = 0
    B32 = 32
    B64 = 64
    B128 = 128

    def __init__(self, span: int) -> None:
        """Compute `mask`: which low bits of `address >> 7` are XORed into bits 4 and up of it."""
        self.mask = span // CHUNK_BYTES - 1 if span else 0

    @property
    def alignment(self) -> int:
        """Bytes after which the pattern repeats, and to which a box must be aligned."""
        return 8 * self.value if self.value else UNSWIZZLED_ALIGNMENT

    def apply(self, address: int) -> int:
        """Return the address at which hardware places the byte of linear address `address`."""
        return address ^ (((address >> SWIZZLE_SOURCE_SHIFT) & self.mask) << SWIZZLE_TARGET_SHIFT)


SWIZZLE_SOURCE_SHIFT = 7
"""First address bit that a swizzle reads."""
SWIZZLE_TARGET_SHIFT = 4
"""First address bit that a swizzle changes."""


@dataclass(frozen=True, slots=True)
class AddressTerm:
    """One summand of a linear offset: `((coords[axis] // divisor) % extent) * stride_bytes`."""

    axis: int
    divisor: int
    extent: int
    stride_bytes: int


@dataclass(frozen=True)
class SharedLayout:
    """The layout of one tile in a slot of shared memory.

    Attributes:
        shape: Extents of the tile, outermost first.
        element_bits: Size of an element, a multiple of 8.
        box: Extents of a box; each divides that of the tile.
        swizzle: Swizzle; if there is one, a row of a box is exactly as long as its span.
    """

    shape: tuple[int, ...]
    element_bits: int
    box: tuple[int, ...]
    swizzle: Swizzle = Swizzle.NONE

    def __post_init__(self) -> None:
        """Check the attributes.

        Raises:
            LayoutError: Boxes do not divide the tile or do not fit the swizzle.
        """
        object.__setattr__(self, "shape", tuple(self.shape))
        object.__setattr__(self, "box", tuple(self.box))
        if self.element_bits <= 0 or self.element_bits % 8:
            raise LayoutError(f"elements of {self.element_bits} bits are not whole bytes")
        if len(self.shape) != len(self.box) or any(
            inner < 1 or outer % inner for outer, inner in zip(self.shape, self.box, strict=True)
        ):
            raise LayoutError(f"boxes of {self.box} do not divide a tile of {self.shape}")
        row = (self.box[-1] if self.box else 1) * self.element_bytes
        if self.swizzle is not Swizzle.NONE and row != self.swizzle.value:
            raise LayoutError(f"a box row of {row} bytes does not fit swizzle {self.swizzle.value}")

    @property
    def element_bytes(self) -> int:
        """Size of an element in bytes."""
        return self.element_bits // 8

    @property
    def alignment(self) -> int:
        """Alignment of the slot in bytes that makes the swizzle start on its pattern."""
        return self.swizzle.alignment

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of boxes along each axis."""
        return tuple(outer // inner for outer, inner in zip(self.shape, self.box, strict=True))

    @property
    def box_count(self) -> int:
        """Number of boxes."""
        return prod(self.grid)

    @property
    def box_bytes(self) -> int:
        """Bytes that one box transfers, and adds to the transaction count of a barrier."""
        return prod(self.box) * self.element_bytes

    @property
    def box_pitch_bytes(self) -> int:
        """Distance between consecutive boxes: `box_bytes` rounded up to the alignment."""
        if self.box_count == 1:
            return self.box_bytes
        return -(-self.box_bytes // self.alignment) * self.alignment

    @property
    def transfer_bytes(self) -> int:
        """Bytes that all boxes together transfer."""
        return self.box_count * self.box_bytes

    @property
    def size_bytes(self) -> int:
        """Bytes that the tile occupies, padding between boxes included."""
        return self.box_count * self.box_pitch_bytes

    def viewed(self, shape: Sequence[int]) -> "SharedLayout":
        """Return the layout of the same bytes as a tile with dims of extent 1, or dims joined.

        Raises:
            LayoutError: `shape` differs in more than that.
        """
        box = box_of_view(self.shape, self.box, shape)
        if box is None:
            raise LayoutError(f"{tuple(shape)} is no view of boxes of {self.box} in {self.shape}")
        return SharedLayout(tuple(shape), self.element_bits, box, self.swizzle)

    def boxes(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return (byte offset in the slot, coordinates of the first element) of every box."""
        corners = product(
            *(range(0, outer, inner) for outer, inner in zip(self.shape, self.box, strict=True))
        )
        return [(index * self.box_pitch_bytes, corner) for index, corner in enumerate(corners)]

    @cached_property
    def _address_terms(self) -> tuple[AddressTerm, ...]:
        terms: list[AddressTerm] = []
        inside, across = self.element_bytes, self.box_pitch_bytes
        for axis in reversed(range(len(self.shape))):
            extent, count = self.box[axis], self.grid[axis]
            if inside * extent == across:
                terms.append(AddressTerm(axis, 1, extent * count, inside))
            else:
                terms.append(AddressTerm(axis, 1, extent, inside))
                terms.append(AddressTerm(axis, extent, count, across))
            inside, across = inside * extent, across * count
        return tuple(term for term in terms if term.extent > 1)

    def address_terms(self) -> tuple[AddressTerm, ...]:
        """Return the summands of the linear offset, for code generation.

        The offset of an element is `swizzle.apply` of their sum; terms of extent 1 are left out.
        A term with `divisor * extent` equal to the extent of its axis needs no remainder.
        """
        return self._address_terms

    def linear_offset(self, coords: Sequence[int]) -> int:
        """Return the byte offset of an element before the swizzle.

        Raises:
            LayoutError: `coords` lies outside the tile.
        """
        inside = len(coords) == len(self.shape)
        for coord, extent in zip(coords, self.shape, strict=inside):
            inside = inside and 0 <= coord < extent
        if not inside:
            raise LayoutError(f"{tuple(coords)} lies outside a tile of {self.shape}")
        return self._linear_offsets([coords])[0]

    def _linear_offsets(self, elements: Sequence[Sequence[int]]) -> list[int]:
        totals = [0] * len(elements)
        for term in self._address_terms:
            axis, divisor, extent, stride = term.axis, term.divisor, term.extent, term.stride_bytes
            totals = [
                total + coords[axis] // divisor % extent * stride
                for total, coords in zip(totals, elements, strict=True)
            ]
        return totals

    def offset(self, coords: Sequence[int]) -> int:
        """Return the byte offset of an element in a slot that is aligned to `alignment`.

        Raises:
            LayoutError: `coords` lies outside the tile.
        """
        return self.swizzle.apply(self.linear_offset(coords))

    def offsets(self, elements: Sequence[Sequence[int]]) -> list[int]:
        """Return `offset` of each of many elements, which are known to lie in the tile."""
        return self._swizzled(self._linear_offsets(elements))

    def offsets_from(self, columns: Sequence[Sequence[int]], step: Sequence[int]) -> list[int]:
        """Return `offset` of each of many elements of the tile, all moved by one step.

        Args:
            columns: Their coordinates along each axis.
            step: What to add along each axis.
        """
        totals: list[int] = []
        for term in self._address_terms:
            divisor, extent, stride = term.divisor, term.extent, term.stride_bytes
            moved = step[term.axis]
            found = [(coord + moved) // divisor % extent * stride for coord in columns[term.axis]]
            totals = list(map(add, totals, found)) if totals else found
        return self._swizzled(totals or [0] * len(columns[0]))

    def _swizzled(self, addresses: list[int]) -> list[int]:
        """Return `Swizzle.apply` of each address."""
        mask, source, target = self.swizzle.mask, SWIZZLE_SOURCE_SHIFT, SWIZZLE_TARGET_SHIFT
        if not mask:
            return addresses
        return [address ^ (address >> source & mask) << target for address in addresses]


def choose_swizzle(inner_bytes: int) -> Swizzle:
    """Return the widest swizzle whose span divides a row of `inner_bytes` bytes."""
    for swizzle in (Swizzle.B128, Swizzle.B64, Swizzle.B32):
        if inner_bytes and inner_bytes % swizzle.value == 0:
            return swizzle
    return Swizzle.NONE


def row_major(shape: Sequence[int], element_bits: int) -> SharedLayout:
    """Return the plain layout: one box, no swizzle. It need not be legal for TMA."""
    return SharedLayout(tuple(shape), element_bits, tuple(shape))


def tma_boxes(shape: Sequence[int], element_bits: int, parts: int = 1) -> SharedLayout:
    """Return a layout whose boxes TMA can move.

    Rows are cut to the widest swizzle span that divides them when the tile has whole groups of
    eight rows and few boxes result; otherwise (vectors, long rows) boxes are as large as TMA
    allows and are not swizzled.

    Args:
        shape: Extents of the tile, 1 to 5 of them, contiguous axis last.
        element_bits: Size of an element.
        parts: Into how many parts the contiguous axis is split over warpgroups; no swizzled box
            holds elements of two of them.

    Raises:
        LayoutError: TMA cannot move such a tile: the message says why.
    """
    extents = tuple(shape)
    if not 1 <= len(extents) <= 5:
        raise LayoutError(f"TMA moves tiles of rank 1 to 5, not {len(extents)}")
    inner_bytes = extents[-1] * element_bits // 8
    if element_bits % 8 or not inner_bytes or inner_bytes % CHUNK_BYTES:
        raise LayoutError(f"a tile row of {inner_bytes} bytes is not a multiple of 16 bytes")
    outer = tuple(_largest_divisor(extent, MAX_BOX_EXTENT, 1) for extent in extents[:-1])
    swizzle = choose_swizzle(inner_bytes // parts)
    if swizzle is not Swizzle.NONE and prod(outer) % 8 == 0:
        layout = SharedLayout(
            extents, element_bits, (*outer, swizzle.value * 8 // element_bits), swizzle
        )
        if layout.box_count <= MAX_SWIZZLED_BOXES:
            return layout
    chunk = max(1, CHUNK_BYTES * 8 // element_bits)
    inner = _largest_divisor(extents[-1], MAX_BOX_EXTENT, chunk)
    return SharedLayout(extents, element_bits, (*outer, inner))


def matmul_operand(rows: int, cols: int, element_bits: int, parts: int = 1) -> SharedLayout:
    """Return the layout of a wgmma operand in shared memory.

    Boxes hold all rows (up to the TMA limit) of one swizzle span, or of 16 bytes (one column of
    core matrices) when no swizzle fits.

    Args:
        rows: Extent of the outer axis, a multiple of 8.
        cols: Extent of the contiguous axis, a multiple of 16 bytes.
        element_bits: Size of an element.
        parts: Into how many parts the contiguous axis is split over warpgroups; every part is made
            of whole spans, because a descriptor cannot start inside one.

    Raises:
        LayoutError: The operand does not split into core matrices of 8 rows x 16 bytes.
    """
    inner_bytes = cols * element_bits // 8 // parts
    if rows % 8 or not rows or not inner_bytes or inner_bytes % CHUNK_BYTES or cols % parts:
        raise LayoutError(
            f"a wgmma operand of {rows} rows of {inner_bytes} bytes does not split into "
            "8 rows x 16 bytes"
        )
    swizzle = choose_swizzle(inner_bytes)
    span = swizzle.value or CHUNK_BYTES
    box = (_largest_divisor(rows, MAX_BOX_EXTENT, 8), span * 8 // element_bits)
    return SharedLayout((rows, cols), element_bits, box, swizzle)


def _largest_divisor(extent: int, limit: int, multiple: int) -> int:
    """Return the largest divisor of `extent` up to `limit` that is a multiple of `multiple`."""
    fitting = (d for d in range(min(extent, limit), 0, -1) if extent % d == 0 and d % multiple == 0)
    return next(fitting, multiple)
