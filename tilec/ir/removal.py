"""Removing operations: MLIR ends the process where somebody still reads one."""

from typing import Any

from tilec.support.diagnostics import InternalCompilerError


def is_used(op: Any) -> bool:
    """Tell whether somebody reads a result of `op`."""
    return any(next(iter(result.uses), None) is not None for result in op.results)


def erase(op: Any) -> None:
    """Remove `op`, whose results nobody reads any more.

    Raises:
        InternalCompilerError: Somebody does.
    """
    if is_used(op):
        raise InternalCompilerError("it is still read after its removal", op=op.name)
    op.erase()
