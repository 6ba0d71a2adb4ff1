"""Which stage a dump is of, from its text: so that `tilec compile` need not be told."""

import re
from pathlib import Path

from tilec.request.options import RESUME_CHOICES
from tilec.request.stages import STAGES
from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error

DUMP_SUFFIXES = (".mlir", ".ll", ".ptx")
"""What the names of files that `--dump-ir` writes, and that can be continued from, end in."""
_LINE_COMMENT = re.compile(r"//[^\n]*")
_STAMP = re.compile(r'\btilec\.after\s*=\s*"([^"\n]*)"')
_OPERATIONS = {
    name: re.compile(rf'"{name}\.\w+"\s*\(') for name in ("nv_tileas", "nv_tileaa", "cuda_tile")
}
"""Dialects, the lowest first: the nv_tileas stage keeps the function of nv_tileaa."""
_LLVM_OPERATION = re.compile(r'(?:^|[{=])\s*"?llvm\.\w+', re.MULTILINE)
_PTX = re.compile(r"^\s*\.version\s+\d", re.MULTILINE)
_LLVM_IR = re.compile(
    r"^(?:; ModuleID|source_filename\s*=|target (?:triple|datalayout)\s*=|define\s|declare\s)",
    re.MULTILINE,
)


def find_stage(source: SourceFile) -> str | None:
    """Return the stage of a dump, one of `RESUME_CHOICES`; None if the text is no dump.

    The pass that wrote the dump decides if only one stage runs it. Otherwise the operations do, and
    where there is no operation of MLIR, the first words of LLVM IR and PTX.

    Args:
        source: Text of the file. Comments do not count.
    """
    text = _LINE_COMMENT.sub("", source.text)
    stamp = _STAMP.search(text)
    if stamp is not None:
        stages = [item.name for item in STAGES if stamp[1] in item.passes]
        if len(stages) == 1:
            return stages[0]
    for name, operation in _OPERATIONS.items():
        if operation.search(text):
            return name
    if _PTX.search(text):
        return "ptx"
    if _LLVM_IR.search(text):
        return "llvmir"
    return "llvm" if _LLVM_OPERATION.search(text) else None


def has_dump_name(name: str) -> bool:
    """Tell whether a file is a dump by its name."""
    return Path(name).suffix in DUMP_SUFFIXES


def require_stage(source: SourceFile) -> str:
    """Return the stage of a dump.

    Raises:
        CompileError: It cannot be told from the text (T0022).
    """
    stage = find_stage(source)
    if stage is not None:
        return stage
    message = f"the stage of {source.name} cannot be found: it has no operation of any stage"
    hint = f"say it with --start-from: {', '.join(RESUME_CHOICES)}"
    place = SourceSpan(source.name, 1, 1, 1, 2)
    raise CompileError(error("T0022", message, place, hint=hint), [source])
