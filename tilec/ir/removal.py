"""Removing operations: MLIR ends the process if one is still used."""

from typing import Any

from tilec.support.diagnostics import InternalCompilerError


def is_used(op: Any) -> bool:
    """Tell whether a result of `op` is used."""
    return any(next(iter(result.uses), None) is not None for result in op.results)


def erase(op: Any) -> None:
    """Remove `op`, whose results are not used any more.

    Raises:
        InternalCompilerError: A result is used.
    """
    if is_used(op):
        raise InternalCompilerError("it is still read after its removal", op=op.name)
    op.erase()
