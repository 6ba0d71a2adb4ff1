"""The rule for tiles that threads prefetch into L2."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.cute.registry import LINE_BYTES
from tilec.dialects.nv_tileas.memory_ops import PrefetchOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import arith, ir, scf
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, Memref
from tilec.passes.conversion.nv_tileas_to_llvm.memory.global_memory import inside_extent, scaled
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded


@RULES.converts(PrefetchOp)
def lower_prefetch(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Loop over the lines of a tile, neighbouring threads on neighbouring lines.

    A line is counted from the start of a row of the tile. Elements that are not contiguous are
    prefetched one by one.
    """
    memref: Memref = lowering.get(op.opview.memref)
    *outer, inner = elements_of(op.opview.shape)
    width = LINE_BYTES * 8 // element_bits(memref.element) if memref.strides[-1] == 1 else 1
    lines = (*outer, -(-inner // width))
    role = lowering.current_role
    loop = scf.ForOp(role.thread, emit.value(prod(lines)), emit.value(role.threads))
    with ir.InsertionPoint(loop.body):
        emit.inline_ptx('.pragma "nounroll";', "")
        rest: emit.Index = loop.induction_variable
        offset, inside = arith.constant(emit.i64_type(), 0), None
        for axis in reversed(range(len(lines))):
            place = emit.remainder(rest, lines[axis])
            rest = emit.divide(rest, lines[axis])
            if axis == len(lines) - 1:
                place = emit.multiply(place, width)
            index = emit.add(lowering.get(op.opview.coords[axis]), place)
            inside = emit.both(inside, inside_extent(index, memref.sizes[axis]))
            offset = arith.addi(offset, scaled(index, memref.strides[axis]))
        with guarded(inside):
            pointer = emit.element_pointer(memref.base, offset, emit.memory_type(memref.element))
            emit.inline_ptx("prefetch.global.L2 [$0];", "l,~{memory}", [pointer])
        scf.YieldOp([])
    return ()
