"""Let threads copy operands of products into a ring, some rounds before they are multiplied.

Before:  scf.for %k = %l to %u { %a = gather %x[...] {atom = cp_async}; %d = dot %a, %b, %acc }
After:   %q = scf.for %j = %l to min(%l + 3, %u) { FILL %j }
         scf.for %k = %l to %u {
           ring_wait %p; fence_proxy; %a = load_shared %slot; %d = dot %a, %b, %acc
           if %k + 3 < %u { FILL %k + 3 }
           ring_release %p }
where    FILL %k is: ring_acquire %q; async_gather %x[...], %slot; mbarrier_arrive_copies; advance

The threads of the consumers copy for themselves. Their copies are in flight for all but one of the
slots of the ring (`stages`), so a round begins with a tile that was asked for as many rounds ago.
All gathers of a loop that `nv-tileaa-copy-operands` marked share a ring. A slot is full when every
thread has arrived at its full barrier, which it does when its copies are there
(`cp.async.mbarrier.arrive.noinc`); it is empty when every warp has released it, after its products.
So a warp waits for another one only if that is a round behind. The copies of a round are issued
between a product and the wait for it.

`cp.async` writes through the generic proxy, and wgmma reads through the async proxy. A proxy fence
must stand on the path from the write to the read (PTX ISA, memory consistency model: causality
order). It stands after the wait for the full barrier, in the warps that read: one for all writers,
and no thread waits for its own copies.

A ring of one slot is filled at the start of its own round.

Options:
    stages: Slots of the ring.
"""

from functools import partial
from typing import Any

from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    AsyncGatherOp,
    CreateRingOp,
    FenceProxyOp,
    LoadSharedOp,
    MBarrierArriveCopiesOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingBarrierOp,
    RingReleaseOp,
    RingWaitOp,
    SlotViewOp,
)
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import constant, i64
from tilec.ir.removal import erase, erase_unused
from tilec.ir.sequences import at_level
from tilec.ir.structured import body_operations, parent_operation, thread_value
from tilec.ir.values import users_of
from tilec.ir.walks import walk_operations
from tilec.layout import tma_boxes
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.facts.round_places import clone_place, only_computes, place_in_round
from tilec.passes.analysis.kernels import kernel_roles, read_spec
from tilec.passes.analysis.mma.copied_operands import ATOM, copied_gathers
from tilec.passes.analysis.mma.operands import dot_uses
from tilec.passes.analysis.protocol.counts import copy_arrivals, empty_arrivals
from tilec.passes.analysis.tma.shared_layouts import shared_tile_type
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.plan.assign_operand_layouts import layout_for_products
from tilec.passes.transforms.nv_tileas.positions import thread_position
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass

NAME = "nv-tileas-copy-ahead"


@register_kernel_pass(NAME)
def copy_ahead(function: Any, context: PassContext) -> bool:
    """Replace the gathers that threads copy by copies into rings."""
    changed = False
    spec = read_spec(function) or {}
    for roles in kernel_roles(function):
        block = roles.opview.consumer.blocks[0]
        while (loop := _loop_with_copies(block)) is not None:
            _copy_in_loop(roles, loop, spec)
            changed = True
    return changed


def _loop_with_copies(block: Any) -> Any:
    """Return a loop in which threads copy, or None."""
    return next((op for op in walk_operations(block) if copied_gathers(op)), None)


@dataclass
class _Copies:
    """What the threads of a loop copy, and the ring that it goes through.

    Attributes:
        gathers: The gathers.
        places: What a round computes to know where each one lies.
        ring: The ring.
        buffers: Of each gather, the buffer of its tiles.
        ahead: Rounds by which copies come before their products.
    """

    gathers: list[Any]
    places: list[list[Any]]
    ring: Any
    buffers: list[Any]
    ahead: int


def _copy_in_loop(roles: Any, loop: Any, spec: dict[str, Any]) -> None:
    """Copy the tiles of a loop into a ring, and read them there."""
    copies = _make_ring(roles, loop, spec)
    thread_position(copies.ring, loop, partial(_fill_ahead, copies, loop))
    thread_position(copies.ring, copies.gathers[0], partial(_read_slots, copies))
    _erase_loads(copies)


def _erase_loads(copies: _Copies) -> None:
    """Erase the gathers, and what was computed for them alone."""
    needed = [value for gather in copies.gathers for value in gather.operands]
    for gather in copies.gathers:
        erase(gather)
    erase_unused(needed, only_computes)


def _make_ring(roles: Any, loop: Any, spec: dict[str, Any]) -> _Copies:
    """Emit the ring of a loop and its buffers before the roles."""
    gathers, body = copied_gathers(loop), loop.regions[0].blocks[0]
    warps, stages = spec["consumer_warps"], spec["stages"]
    places, buffers = [], []
    with ir.InsertionPoint(roles), loop.location:
        for gather in gathers:
            place = place_in_round(gather, body)
            if place is None:
                message = "where a gather lies depends on more than the round"
                raise InternalCompilerError(message, pass_name=NAME, op=str(gather))
            places.append(place)
            slot = _slot_type(gather.results[0], warps // WARPGROUP_WARPS)
            buffers.append(AllocSharedOp.build(slot, stages))
        ring = CreateRingOp.make(stages, copy_arrivals(warps), empty_arrivals(warps))
    return _Copies(gathers, places, ring, buffers, stages - 1)


def _slot_type(tile: Any, warpgroups: int) -> Any:
    """Return the type of a slot: as wgmma reads it."""
    layout = layout_for_products(tile, warpgroups)
    if layout is None:  # no product of wgmma after all: any layout will do
        layout = tma_boxes(tuple(tile.type.shape), element_bits(tile.type.element_type))
    return shared_tile_type(layout, tile.type.element_type)


def _fill_ahead(copies: _Copies, loop: Any, position: Any) -> Any:
    """Fill slots before the loop and in its rounds; return the position after it."""
    lower, upper, step = list(loop.operands)[:3]
    with ir.InsertionPoint(loop), loop.location:
        distance = arith.muli(step, constant(copies.ahead))
        if copies.ahead:
            rounds = arith.minsi(distance, arith.subi(upper, lower))
            end = arith.addi(lower, rounds)
            first = scf.ForOp(lower, end, step, [position])
            with ir.InsertionPoint(first.body):
                counter, slot = first.induction_variable, first.inner_iter_args[0]
                scf.YieldOp([_fill(copies, loop, counter, slot)])
            position = first.results[0]
    fill = partial(_fill_in_round, copies, distance, upper)
    return thread_value(loop.block, position, copies.gathers[0], fill)


def _fill_in_round(copies: _Copies, distance: Any, upper: Any, slot: Any) -> Any:
    """Fill a slot in a round, for one `distance` later that is before `upper`; return the next."""
    loop = parent_operation(copies.gathers[0])
    counter = loop.regions[0].blocks[0].arguments[0]
    if not copies.ahead:
        with ir.InsertionPoint(copies.gathers[0]), loop.location:
            return _fill(copies, loop, counter, slot)
    with ir.InsertionPoint.after(_last_reader(copies)), loop.location:
        # The sum of the two may wrap near the greatest bound; the difference does not.
        left = arith.subi(upper, counter)
        runs = arith.cmpi(arith.CmpIPredicate.slt, distance, left)
        branch = scf.IfOp(runs, [slot.type], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            later = arith.addi(counter, distance)
            scf.YieldOp([_fill(copies, loop, later, slot)])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([slot])
    return branch.results[0]


def _fill(copies: _Copies, loop: Any, number: Any, position: Any) -> Any:
    """Copy the tiles of a round into a slot; return the next position."""
    mapping = {loop.regions[0].blocks[0].arguments[0]: number}
    for place in copies.places:
        clone_place(place, mapping)
    RingAcquireOp(ring=copies.ring, position=position)
    for gather, buffer in zip(copies.gathers, copies.buffers, strict=True):
        access, slot = gather.opview, SlotViewOp.build(buffer, position)
        width = gather.attributes[ATOM].vector_bytes
        mask = None if access.mask is None else mapping.get(access.mask, access.mask)
        copy = AsyncGatherOp(
            memref=access.memref,
            destination=slot,
            indices=[mapping.get(index, index) for index in access.indices],
            copy_bytes=i64(width),
            mask=mask,
        )
        for name in ("ragged", "unchecked"):
            if name in gather.attributes:
                copy.attributes[name] = ir.UnitAttr.get()
    MBarrierArriveCopiesOp(barrier=RingBarrierOp.build(copies.ring, position))
    return RingAdvanceOp.build(copies.ring, position)


def _read_slots(copies: _Copies, slot: Any) -> Any:
    """Wait for the slot of a round, read it and release it; return the next one."""
    last, location = _last_reader(copies), parent_operation(copies.gathers[0]).location
    with ir.InsertionPoint(_first_use(copies)), location:
        RingWaitOp(ring=copies.ring, position=slot)
        FenceProxyOp(space=ir.StringAttr.get("shared"))
        for gather, buffer in zip(copies.gathers, copies.buffers, strict=True):
            tile = LoadSharedOp.build(SlotViewOp.build(buffer, slot))
            gather.results[0].replace_all_uses_with(tile)
    with ir.InsertionPoint.after(last), location:
        RingReleaseOp(ring=copies.ring, position=slot)
        return RingAdvanceOp.build(copies.ring, slot)


def _first_use(copies: _Copies) -> Any:
    """Return the first operation of the loop that uses a copied tile."""
    block = copies.gathers[0].block
    users = {at_level(op, block) for item in copies.gathers for op in users_of(item.results[0])}
    return next(op for op in body_operations(block) if op in users)


def _last_reader(copies: _Copies) -> Any:
    """Return the last product that reads a copied tile."""
    block = copies.gathers[0].block
    dots = {dot for gather in copies.gathers for dot, _ in dot_uses(gather.results[0])}
    return [op for op in body_operations(block) if op in dots][-1]
