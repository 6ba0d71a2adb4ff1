"""Short constructors for the errors of arguments and launches (codes T07xx)."""

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    LaunchError,
    SourceFile,
    SourceSpan,
    error,
    note,
)


class UnknownKernelError(CompileError, AttributeError):
    """There is no kernel of that name; also an AttributeError, so that `hasattr` works."""


def launch_error(
    code: str,
    message: str,
    *,
    hint: str | None = None,
    declared: SourceSpan | None = None,
    sources: Iterable[SourceFile] = (),
) -> LaunchError:
    """Return a `LaunchError` with one diagnostic.

    Args:
        code: Code of the rule that is broken.
        message: What is wrong, with the names of the kernel and of its arguments.
        hint: How to fix it, when that is obvious.
        declared: Where the kernel declares the parameter; shown as a note.
        sources: Files to quote from.
    """
    notes: list[Diagnostic] = []
    if declared is not None:
        notes.append(note("declared here", declared))
    return LaunchError(error(code, message, hint=hint, notes=notes), tuple(sources))


def path_of(value: Any, function: str) -> Path:
    """Return a path that a caller gave.

    Args:
        value: What the caller gave.
        function: What it was given to, for messages.

    Raises:
        LaunchError: It is no path (T0717).
    """
    if isinstance(value, str | PathLike) and isinstance(fspath(value), str):
        return Path(value)
    raise launch_error("T0717", f"{function} takes a path, got {value!r}")


def format_shape(shape: Iterable[int]) -> str:
    """Return a shape as `2x3x4`; `scalar` for rank 0."""
    return "x".join(str(extent) for extent in shape) or "scalar"


def join_names(names: Iterable[str]) -> str:
    """Return names as an English list: `A`, `A and B`, `A, B and C`."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
