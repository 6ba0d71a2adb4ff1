"""What the scheduler writes on loops and their operations, for the passes that follow it."""

from collections.abc import Mapping
from typing import Any

from tilec.ir.attributes import integer_or
from tilec.ir.integers import i64
from tilec.ir.structured import body_operations

STAGE = "stage"
"""Pipeline stage of an operation in a loop that will be rotated, i64 (`tilec/plan/schedule.py`)."""
TURNS = "turns"
"""Unit attribute of a loop whose warpgroups should ping-pong."""
EXCHANGED = "exchanged"
"""Fact of a kernel: whether warpgroups pass operands on to the next round."""
ONE_SLOT = "one_slot"
"""Fact of a kernel: whether there is no room for a second slot of what warpgroups exchange."""
IN_ORDER = "in_order"
"""Unit attribute of a loop whose stages keep the order of the program when it is rotated."""
LEADING = "leading"
"""Unit attribute of a branch that takes its early side in the first rounds of a loop, and in no
later ones (`split-loops`). That is the side that does nothing, or the first one if both compute."""
COPY = "copy_of"
"""Number of the store that an operation is a copy of, i64, if a rotated loop has several copies."""
SPLIT = "split_loops"
"""Field of the plan: whether rounds without a mask are a loop of their own."""
ROTATE = "rotate"
"""Field of the plan: whether loops are rotated. It is given up where ptxas spills otherwise."""
COPY_ROUNDS = "copy_rounds"
"""Field of the plan: whether threads copy operands of later rounds to shared memory, which the
planner decides (`tilec/plan/thread_operands.py`). It is given up in the same way."""
READ_EARLY = "read_early"
"""Field of the plan: whether a loop reads tiles from shared memory when they are there, not when it
needs their elements. It is given up where ptxas spills otherwise."""
LOAD_ROUNDS = "load_rounds"
"""Field of the plan: whether loops load tiles of the next round. It is given up in the same way."""
LOAD_AHEAD = "load_ahead"
"""What registers hold, as a fact of the plan: all that threads load at the end of a block, which
could be lowered some vectors at a time (plan field `stream_tail`)."""
_OWN_ORDER = ("split_k", "snake_k")
"""Fields of the plan for loops that carry an accumulator alone: no tiles of the next round."""
DECIDED_BY_PASSES = (COPY_ROUNDS, LOAD_ROUNDS, READ_EARLY, ROTATE, SPLIT)
"""Fields of the plan that passes decide, not the planner."""


def asked_order(asked: Mapping[str, Any]) -> str | None:
    """Return what a user asks for that loops which carry tiles of the next round lack, if anything.

    Args:
        asked: Fields of the plan that the user fixed.
    """
    for name in _OWN_ORDER:
        if int(asked.get(name, 0)) > (name == "split_k"):
            return f"{name} = {int(asked[name])}"
    return None


def idle_side(branch: Any) -> int | None:
    """Return which side of an `scf.if` does nothing; None unless exactly one does.

    Canonicalization turns branches whose condition is a negation around, so it may be either one.
    """
    idle = [
        len(region.blocks) and len(body_operations(region.blocks[0])) == 1
        for region in branch.regions
    ]
    return idle.index(True) if idle.count(True) == 1 else None


def early_side(branch: Any) -> int:
    """Return the side that a branch with the attribute `LEADING` takes in the first rounds."""
    return idle_side(branch) or 0


def stage_of(op: Any) -> int | None:
    """Return the stage that an operation has; None without one."""
    return integer_or(op, STAGE, None)


def copy_of(op: Any) -> int | None:
    """Return the number that all copies of one store have; None for a store without copies."""
    return integer_or(op, COPY, None)


def set_copy(op: Any, number: int) -> None:
    """Give a store the number that its copies keep."""
    op.attributes[COPY] = i64(number)


def set_stage(op: Any, stage: int | None) -> None:
    """Give `op` a stage, or none."""
    if stage is not None:
        op.attributes[STAGE] = i64(stage)
    elif STAGE in op.attributes:
        del op.attributes[STAGE]
