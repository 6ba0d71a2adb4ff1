"""Base class of the histogram that nv_tileaa and nv_tileas both have."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.element_access import INDEX_BITS
from tilec.dialects.common.shape_ops import check_tiles, tile_type
from tilec.dialects.common.verify import report, total
from tilec.ir.bindings import Operand, Pure, Result, ext, ir

COUNT_BITS = 32
"""Width of a count: as many as fit are more than any tile has elements."""


def find_histogram_error(source: Any, shape: Sequence[int], element: Any) -> str | None:
    """Return what is wrong with a histogram, or None.

    Args:
        source: Element type of the tile whose numbers are counted.
        shape: Shape of the result.
        element: Element type of the result.
    """
    if not isinstance(source, ir.IntegerType) or source.width not in INDEX_BITS:
        return f"expects numbers of i32 or i64, but got {source}"
    is_count = isinstance(element, ir.IntegerType) and element.width == COUNT_BITS
    if len(shape) != 1 or not is_count:
        return "expects a 1-D tile of i32 as its result"
    return None


class HistogramBase(ext.Operation, traits=[Pure]):
    """Count how often each of the numbers 0, ..., n - 1 occurs in a tile.

    Operands:
        source: Signed integers; those below 0, or n and more, are not counted.

    Results:
        counts: 1-D tile of n counts (i32).
    """

    source: Operand[Any]
    counts: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report operands and results of other types."""
        source, counts = self.source.type, self.counts.type
        if not check_tiles(self, source, counts):
            return False
        message = find_histogram_error(source.element_type, counts.shape, counts.element_type)
        return message is None or report(self, message)

    @classmethod
    def build(cls, source: Any, bins: int, **where: Any) -> Any:
        """Build the op and return the tile of `bins` counts."""
        counts = tile_type([bins], ir.IntegerType.get_signless(COUNT_BITS))
        return cls(source=source, counts=counts, **where).counts
