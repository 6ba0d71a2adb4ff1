"""IR from a file: whatever passes, MLIR or LLVM make of it ends with a diagnostic.

Passes rely on what the passes ahead of them leave, more than any verifier checks, and MLIR ends the
process on some text. So work on such IR happens in a process of its own (`run_apart`), in which a
broken invariant is a mistake in the file (`failures_as_diagnostics`), not a defect of tilec.
"""

import contextlib
import gc
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import tilec.ir
from tilec.request.options import Origin
from tilec.support.diagnostics import (
    CompileError,
    InternalCompilerError,
    SourceFile,
    SourceSpan,
    TileError,
    error,
    note,
)
from tilec.support.environment import shows_tracebacks
from tilec.support.isolation import Limits, Outcome, run_isolated

PROTOCOL_CHECKS = ("nv-tileas-verify-placement", "nv-tileas-verify-async-protocol")
"""The passes that prove a protocol: they say what is wrong with it, not with the form of the IR."""
LIMITS = Limits(seconds=300.0)
"""What the work on a file may take: 30 times that on a large kernel, on a busy machine."""


@contextlib.contextmanager
def failures_as_diagnostics(origin: Origin, source: SourceFile) -> Iterator[None]:
    """Turn what goes wrong in the body into a diagnostic if the IR comes from a file.

    Args:
        origin: Who wrote the IR.
        source: The file.

    Raises:
        CompileError: T0580 or T0581, for an exception other than an error with a diagnostic.
    """
    if origin is Origin.COMPILER:
        yield
        return
    try:
        yield
    except (TileError, MemoryError):
        raise
    except InternalCompilerError as failure:
        raise _as_diagnostic(failure, source) from failure
    except Exception as failure:
        internal = InternalCompilerError(f"{type(failure).__name__}: {failure}")
        internal.__cause__ = failure
        raise _as_diagnostic(internal, source) from failure


def _as_diagnostic(failure: InternalCompilerError, source: SourceFile) -> CompileError:
    if shows_tracebacks():
        sys.stderr.write("".join(traceback.format_exception(failure)))
    span = failure.span
    message = str(failure) if span is None else str(failure).removeprefix(f"{span}: ")
    notes = [note(item) for item in getattr(failure, "__notes__", ())]
    if failure.pass_name in PROTOCOL_CHECKS:
        code, text = "T0581", f"{failure.pass_name}: {message}"
        hint = "docs/debugging.md says what each message of the protocol check means"
    else:
        at = f" at '{failure.op}'" if failure.op else ""
        worker = failure.pass_name or "tilec"
        code, text = "T0580", f"the IR does not hold what {worker} relies on{at}: {message}"
        hint = "an unchanged dump resumes: compare with it; TILEC_TRACEBACK=1 shows where it failed"
    return CompileError(
        error(code, text, span or beginning(source), hint=hint, notes=notes), [source]
    )


def beginning(source: SourceFile) -> SourceSpan:
    """Return the place of what is wrong with a file as a whole."""
    return SourceSpan(source.name, 1, 1, 1, 2)


def run_apart(
    task: Callable[..., Any], *arguments: Any, source: SourceFile, limits: Limits = LIMITS
) -> Any:
    """Run a task that works on IR from a file in a process of its own, and return what it returns.

    Args:
        task: A function at the top of its module, see `run_isolated`.
        arguments: Its arguments.
        source: The file.
        limits: What the task may take.

    Raises:
        TileError: The task raised that, the process died (T0582) or took too much (T0583).
        InternalCompilerError: The task raised that.
    """
    outcome = run_isolated(work_alone, task, *arguments, limits=limits)
    sys.stderr.write(outcome.printed)
    if outcome.answered:
        return outcome.answer
    raise CompileError(_explain(outcome, source), [source])


def work_alone(task: Callable[..., Any], *arguments: Any) -> Any:
    """Run a task in a process that does nothing else, so that MLIR can be imported the fast way."""
    gc.disable()
    tilec.ir.hide_numpy = True
    tilec.ir.hide_generated_dialects = True
    return task(*arguments)


def _explain(outcome: Outcome, source: SourceFile) -> Any:
    """Return the diagnostic about a child that has not answered."""
    where = f"in {outcome.running[-1]}" if outcome.running else "ahead of the first pass"
    if outcome.over_limit:
        code, text = "T0583", f"work on this IR takes more than {outcome.over_limit} {where}"
    else:
        reason = f": {outcome.message}" if outcome.message else ""
        text = f"this IR ended the process that worked on it {where} ({outcome.died}){reason}"
        code = "T0582"
    passes = f" --passes {','.join(outcome.passes)}" if outcome.passes else ""
    again = note(f"this repeats it: tilec opt {source.name}{passes}")
    hint = "an unchanged dump resumes: compare with it"
    return error(code, text, beginning(source), hint=hint, notes=[again])
