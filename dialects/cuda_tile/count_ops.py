"""The histogram of a tile."""

from typing import Any

from tilec.dialects.common.count_ops import COUNT_BITS, find_histogram_error
from tilec.dialects.cuda_tile.base import TileOperation
from tilec.dialects.cuda_tile.types import TileType, spell
from tilec.ir.bindings import Operand, Pure, Result, ir


class HistogramOp(TileOperation, name="histogram", traits=[Pure]):
    """Count how often each of the numbers 0, ..., n - 1 occurs in a tile.

    The published dialect has no such operation. It would take a loop over the numbers, or atomic
    operations on an array.

    Operands:
        source: Signed integers of 32 or 64 bits; those below 0, or n and more, are not counted.

    Results:
        counts: 1-D tile of n counts (i32).
    """

    source: Operand[Any]
    counts: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the tiles."""
        for name, type_ in (("operand", self.source.type), ("result", self.counts.type)):
            if not isinstance(type_, TileType):
                return f"{name} #0 must be tile of i32 or i64 values, but got '{spell(type_)}'"
        source, counts = self.source.type, self.counts.type
        return find_histogram_error(source.element_type, counts.shape, counts.element_type)

    @classmethod
    def build(cls, source: Any, bins: int, **where: Any) -> Any:
        """Count the numbers below `bins` and return the tile of counts."""
        counts = TileType.of([bins], ir.IntegerType.get_signless(COUNT_BITS))
        return cls(source=source, counts=counts, **where).counts
