"""Keep the products of a k-tile in flight while those of the next k-tile are issued.

Before:  %r:2 = scf.for ... iter_args(%acc, %p) {
           ring_wait %ring, %p; %g, %t = async_mma %a, %b, %acc; %d = mma_wait %g, %t {pending = 0}
           ring_release %ring, %p; %n = ring_advance %ring, %p; yield %d, %n }
After:   %r:3 = scf.for ... iter_args(%acc, %p, %h) {
           ring_wait %ring, %p; %g, %t = async_mma %a, %b, %acc; %d = mma_wait %g, %t {pending = 1}
           %i = ring_release_until %ring, %h, %p; %n = ring_advance %ring, %p; yield %d, %n, %i }
         if it ran: %s = mma_drain %r#0; ring_release_until %ring, %r#2, %r#1

The tensor cores then have work while a warpgroup waits for its next slot. A slot is held for one
k-tile longer. So the releases have a position of their own, one slot later than that of the waits.
This pays if no other warpgroup fills the gap.

Inside of the loop, only the next product may use the accumulator, and only the product may use the
operands of a slot. A product whose A operand comes from registers may not stay in flight either:
the next round of the loop writes these registers. Other products keep `pending = 0`.

Options:
    mma_pending: Groups that stay in flight; 0 leaves the kernel as it is.
"""

from typing import Any

from tilec.dialects.nv_tileas import MmaDrainOp, RingReleaseUntilOp, RingStartOp
from tilec.dialects.nv_tileas.ring_ops import start_of_position
from tilec.dialects.nv_tileas.types import RingPositionType
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    parent_operation,
    terminator,
    thread_value,
)
from tilec.passes.analysis.kernels import (
    kernel_functions,
    kernel_operations,
    read_spec,
    role_block,
)
from tilec.passes.analysis.mma.loop_guards import guard_loop
from tilec.passes.registry import PassContext, register_pass
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class _Pipelined:
    """A product whose group can stay in flight.

    Attributes:
        wait: Its `mma_wait`.
        release: The release of the slot that it reads.
        index: Which value of the loop its accumulator is.
    """

    wait: Any
    release: Any
    index: int


@register_pass("nv-tileas-overlap-mma")
def overlap_mma(module: Any, context: PassContext) -> bool:
    """Let one group stay in flight in every loop that allows it, where the plan says so."""
    del context
    changed = False
    for function in kernel_functions(module):
        if not (read_spec(function) or {}).get("mma_pending", 0):
            continue
        waits = [op for op in kernel_operations(function) if op.name == "nv_tileas.mma_wait"]
        for wait in waits:  # loops are rebuilt on the way
            found = _pipelined(wait)
            if found is not None:
                _overlap(found)
                changed = True
    return changed


def _pipelined(wait: Any) -> _Pipelined | None:
    """Return how the group of `wait` can stay in flight, or None where it cannot."""
    product, loop = defining_operation(wait.operands[0]), parent_operation(wait)
    if loop.name != "scf.for":
        return None
    last = terminator(wait.block)
    uses = [(use.owner, use.operand_number) for use in wait.results[0].uses]
    if len(uses) != 1 or uses[0][0].operation != last or product.opview.registers_hold_a:
        return None
    index = uses[0][1]
    carried = wait.block.arguments[1 + index]
    if product.opview.acc != carried or len(list(carried.uses)) != 1:
        return None
    positions = {_slot_position(product, tile) for tile in product.opview.shared_operands}
    releases = [op for op in body_operations(wait.block) if op.name == "nv_tileas.ring_release"]
    own = [op for op in releases if {op.operands[1]} == positions]
    return _Pipelined(wait, own[0], index) if len(own) == 1 else None


def _slot_position(product: Any, tile: Any) -> Any:
    """Return the ring position of an operand that `product` alone reads from a slot; else None."""
    view = defining_operation(tile)
    if view is None or any(use.owner.operation != product for use in tile.uses):
        return None
    if view.name == "nv_tileas.shared_view":
        return _slot_position(view, view.operands[0])
    return view.operands[1] if view.name == "nv_tileas.slot_view" else None


def _overlap(found: _Pipelined) -> None:
    """Give the releases positions of their own, one slot later, and drain after the loop."""
    i64 = ir.IntegerType.get_signless(64)
    found.wait.attributes["pending"] = ir.IntegerAttr.get(i64, 1)
    ring, end = found.release.operands
    origin, location = start_of_position(end), found.release.location
    top = role_block(found.release)
    with ir.InsertionPoint.at_block_begin(top), location:
        start = RingStartOp.build(ring)

    def release(held: Any) -> Any:
        with ir.InsertionPoint(found.release), location:
            following = RingReleaseUntilOp.build(ring, held, end)
        erase(found.release)
        return following

    thread_value(top, start, found.release, release)
    loop = parent_operation(found.wait)
    reached = next(value for value in loop.results if _is_on(value, origin))
    _drain(loop, found.index, ring, reached)


def _drain(loop: Any, index: int, ring: Any, reached: Any) -> None:
    """Finish what the loop leaves in flight, where it ran at all.

    Without the branch, the zeros of an accumulator that no product has touched would meet the
    accumulators in flight, and ptxas would serialise all products (C7515).
    """
    results = list(loop.results)
    end = terminator(guard_loop(loop).regions[0].blocks[0])
    with ir.InsertionPoint(end), loop.location:
        final = {index: MmaDrainOp.build(results[index])}
        final[len(results) - 1] = RingReleaseUntilOp.build(ring, results[-1], reached)
    for number, value in final.items():
        end.operands[number] = value


def _is_on(value: Any, origin: Any) -> bool:
    return isinstance(value.type, RingPositionType) and start_of_position(value) == origin
