"""Files for people who look inside: the IR after every pass, and reproducers."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilec.codegen.kernel_schema import DUMPED
from tilec.codegen.schema import SchemaError
from tilec.support.diagnostics import (
    CompileError,
    InternalCompilerError,
    SourceFile,
    SourceSpan,
    error,
)
from tilec.support.environment import reproducer_directory
from tilec.support.file_io import write_atomic

METADATA_PREFIX = "tilec.kernel: "
"""Starts the comment that carries the kernel metadata through LLVM IR and PTX text."""
_METADATA_LINE = re.compile(rf"^(?:;|//) {re.escape(METADATA_PREFIX)}(.*)\n?", re.MULTILINE)
_DIGEST_LENGTH = 8


class DumpWriter:
    """Writes the files of `--dump-ir DIR`, numbered in the order of the pipeline."""

    def __init__(self, directory: Path | None) -> None:
        """Write to `directory`, which is made with the first file; None writes nothing."""
        self.directory = directory
        self._count = 0

    def write_pass(self, stage: str, pass_name: str, text: str) -> None:
        """Write `NN-stage-pass.mlir`."""
        step = re.sub(r"[^\w-]+", "_", pass_name)
        self.write(f"{self._count:02d}-{stage}-{step}.mlir", text)
        self._count += 1

    def write(self, name: str, text: str) -> None:
        """Write file `name`.

        Raises:
            CompileError: The file cannot be written.
        """
        if self.directory is None:
            return
        path = self.directory / name
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            write_atomic(path, text, durable=False)
        except OSError as failure:
            reason = failure.strerror or str(failure)
            raise CompileError(error("T0004", f"cannot write '{path}': {reason}")) from failure


def write_reproducer(text: str, failure: InternalCompilerError, target: str) -> Path | None:
    """Write the IR that a pass failed on, with the command that repeats the failure.

    Args:
        text: The module before the pass.
        failure: What went wrong; its `pass_name` is the pass.
        target: Name of the architecture.

    Returns:
        The file, or None when it cannot be written: the failure itself matters more.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
    path = reproducer_directory() / f"tilec-{failure.pass_name}-{digest}.mlir"
    message = "\n".join(f"// {line}" for line in str(failure).splitlines())
    command = f"// tilec opt {path} --passes {failure.pass_name} --target {target}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, f"{command}\n{message}\n{text}")
    except OSError:
        return None
    return path


def metadata_comment(metadata: Mapping[str, Any], marker: str) -> str:
    """Return the comment line that carries `metadata`; `marker` is `;` or `//`."""
    return f"{marker} {METADATA_PREFIX}{json.dumps(metadata, separators=(',', ':'))}\n"


def split_metadata_comment(text: str) -> tuple[Any, str]:
    """Return the metadata that a dump carries (None when it carries none) and the rest.

    Raises:
        ValueError: The metadata is not JSON.
    """
    match = _METADATA_LINE.search(text)
    if match is None:
        return None, text
    try:
        metadata = json.loads(match[1])
    except RecursionError as failure:
        raise ValueError("its brackets are nested too deeply") from failure
    return metadata, text[: match.start()] + text[match.end() :]


def read_metadata_comment(source: SourceFile) -> tuple[dict[str, Any], str]:
    """Return the metadata that a dump carries and the rest of it, as `split_metadata_comment`.

    Raises:
        CompileError: There is none (T0009), or it is damaged (T0017).
    """
    try:
        metadata, rest = split_metadata_comment(source.text)
    except ValueError as failure:
        raise damaged(str(failure), _comment_span(source), source) from failure
    if metadata is None:
        raise CompileError(
            error(
                "T0009",
                f"{source.name} does not carry the metadata of its kernel",
                hint="keep the line 'tilec.kernel: {...}' that --dump-ir wrote",
            )
        )
    check_metadata(metadata, _comment_span(source), source)
    return metadata, rest


def check_module(module: Any, source: SourceFile) -> None:
    """Check the metadata of the kernels of a module that comes from a file.

    Raises:
        CompileError: There is no kernel (T0009), or the metadata of one are damaged (T0017).
    """
    from tilec.ir.attributes import KERNEL_ATTRIBUTE, to_python
    from tilec.ir.errors import source_span

    operations = module.operation.regions[0].blocks[0].operations
    kernels = [op for op in operations if KERNEL_ATTRIBUTE in op.attributes]
    for op in kernels:
        span = source_span(op.location, source.name)
        try:
            metadata = to_python(op.attributes[KERNEL_ATTRIBUTE])
        except TypeError as failure:
            raise damaged(str(failure), span, source) from failure
        check_metadata(metadata, span, source)
    if not kernels:
        message = f"{source.name} holds no kernel with its metadata ('{KERNEL_ATTRIBUTE}')"
        hint = "start from a file that --dump-ir wrote; 'tilec opt' takes any IR"
        place = SourceSpan(source.name, 1, 1, 1, 2)
        raise CompileError(error("T0009", message, place, hint=hint), [source])


def check_metadata(metadata: Any, span: SourceSpan | None, source: SourceFile) -> None:
    """Check the metadata of a kernel that comes from a file.

    Args:
        metadata: What was read.
        span: Where it stands.
        source: The file.

    Raises:
        CompileError: T0017.
    """
    try:
        DUMPED(metadata, "tilec.kernel")
    except SchemaError as found:
        raise damaged(str(found), span, source) from found


def damaged(message: str, span: SourceSpan | None, source: SourceFile) -> CompileError:
    """Return the error about metadata that is not what it must be."""
    text = f"'tilec.kernel', the metadata of the kernel, is damaged: {message}"
    found = error("T0017", text, span, hint="take it from the dump that --dump-ir wrote")
    return CompileError(found, [source])


def _comment_span(source: SourceFile) -> SourceSpan | None:
    match = _METADATA_LINE.search(source.text)
    if match is None:
        return None
    line = source.text.count("\n", 0, match.start()) + 1
    return SourceSpan(source.name, line, 1, line, 1 + len(METADATA_PREFIX))
