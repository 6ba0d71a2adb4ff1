"""Barriers and fences between the threads of a role and between memory proxies."""

from typing import Any

from tilec.dialects.nv_tileas.base import (
    BARRIER,
    CheckedOperation,
    find_choice_error,
    find_count_error,
)
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.ir.bindings import Operand, Result, ir


class AllocMBarrierOp(CheckedOperation, name="alloc_mbarrier"):
    """Reserve `slots` mbarrier objects, each initialised to expect `count` arrivals.

    `nv-tileas-assign-buffers` adds `offset` (bytes from the start of the CTA's shared memory).

    Attributes:
        count: Arrivals per phase, derived by `tilec.passes.analysis.protocol.counts`.
        slots: Number of barriers, 8 bytes apart.
    """

    TYPES = (("barrier", BARRIER),)

    barrier: Result[Any]
    count: ir.IntegerAttr
    slots: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the message for a barrier without arrivals or without slots."""
        return find_count_error(self, "count", 1) or find_count_error(self, "slots", 1)


class MBarrierArriveExpectTxOp(CheckedOperation, name="mbarrier_arrive_expect_tx"):
    """One elected thread arrives and announces the bytes that this phase waits for.

    Attributes:
        tx_count: Bytes that the async copies of this phase complete: the sum of their boxes.
    """

    TYPES = (("barrier", BARRIER),)

    barrier: Operand[Any]
    tx_count: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the message for a byte count beyond 20 bits (PTX ISA, mbarrier tx-count)."""
        if 0 < self.tx_count.value < 1 << 20:
            return None
        return f"attribute 'tx_count' must be in [1, 1048575], but got {self.tx_count.value}"


class BarrierOp(NvTileAS.Operation, name="barrier"):
    """Synchronise the threads of the role that runs this operation.

    `nv-tileas-assign-buffers` adds `id`, the named barrier (0 is the whole CTA).
    """


class FenceProxyOp(CheckedOperation, name="fence_proxy"):
    """Make ordinary memory accesses of this thread visible to the async proxy, and the reverse.

    Attributes:
        space: `shared` (shared memory of the CTA) or `global`.
    """

    space: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the message for a memory space without such a fence."""
        return find_choice_error(self, "space", ("shared", "global"))


class OrderMemoryOp(NvTileAS.Operation, name="order_memory"):
    """Complete every earlier global access of the role before any later one.

    Waits for bulk stores, fences the proxies and synchronises the role. Stands where a memory
    token orders a store before a load or another store.

    Attributes:
        by_threads: Present: no access that it orders is one of TMA. Then it only synchronises.
    """

    @property
    def is_by_threads(self) -> bool:
        """Whether it orders only what threads access."""
        return "by_threads" in self.attributes
