"""Shows a user's mistake where the user's code meets tilec, without the frames of the compiler.

Python prints a traceback above an error that nobody catches. For a mistake in a kernel, its frames
are those of the compiler: twenty of them hide the line of the call and the message. With
`TILEC_TRACEBACK=1` they are kept.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tilec.support.diagnostics import TileError
from tilec.support.environment import shows_tracebacks

P = ParamSpec("P")
R = TypeVar("R")


def shortened(failure: TileError) -> TileError:
    """Return an error to raise again, without its frames and without what caused it."""
    if shows_tracebacks():
        return failure
    failure.__cause__, failure.__suppress_context__ = None, True
    return failure.with_traceback(None)


def shortens_tracebacks(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function that users call raise their mistakes without the frames of the compiler."""

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except TileError as failure:
            raise shortened(failure)  # noqa: B904 - it is the same error

    return call
