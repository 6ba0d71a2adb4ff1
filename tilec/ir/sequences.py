"""The operations of a block before, after and between others, and around those inside them."""

from collections.abc import Set as AbstractSet
from typing import Any

from tilec.ir.structured import LOOPS, body_operations, operations_inside, parent_operation


def operations_before(op: Any) -> list[Any]:
    """Return the operations before `op` in its block."""
    ops = body_operations(op.block)
    return ops[: ops.index(op)]


def operations_after(op: Any) -> list[Any]:
    """Return the operations after `op` in its block, the terminator last."""
    ops = body_operations(op.block)
    return ops[ops.index(op) + 1 :]


def operations_between(first: Any, last: Any) -> list[Any]:
    """Return the operations after `first` and before `last`, which are in one block."""
    ops = body_operations(first.block)
    return ops[ops.index(first) + 1 : ops.index(last)]


def at_level(op: Any, block: Any) -> Any:
    """Return the operation of `block` that is `op` or holds it."""
    while op.block != block:
        op = parent_operation(op)
    return op


def opens_loop(op: Any, others: AbstractSet[Any]) -> bool:
    """Tell whether a loop after `op`, in its block, holds one of the operations `others`."""
    loops = (loop for loop in operations_after(op) if loop.name in LOOPS)
    return any(inner in others for loop in loops for inner in operations_inside(loop))
