"""From MLIR's errors and locations to diagnostics of tilec."""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import MLIRError, ir
from tilec.support.diagnostics import CompileError, Diagnostic, Severity, SourceFile, SourceSpan

_BUFFER_NAME = "-"
"""File name that MLIR gives to a module parsed from a string."""

_SEVERITIES = {
    "ERROR": Severity.ERROR,
    "WARNING": Severity.WARNING,
    "REMARK": Severity.REMARK,
    "NOTE": Severity.NOTE,
}


def source_span(location: Any, buffer: str = _BUFFER_NAME) -> SourceSpan | None:
    """Return the source range of an MLIR location.

    Args:
        location: An `ir.Location`. Of a fused or call-site location the innermost range counts:
            that is where the user wrote the operation.
        buffer: Name of the file that MLIR calls `-`.

    Returns:
        The range, or None when the location holds none.
    """
    if type(location) is ir.Location:  # the bindings do not downcast those of an MLIRError
        location = ir.Location.from_attr(location.attr, location.context)
    if isinstance(location, ir.FileLineColLoc):
        line, column = location.start_line, max(1, location.start_col)
        end_line, end_column = location.end_line, location.end_col
        if (end_line, end_column) <= (line, column):
            end_line, end_column = line, column + 1
        name = buffer if location.filename == _BUFFER_NAME else location.filename
        return SourceSpan(name, line, column, end_line, end_column) if line else None
    for inner in _inner_locations(location):
        span = source_span(inner, buffer)
        if span is not None:
            return span
    return None


def _inner_locations(location: Any) -> list[Any]:
    if isinstance(location, ir.NameLoc):
        return [location.child_loc]
    if isinstance(location, ir.CallSiteLoc):
        return [location.callee, location.caller]
    if isinstance(location, ir.FusedLoc):
        return list(location.locations)
    return []


def to_diagnostic(item: Any, code: str, buffer: str = _BUFFER_NAME) -> Diagnostic:
    """Return an MLIR diagnostic (`DiagnosticInfo`, or what a handler receives) as ours.

    Args:
        item: Object with `location`, `message`, `notes` and `severity`.
        code: Code for errors; warnings, remarks and notes of MLIR have none.
        buffer: Name of the file that MLIR calls `-`.
    """
    severity = _SEVERITIES[item.severity.name]
    notes = tuple(
        to_diagnostic(child, "", buffer)
        for child in item.notes
        if not child.message.startswith("see current operation")
    )
    return Diagnostic(
        severity,
        code if severity is Severity.ERROR else "",
        item.message,
        source_span(item.location, buffer),
        None,
        notes,
    )


def diagnose(failure: MLIRError, sources: Sequence[SourceFile], code: str) -> CompileError:
    """Return an MLIR error as a `CompileError` with source ranges.

    Args:
        failure: What the bindings raised.
        sources: Files to quote from; the first one is the buffer that was parsed, if one was.
        code: Code of the diagnostics, for example `T0500` for a verifier.
    """
    buffer = sources[0].name if sources else _BUFFER_NAME
    items = [to_diagnostic(item, code, buffer) for item in failure.error_diagnostics]
    if not any(item.severity is Severity.ERROR for item in items):
        items.append(Diagnostic(Severity.ERROR, code, str(failure).strip()))
    return CompileError(items, sources)
