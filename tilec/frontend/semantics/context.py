"""The state of one analysis: where operations go, which variables exist, what went wrong."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.facts.intervals import result_bounds
from tilec.frontend.semantics.facts.tile_uses import TileUseRecorder
from tilec.frontend.semantics.not_yet import Lacking
from tilec.frontend.semantics.values import AnyValue
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_CALLS, MAX_ERRORS, MAX_OPERATIONS, MAX_STATEMENTS
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    InternalCompilerError,
    SourceFile,
    SourceSpan,
    error,
    note,
)
from tilec.support.fast_dataclasses import dataclass, field


class LimitError(Exception):
    """Ends the analysis of a kernel: it reached a limit. Carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """Keep the diagnostic."""
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


_LIMITS = {
    "statements": MAX_STATEMENTS,
    "inlined calls": MAX_CALLS,
    "operations": MAX_OPERATIONS,
}
_LIMIT_HINT = (
    "helpers are inlined at every call; use a loop over 'range' for code that repeats, or split the"
    " kernel"
)


class SemanticError(Exception):
    """Ends the analysis of one statement; the diagnostic is kept and the next statement runs."""

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        """Carry the diagnostic; None when the mistake was reported before."""
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message if diagnostic else "")


@dataclass(slots=True)
class Binding:
    """A variable: its value and where it was assigned."""

    value: AnyValue
    span: SourceSpan


@dataclass(slots=True, eq=False)
class Frame:
    """One function being analysed: the kernel, or a helper inlined into it.

    Attributes:
        function: The function.
        module: Where its global names are looked up.
        variables: Its parameters and local variables.
        call_span: Where it is called; None for the kernel.
        caller: The frame that calls it.
        loop_depth: Number of loops around the statement that is being analysed.
        loop_names: Variables whose values the next iteration or the code after the innermost loop
            may read; empty outside loops.
        is_tail: Whether the function ends after the statement that is being analysed.
        partial: In a loop that is unrolled, variables without a value where a jump skipped their
            assignment; None in other loops, after which no such variable has a value.
        closure: The frame of the function around it; None at the top of a file.
        captured: Names that the functions defined in it mention.
    """

    function: ast.FunctionDef
    module: ast.Module
    variables: dict[str, Binding] = field(default_factory=dict)
    call_span: SourceSpan | None = None
    caller: "Frame | None" = None
    loop_depth: int = 0
    loop_names: frozenset[str] = frozenset()
    is_tail: bool = True
    partial: set[str] | None = None
    closure: "Frame | None" = None
    captured: set[str] = field(default_factory=set)


@dataclass(slots=True)
class GridInfo:
    """The `grid(...)` of a kernel: host expressions, one per extent."""

    extents: tuple[str, ...]
    span: SourceSpan


class Context:
    """What every part of the analysis shares.

    Attributes:
        module: Module of the kernel.
        specialization: What the kernel is compiled for.
        frame: The function being analysed.
        block: Where new operations go.
        diagnostics: Errors so far.
        access: Per array parameter the subset of {"read", "write"} that the kernel does.
        grid: The grid, once its statement was analysed.
        parameters: The values that the kernel starts with, by name.
        open_constants: Module constants (file, name) that are being evaluated.
        spent: How much there is so far of what is limited, by its name in messages.
        known_constants: Values of module constants (file, name) that were evaluated.
        host_names: Kernel arguments that the host knows by name: dims and integer scalars.
        uses: Collects how `auto` constants are used.
        any_tile_extents: Whether tiles may have extents that are not powers of two.
        evaluate: Evaluates an expression (`expressions.evaluate`).
        execute: Runs the statements of a block (`statements.execute`).
        run_function: Inlines a function (`calls.run_function`).
    """

    def __init__(self, module: ast.Module, specialization: Specialization, frame: Frame) -> None:
        """Start with an empty body."""
        self.module = module
        self.specialization = specialization
        self.frame = frame
        self.block = hir.Block()
        self.diagnostics: list[Diagnostic] = []
        self.sources: list[SourceFile] = [module.source]
        self.access: dict[str, set[str]] = {}
        self.grid: GridInfo | None = None
        self.uses = TileUseRecorder()
        self.any_tile_extents = False
        self.parameters: dict[str, AnyValue] = {}
        self.spent = dict.fromkeys(_LIMITS, 0)
        self.known_constants: dict[tuple[str, str], AnyValue] = {}
        self.open_constants: set[tuple[str, str]] = set()
        self.host_names: dict[hir.Value, str] = {}
        self.evaluate: Callable[[ast.Expression], AnyValue]
        self.execute: Callable[[Sequence[ast.Statement]], None]
        self.run_function: Callable[..., AnyValue]

    def spend(self, what: str, span: SourceSpan) -> None:
        """Count one more of what is limited: statements, inlined calls, operations.

        Raises:
            LimitError: There are more than the limit.
        """
        self.spent[what] += 1
        if self.spent[what] > _LIMITS[what]:
            message = f"the kernel has more than {_LIMITS[what]} {what}, which is the limit"
            notes = self.call_notes()
            raise LimitError(error("T0211", message, span, hint=_LIMIT_HINT, notes=notes))

    # Operations

    def record(
        self,
        name: str,
        operands: Iterable[hir.Value],
        types: Iterable[hir.Type],
        span: SourceSpan,
        attributes: dict[str, Any] | None = None,
        regions: tuple[hir.Block, ...] = (),
    ) -> tuple[hir.Value, ...]:
        """Append an operation to the current block and return its results."""
        self.spend("operations", span)
        operands, attributes = tuple(operands), attributes or {}
        results = tuple(
            hir.Value(kind, span, result_bounds(name, operands, kind, attributes)) for kind in types
        )
        self.block.operations.append(
            hir.Operation(name, operands, attributes, results, span, regions)
        )
        return results

    def op(
        self,
        name: str,
        operands: Iterable[hir.Value],
        kind: hir.Type,
        span: SourceSpan,
        **attributes: Any,
    ) -> hir.Value:
        """Append an operation with one result and return it."""
        return self.record(name, operands, [kind], span, attributes)[0]

    @contextmanager
    def in_block(self, block: hir.Block) -> Iterator[hir.Block]:
        """Send new operations to `block` while the context is open."""
        outer = self.block
        self.block = block
        try:
            yield block
        finally:
            self.block = outer

    # Errors

    def fail(
        self,
        code: str,
        message: str,
        span: SourceSpan,
        *,
        hint: str | None = None,
        notes: Iterable[Diagnostic] = (),
    ) -> SemanticError:
        """Return the error to raise, with a note for every inlined call around it."""
        all_notes = [*notes, *self.call_notes()]
        return SemanticError(error(code, message, span, hint=hint, notes=all_notes))

    def fail_lacking(self, entry: Lacking, name: str, span: SourceSpan) -> SemanticError:
        """Return the error that tilec lacks something: an entry of the table `not_yet`."""
        return self.fail("T0318", entry.message(name), span, hint=entry.hint)

    def call_notes(self) -> list[Diagnostic]:
        """Return `called from` notes, innermost call first."""
        notes = []
        frame: Frame | None = self.frame
        while frame is not None and frame.call_span is not None:
            notes.append(note(f"'{frame.function.name}' is called from here", frame.call_span))
            frame = frame.caller
        return notes

    def report(self, failure: SemanticError | CompileError) -> None:
        """Keep the diagnostics of a failed statement."""
        if isinstance(failure, CompileError):
            found = list(failure.diagnostics)
        else:
            found = [failure.diagnostic] if failure.diagnostic is not None else []
            if not found and not self.diagnostics:
                raise InternalCompilerError("a statement failed without a message")
        for diagnostic in found:
            if diagnostic not in self.diagnostics:
                self.diagnostics.append(diagnostic)
            if len(self.diagnostics) > MAX_ERRORS:
                message = f"more than {MAX_ERRORS} errors: the rest is not shown"
                raise LimitError(error("T0211", message, diagnostic.span))

    def raise_if_failed(self) -> None:
        """Raise every diagnostic so far as one CompileError, in source order."""
        if self.diagnostics:
            ordered = sorted(
                self.diagnostics,
                key=lambda item: (item.span.line, item.span.column) if item.span else (0, 0),
            )
            raise CompileError(ordered, self.sources)

    # Variables

    def bind(self, name: str, value: AnyValue, span: SourceSpan) -> None:
        """Assign a local variable."""
        self.frame.variables[name] = Binding(value, span)

    def add_source(self, source: SourceFile) -> None:
        """Make `source` available for excerpts in diagnostics."""
        for position, known in enumerate(self.sources):
            if known.name == source.name:
                self.sources[position] = _merged(known, source)
                return
        self.sources.append(source)


def _merged(first: SourceFile, second: SourceFile) -> SourceFile:
    """Return two sources of one file, each with some of its lines, as one."""
    if first.text == second.text:
        return first
    pairs = zip_longest(first.text.split("\n"), second.text.split("\n"), fillvalue="")
    return SourceFile(first.name, "\n".join(left or right for left, right in pairs))
