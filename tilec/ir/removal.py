"""Removing operations: MLIR ends the process if one is still used."""

from collections.abc import Callable, Container, Iterable
from typing import Any

from tilec.ir.bindings import ir
from tilec.support.diagnostics import InternalCompilerError


def is_read(value: Any) -> bool:
    """Tell whether an operation uses a value."""
    return next(iter(value.uses), None) is not None


def is_used(op: Any) -> bool:
    """Tell whether a result of `op` is used."""
    return any(map(is_read, op.results))


def erase(op: Any) -> None:
    """Remove `op`, whose results are not used any more.

    Raises:
        InternalCompilerError: A result is used.
    """
    if is_used(op):
        raise InternalCompilerError("it is still read after its removal", op=op.name)
    op.erase()


def replace_operation(op: Any, values: Iterable[Any]) -> None:
    """Let `values` take the place of the results of `op`, and remove it."""
    replace_values(op.results, values)
    erase(op)


def replace_values(old: Iterable[Any], new: Iterable[Any]) -> None:
    """Let the users of old values take the new ones."""
    for before, after in zip(old, new, strict=True):
        before.replace_all_uses_with(after)


def replace_operand(user: Any, old: Any, new: Any) -> None:
    """Let one operation take a new value in place of an old one."""
    for number, operand in enumerate(user.operands):
        if operand == old:
            user.operands[number] = new


def erase_unused(
    values: Iterable[Any], may_erase: Callable[[Any], bool] | None = None, kept: Container[Any] = ()
) -> None:
    """Remove what computes values that nothing uses, and then what nothing else needed.

    Args:
        values: Where to begin. Values that are used, and arguments of blocks, stay.
        may_erase: Tells of an operation without uses whether it may go; by default all may.
        kept: Values that stay although nothing uses them.
    """
    pending = list(dict.fromkeys(values))
    while pending:
        value = pending.pop()
        if value in kept or isinstance(value, ir.BlockArgument):
            continue
        op = value.owner.operation
        if is_used(op) or not (may_erase is None or may_erase(op)):
            continue
        results = list(op.results)
        pending = [item for item in pending if item not in results]
        pending += [item for item in dict.fromkeys(op.operands) if item not in pending]
        erase(op)
