"""Rules for split-K: partial sums in global memory and the counters that say that they are there.

The counter of a tile holds the number of its partial sums that are there. Every split that leaves
one counts up with a release, and the last split reads the counter with an acquire: that orders what
the threads that have counted did before the count against what the reader does after it. It reads
what the last addition wrote, but every addition has read the one before, and through such a chain
of atomic operations the reader observes all of them (PTX ISA, observation order). A barrier of the
role on either side extends that to all of its threads (PTX ISA, causality order).
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.split_ops import (
    AddPartialOp,
    ArrivePartialOp,
    AwaitPartialsOp,
    ResetPartialsOp,
    StorePartialOp,
)
from tilec.ir.bindings import arith, ir
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import in_one_thread

VECTOR = 4
"""Registers that a thread moves at a time: 16 bytes, the widest access."""
VECTOR_BYTES = 16

_AWAIT = """{
.reg .pred p;
.reg .b32 seen;
setp.eq.b32 p, $2, 0;
@p bra DONE;
POLL:
ld.acquire.gpu.global.b32 seen, [$0];
setp.eq.b32 p, seen, $1;
@p bra DONE;
nanosleep.u32 32;
bra POLL;
DONE:
}"""
"""Operands: $0 counter, $1 the value to wait for, $2 whether this thread waits. It pauses shortly:
one thread of a CTA looks, and the splits of a tile end at about the same time."""


@RULES.converts(AwaitPartialsOp)
def lower_await_partials(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Poll the counter in one thread."""
    elected = arith.extui(emit.i32_type(), lowering.current_role.elected_for(op))
    counter, count = _counter(lowering, op), lowering.get(op.opview.count)
    if lowering.debug is not None:
        tile = emit.value(lowering.get(op.opview.tile))
        lowering.debug.await_partials(op, counter, tile, count, elected)
        return ()
    emit.inline_ptx(_AWAIT, "l,r,r,~{memory}", [counter, count, elected])
    return ()


@RULES.converts(ArrivePartialOp)
def lower_arrive_partial(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Count up in one thread, after what the role has written."""
    text = "red.release.gpu.global.add.u32 [$0], 1;"
    in_one_thread(lowering, op, text, "l", [_counter(lowering, op)])
    return ()


@RULES.converts(ResetPartialsOp)
def lower_reset_partials(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Write zero in one thread: the whole of the next launch is ordered after this one."""
    text = "st.relaxed.gpu.global.u32 [$0], 0;"
    in_one_thread(lowering, op, text, "l", [_counter(lowering, op)])
    return ()


@RULES.converts(AddPartialOp)
def lower_add_partial(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Add what the same thread of a split has left, a vector at a time."""
    registers = lowering.tile(op.opview.acc)
    start = _own_vectors(lowering, op, len(registers))
    element, total = op.opview.acc.type.element_type, []
    add = arith.addf if isinstance(element, ir.FloatType) else arith.addi
    for first in range(0, len(registers), VECTOR):
        loaded = emit.load_vector(_vector(lowering, start, first), element, VECTOR)
        own = registers[first : first + VECTOR]
        total += [add(*pair) for pair in zip(own, loaded, strict=True)]
    return [total]


@RULES.converts(StorePartialOp)
def lower_store_partial(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Leave this thread's registers where the same thread of the last split looks for them."""
    registers = lowering.tile(op.opview.sum)
    start = _own_vectors(lowering, op, len(registers))
    for first in range(0, len(registers), VECTOR):
        emit.store_vector(_vector(lowering, start, first), registers[first : first + VECTOR])
    return ()


def _counter(lowering: Lowering, op: Any) -> Any:
    """Return the address of the counter of a tile."""
    tile = arith.extui(emit.i64_type(), lowering.get(op.opview.tile))
    return emit.element_pointer(lowering.get(op.opview.counters), tile, emit.i32_type())


def _own_vectors(lowering: Lowering, op: Any, registers: int) -> Any:
    """Return the address of this thread's first vector of the partial sum of a split.

    Those of a tile lie one after the other, in the order of the splits.
    """
    role, i64 = lowering.current_role, emit.i64_type()
    partial_bytes = emit.constant(i64, registers * role.threads * 4)
    tile, split = (
        arith.extui(i64, lowering.get(value)) for value in (op.opview.tile, op.opview.split)
    )
    number = arith.addi(arith.muli(tile, emit.constant(i64, op.opview.count.value)), split)
    start = emit.byte_offset(lowering.get(op.opview.partials), arith.muli(number, partial_bytes))
    return emit.byte_offset(start, emit.multiply(role.thread, VECTOR_BYTES))


def _vector(lowering: Lowering, start: Any, first: int) -> Any:
    """Return the address of the vector that begins with register `first`.

    Neighbouring threads have neighbouring vectors, so a warp moves 512 consecutive bytes.
    """
    return emit.byte_offset(start, first * lowering.current_role.threads * 4)
