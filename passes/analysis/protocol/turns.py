"""Checks that warpgroups which ping-pong never deadlock.

All warpgroups of a role run the same operations in the same order. So turns end if each one that is
taken is passed on in the same block, and nothing in between makes a warpgroup wait for another one.
"""

from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.turn_ops import TURNS
from tilec.ir.structured import body_operations, operations_inside, parent_operation
from tilec.passes.analysis.scratch_areas import uses_scratch

_START, _TAKE, _PASS = TURNS
_MEETINGS = ("nv_tileas.barrier", "nv_tileas.order_memory", "nv_tileas.cluster_sync")


def meets_others(op: Any) -> bool:
    """Tell whether a warpgroup waits for another one of its role in `op`."""
    if op.name in _MEETINGS:
        return not is_per_warpgroup(op)
    return op.name in (_START, _TAKE) or uses_scratch(op)


def find_turn_error(ops: list[Any]) -> tuple[Any, str] | None:
    """Return an operation of a kernel that breaks the rules of turns and what is wrong, or None."""
    turns = [op for op in ops if op.name in TURNS]
    starts = [op for op in turns if op.name == _START]
    if not turns:
        return None
    if starts != turns[:1] or parent_operation(starts[0]).name != "nv_tileas.roles":
        return turns[0], "turns need one start, at the top of the role"
    for op in turns:
        if op.attributes.get("id") is None:
            message = "a turn has no named barrier"
        elif op.attributes["id"] != starts[0].attributes["id"]:
            message = "a turn has another named barrier than the start of all turns"
        elif op.name == _TAKE:
            message = _taken(op)
        elif op.name == _PASS:
            message = None if _TAKE in _names_before(op) else "a turn is passed on that none took"
        else:
            message = None
        if message is not None:
            return op, message
    return None


def _names_before(op: Any) -> list[str]:
    ops = body_operations(op.block)
    return [other.name for other in ops[: ops.index(op)] if other.name in TURNS][-1:]


def _taken(take: Any) -> str | None:
    """Return what is wrong with the turn that `take` begins, or None."""
    ops = body_operations(take.block)
    for op in ops[ops.index(take) + 1 :]:
        if op.name == _PASS:
            return None
        inside = operations_inside(op)
        if any(inner.name in TURNS or meets_others(inner) for inner in (op, *inside)):
            return "a warpgroup waits for the others while they wait for their turn"
    return "a turn is not passed on in its block"
