"""Which pass failed.

Stages are verified at their end, and nobody copies the module between passes. So the stage whose
pass failed runs again, with both: that names the first pass that leaves something invalid, and
writes what it began with to a file.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from tilec.compiler.dumps import write_reproducer
from tilec.support import compiler_threads
from tilec.support.diagnostics import DiagnosticSink, InternalCompilerError
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.isolation import REPEATING, step


@dataclass(frozen=True)
class StageStart:
    """A module before passes ran on it.

    Attributes:
        module: A copy.
        passes: Their names, in order.
    """

    module: Any
    passes: tuple[str, ...]


def copy_module(module: Any) -> Any:
    """Return a copy of `module` that later passes do not touch."""
    return module.operation.clone(ip=False)


@contextlib.contextmanager
def naming_the_failed_pass(starts: list[StageStart], context: Any) -> Iterator[None]:
    """Let a pass that fails in the body of a `with` be named, with a reproducer.

    Args:
        starts: The stages that have begun; the body adds to them.
        context: The `PassContext` that the passes run with.

    Raises:
        InternalCompilerError: Something in the body did.
    """
    try:
        yield
    except InternalCompilerError as failure:
        for start in starts:
            if failure.pass_name in start.passes:
                with compiler_threads.LOCK.held, step(REPEATING):
                    _repeat(start, context)
        raise


def _repeat(start: StageStart, context: Any) -> None:
    """Run passes again, up to the one that fails.

    Raises:
        InternalCompilerError: A pass failed; a reproducer was written.
    """
    from tilec.passes.runner import run_pass

    module = copy_module(start.module)
    context = replace(context, sink=DiagnosticSink(), background=None)
    for name in start.passes:
        before = copy_module(module)
        try:
            run_pass(module, name, context, context.sources)
        except InternalCompilerError as failure:
            _add_reproducer(failure, before, context.target.name)
            raise


def _add_reproducer(failure: InternalCompilerError, before: Any, target: str) -> None:
    from tilec.ir.text import print_module

    path = write_reproducer(print_module(before), failure, target)
    if path is not None:
        failure.add_note(f"reproducer: {path}")
