"""Channels and rings: how a tile crosses from one role to another.

Role partitioning leaves *channels*: `send` in the role that loads, `receive` in the role that
uses. Ring insertion gives the channels of one block a common ring and replaces both ends by
acquire, commit, wait and release on a position that the enclosing loops carry.
"""

from collections.abc import Sequence
from typing import Any, Optional

from tilec.dialects.common.verify import is_i1, is_i32
from tilec.dialects.nv_tileas.barrier_ops import AllocMBarrierOp
from tilec.dialects.nv_tileas.base import (
    BARRIER,
    POSITION,
    REGISTERS,
    RING,
    SHARED,
    CheckedOperation,
    find_count_error,
)
from tilec.dialects.nv_tileas.cluster_ops import SOME_AXES, find_sharing_error
from tilec.dialects.nv_tileas.types import (
    MBarrierType,
    RingPositionType,
    RingType,
    find_tile_mismatch,
)
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64
from tilec.ir.structured import defining_operation


class _RingOperation(CheckedOperation):
    """What operations at one position of a ring have in common."""

    TYPES = (("ring", RING), ("position", POSITION))

    ring: Operand[Any]
    position: Operand[Any]


class SendOp(CheckedOperation, name="send"):
    """Put a tile into a channel.

    Operands:
        tile: Tile that a TMA load of the same role defines.

    Attributes:
        channel: Number of the channel; one `receive` per consuming role has the same number.
    """

    TYPES = (("tile", REGISTERS),)

    tile: Operand[Any]
    channel: ir.IntegerAttr


class ReceiveOp(CheckedOperation, name="receive"):
    """Take a tile out of a channel; blocks until its producer has filled it.

    Attributes:
        channel: Number of the channel.
        shared_layout: Layout of the slot that the tile arrives in.
    """

    TYPES = (("tile", REGISTERS),)

    tile: Result[Any]
    channel: ir.IntegerAttr
    shared_layout: Any


class CreateRingOp(CheckedOperation, name="create_ring"):
    """Make a ring of `stages` slots.

    Operands:
        full: One mbarrier per slot; its phase completes when the slot is filled.
        empty: One mbarrier per slot that consumers arrive on; absent when no slot is refilled.

    Attributes:
        stages: Number of slots.
        cluster: Rows and columns of the cluster whose CTAs fill each other's slots; else absent.
        multicast_axes: Cluster axes along which they do; with `cluster` only.
    """

    TYPES = (("full", BARRIER), ("empty", BARRIER), ("ring", RING))

    full: Operand[Any]
    ring: Result[Any]
    stages: ir.IntegerAttr
    empty: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    @classmethod
    def make(
        cls,
        stages: int,
        full: int,
        empty: int | None = None,
        cluster: Sequence[int] = (),
        axes: Sequence[int] = (),
    ) -> Any:
        """Emit a ring and its barriers; return the ring.

        Args:
            stages: Number of slots.
            full: Arrivals that fill a slot.
            empty: Arrivals that empty a slot; None when no slot is refilled.
            cluster: Rows and columns of the cluster.
            axes: Cluster axes along which CTAs fill each other's slots.
        """
        barriers = [
            AllocMBarrierOp(barrier=MBarrierType.get(), count=i64(arrivals), slots=i64(stages))
            for arrivals in (full, empty)
            if arrivals is not None
        ]
        names = {name: op.barrier for name, op in zip(("full", "empty"), barriers, strict=False)}
        made = cls(**names, ring=RingType.get(), stages=i64(stages))
        if axes:
            made.attributes["cluster"] = ir.DenseI64ArrayAttr.get(list(cluster))
            made.attributes["multicast_axes"] = ir.DenseI64ArrayAttr.get(list(axes))
        return made.ring

    def find_error(self) -> str | None:
        """Return the message for a ring without slots, or for sharing without a cluster."""
        name = "multicast_axes"
        axes = elements_of(self.attributes[name]) if name in self.attributes else []
        message = find_count_error(self, "stages", 1)
        return message or find_sharing_error(self, name, axes, SOME_AXES)


class RingStartOp(CheckedOperation, name="ring_start", traits=[Pure]):
    """Return the position at slot 0 in phase 0."""

    TYPES = (("ring", RING), ("position", POSITION))

    ring: Operand[Any]
    position: Result[Any]

    @classmethod
    def build(cls, ring: Any, **where: Any) -> Any:
        """Build the op and return the position."""
        return cls(ring=ring, position=RingPositionType.get(), **where).position


class RingAdvanceOp(_RingOperation, name="ring_advance", traits=[Pure]):
    """Return the position `count` slots later; the phase flips on every wrap-around.

    Attributes:
        count: Slots to advance by; more than 1 skips slots that another consumer owns.
    """

    TYPES = (*_RingOperation.TYPES, ("next", POSITION))

    next: Result[Any]
    count: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the message for a step that is none."""
        return find_count_error(self, "count", 1)

    @classmethod
    def build(cls, ring: Any, position: Any, count: int = 1, **where: Any) -> Any:
        """Build the op and return the next position."""
        return cls(
            ring=ring,
            position=position,
            next=RingPositionType.get(),
            count=i64(count),
            **where,
        ).next


class RingSkipOp(_RingOperation, name="ring_skip", traits=[Pure]):
    """Return the position after the slots that other consumers take, for whole tiles.

    Operands:
        tiles: How many tiles (i32).
        lower: First value of the loop that goes through the slots of one tile (i32).
        upper: Its bound (i32).
        step: Its step (i32).

    Attributes:
        count: Slots that a round of that loop advances by.
    """

    TYPES = (*_RingOperation.TYPES, ("next", POSITION))

    tiles: Operand[Any]
    lower: Operand[Any]
    upper: Operand[Any]
    step: Operand[Any]
    next: Result[Any]
    count: ir.IntegerAttr

    def find_error(self) -> str | None:
        """Return the message for a step that is none, or for an operand that is no i32."""
        for operand in (self.tiles, self.lower, self.upper, self.step):
            if not is_i32(operand.type):
                return f"expects i32 operands, but got {operand.type}"
        return find_count_error(self, "count", 1)

    @classmethod
    def build(
        cls, ring: Any, position: Any, tiles: Any, loop: Sequence[Any], count: int, **where: Any
    ) -> Any:
        """Build the op and return the next position; `loop` is lower, upper and step."""
        lower, upper, step = loop
        return cls(
            ring=ring,
            position=position,
            tiles=tiles,
            lower=lower,
            upper=upper,
            step=step,
            next=RingPositionType.get(),
            count=i64(count),
            **where,
        ).next


class RingAcquireOp(_RingOperation, name="ring_acquire"):
    """Producer: wait until the slot at `position` may be overwritten."""


class RingFillOp(CheckedOperation, name="ring_fill"):
    """Producer: the load that defines `tile` writes into the shared-memory tile `slot`.

    `lower-tma-load-store-to-async` replaces the pair by asynchronous copies.
    """

    TYPES = (("tile", REGISTERS), ("slot", SHARED))

    tile: Operand[Any]
    slot: Operand[Any]

    def find_error(self) -> str | None:
        """Return the message for a tile that does not fit the slot."""
        return find_tile_mismatch(self.slot.type, self.tile.type)


class RingCommitOp(_RingOperation, name="ring_commit"):
    """Producer: publish the slot at `position`.

    `lower-tma-load-store-to-async` replaces it by the arrival that expects the slot's bytes.
    """


class RingPublishOp(_RingOperation, name="ring_publish"):
    """Threads that fill a slot: each warp arrives on its full barrier, after what it has stored."""


class RingWaitOp(_RingOperation, name="ring_wait"):
    """Consumer: wait until the slot at `position` is filled."""


class RingReleaseOp(_RingOperation, name="ring_release"):
    """Consumer: hand the slot at `position` back to the producers.

    Operands:
        when: Whether it does (i1, the same for all threads of the role); absent: always.
    """

    when: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the message for a condition that is no i1, or None."""
        if self.when is not None and not is_i1(self.when.type):
            return f"expects 'when' to be an i1, but got {self.when.type}"
        return None


class RingReleaseUntilOp(_RingOperation, name="ring_release_until"):
    """Consumer: release the slots from `position` up to, but not including, `end`.

    There is at most one. The releases of a consumer that keeps a slot a little longer than it waits
    for the next one have positions of their own, which follow those of its waits.

    Operands:
        position: The first slot that this consumer still holds, a position of its releases.
        end: The slot that it keeps, a position of its waits.

    Results:
        next: `end` as a position of the releases.
    """

    TYPES = (*_RingOperation.TYPES, ("end", POSITION), ("next", POSITION))

    end: Operand[Any]
    next: Result[Any]

    @classmethod
    def build(cls, ring: Any, position: Any, end: Any, **where: Any) -> Any:
        """Build the op and return the next position."""
        found = cls(ring=ring, position=position, end=end, next=RingPositionType.get(), **where)
        return found.next


class RingBarrierOp(_RingOperation, name="ring_barrier", traits=[Pure]):
    """Return the full barrier of the slot at `position`."""

    TYPES = (*_RingOperation.TYPES, ("barrier", BARRIER))

    barrier: Result[Any]

    @classmethod
    def build(cls, ring: Any, position: Any, **where: Any) -> Any:
        """Build the op and return the barrier."""
        return cls(ring=ring, position=position, barrier=MBarrierType.get(), **where).barrier


def ring_of_position(position: Any) -> Any:
    """Return the ring value that a ring position belongs to."""
    return start_of_position(position).owner.opview.ring


def slot_view_of(tile: Any) -> Any:
    """Return the `slot_view` that a tile in shared memory comes from; None outside of a ring."""
    view = defining_operation(tile)
    while view is not None and view.name == "nv_tileas.shared_view":
        view = defining_operation(view.operands[0])
    return view if view is not None and view.name == "nv_tileas.slot_view" else None


def start_of_position(position: Any) -> Any:
    """Return the `ring_start` result that a ring position comes from.

    Follows advances and values that loops and branches carry.
    """
    value = position
    while True:
        if isinstance(value, ir.BlockArgument):
            value = _loop_init(value)
            continue
        owner = value.owner.opview
        if isinstance(owner, RingStartOp):
            return value
        steps = isinstance(owner, RingAdvanceOp | RingSkipOp | RingReleaseUntilOp)
        value = owner.position if steps else _region_result_source(value)


def _loop_init(argument: Any) -> Any:
    """Return the initial value of a loop-carried block argument."""
    loop = argument.owner.owner.operation
    number = argument.arg_number
    if loop.name == "scf.for":
        return loop.operands[2 + number]
    if argument.owner == loop.regions[0].blocks[0]:
        return loop.operands[number]
    before = loop.regions[0].blocks[0]
    return before.operations[len(before.operations) - 1].operation.operands[1 + number]


def _region_result_source(value: Any) -> Any:
    """Return a value that flows into result `value` of a structured control-flow operation."""
    op = ir.OpResult(value).owner
    number = ir.OpResult(value).result_number
    block = op.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1]
    offset = 1 if terminator.operation.name == "scf.condition" else 0
    return terminator.operation.operands[number + offset]
