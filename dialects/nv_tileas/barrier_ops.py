"""Barriers and fences between the threads of a role and between memory proxies."""

from typing import Any

from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import MBarrierType
from tilec.ir.bindings import Operand, Result, ir


class AllocMBarrierOp(NvTileAS.Operation, name="alloc_mbarrier"):
    """Reserve `slots` mbarrier objects, each initialised to expect `count` arrivals.

    `nv-tileas-assign-buffers` adds `offset` (bytes from the start of the CTA's shared memory).

    Attributes:
        count: Arrivals per phase, derived by `tilec.passes.analysis.protocol`.
        slots: Number of barriers, 8 bytes apart.
    """

    barrier: Result[Any]
    count: ir.IntegerAttr
    slots: ir.IntegerAttr


class MBarrierArriveExpectTxOp(NvTileAS.Operation, name="mbarrier_arrive_expect_tx"):
    """One elected thread arrives and announces the bytes that this phase waits for.

    Attributes:
        tx_count: Bytes that the async copies of this phase complete: the sum of their boxes.
    """

    barrier: Operand[Any]
    tx_count: ir.IntegerAttr

    def verify_invariants(self) -> bool:
        """Report a byte count outside the barrier's 20-bit range (PTX ISA, mbarrier tx-count)."""
        if not isinstance(self.barrier.type, MBarrierType):
            return report(self, f"must be mbarrier barrier type, but got {self.barrier.type}")
        if 0 < self.tx_count.value < 1 << 20:
            return True
        return report(
            self, f"attribute 'tx_count' must be in [1, 1048575], but got {self.tx_count.value}"
        )


class BarrierOp(NvTileAS.Operation, name="barrier"):
    """Synchronise the threads of the role that runs this operation.

    `nv-tileas-assign-buffers` adds `id`, the named barrier (0 is the whole CTA).
    """


class FenceProxyOp(NvTileAS.Operation, name="fence_proxy"):
    """Make ordinary memory accesses of this thread visible to the async proxy, and the reverse.

    Attributes:
        space: `shared` (shared memory of the CTA) or `global`.
    """

    space: ir.StringAttr


class OrderMemoryOp(NvTileAS.Operation, name="order_memory"):
    """Complete every earlier global access of the role before any later one.

    Waits for bulk stores, fences the proxies and synchronises the role. Stands where a memory
    token orders a store before a load or another store.
    """
