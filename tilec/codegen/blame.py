"""Finds the source lines behind what ptxas complains about.

Line information costs time and makes the PTX hard to read, so it is left out until ptxas rejects
a kernel. Then the kernel is compiled once more with it.
"""

from typing import Any

from tilec import compiling
from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.codegen.ptxas import assemble
from tilec.diagnostics import CompileError
from tilec.target import Target

_CODES_OF_PTXAS = frozenset(("T0607", "T0608", "T0609"))


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
        with compiling.LOCK.held:
            text = translate(module, lineinfo=True)
        assemble(emit_ptx(text, target), target, lineinfo=True)
    except CompileError as located:
        return located
    return failure
