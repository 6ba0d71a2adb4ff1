"""Finds the source line and the reason for each complaint of ptxas.

Line information costs time and makes the PTX hard to read, so it is left out until ptxas rejects
a kernel. Then the kernel is compiled once more with it. Registers are often short because something
that shared memory was to hold lies in them: remarks have said what, and the message repeats them.
"""

from collections.abc import Iterable
from typing import Any

from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.codegen.ptxas import assemble
from tilec.request.target import Target
from tilec.support import compiler_threads
from tilec.support.diagnostics import CompileError, Diagnostic, note
from tilec.support.fast_dataclasses import replace

_CODES_OF_PTXAS = frozenset(("T0607", "T0608", "T0609"))
_FEW_REGISTERS = frozenset(("T0608", "T0609"))
_COST_REGISTERS = frozenset(("T0437", "T0520", "T0521", "T0522", "T0541"))
"""Remarks on tiles that go through registers instead of shared memory."""


def with_source_lines(failure: CompileError, module: Any, target: Target) -> CompileError:
    """Return `failure` with source lines.

    Args:
        failure: What `assemble` raised for PTX without `.loc`.
        module: The module of the llvm stage that the PTX was made from. Not changed.
        target: Architecture.

    Returns:
        The error that ptxas gives with line information, or `failure` itself when it is none of
        ptxas, has source lines already, or does not come back.
    """
    codes = {item.code for item in failure.diagnostics}
    if not codes & _CODES_OF_PTXAS or any(item.span for item in failure.diagnostics):
        return failure
    try:
        with compiler_threads.LOCK.held:
            text = translate(module, lineinfo=True)
        assemble(emit_ptx(text, target), target, lineinfo=True)
    except CompileError as located:
        return located
    return failure


def with_reasons(failure: CompileError, remarks: Iterable[Diagnostic]) -> CompileError:
    """Return `failure` with notes on what takes registers, where these are too few.

    Args:
        failure: Why the kernel cannot be compiled.
        remarks: What the compiler has said of it so far.
    """
    reasons = tuple(
        note(item.message, item.span) for item in remarks if item.code in _COST_REGISTERS
    )
    first, *others = failure.diagnostics
    if first.code not in _FEW_REGISTERS or not reasons:
        return failure
    return CompileError([replace(first, notes=(*first.notes, *reasons)), *others], failure.sources)
