"""Lowers the end of a block some registers at a time: what threads load, compute and store.

Loads come before the first store: what follows a store may read what it wrote, as far as ptxas can
tell. So a thread holds all that it loads at the end of a block next to the tile that it computes
from it. Where the plan says so (`stream_tail`), it loads, computes and stores some vectors before
it begins with the next ones.
"""

from collections.abc import Callable, Sequence
from math import ceil, lcm
from typing import Any

from tilec.dialects.nv_tileas.memory_ops import TiledLoadOp, TiledStoreOp
from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, PermuteOp, SplatOp, ViewOp
from tilec.passes.analysis.facts.memory_tokens import token_sources
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.elementwise import (
    ElementwiseRegisters,
    is_elementwise,
)
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, lowers_runs, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory.global_memory import (
    load_by_vector,
    store_by_vector,
)
from tilec.plan.worth import TAIL_REGISTERS
from tilec.support.fast_dataclasses import dataclass, field

_NAMES = (ViewOp.OPERATION_NAME, PermuteOp.OPERATION_NAME)
_FREE = (*_NAMES, BroadcastOp.OPERATION_NAME, SplatOp.OPERATION_NAME, "arith.constant")

Step = tuple[Any, int, Callable[[int], None]]
"""An operation, how many registers it computes at a time, and what emits those from one on."""


@dataclass
class Tail:
    """Operations from a load to a store that work on each register of a thread by itself.

    Attributes:
        members: Those that are lowered together, the store last.
        before: Those that depend on none of them.
    """

    members: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)


@lowers_runs
def lower_tail(lowering: Lowering, ops: Sequence[Any]) -> int:
    """Lower what is from a load at the start of `ops` to a store, some registers at a time."""
    tail = find_tail(ops)
    if tail is None or not lowering.stream_tail:
        lowering.loads_ahead |= tail is not None
        return 0
    for op in tail.before:
        lowering.op(op)
    count = tile_layout(tail.members[0].results[0]).num_registers
    steps = [step for op in tail.members if (step := _step(lowering, op, count)) is not None]
    whole = lcm(*(width for _, width, _ in steps))
    size = ceil(TAIL_REGISTERS / whole) * whole
    for first in range(0, count, size):
        for op, width, emit in steps:
            with op.location:
                for at in range(first, min(first + size, count), width):
                    emit(at)
    return len(tail.members) + len(tail.before)


def find_tail(ops: Sequence[Any]) -> Tail | None:
    """Return what begins with a load by threads and ends with a store that needs it, or None."""
    if not _is_load(ops[0]):
        return None
    count = tile_layout(ops[0].results[0]).num_registers
    tail, made = Tail(), set[Any]()
    for op in ops:
        depends = any(operand in made for operand in op.operands)
        if op.name == TiledStoreOp.OPERATION_NAME:
            loads = {member for member in tail.members if _is_load(member)}
            tail.members.append(op)
            return tail if _is_end(op, made, loads) else None
        if not _is_load(op) and not (op.name in _NAMES and depends) and not is_elementwise(op):
            if depends or op.name not in _FREE:
                return None
            tail.before.append(op)
            continue
        if tile_layout(op.results[0]).num_registers != count:
            return None
        tail.members.append(op)
        made.update(op.results)
    return None


def _is_load(op: Any) -> bool:
    return op.name == TiledLoadOp.OPERATION_NAME


def _is_end(op: Any, made: set[Any], loads: set[Any]) -> bool:
    """Tell whether a store only stores what was made, and need not wait for whole loads."""
    store = op.opview
    if store.value not in made or store.combine is not None:
        return False
    return store.after is None or not (token_sources(store.after) & loads)


def _step(lowering: Lowering, op: Any, count: int) -> Step | None:
    """Return what emits some registers of an operation; None for one that only names them."""
    if op.name in _NAMES:
        lowering.op(op)
        return None
    with op.location:
        if op.name == TiledStoreOp.OPERATION_NAME:
            lowering.replace(op.results, [None])
            return op, *store_by_vector(lowering, op)
        registers: list[Any] = []
        if op.name == TiledLoadOp.OPERATION_NAME:
            lowering.replace(op.results, [registers, None])
            width, load = load_by_vector(lowering, op)
            return op, width, lambda first: registers.extend(load(first))
    lowering.set(op.results[0], registers)
    run = ElementwiseRegisters(lowering, op)

    def compute(first: int) -> None:
        run.emit(range(first, min(first + 2, count)))

    return op, 2, compute
