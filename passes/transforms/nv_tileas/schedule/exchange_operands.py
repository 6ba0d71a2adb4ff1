"""Let warpgroups exchange, through a ring, what they store for a product of the next round.

Before:  %p = ... {stage = 0}; %d = dot %a, %p {stage = 1}
After:   %p = ...; ring_acquire %r, %x; store_shared %p, %slot[%x]; fence_proxy
         ring_publish %r, %x; ring_advance %x                                        (stage 0)
         ring_wait %r, %y; %q = load_shared %slot[%y]; %d = dot %a, %q
         ring_release %r, %y; ring_advance %y                                        (stage 1)

A product that reads an operand from shared memory which threads compute needs the rows of all
warpgroups. In the round that computes them, the warpgroups would meet at a barrier: all would
compute at the same time, and then all multiply. A round later, the rows have been there for long:
nobody waits. The ring has a slot for each of the two rounds.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    CreateRingOp,
    FenceProxyOp,
    LoadSharedOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingPublishOp,
    RingReleaseOp,
    RingWaitOp,
    SlotViewOp,
    StoreSharedOp,
)
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.attributes import write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    next_operation,
)
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.shared import SharedLayout
from tilec.passes.analysis.kernels import kernel_operations, kernel_roles, read_spec
from tilec.passes.analysis.mma.operands import is_exchanged, operand_parts
from tilec.passes.analysis.mma.staging import EXCHANGE_SLOTS
from tilec.passes.analysis.protocol.counts import empty_arrivals, store_arrivals
from tilec.passes.analysis.schedule.marks import EXCHANGED, set_stage, stage_of
from tilec.passes.analysis.schedule.op_costs import DOT
from tilec.passes.analysis.tma.shared_layouts import shared_tile_type
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.plan.assign_operand_layouts import operand_layout
from tilec.passes.transforms.nv_tileas.positions import thread_position


@register_kernel_pass("nv-tileas-exchange-operands")
def exchange_operands(function: Any, context: PassContext) -> bool:
    """Pass operands that threads compute a round before their product through rings."""
    del context
    changed = False
    warps = (read_spec(function) or {}).get("consumer_warps", 0)
    for roles in kernel_roles(function):
        while (found := _next(function)) is not None:
            _exchange(roles, *found, warps)
            changed = True
    if changed:
        write_kernel_facts(function, **{EXCHANGED: True})
    return changed


def _next(function: Any) -> tuple[Any, int] | None:
    """Return a product, and which operand of it threads store a round before; None for none."""
    for op in kernel_operations(function):
        for number in (0, 1) if op.name == DOT and stage_of(op) else ():
            maker = defining_operation(op.operands[number])
            if is_exchanged(op, number) and stage_of(maker) == 0:
                return op, number
    return None


def _exchange(roles: Any, dot: Any, number: int, warps: int) -> None:
    """Store operand `number` of `dot` where it is computed, and read it a round later."""
    tile, warpgroups = dot.operands[number], warps // WARPGROUP_WARPS
    layout = _layout(dot, tile, warpgroups)
    with ir.InsertionPoint(roles), dot.location:
        kind = shared_tile_type(layout, tile.type.element_type)
        buffer = AllocSharedOp.build(kind, EXCHANGE_SLOTS)
        ring = CreateRingOp.make(EXCHANGE_SLOTS, store_arrivals(warps), empty_arrivals(warps))
    maker = tile.owner.operation
    thread_position(ring, maker, partial(_fill, maker, buffer, ring))
    alike = partial(_reads_alike, tile, layout, warpgroups)
    thread_position(ring, dot, partial(_read, dot, alike, buffer, ring))


def _layout(dot: Any, tile: Any, warpgroups: int) -> SharedLayout:
    """Return how `dot` reads operand `tile`."""
    parts = operand_parts(dot, tile, warpgroups)
    return operand_layout(tuple(tile.type.shape), element_bits(tile.type.element_type), parts)


def _reads_alike(tile: Any, layout: SharedLayout, warpgroups: int, op: Any, number: int) -> bool:
    """Tell whether operand `number` of `op` is `tile`, and can be read from slots of `layout`."""
    if op.name != DOT or not stage_of(op) or op.operands[number] != tile:
        return False
    return is_exchanged(op, number) and _layout(op, tile, warpgroups) == layout


def _fill(maker: Any, buffer: Any, ring: Any, position: Any) -> Any:
    """Store the result of `maker` at `position`; return the next position."""
    with ir.InsertionPoint(next_operation(maker)), maker.location:
        added: list[Any] = [RingAcquireOp(ring=ring, position=position)]
        slot = SlotViewOp.build(buffer, position)
        added += [slot.owner, StoreSharedOp(tile=maker.results[0], destination=slot)]
        added.append(FenceProxyOp(space=ir.StringAttr.get("shared")))
        added.append(RingPublishOp(ring=ring, position=position))
        following = RingAdvanceOp.build(ring, position)
    for op in (*added, following.owner):
        set_stage(op.operation, 0)
    return following


def _read(
    first: Any, alike: Callable[[Any, int], bool], buffer: Any, ring: Any, position: Any
) -> Any:
    """Let all products that are `alike` read the slot at `position`; return the next position.

    Args:
        first: The first one of them.
        alike: Tells whether an operand of a product is one that the slot holds.
        buffer: The buffer of the ring.
        ring: The ring.
        position: A position in it.
    """
    with ir.InsertionPoint(first), first.location:
        added: list[Any] = [RingWaitOp(ring=ring, position=position)]
        slot = SlotViewOp.build(buffer, position)
        tile = LoadSharedOp.build(slot)
        added += [slot.owner, tile.owner]
    ops = body_operations(first.block)
    readers = [(op, number) for op in ops for number in (0, 1) if alike(op, number)]
    for op, number in readers:
        op.operands[number] = tile
    last, _ = readers[-1]
    with ir.InsertionPoint(next_operation(last)), last.location:
        added.append(RingReleaseOp(ring=ring, position=position))
        following = RingAdvanceOp.build(ring, position)
    for op in (*added, following.owner):
        set_stage(op.operation, 1)
    return following
