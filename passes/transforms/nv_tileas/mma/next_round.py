"""A group of wgmma that stays in flight until the next round of its loop has issued its products.

Its slot is held for one round longer. So the releases have a position of their own, one slot later
than that of the waits, and after the loop the last group is drained and its slot released.
"""

from typing import Any

from tilec.dialects.nv_tileas import MmaDrainOp, RingReleaseUntilOp
from tilec.dialects.nv_tileas.ring_ops import start_of_position
from tilec.dialects.nv_tileas.types import RingPositionType
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    parent_operation,
    terminator,
)
from tilec.ir.values import users_of
from tilec.passes.analysis.mma.loop_guards import guard_loop
from tilec.passes.transforms.nv_tileas.positions import thread_position
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class NextRound:
    """How the wait for a product can come in the next round.

    Attributes:
        product: The product.
        release: The release of the slot that it reads.
        index: Which value of the loop its accumulator is.
    """

    product: Any
    release: Any
    index: int


def next_round(product: Any) -> NextRound | None:
    """Return how a product can stay in flight over the end of a round; None where it cannot.

    Inside of the loop, only the product itself may use the accumulator, a round later, and only it
    may read its slot. A product whose A operand comes from registers may not stay in flight: the
    next round of the loop writes these registers.
    """
    if parent_operation(product).name != "scf.for" or product.opview.registers_hold_a:
        return None
    uses = [(use.owner, use.operand_number) for use in product.results[0].uses]
    if len(uses) != 1 or uses[0][0].operation != terminator(product.block):
        return None
    index = uses[0][1]
    carried = product.block.arguments[1 + index]
    if product.opview.acc != carried or len(list(carried.uses)) != 1:
        return None
    positions = {_slot_position(product, tile) for tile in product.opview.shared_operands}
    releases = [op for op in body_operations(product.block) if op.name == "nv_tileas.ring_release"]
    own = [op for op in releases if {op.operands[1]} == positions]
    return NextRound(product, own[0], index) if len(own) == 1 else None


def _slot_position(product: Any, tile: Any) -> Any:
    """Return the ring position of an operand that `product` alone reads from a slot; else None."""
    view = defining_operation(tile)
    if view is None or any(user != product for user in users_of(tile)):
        return None
    if view.name == "nv_tileas.shared_view":
        return _slot_position(view, view.operands[0])
    return view.operands[1] if view.name == "nv_tileas.slot_view" else None


def hold_slot(found: NextRound) -> None:
    """Release the slot of a product that stays in flight one round later, and drain at the end."""
    ring, end = found.release.operands
    origin, location = start_of_position(end), found.release.location

    def release(held: Any) -> Any:
        with ir.InsertionPoint(found.release), location:
            following = RingReleaseUntilOp.build(ring, held, end)
        erase(found.release)
        return following

    thread_position(ring, found.release, release)
    loop = parent_operation(found.product)
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
