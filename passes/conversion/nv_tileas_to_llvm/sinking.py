"""Moves computations to where they are needed, so that they overlap with what comes before."""

from collections.abc import Iterable
from typing import Any

from tilec.ir.structured import body_operations, defining_operation
from tilec.ir.values import users_of

_DIALECTS = ("arith", "math")
_PURE = (
    "llvm.bitcast",
    "llvm.call_intrinsic",
    "llvm.extractelement",
    "llvm.insertelement",
)
_ASSEMBLY = "llvm.inline_asm"


def sink_before(target: Any, values: Iterable[Any]) -> None:
    """Move what computes `values`, and nothing else, right before operation `target`.

    Loads stay where they are: they should start early. What others need, too, stays as well.

    Args:
        target: The only operation that needs them, in the block that computes them.
        values: Operands of it.
    """
    order = {op: number for number, op in enumerate(body_operations(target.block))}
    sunk: set[Any] = {target}
    pending = {op for value in values if (op := defining_operation(value)) in order}
    while pending:
        last = max(pending, key=order.__getitem__)  # its users have been looked at
        pending.remove(last)
        users = _users(last)
        unused = {user for user in users if _is_pure(user) and not _users(user)}
        if _is_pure(last) and users <= sunk | unused:
            sunk |= {last, *unused}
            pending |= {op for v in last.operands if (op := defining_operation(v)) in order}
    for op in sorted(sunk - {target}, key=order.__getitem__):
        op.move_before(target)


def _users(op: Any) -> set[Any]:
    return {user for result in op.results for user in users_of(result)}


def _is_pure(op: Any) -> bool:
    if op.name == _ASSEMBLY:
        return "has_side_effects" not in op.attributes
    return op.name in _PURE or op.name.split(".")[0] in _DIALECTS
