"""Rules for turns: named barriers at which one warpgroup waits and another one arrives."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.turn_ops import TurnPassOp, TurnStartOp, TurnTakeOp
from tilec.ir import llvm_ops
from tilec.ir.attributes import integer
from tilec.ir.bindings import arith
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import (
    WARPGROUP_THREADS,
    predicated,
)

_THREADS = 2 * WARPGROUP_THREADS
"""Threads that a barrier expects: the warpgroup that waits, and the one that arrives."""


@RULES.converts(TurnStartOp)
def lower_turn_start(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Arrive for the first warpgroup: the last one does."""
    last = lowering.current_role.warps // WARPGROUP_WARPS - 1
    _arrive(op, 0, emit.compare("eq", lowering.current_role.warpgroup, last))
    return []


@RULES.converts(TurnTakeOp)
def lower_turn_take(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait at the warpgroup's own barrier."""
    number = emit.value(emit.add(lowering.current_role.warpgroup, integer(op, "id")))
    llvm_ops.barrier(number, emit.value(_THREADS))
    return []


@RULES.converts(TurnPassOp)
def lower_turn_pass(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Arrive at the barrier of the next warpgroup."""
    role = lowering.current_role
    last = role.warps // WARPGROUP_WARPS - 1
    following = emit.value(emit.add(role.warpgroup, 1))
    is_last = emit.compare("eq", role.warpgroup, last)
    _arrive(op, arith.select(is_last, emit.value(0), following), None)
    return []


def _arrive(op: Any, warpgroup: emit.Index, predicate: Any) -> None:
    number = emit.value(emit.add(warpgroup, integer(op, "id")))
    predicated(predicate, f"bar.arrive $0, {_THREADS};", "r", [number])
