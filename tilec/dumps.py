"""Files for people who look inside: the IR after every pass, and reproducers."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilec.diagnostics import CompileError, InternalCompilerError, error
from tilec.environment import reproducer_directory
from tilec.fileio import write_atomic

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
            write_atomic(path, text)
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


def split_metadata_comment(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the metadata that a dump carries (None when it carries none) and the rest."""
    match = _METADATA_LINE.search(text)
    if match is None:
        return None, text
    return json.loads(match[1]), text[: match.start()] + text[match.end() :]
