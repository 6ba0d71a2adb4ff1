"""Diagnostics: what a user sees when a kernel, a command or a launch is wrong.

A `Diagnostic` has a severity, a stable code, a message and a source span; it renders as
`file:line:column: error[T0123]: message`, the source line, carets, notes and a hint. A user
mistake is raised as a `TileError` that carries one or more diagnostics. A broken invariant of the
compiler is an `InternalCompilerError`.

Code ranges: T00xx command line and files, T01xx syntax, T02xx names, T03xx shapes and types,
T04xx constants and plan, T05xx IR verifiers and passes, T06xx LLVM, PTX and ptxas, T07xx arguments
and launch, T08xx driver and device. `tilec/support/codes.py` is the catalogue.
"""

import enum
from collections.abc import Iterable, Sequence
from typing import Any

from tilec.support.fast_dataclasses import dataclass, field, replace


class Severity(enum.Enum):
    """How bad a diagnostic is."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Text of one source file and the name to show for it.

    Attributes:
        name: Name to show; where it is a path, imports are relative to its folder.
        text: The text.
    """

    name: str
    text: str

    def line(self, number: int) -> str | None:
        """Return line `number` (1-based), or None when there is no such line."""
        # `splitlines` would end a line at a form feed, too.
        lines = self.text.removesuffix("\n").split("\n") if self.text else []
        return lines[number - 1].removesuffix("\r") if 1 <= number <= len(lines) else None


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A range in a source file. Lines and columns count from 1; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @classmethod
    def read(cls, place: str) -> "SourceSpan | None":
        """Return the span that `str` made `place` of; None for other text."""
        file, *numbers = place.rsplit(":", 2)
        if len(numbers) != 2 or not all(item.isdigit() for item in numbers):
            return None
        line, column = numbers
        return cls(file, int(line), int(column), int(line), int(column) + 1)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message for the user, tied to a source range when there is one."""

    severity: Severity
    code: str
    message: str
    span: SourceSpan | None = None
    hint: str | None = None
    notes: tuple["Diagnostic", ...] = ()

    def render(self, sources: Sequence[SourceFile] = ()) -> str:
        """Return the message with its source line and carets when `sources` holds the file."""
        where = f"{self.span}: " if self.span is not None else "tilec: "
        quote = excerpt(self.span, sources) if self.span is not None else []
        return "\n".join([where + self.headline(), *quote, *self.details(sources)])

    def headline(self) -> str:
        """Return severity, code and message, without the place."""
        code = f"[{self.code}]" if self.code else ""
        return f"{self.severity.value}{code}: {self.message}"

    def details(self, sources: Sequence[SourceFile] = ()) -> list[str]:
        """Return the lines of the notes and of the hint."""
        lines = ["  " + line for note in self.notes for line in note.render(sources).split("\n")]
        return lines if self.hint is None else [*lines, f"  hint: {self.hint}"]


_MAX_EXCERPT = 240
"""Characters of a source line that a message shows; of a longer one, those around its place."""


def excerpt(span: SourceSpan, sources: Sequence[SourceFile]) -> list[str]:
    """Return the source line of a place and the carets below it; nothing if it is not known."""
    source = next((item for item in sources if item.name == span.file), None)
    line = source.line(span.line) if source is not None else None
    if line is None:
        return []
    last = span.end_column if span.end_line == span.line else len(line) + 1
    if len(line) > _MAX_EXCERPT:
        start = max(0, min(span.column - 1, len(line)) - _MAX_EXCERPT // 4)
        line = line[start : start + _MAX_EXCERPT]
        span = replace(span, column=span.column - start)
        last = min(last - start, len(line) + 1)
    indent = "".join("\t" if char == "\t" else " " for char in line[: span.column - 1])
    return [f"  {line}", f"  {indent}{'^' * max(1, last - span.column)}"]


def error(
    code: str,
    message: str,
    span: SourceSpan | None = None,
    *,
    hint: str | None = None,
    notes: Iterable[Diagnostic] = (),
) -> Diagnostic:
    """Return an error diagnostic."""
    return Diagnostic(Severity.ERROR, code, message, span, hint, tuple(notes))


def note(message: str, span: SourceSpan | None = None) -> Diagnostic:
    """Return a note that belongs to another diagnostic."""
    return Diagnostic(Severity.NOTE, "", message, span)


def remark(code: str, message: str, span: SourceSpan | None = None) -> Diagnostic:
    """Return a remark: a choice of the compiler and its reason."""
    return Diagnostic(Severity.REMARK, code, message, span)


def warning(
    code: str, message: str, span: SourceSpan | None = None, *, hint: str | None = None
) -> Diagnostic:
    """Return a warning: the kernel is right, but much slower than the user may expect."""
    return Diagnostic(Severity.WARNING, code, message, span, hint)


class TileError(Exception):
    """A mistake of the user. `diagnostics` holds every message, in source order."""

    def __init__(
        self, diagnostics: Diagnostic | Sequence[Diagnostic], sources: Sequence[SourceFile] = ()
    ) -> None:
        """Keep the diagnostics and the sources that they point into."""
        items = [diagnostics] if isinstance(diagnostics, Diagnostic) else list(diagnostics)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(items)
        self.sources: tuple[SourceFile, ...] = tuple(sources)
        super().__init__("\n".join(item.render(self.sources) for item in items))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the error was made of, not the text that it shows."""
        return type(self), (self.diagnostics, self.sources)

    def quoting(self, sources: Sequence[SourceFile]) -> "TileError":
        """Return the same error with lines of `sources`, unless it has sources already."""
        return self if self.sources else type(self)(self.diagnostics, sources)


class CompileError(TileError):
    """The source or the IR cannot be compiled."""


class LaunchError(TileError):
    """The arguments of a launch break a rule or a precondition of the kernel."""


class DeviceError(TileError):
    """There is no usable driver or device, or the driver reported an error."""


class DeadlockError(TileError):
    """A wait of a debug build (`--debug-waits`) ran into its limit."""


class OutOfRangeError(TileError):
    """A kernel asked for what is not there: part of a tile, or an element that is not checked."""


class KernelAssertionError(TileError, AssertionError):
    """An `assert` of the running kernel failed."""


class PerformanceWarning(UserWarning):
    """A kernel is right, but much slower than it could be: `warnings.warn` shows it once."""


class InternalCompilerError(Exception):
    """A broken invariant of tilec itself: names the pass and the operation."""

    def __init__(
        self, message: str, *, pass_name: str = "", op: str = "", span: SourceSpan | None = None
    ) -> None:
        """Keep where the invariant broke; `span` is where the operation comes from."""
        self.pass_name = pass_name
        self.op = op
        self.span = span
        super().__init__(message)


@dataclass
class DiagnosticSink:
    """Collects remarks and warnings while a kernel is compiled."""

    items: list[Diagnostic] = field(default_factory=list)

    def emit(self, diagnostic: Diagnostic) -> None:
        """Keep `diagnostic` unless the same one is there already."""
        if diagnostic not in self.items:
            self.items.append(diagnostic)
