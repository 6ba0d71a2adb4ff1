"""Copies to shared memory by the threads of a role (`cp.async`), and their arrivals at an mbarrier.

Sources: PTX ISA, `cp.async` and `cp.async.mbarrier.arrive`. These copies write through the generic
proxy: before wgmma reads what they wrote, a thread that knows of it executes a proxy fence.
"""

from collections.abc import Sequence
from typing import Any, Optional

from tilec.dialects.common.element_access import find_index_error, shape_of
from tilec.dialects.cute.registry import CP_ASYNC_BYTES
from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.dialects.nv_tileas.base import BARRIER, SHARED, CheckedOperation
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import Operand, ir


class AsyncGatherOp(CheckedOperation, name="async_gather"):
    """The threads of the role start to copy single elements from global into shared memory.

    Elements that are masked off or out of range become zeros.

    Operands:
        memref: Array to read.
        destination: Shared-memory tile of the shape of the indices.
        indices: One tile of i32 or i64 per dim, in storage order.
        mask: Optional; which elements are copied.

    Attributes:
        copy_bytes: Bytes that one instruction copies: 16, 8 or 4. As many neighbouring elements of
            the last dim lie next to each other, at a multiple of this.
        ragged: Unit attribute; the end of the array may come in the middle of them.
        unchecked: Unit attribute; the indices are known to be in range.
    """

    TYPES = (("memref", (MemrefType, "expects a memref")), ("destination", SHARED))

    memref: Operand[Any]
    destination: Operand[Any]
    indices: Sequence[Operand[Any]]
    copy_bytes: ir.IntegerAttr
    mask: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    @property
    def run(self) -> int:
        """Elements that one instruction copies."""
        return self.copy_bytes.value * 8 // element_bits(self.destination.type.element_type)

    def names(self, value: Any) -> bool:
        """Tell whether `value` is an index or the mask, so that it says which elements."""
        return any(value == item for item in (*self.indices, self.mask) if item is not None)

    @property
    def ragged(self) -> bool:
        """Whether the end of the array may come in the middle of a run."""
        return "ragged" in self.attributes

    @property
    def unchecked(self) -> bool:
        """Whether indices are known to be in range."""
        return "unchecked" in self.attributes

    def find_error(self) -> str | None:
        """Return the first broken rule, or None."""
        memref, tile = self.memref.type, self.destination.type
        message = find_index_error(self.indices, self.mask, memref.rank)
        if message is not None:
            return message
        if shape_of(self.indices[0].type) != tuple(tile.shape):
            return f"expects indices of the shape of {tile}, but got {self.indices[0].type}"
        if memref.element_type != tile.element_type:
            return f"expects elements of {memref.element_type}, but got {tile.element_type}"
        if self.copy_bytes.value not in CP_ASYNC_BYTES:
            return f"attribute 'copy_bytes' must be 16, 8 or 4, but got {self.copy_bytes.value}"
        return None


class MBarrierArriveCopiesOp(CheckedOperation, name="mbarrier_arrive_copies"):
    """Each thread of the role arrives once all copies that it has started so far are there.

    The arrivals count as those that the barrier was initialised with.
    """

    TYPES = (("barrier", BARRIER),)

    barrier: Operand[Any]


ASYNC_GATHER = AsyncGatherOp.OPERATION_NAME
