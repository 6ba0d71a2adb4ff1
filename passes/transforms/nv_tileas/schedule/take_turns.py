"""Let the warpgroups of a rotated loop ping-pong: one multiplies while the other one computes.

Before:  scf.for { async_mma; ...; async_mma; ...; mma_wait; ... } {turns}
After:   turn_start
         scf.for { turn_take; async_mma; ...; async_mma; turn_pass; ...; mma_wait; ... }

A *turn* is the time in which one warpgroup issues the products of a round, from `turn_take` to
`turn_pass`. The other warpgroups wait for their turns. Without turns, all warpgroups may compute at
the same time, and then all wait for the tensor cores. `nv-tileas-schedule-loops` marks the loops
that gain from turns.

A slot that only later products of a round read is waited for after the first product was issued:

Before:  ring_wait %a; ring_wait %b; async_mma %slot_a; async_mma %slot_b
After:   ring_wait %a; turn_take; async_mma %slot_a; ring_wait %b; async_mma %slot_b; turn_pass

During its turn, a warpgroup must not wait for another one, because that one waits for its turn. So
a loop stays as it is if tiles move through shared memory between the two operations. Remark T0440
says so; with `turns=1` in the plan it is an error.
"""

from typing import Any

from tilec.dialects.nv_tileas import TurnPassOp, TurnStartOp, TurnTakeOp
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, operations_inside
from tilec.ir.values import origin_of, users_of
from tilec.passes.analysis.kernels import kernel_operations, reject, role_block, span_of
from tilec.passes.analysis.protocol.turns import meets_others
from tilec.passes.analysis.schedule.marks import TURNS
from tilec.passes.analysis.schedule.record import record
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.overrides import parse_overrides
from tilec.support.diagnostics import remark

_PRODUCT = "nv_tileas.async_mma"
_WAIT, _VIEW, _NAME = "nv_tileas.ring_wait", "nv_tileas.slot_view", "nv_tileas.shared_view"


@register_kernel_pass("nv-tileas-take-turns")
def take_turns(function: Any, context: PassContext) -> bool:
    """Add the turns of every loop that is marked."""
    asked = parse_overrides(context.overrides(function)).turns or False
    marked = [op for op in kernel_operations(function) if TURNS in op.attributes]
    loops = [op for op in marked if op.name == "scf.for"]
    added = [_add_turns(loop, context, asked=asked) for loop in loops]
    if loops:
        record(function, turns=any(added))
    return bool(loops)


def _add_turns(loop: Any, context: PassContext, *, asked: bool) -> bool:
    """Replace the mark of a loop by turns; tell whether that was possible.

    Args:
        loop: The loop.
        context: Takes the remark that it was not.
        asked: Whether the user wants turns: then it is an error (T0421).
    """
    del loop.attributes[TURNS]
    _wait_late(loop)
    ops = body_operations(loop.regions[0].blocks[0])
    products = [number for number, op in enumerate(ops) if op.name == _PRODUCT]
    between = ops[products[0] : products[-1]]
    if any(meets_others(inner) for op in between for inner in (op, *operations_inside(op))):
        why = "tiles move through shared memory between products"
        if asked:
            raise reject(loop, "T0421", f"turns = true: {why}", "leave the field out")
        context.sink.emit(remark("T0440", f"the warpgroups do not ping-pong: {why}", span_of(loop)))
        return False
    first, last = ops[products[0]], ops[products[-1]]
    with ir.InsertionPoint(first), first.location:
        TurnTakeOp()
    with ir.InsertionPoint.after(last), last.location:
        TurnPassOp()
    block = role_block(loop)
    if not any(op.name == TurnStartOp.OPERATION_NAME for op in body_operations(block)):
        with ir.InsertionPoint.at_block_begin(block), loop.location:
            TurnStartOp()
    return True


def _wait_late(loop: Any) -> None:
    """Wait for a slot right before the first product that reads it, if others come before.

    They run meanwhile: between the round before and the first product, each wait counts.
    """
    ops = body_operations(loop.regions[0].blocks[0])
    place = {op: number for number, op in enumerate(ops)}
    first, *others = (op for op in ops if op.name == _PRODUCT)
    for wait in (op for op in ops[: place[first]] if op.name == _WAIT):
        views = [op for op in users_of(wait.operands[1]) if op.name == _VIEW and op in place]
        slots = [value for view in views for value in view.results]
        readers = [op for op in others if any(_slot_of(value) in slots for value in op.operands)]
        if not readers or _reads(ops[: place[readers[0]]], slots):
            continue
        for op in (wait, *views, *_names(ops[: place[readers[0]]], slots)):
            op.move_before(readers[0])


def _slot_of(value: Any) -> Any:
    """Return the slot that a shared-memory tile lies in, whatever its shape is."""
    return origin_of(value, lambda op: op.name == _NAME)


def _names(ops: list[Any], slots: list[Any]) -> list[Any]:
    """Return the operations that give slots other shapes."""
    return [op for op in ops if op.name == _NAME and _slot_of(op.results[0]) in slots]


def _reads(ops: list[Any], slots: list[Any]) -> bool:
    """Tell whether one of `ops` reads a slot."""
    return any(
        _slot_of(value) in slots
        for op in ops
        for inner in (op, *operations_inside(op))
        if inner.name not in (_NAME, _VIEW)
        for value in inner.operands
    )
