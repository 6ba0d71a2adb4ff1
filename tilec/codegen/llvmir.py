"""From the llvm stage to LLVM IR text that llvmlite's LLVM reads.

The MLIR bindings and llvmlite hold different LLVM versions, so text is what they share. What the
older one does not understand is re-spelled line by line: float literals
(`tilec.codegen.float_literals`). Inline assembly with side effects is marked `convergent`, which
MLIR cannot express: warp-wide instructions must not move into divergent control flow.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tilec.codegen.float_literals import FORMATS, LITERAL, respell
from tilec.codegen.legality import check_legality
from tilec.ir.bindings import PassManager, ir, llvm_types

_LINE_INFO = "ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}"
"""Turns locations into `.loc` directives. With the kind `LineTablesOnly` LLVM would write
`.target sm_90a, debug`, and ptxas would not optimise."""

_LAYOUT_NAME = "llvm.data_layout"
_LAYOUT = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
"""What sizes and alignments of NVPTX have in common in all versions of LLVM (NVPTX usage guide)."""

_STRING = re.compile(r'"[^"]*"')
_TOKEN = re.compile(rf"(?<![\w.$@%!#-])(?:({'|'.join(FORMATS)})\b|({LITERAL})(?![\w.]))")
_MAYBE_LITERAL = re.compile(r"\d\.\d|f0x|[+-](?:inf|qnan|s?nan)")
"""Cheap test that most lines fail."""
_CONVERGENT = " convergent"
_PARENTHESIS = re.compile(r"[()]")
_ASSEMBLY = re.compile(r"\basm sideeffect\b")


def translate(module: Any, *, lineinfo: bool = False, is_legal: bool = False) -> str:
    """Return the LLVM IR text of a module of the llvm stage.

    Args:
        module: An `ir.Module`, or its operation. Not changed.
        lineinfo: Keep source positions as debug locations, from which LLVM makes `.loc`.
        is_legal: `verify-llvm-legality` has just passed the module, so that it is not checked here.

    Raises:
        CompileError: The module holds something that has no way to PTX.
    """
    if not is_legal:
        check_legality(module)
    root = module.operation
    if lineinfo:
        root = root.clone(ip=False)
        with root.context:
            PassManager.parse(f"builtin.module({_LINE_INFO})").run(root)
    with _data_layout(root):
        return downlevel(str(llvm_types.translate_module_to_llvmir(root.operation)))


@contextmanager
def _data_layout(root: Any) -> Iterator[None]:
    """Let accesses without an alignment have that of their type on the GPU.

    The translation writes the alignments down. By LLVM's usual layout, integers of 64 bits lie at
    multiples of 4, and NVPTX splits their accesses in two. ptxas 13.0 and older store the lower
    half of a converted one wrongly then: `cvt.rn.f64.u64 %rd1, %rd2; st.global.b32 [%rd3], %rd1`
    converts the f64 to u32 (a random program on an H100, 2026-11-26; 13.1 stores its bits).
    """
    attributes = root.operation.attributes
    if _LAYOUT_NAME in attributes:
        yield
        return
    with root.context:
        attributes[_LAYOUT_NAME] = ir.StringAttr.get(_LAYOUT)
    try:
        yield
    finally:
        del attributes[_LAYOUT_NAME]


def downlevel(text: str) -> str:
    """Return LLVM IR `text` in the spelling of llvmlite's LLVM.

    Args:
        text: LLVM IR as a newer LLVM writes it: one instruction a line.
    """
    return "\n".join(
        _downlevel_line(line)
        # What every line that changes has; a loop over them would take as long as the changes.
        if "." in line or " asm " in line or "f0x" in line or "inf" in line or "nan" in line
        else line
        for line in text.split("\n")
    )


def _downlevel_line(line: str) -> str:
    if " asm " in line:
        line = _mark_convergent(line)
    if _MAYBE_LITERAL.search(line) is None:
        return line
    code, comment = _split_comment(line)
    pieces: list[str] = []
    type_name = ""
    end = 0
    for string in _STRING.finditer(code):
        piece, type_name = _respell_literals(code[end : string.start()], type_name)
        pieces += [piece, string[0]]
        end = string.end()
    pieces.append(_respell_literals(code[end:], type_name)[0])
    return "".join(pieces) + comment


def _respell_literals(code: str, type_name: str) -> tuple[str, str]:
    """Re-spell the literals of a piece without strings.

    A literal has the type that was named last before it on its line: LLVM IR writes the type of
    every operand, or of the first one for all.
    """
    current = type_name

    def replace(match: re.Match[str]) -> str:
        nonlocal current
        if match[1]:
            current = match[1]
            return match[0]
        return respell(match[2], current) if current else match[0]

    return _TOKEN.sub(replace, code), current


def _blank_strings(line: str) -> str:
    return _STRING.sub(lambda match: "_" * len(match[0]), line)


def _split_comment(line: str) -> tuple[str, str]:
    """Split a line before the semicolon that starts its comment."""
    start = _blank_strings(line).find(";") if ";" in line else -1
    return (line, "") if start < 0 else (line[:start], line[start:])


def _mark_convergent(line: str) -> str:
    """Add the `convergent` attribute if `line` calls inline assembly with side effects."""
    blanked = _blank_strings(line)
    assembly = _ASSEMBLY.search(blanked)
    if assembly is None:
        return line
    depth = 0
    for parenthesis in _PARENTHESIS.finditer(blanked, blanked.find("(", assembly.end())):
        depth += 1 if parenthesis[0] == "(" else -1
        if depth == 0:
            rest = line[parenthesis.end() :]
            return line if _CONVERGENT in rest else line[: parenthesis.end()] + _CONVERGENT + rest
    return line
