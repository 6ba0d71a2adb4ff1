"""Channels and rings: how a tile crosses from one role to another.

Role partitioning leaves *channels*: `send` in the role that loads, `receive` in the role that
uses. Ring insertion gives the channels of one block a common ring and replaces both ends by
acquire, commit, wait and release on a position that the enclosing loops carry.
"""

from typing import Any, Optional

from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import MBarrierType, RingPositionType
from tilec.ir.bindings import Operand, Pure, Result, ir


class SendOp(NvTileAS.Operation, name="send"):
    """Put a tile into a channel.

    Operands:
        tile: Tile that a TMA load of the same role defines.

    Attributes:
        channel: Number of the channel; one `receive` per consuming role has the same number.
    """

    tile: Operand[Any]
    channel: ir.IntegerAttr


class ReceiveOp(NvTileAS.Operation, name="receive"):
    """Take a tile out of a channel; blocks until its producer has filled it.

    Attributes:
        channel: Number of the channel.
        shared_layout: Layout of the slot that the tile arrives in.
    """

    tile: Result[Any]
    channel: ir.IntegerAttr
    shared_layout: Any


class CreateRingOp(NvTileAS.Operation, name="create_ring"):
    """Make a ring of `stages` slots.

    Operands:
        full: One mbarrier per slot; its phase completes when the slot is filled.
        empty: One mbarrier per slot that consumers arrive on; absent when no slot is refilled.

    Attributes:
        stages: Number of slots.
    """

    full: Operand[Any]
    ring: Result[Any]
    stages: ir.IntegerAttr
    empty: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def verify_invariants(self) -> bool:
        """Report a ring without slots, or one that is refilled without empty barriers."""
        if not isinstance(self.full.type, MBarrierType):
            return report(self, f"must be mbarrier barrier type, but got {self.full.type}")
        if self.stages.value < 1:
            return report(
                self, f"attribute 'stages' must be at least 1, but got {self.stages.value}"
            )
        return True


class RingStartOp(NvTileAS.Operation, name="ring_start", traits=[Pure]):
    """Return the position at slot 0 in phase 0."""

    ring: Operand[Any]
    position: Result[Any]

    @classmethod
    def build(cls, ring: Any, **where: Any) -> Any:
        """Build the op and return the position."""
        return cls(ring=ring, position=RingPositionType.get(), **where).position


class RingAdvanceOp(NvTileAS.Operation, name="ring_advance", traits=[Pure]):
    """Return the position `count` slots later; the phase flips on every wrap-around.

    Attributes:
        count: Slots to advance by; more than 1 skips slots that another consumer owns.
    """

    ring: Operand[Any]
    position: Operand[Any]
    next: Result[Any]
    count: ir.IntegerAttr

    @classmethod
    def build(cls, ring: Any, position: Any, count: int = 1, **where: Any) -> Any:
        """Build the op and return the next position."""
        i64 = ir.IntegerType.get_signless(64)
        return cls(
            ring=ring,
            position=position,
            next=RingPositionType.get(),
            count=ir.IntegerAttr.get(i64, count),
            **where,
        ).next


class RingAcquireOp(NvTileAS.Operation, name="ring_acquire"):
    """Producer: wait until the slot at `position` may be overwritten."""

    ring: Operand[Any]
    position: Operand[Any]


class RingFillOp(NvTileAS.Operation, name="ring_fill"):
    """Producer: the load that defines `tile` writes into the shared-memory tile `slot`.

    `lower-tma-load-store-to-async` replaces the pair by asynchronous copies.
    """

    tile: Operand[Any]
    slot: Operand[Any]


class RingCommitOp(NvTileAS.Operation, name="ring_commit"):
    """Producer: publish the slot at `position`.

    `lower-tma-load-store-to-async` replaces it by the arrival that expects the slot's bytes.
    """

    ring: Operand[Any]
    position: Operand[Any]


class RingWaitOp(NvTileAS.Operation, name="ring_wait"):
    """Consumer: wait until the slot at `position` is filled."""

    ring: Operand[Any]
    position: Operand[Any]


class RingReleaseOp(NvTileAS.Operation, name="ring_release"):
    """Consumer: hand the slot at `position` back to the producers."""

    ring: Operand[Any]
    position: Operand[Any]


class RingBarrierOp(NvTileAS.Operation, name="ring_barrier", traits=[Pure]):
    """Return the full barrier of the slot at `position`."""

    ring: Operand[Any]
    position: Operand[Any]
    barrier: Result[Any]

    @classmethod
    def build(cls, ring: Any, position: Any, **where: Any) -> Any:
        """Build the op and return the barrier."""
        return cls(ring=ring, position=position, barrier=MBarrierType.get(), **where).barrier


def ring_of_position(position: Any) -> Any:
    """Return the ring value that a ring position belongs to.

    Follows advances and loop-carried values back to the `ring_start`.
    """
    value = position
    while True:
        if isinstance(value, ir.BlockArgument):
            value = _loop_init(value)
            continue
        owner = value.owner.opview if hasattr(value.owner, "opview") else value.owner
        if isinstance(owner, RingStartOp | RingAdvanceOp):
            return owner.ring
        value = _region_result_source(value)


def _loop_init(argument: Any) -> Any:
    """Return the initial value of a loop-carried block argument."""
    loop = argument.owner.owner.operation
    if loop.name == "scf.for":
        return loop.operands[3 + argument.arg_number - 1]
    return loop.operands[argument.arg_number]


def _region_result_source(value: Any) -> Any:
    """Return a value that flows into result `value` of a structured control-flow operation."""
    op = ir.OpResult(value).owner
    number = ir.OpResult(value).result_number
    block = op.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1]
    offset = 1 if terminator.operation.name == "scf.condition" else 0
    return terminator.operation.operands[number + offset]
