"""Implement the channels between the roles by rings of slots.

Before:  producer: %a = tiled_load; send %a {channel = 0}; %b = tiled_load; send %b {channel = 1}
         consumer: %a = receive {channel = 0}; %b = receive {channel = 1}; dot %a, %b, %acc
After:   producer: ring_acquire; %a = tiled_load; ring_fill %a, %slot_a; ...
                   ring_commit; ring_advance
         consumer: ring_wait; %a = load_shared %slot_a; %b = ...; dot %a, %b, %acc
                   ring_release; ring_advance

Channels whose sends are in one block share a ring, if their tiles are read in the same stage
(`nv-tileas-schedule-loops`). Their tiles arrive together and are released
together, after the last operation that reads one of them from shared memory. A ring in a loop has
the planned number of stages, and each slot has a full and an empty barrier. A ring outside of loops
has one slot, which is filled once, so it needs no empty barrier. The loops carry the positions.

The loop over the tiles of a CTA is such a loop, too, but what it loads for each tile has one slot,
which it fills again for the next tile. If a loop that loads more follows, such a ring has
`tile_stages` slots: a producer that waits for the only one loads nothing for that loop meanwhile.

    scf.for %tile { ring_acquire %q; ...; scf.for %k { ring_acquire %kv; ... } }
    create_ring {stages = tile_stages}      create_ring {stages = stages}

Consumers that send to themselves wait at the last receive. If they use a tile, or the memory token
of its load, before that, the group ends there. The wait returns the token (`ring_token`):

    Before:  send %a; %x = receive; %t = receive_token %x; tiled_store %A, %zero, %t
             send %b; %y = receive
    After:   ring_commit %r0; ring_wait %r0; %t = ring_token %r0; tiled_store %A, %zero, %t
             ring_commit %r1; ring_wait %r1

The slices of a group (`nv-tileas-slice-tiles`) share one ring of `epilogue_stages` slots. They
arrive one after the other, and each slot is released as soon as its tiles are in registers:

    producer: ring_acquire %p0; %r0 = ...; ring_commit %p0; %p1 = ring_advance %p0
              ring_acquire %p1; ...
    consumer: ring_wait %c0; %r0 = load_shared; ring_release %c0; %c1 = ring_advance %c0; ...

An epilogue frees the slots of its slices within a few thousand cycles, on all SMs at about the same
time. If the slices of the next tiles were loaded at once, they would fill the memory bus, and the
operands of the products would arrive late. But nothing needs them before these products end. So
with `epilogue_pace`, the producer warp sleeps before each of them, in all for about half of the
time of the products. If the number of k-tiles depends on the block, nothing sleeps:

    %ns = min(max(ceildiv(%upper - %lower, %s), 0) * pace, 1000000)
    roles { scf.for %tile { scf.for %k = %lower to %upper step %s { ... } }
            producer_warp { ...; ring_acquire %p0; sleep %ns; %r0 = tiled_load ... } }

Threads read a tile into registers where it arrives. If a kernel spills, it is compiled again with
reads where elements are needed, after products (`read_early` in `tilec/compiler/replan.py`):

    Before:  %a = receive; %c = dot %a, %b, %acc; %e = extf %a
    After:   %a = load_shared %slot; %c = dot %a, %b, %acc; %l = load_shared %slot; %e = extf %l

In a cluster that shares a tile of the ring, a CTA fills slots of other CTAs. So a slot is empty
when the consumers of all these CTAs have released it, and the empty barrier counts the consumer
warps of all of them. All roles end with a `cluster_sync`, because a CTA that has ended takes its
barriers with it:

    alloc_mbarrier {count = 16}; create_ring {cluster = [2, 1], multicast_axes = [0]}
    producer: ...; cluster_sync         consumer: ...; cluster_sync

Options:
    stages: Slots of a ring in a loop.
    tile_stages: Slots of a ring in the loop over tiles, before a loop that loads more.
    epilogue_stages: Slots of a ring of slices.
    epilogue_pace: Nanoseconds of sleep per k-tile before each slice; 0 loads at once.
"""

from functools import partial
from typing import Any

from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    ClusterSyncOp,
    CreateRingOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingCommitOp,
    RingFillOp,
    RingReleaseOp,
    RingTokenOp,
    RingWaitOp,
    SharedTileType,
    SlotViewOp,
)
from tilec.dialects.nv_tileas.role_ops import SleepOp, producer_warps
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.sequences import at_level, opens_loop
from tilec.ir.structured import (
    body_operations,
    enclosing_loops,
    next_operation,
    operations_inside,
    terminator,
)
from tilec.ir.values import users_of
from tilec.passes.analysis.epilogue.slice_groups import slice_group, slice_number
from tilec.passes.analysis.kernels import (
    channels_of,
    cluster_of_spec,
    kernel_functions,
    kernel_roles,
    read_spec,
)
from tilec.passes.analysis.mma.operands import dot_uses
from tilec.passes.analysis.protocol.counts import empty_arrivals, full_arrivals, ring_peers
from tilec.passes.analysis.schedule.marks import READ_EARLY, set_stage, stage_of
from tilec.passes.analysis.tma.multicast import multicast_axis
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.positions import thread_position
from tilec.passes.transforms.nv_tileas.roles.slice_pace import emit_sleep
from tilec.passes.transforms.nv_tileas.roles.slot_reads import read_late, read_slot, waiting_uses
from tilec.support.fast_dataclasses import dataclass, field, replace

_RECEIVE, _TOKEN = "nv_tileas.receive", "nv_tileas.receive_token"


@dataclass
class _Channels:
    """The channels of one block, which share a ring.

    Attributes:
        sends: Where tiles are put in, in program order.
        receives: Where they are taken out, in the same order.
        sliced: Whether the tiles are slices, which arrive one after the other.
        opening: Whether the receives come before a loop with receives of its own.
    """

    sends: list[Any]
    receives: list[Any]
    sliced: bool
    opening: bool = False

    @property
    def in_loop(self) -> bool:
        """Whether the channels are used more than once."""
        return bool(enclosing_loops(self.sends[0]))

    def fillings(self) -> list["_Channels"]:
        """Return the channels of each slot that is filled in one pass through the block."""
        if not self.sliced:
            return [self]
        slots: dict[int, _Channels] = {}
        for send, receive in zip(self.sends, self.receives, strict=True):
            slot = slots.setdefault(slice_number(send), _Channels([], [], sliced=True))
            slot.sends.append(send)
            slot.receives.append(receive)
        return list(slots.values())

    @property
    def multicast_axes(self) -> tuple[int, ...]:
        """Cluster axes along which CTAs fill each other's slots."""
        axes = {multicast_axis(send.operands[0].owner.operation) for send in self.sends}
        return tuple(sorted(axis for axis in axes if axis is not None))


@dataclass
class _Ring:
    """A ring.

    Attributes:
        value: The ring.
        buffers: Of each tile of a slot.
        refilled: Whether slots are used more than once, and so have to be released.
        advances: Whether the ring has more than one filling, each of them in the next slot.
        sleep: Nanoseconds to sleep before each filling; None to fill a slot as soon as it is empty.
        reads_late: Whether tiles are read into registers when elements are needed.
        early_reads: Tiles that are not, and that registers hold during products.
    """

    value: Any
    buffers: list[Any]
    refilled: bool
    advances: bool
    sleep: Any = None
    reads_late: bool = False
    early_reads: list[Any] = field(default_factory=list)


@register_pass("nv-tileas-insert-rings")
def insert_rings(module: Any, context: PassContext) -> None:
    """Replace every send and receive by operations on rings."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        spec["tile_loop"] = read_kernel_fact(function, "persistent", False)
        early, disabled = False, read_kernel_fact(function, "disabled", [])
        spec["reads_late"] = READ_EARLY in disabled
        for roles in kernel_roles(function):
            groups = _group_channels(roles)
            reach_out = any(channels.multicast_axes for channels in groups)
            whole = [channels.sends[0] for channels in groups if not channels.sliced]
            pace = spec.get("epilogue_pace", 0) if len(whole) < len(groups) else 0
            sleep = emit_sleep(roles, whole, pace) if pace else None
            for channels in groups:
                early |= _insert_ring(roles, channels, spec, sleep if channels.sliced else None)
            if reach_out:
                _end_together(roles)
        if early:
            plan = read_kernel_fact(function, "plan", {}) | {READ_EARLY: True}
            write_kernel_facts(function, plan=plan)


def _end_together(roles: Any) -> None:
    """Let no CTA of a cluster exit while others may still reach into it."""
    programs = [*roles.regions, *(op.opview.body for op in producer_warps(roles))]
    for region in programs:
        block = region.blocks[0]
        with ir.InsertionPoint(terminator(block)), roles.location:
            ClusterSyncOp()


def _group_channels(roles: Any) -> list[_Channels]:
    """Group channels whose sends follow each other in one block, in program order.

    A loop or branch with sends of its own ends a group: consumers may have to drain its rings
    before the producer gets past it, so what comes before it must be committed first. Where
    consumers send to themselves, the first use of a tile ends a group for the same reason. The
    first use of its memory token does, too: a store to what was loaded must come after the wait.
    """
    channels = channels_of(roles)
    receives = {receive for _, receive in channels}
    groups: dict[Any, _Channels] = {}
    for send, receive in channels:
        if receive is None:
            erase(send)
            continue
        sequence = slice_group(send)
        read = _segment(receive) if receive.block == send.block else None
        place = (send.block, _segment(send), read) if sequence is None else (sequence,)
        key = (*place, stage_of(receive))
        if key not in groups:
            opening = opens_loop(receive, receives)
            groups[key] = _Channels([], [], sequence is not None, opening)
        group = groups[key]
        group.sends.append(send)
        group.receives.append(receive)
    return list(groups.values())


def _segment(end: Any) -> int:
    """Return how many operations that end a group stand before a send or receive in its block."""
    ops = body_operations(end.block)
    received, ends = set[Any](), 0
    for op in ops[: ops.index(end)]:
        if op.name in (_RECEIVE, _TOKEN):
            received.add(op.results[0])
        else:
            ends += _ends_group(op, received)
    return ends


def _ends_group(op: Any, received: set[Any]) -> bool:
    inside = operations_inside(op)
    return any(inner.name == "nv_tileas.send" for inner in inside) or any(
        operand in received for inner in (op, *inside) for operand in inner.operands
    )


def _insert_ring(roles: Any, channels: _Channels, spec: dict[str, Any], sleep: Any) -> bool:
    """Make the ring of channels; tell whether late reads would hold fewer registers."""
    if channels.sends[0].block == channels.receives[0].block:
        for receive in channels.receives[:-1]:  # the wait must come after the commit
            receive.move_before(channels.receives[-1])
    fillings = channels.fillings()
    ring = replace(_create_ring(roles, channels, fillings, spec), sleep=sleep)
    ends = ((channels.sends[-1], _produce), (channels.receives[0], _consume))
    for marker, rewrite in ends:
        step = partial(_rewrite_all, rewrite, fillings, ring)
        thread_position(ring.value, marker, step, advances=ring.advances)
    return bool(ring.early_reads)


def _rewrite_all(rewrite: Any, fillings: list[_Channels], ring: _Ring, position: Any) -> Any:
    """Rewrite one end of every filling; return the position after the last one."""
    for filling in fillings:
        position = rewrite(filling, ring, position)
    return position


def _create_ring(
    roles: Any, channels: _Channels, fillings: list[_Channels], spec: dict[str, Any]
) -> _Ring:
    loops = len(enclosing_loops(channels.sends[0])) - int(spec["tile_loop"])
    stages = spec["stages"] if loops > 0 else 1
    if loops == 0 and channels.in_loop and channels.opening:
        stages = spec.get("tile_stages", 1)
    if channels.sliced:
        ahead = len(fillings) if not channels.in_loop else spec["epilogue_stages"]
        stages = min(spec["epilogue_stages"], ahead)
    refilled = channels.in_loop or len(fillings) > stages
    cluster, axes = cluster_of_spec(spec), channels.multicast_axes
    empty = empty_arrivals(spec["consumer_warps"], len(ring_peers(cluster, axes, 0)))
    with ir.InsertionPoint(roles), channels.sends[0].location:
        buffers = []
        for receive in fillings[0].receives:
            tile = receive.results[0].type
            slot = SharedTileType.of(
                tuple(tile.shape), tile.element_type, receive.attributes["shared_layout"]
            )
            buffers.append(AllocSharedOp.build(slot, stages, loc=receive.location))
        full, empty = full_arrivals(), empty if refilled else None
        ring = CreateRingOp.make(stages, full, empty, cluster, axes)
    advances = refilled or len(fillings) > 1
    return _Ring(ring, buffers, refilled, advances, reads_late=spec["reads_late"])


def _produce(channels: _Channels, ring: _Ring, position: Any) -> Any:
    """Guard the loads of a block by acquire and commit; return the next position."""
    first = channels.sends[0].operands[0].owner.operation
    if ring.refilled:
        with ir.InsertionPoint(first), first.location:
            RingAcquireOp(ring=ring.value, position=position)
            if ring.sleep is not None:
                SleepOp(nanoseconds=ring.sleep)
    last = channels.sends[-1]
    for send, buffer in zip(channels.sends, ring.buffers, strict=True):
        with ir.InsertionPoint(send), send.location:
            slot = SlotViewOp.build(buffer, position)
            RingFillOp(tile=send.operands[0], slot=slot)
    with ir.InsertionPoint(last), last.location:
        RingCommitOp(ring=ring.value, position=position)
        following = RingAdvanceOp.build(ring.value, position) if ring.advances else position
    for send in channels.sends:
        erase(send)
    return following


def _consume(channels: _Channels, ring: _Ring, position: Any) -> Any:
    """Guard the uses of a block's tiles by wait and release; return the next position."""
    first = channels.receives[0]
    tokens = [op for receive in channels.receives for op in _token_operations(receive)]
    stage, added = stage_of(first), []
    with ir.InsertionPoint(first), first.location:
        added.append(RingWaitOp(ring=ring.value, position=position))
        if tokens:
            added.append(_replace_tokens(tokens, RingTokenOp.build(ring.value, position)))
    reads = []
    for receive, buffer in zip(channels.receives, ring.buffers, strict=True):
        slot, tile = read_slot(receive, buffer, position)
        reads.append(tile)
        added += [slot.owner, tile.owner]
        waiting = waiting_uses(tile, receive.block) if stage is None else []
        if waiting and ring.reads_late:
            reads.append(read_late(tile, slot, receive.block, waiting))
        elif waiting:
            ring.early_reads.append(tile)
    block = first.block
    last = _last_reader(block, reads)
    following = position
    with ir.InsertionPoint(next_operation(last)), first.location:
        if ring.refilled:
            added.append(RingReleaseOp(ring=ring.value, position=position))
        if ring.advances:
            following = RingAdvanceOp.build(ring.value, position)
            added.append(following.owner)
    for op in added:
        set_stage(op.operation, stage)
    for receive in channels.receives:
        erase(receive)
    return following


def _token_operations(receive: Any) -> list[Any]:
    return [op for op in users_of(receive.results[0]) if op.name == _TOKEN]


def _replace_tokens(operations: list[Any], token: Any) -> Any:
    """Replace the tokens that `operations` return by `token`; return what makes it."""
    for op in operations:
        op.results[0].replace_all_uses_with(token)
        erase(op)
    return token.owner


def _last_reader(block: Any, tiles: list[Any]) -> Any:
    """Return the last operation of `block` that reads one of `tiles` from shared memory.

    A `dot` reads its operands from their slots; every other use reads the registers that
    `load_shared` filled.
    """
    readers = {tile.owner.operation for tile in tiles}
    for tile in tiles:
        readers.update(at_level(dot, block) for dot, _ in dot_uses(tile))
    return [op for op in body_operations(block) if op in readers][-1]
