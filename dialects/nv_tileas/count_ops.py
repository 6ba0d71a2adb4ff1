"""Counters in shared memory: what a histogram is made of.

The counters of n numbers are a shared-memory tile of n x c words: c copies of every counter, next
to each other. A number is counted in the copy that belongs to the lane of the thread that counts
it, so that fewer lanes of a warp change the same word or the same bank. The copies are added up
where the counts are read.
"""

from typing import Any

from tilec.dialects.common.count_ops import COUNT_BITS, find_histogram_error
from tilec.dialects.common.effects import ReadsMemory, WritesMemory
from tilec.dialects.nv_tileas.base import REGISTERS, SHARED, CheckedOperation
from tilec.dialects.nv_tileas.types import SharedLayoutAttr, SharedTileType
from tilec.ir.bindings import Operand, Result, ir


def counters_type(bins: int, copies: int) -> SharedTileType:
    """Return the type of the counters of `bins` numbers."""
    layout = SharedLayoutAttr.of((bins, copies), 0)
    return SharedTileType.of((bins, copies), ir.IntegerType.get_signless(COUNT_BITS), layout)


class _CounterOperation(CheckedOperation):
    """Base of the operations on counters."""

    TYPES = (("counters", SHARED),)

    def find_error(self) -> str | None:
        """Return the message for a buffer that is no tile of counters."""
        found = self.operation.operands[len(self.operation.operands) - 1].type
        element = found.element_type
        is_count = isinstance(element, ir.IntegerType) and element.width == COUNT_BITS
        if is_count and len(found.shape) == 2 and found.layout.swizzle_bytes == 0:
            return self.find_tile_error(found.shape[0])
        return f"expects counters, an NxC tile of i32 without a swizzle, but got {found}"

    def find_tile_error(self, bins: int) -> str | None:
        """Return the message for a register tile that does not fit `bins` counters."""
        del bins


class ClearCountsOp(_CounterOperation, name="clear_counts", traits=[WritesMemory]):
    """Set all counters to 0; then the threads of the role meet."""

    counters: Operand[Any]


class CountOp(_CounterOperation, name="count", traits=[WritesMemory]):
    """Add 1 to the counter of each number of a tile, atomically; other numbers are left out."""

    TYPES = (("source", REGISTERS), ("counters", SHARED))

    source: Operand[Any]
    counters: Operand[Any]

    def find_tile_error(self, bins: int) -> str | None:
        """Return the message for a tile whose elements are not counted."""
        element = self.source.type.element_type
        return find_histogram_error(element, (bins,), self.counters.type.element_type)


class ReadCountsOp(_CounterOperation, name="read_counts", traits=[ReadsMemory]):
    """Return the counts: the threads of the role meet, add up the copies, and meet again."""

    TYPES = (("counters", SHARED), ("counts", REGISTERS))

    counters: Operand[Any]
    counts: Result[Any]

    def find_tile_error(self, bins: int) -> str | None:
        """Return the message for a result of another shape."""
        tile = self.counts.type
        if list(tile.shape) == [bins] and tile.element_type == self.counters.type.element_type:
            return None
        return f"expects a tile of {bins} counts, but got {tile}"


COUNTING = tuple(op.OPERATION_NAME for op in (ClearCountsOp, CountOp, ReadCountsOp))
"""Operations on counters."""
COUNTER_BARRIERS = {ClearCountsOp.OPERATION_NAME: 1, ReadCountsOp.OPERATION_NAME: 2}
"""How often the threads of the role meet in an operation on counters."""
