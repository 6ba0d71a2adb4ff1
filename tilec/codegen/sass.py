"""Machine code of a cubin as text, and counts of its instructions."""

import re
from collections import Counter

from tilec.codegen.tools import run_tool
from tilec.support.cleanup import temporary_folder
from tilec.support.diagnostics import CompileError, error

_INSTRUCTION = re.compile(
    r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P(?:T|\d+)\s+)?([A-Z][A-Z0-9_]*)", re.MULTILINE
)


def disassemble(cubin: bytes, *, lineinfo: bool = False) -> str:
    """Return the SASS listing of a cubin.

    Args:
        cubin: Machine code as ptxas made it.
        lineinfo: Show source lines, if the cubin carries them.

    Raises:
        CompileError: nvdisasm is missing, or `cubin` is not one.
    """
    with temporary_folder() as folder:
        path = folder / "kernel.cubin"
        path.write_bytes(cubin)
        flags = ["--print-code", *(["--print-line-info"] if lineinfo else [])]
        result = run_tool("nvdisasm", [*flags, str(path)]).without(f"{folder}/")
    if result.code != 0:
        reason = (result.messages or result.output).strip()
        raise CompileError(error("T0606", f"nvdisasm failed: {reason}"))
    return result.output


def count_opcodes(sass: str) -> Counter[str]:
    """Count the instructions of a listing by opcode without modifiers (`HGMMA`, `STL`).

    Args:
        sass: A listing of `disassemble`; predicates and operands do not matter.
    """
    return Counter(_INSTRUCTION.findall(sass))
