"""What the scheduler writes on loops and their operations, for the passes that follow it."""

from typing import Any

from tilec.ir.bindings import ir

STAGE = "stage"
"""Pipeline stage of an operation in a loop that will be rotated, i64 (`tilec/plan/schedule.py`)."""
TURNS = "turns"
"""Unit attribute of a loop whose warpgroups should ping-pong."""
ROTATE = "rotate"
"""Field of the plan: whether loops are rotated. It is given up where ptxas spills otherwise."""


def stage_of(op: Any) -> int | None:
    """Return the stage that an operation has; None without one."""
    return ir.IntegerAttr(op.attributes[STAGE]).value if STAGE in op.attributes else None


def set_stage(op: Any, stage: int | None) -> None:
    """Give `op` a stage, or none."""
    if stage is not None:
        op.attributes[STAGE] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), stage)
    elif STAGE in op.attributes:
        del op.attributes[STAGE]
