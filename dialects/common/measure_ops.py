"""The base class of the operation that finds the least and the largest elements of tiles."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.verify import check_counts, report, total
from tilec.dialects.nv_tileaa.types import MemrefType, PtrType
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ext, ir

WIDTHS = (32, 64)
"""Bits of the elements: those that threads compare as they are."""
_LEAST_LANES, _MOST_LANES = 8, 32
"""Lanes that share a tile: at least what reads a sector of L2, 32 bytes, and at most a warp."""
_MOST_LOADS = 32
"""Elements that a lane loads, at most: with their addresses they fit into its registers."""


class MeasureTilesBase(ext.Operation, traits=[Pure]):
    """Write the least and the largest element of every tile of an array to a table.

    The table has the ends of each tile, first the least, and the tiles in row-major order. Those of
    numbers of 32 bits are the halves of one i64, the lower one first. Every CTA writes
    the whole table before its roles start: they may read it, and find the same numbers, whichever
    CTA has written them last. Elements of a tile that are outside of the array are 0, as tiled
    loads pad them. Nothing in the kernel may write the array.

    Operands:
        table: Address of the table.
        memref: The array, of signed integers.

    Attributes:
        tile: Extents of the tiles, storage order.

    Results:
        measured: The address of the table when it is written.
    """

    table: Operand[Any]
    memref: Operand[Any]
    measured: Result[Any]
    tile: Any

    @property
    def extents(self) -> tuple[int, ...]:
        """Extents of the tiles."""
        return tuple(elements_of(self.tile))

    @total
    def verify_invariants(self) -> bool:
        """Report an array, a table or a tile that the lowering cannot measure."""
        if not check_counts(self):
            return False
        memref = self.memref.type
        if not isinstance(memref, MemrefType) or not memref.is_strided:
            return report(self, f"expects a strided memref, but got {memref}")
        element, extents = memref.element_type, self.extents
        if not isinstance(element, ir.IntegerType) or element.width not in WIDTHS:
            return report(self, f"expects integers of 32 or 64 bits, but got {element}")
        for pointer in (self.table.type, self.measured.type):
            if not isinstance(pointer, PtrType) or str(pointer.pointee) != "i64":
                return report(self, f"expects a table of i64, but got {pointer}")
        if len(extents) != memref.rank:
            return report(self, f"expects {memref.rank} extents, but got {len(extents)}")
        message = find_tile_error(extents)
        return message is None or report(self, message)

    @classmethod
    def build(cls, table: Any, memref: Any, extents: Sequence[int], **where: Any) -> Any:
        """Build the op and return the address of the table."""
        tile = ir.DenseI64ArrayAttr.get(list(extents))
        return cls(table=table, memref=memref, measured=table.type, tile=tile, **where).measured


def lanes_of_tile(extents: Sequence[int]) -> int:
    """Return how many lanes share a tile of these extents: a power of two."""
    lanes = _LEAST_LANES
    while prod(extents) > lanes * _MOST_LOADS:
        lanes *= 2
    return lanes


def find_tile_error(extents: Sequence[int]) -> str | None:
    """Return why tiles of these extents cannot be measured, or None."""
    if any(extent < 1 for extent in extents):
        return "expects extents of 1 or more"
    lanes = lanes_of_tile(extents)
    if lanes > _MOST_LANES:
        return f"expects tiles of {_MOST_LANES * _MOST_LOADS} elements at most"
    if extents[-1] % lanes:
        return f"expects rows of a multiple of {lanes} elements in tiles of {prod(extents)}"
    return None
