"""Rules for counters in shared memory.

The words of the counters are divided among the threads of the role to clear them. A number is
counted by a reduction on the word of its bin that belongs to the lane (PTX ISA, red).
"""

from collections.abc import Sequence
from functools import reduce
from math import gcd
from typing import Any

from tilec.dialects.nv_tileas.count_ops import ClearCountsOp, CountOp, ReadCountsOp
from tilec.ir.bindings import arith
from tilec.layout import Owner
from tilec.layout.modes import WARP_LANES
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory import element_ptx
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded, role_barrier
from tilec.plan.counters import COUNTER_BYTES

_VECTOR = 4
"""Words of the widest shared-memory access of one thread (PTX ISA, ld and st)."""


@RULES.converts(ClearCountsOp)
def lower_clear_counts(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Write zeros, each thread every n-th vector of words, for n threads."""
    base, threads = lowering.get(op.operands[0]), lowering.current_role.threads
    bins, copies = op.operands[0].type.shape
    width = gcd(_VECTOR, bins * copies)
    zeros = [emit.value(0)] * width
    vectors = bins * copies // width
    for first in range(0, vectors, threads):
        number = emit.add(lowering.current_role.thread, first)
        inside = None
        if first + threads > vectors:
            inside = emit.compare("ult", number, vectors)
        with guarded(inside):
            place = emit.byte_offset(base, emit.multiply(number, width * COUNTER_BYTES))
            emit.store_vector(place, zeros)
    role_barrier(lowering, op)
    return ()


@RULES.converts(CountOp)
def lower_count(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Count what each thread holds; of several threads that hold an element, the first does."""
    source, counters = op.operands
    bins, copies = counters.type.shape
    layout, base = tile_layout(source), lowering.get(counters)
    if copies > 1:
        lane = lowering.current_role.ids[Owner.LANE]
        copy = emit.remainder(lane, min(copies, WARP_LANES))
        base = emit.byte_offset(base, emit.multiply(copy, COUNTER_BYTES))
    owner, seen = lowering.first_holder(layout), set()
    one = emit.value(1)
    for offset, number in zip(layout.register_offsets(), lowering.tile(source), strict=True):
        if offset in seen:
            continue
        seen.add(offset)
        counted = arith.cmpi(arith.CmpIPredicate.ult, number, emit.constant(number.type, bins))
        counted = emit.both(owner, counted)
        bin_ = number
        if number.type != emit.i32_type():
            bin_ = arith.trunci(emit.i32_type(), number)
        place = emit.byte_offset(base, emit.multiply(bin_, copies * COUNTER_BYTES))
        element_ptx.reduce("add", place, [one], "relaxed", "cta", counted, "shared")
    return ()


@RULES.converts(ReadCountsOp)
def lower_read_counts(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Add up the copies of each counter that this thread holds."""
    counters = op.operands[0]
    _, copies = counters.type.shape
    layout, base = tile_layout(op.results[0]), lowering.get(counters)
    (start,) = lowering.thread_coordinates(layout)
    stride = copies * COUNTER_BYTES
    own = emit.byte_offset(base, emit.multiply(start, stride))
    width = gcd(_VECTOR, copies)
    role_barrier(lowering, op)
    registers = []
    for (offset,) in layout.register_offsets():
        words: list[Any] = []
        for first in range(0, copies, width):
            place = emit.byte_offset(own, offset * stride + first * COUNTER_BYTES)
            words += emit.load_vector(place, emit.i32_type(), width)
        registers.append(reduce(arith.addi, words))
    role_barrier(lowering, op)
    return [registers]
