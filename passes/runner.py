"""Runs one pass, tilec's or MLIR's, and turns whatever goes wrong into a proper error."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from tilec.ir.bindings import MLIRError, PassManager, ir
from tilec.ir.errors import diagnose, source_span, to_diagnostic
from tilec.passes import PASS_MODULES, load_pass
from tilec.passes.registry import PassContext
from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    InternalCompilerError,
    Severity,
    SourceFile,
    SourceSpan,
    TileError,
    error,
)
from tilec.support.isolation import step

_ANCHOR = "builtin.module"
_OPTIONS = {"canonicalize": "canonicalize{top-down=false}"}
"""Options of MLIR's passes where they are not the default ones.

Bottom up, the rewriter takes 6 ms for the 3200 operations of examples/matmul.tile in the llvm
dialect, top down 75 ms, with the same result (torch-mlir 20261001, 2026-11-22).
"""


def check_pass_name(name: str, context: Any) -> None:
    """Check that `name` is a pass of tilec or a pass pipeline of MLIR.

    Args:
        name: For example `cse`, `func.func(cse)` or `nv-tileaa-infer-facts`.
        context: An `ir.Context`.

    Raises:
        CompileError: There is no such pass.
    """
    if load_pass(name) is None:
        with context:
            _upstream_pipeline(name)


def run_pass(
    module: Any,
    name: str,
    context: PassContext,
    sources: Sequence[SourceFile] = (),
    *,
    verify: bool = True,
    unverified: bool = False,
) -> bool:
    """Run pass `name` on `module` in place and verify the result.

    Args:
        module: An `ir.Module`. After a failure its contents are undefined.
        name: A pass of tilec or a pass pipeline of MLIR anchored on the module.
        context: What tilec's passes may consult.
        sources: Files to quote from in diagnostics.
        verify: Whether to verify the result; see `needs_verifying`.
        unverified: Whether an earlier pass left what was not verified.

    Returns:
        Whether the module is now one that was not verified.

    Raises:
        TileError: The pass rejects the program.
        InternalCompilerError: The pass failed, or the module it leaves does not verify.
    """
    registered = load_pass(name)
    changed = True
    with step(name, is_pass=True):
        with _explaining(module, name, sources), module.context:
            if registered is not None:
                run = partial(registered.run, module, context)
                changed = _run_own(run, module.context, sources) is not False
            else:
                _upstream_pipeline(name).run(module.operation)
        unverified |= changed
        if verify and unverified:
            _verify_result(module, name, sources)
    return unverified and not verify


@contextlib.contextmanager
def _explaining(module: Any, name: str, sources: Sequence[SourceFile]) -> Iterator[None]:
    """Say of what pass `name` raises which sources it is about, or where the pass went wrong."""
    try:
        yield
    except TileError as failure:
        if failure.sources:
            raise
        raise CompileError(failure.diagnostics, sources) from failure
    except InternalCompilerError as failure:
        failure.pass_name = failure.pass_name or name
        if failure.span is None:
            op = _operation_in_traceback(failure.__traceback__, module)
            failure.span = _place(op, sources)
        raise
    except MLIRError as failure:
        raise diagnose(failure, sources, "T0501") from failure
    except Exception as failure:
        op = _operation_in_traceback(failure.__traceback__, module)
        raise InternalCompilerError(
            f"{type(failure).__name__}: {failure}",
            pass_name=name,
            op="" if op is None else op.name,
            span=_place(op, sources),
        ) from failure


def needs_verifying(names: Sequence[str], position: int) -> bool:
    """Tell whether a stage that runs without a break verifies what a pass leaves.

    That is the result of the stage, and what tilec's passes hand to MLIR's, which may end the
    process when it is not valid.

    Args:
        names: Passes of the stage, in order.
        position: Of the pass.
    """
    name, *following = names[position : position + 2]
    return not following or (name in PASS_MODULES and following[0] not in PASS_MODULES)


def count_operations(module: Any) -> int:
    """Return the number of operations in `module`, itself not counted."""
    count = -1

    def visit(_: Any) -> Any:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return count


def verify_module(module: Any, sources: Sequence[SourceFile] = ()) -> None:
    """Run the verifiers on `module`.

    Raises:
        CompileError: The module breaks a rule of its dialects.
    """
    try:
        module.operation.verify()
    except MLIRError as failure:
        raise diagnose(failure, sources, "T0500") from failure


def _verify_result(module: Any, name: str, sources: Sequence[SourceFile]) -> None:
    try:
        module.operation.verify()
    except MLIRError as failure:
        found = failure.error_diagnostics
        message = "; ".join(item.message for item in found) or str(failure)
        quoted = re.search(r"'([\w.]+)' op", message)
        raise InternalCompilerError(
            f"the pass left invalid IR: {message}",
            pass_name=name,
            op=quoted[1] if quoted else "",
            span=source_span(found[0].location, _buffer(sources)) if found else None,
        ) from failure


def _run_own(
    run: Callable[[], bool | None], context: Any, sources: Sequence[SourceFile]
) -> bool | None:
    """Call `run`; errors that it only emits (`location.emit_error`) are raised afterwards."""
    found: list[Diagnostic] = []

    def keep(item: Any) -> bool:
        found.append(to_diagnostic(item, "T0501", sources[0].name if sources else "-"))
        return True

    handler = context.attach_diagnostic_handler(keep)
    try:
        changed = run()
    finally:
        handler.detach()
    if any(item.severity is Severity.ERROR for item in found):
        raise CompileError(found, sources)
    return changed


def _upstream_pipeline(name: str) -> Any:
    try:
        manager = PassManager.parse(f"{_ANCHOR}({_OPTIONS.get(name, name)})")
    except ValueError as failure:
        raise CompileError(
            error(
                "T0005",
                f"there is no pass called '{name}'",
                hint="'tilec passes' lists the passes of tilec; MLIR's own passes work too",
            )
        ) from failure
    if "," not in name:  # the result of one pass is verified here, after tilec's passes and MLIR's
        manager.enable_verifier(False)
    return manager


def _is_anchor(op: Any) -> bool:
    return op is None or op.name == _ANCHOR


def _buffer(sources: Sequence[SourceFile]) -> str:
    return sources[0].name if sources else "-"


def _place(op: Any, sources: Sequence[SourceFile]) -> SourceSpan | None:
    return None if op is None else source_span(op.location, _buffer(sources))


def _operation_in_traceback(traceback: TracebackType | None, module: Any) -> Any:
    """Return the operation that the innermost frame of the failure worked on, None if none did.

    A variable may hold an operation that was erased, and touching one ends the process; so only
    only the operations of the module are asked for their name.
    """
    alive: dict[int, Any] = {}

    def visit(op: Any) -> Any:
        alive[hash(op)] = op
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    found = None
    while traceback is not None:
        for value in traceback.tb_frame.f_locals.values():
            with contextlib.suppress(RuntimeError):  # the operation has been invalidated
                operation = value.operation if isinstance(value, ir.OpView) else value
                if isinstance(operation, ir.Operation):
                    candidate = alive.get(hash(operation))
                    found = found if _is_anchor(candidate) else candidate
        traceback = traceback.tb_next
    return found
