"""Rules for waits for wgmma groups, and for what has to come before or after them.

A wait ties the accumulator registers, which keeps LLVM from moving their readers above it.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from tilec.dialects.nv_tileas.mma_ops import AnchorOp, HoldOp, MmaDrainOp, MmaWaitOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import parts_of, regroup
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.products.mma import tied
from tilec.passes.conversion.nv_tileas_to_llvm.waiting import no_bits_of, with_bits
from tilec.plan.worth import ANCHORED_REGISTERS


@RULES.converts(MmaWaitOp)
def lower_mma_wait(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for a group and pass its accumulator on."""
    pending = op.opview.pending.value
    acc = parts_of(lowering, op.operands[0])
    text = f"wgmma.wait_group.sync.aligned {pending};"
    return [regroup(op.results[0], tied(text, acc, []))]


@RULES.converts(AnchorOp)
def lower_anchor(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Raise a performance-monitor event for one value of a register that never comes up.

    An event changes nothing (PTX ISA, pmevent). ptxas keeps it in order with waits, and its
    predicate has to be computed first. All registers of a tile are combined to one number: that may
    come up.
    """
    text = "{ .reg .pred p; setp.eq.b32 p, $0, 0x7fa5a5a5; @p pmevent 15; }"
    registers = parts_of(lowering, op.operands[0])
    words = [llvm_ops.bitcast(emit.i32_type(), register) for register in registers]
    if op.opview.is_whole:
        words = [reduce(arith.xori, words)]
    for word in words[:ANCHORED_REGISTERS]:
        emit.inline_ptx(text, "r", [word], None)
    return []


@RULES.converts(HoldOp)
def lower_hold(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Let every register of a tile wait for a register of an accumulator."""
    bits = no_bits_of(parts_of(lowering, op.opview.acc)[0], lowering)
    held = [with_bits(register, bits) for register in parts_of(lowering, op.opview.tile)]
    return [regroup(op.results[0], held)]


@RULES.converts(MmaDrainOp)
def lower_mma_drain(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for all groups and pass the accumulator on."""
    acc = parts_of(lowering, op.operands[0])
    return [regroup(op.results[0], tied("wgmma.wait_group.sync.aligned 0;", acc, []))]
