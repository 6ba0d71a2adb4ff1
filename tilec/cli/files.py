"""Reading inputs and writing results for the command line."""

import sys
from pathlib import Path

from tilec.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan, error
from tilec.fileio import write_atomic

STANDARD_STREAM = "-"
"""File name that means standard input or standard output."""
_STDIN_NAME = "<stdin>"


def read_source(name: str) -> SourceFile:
    """Return the text of file `name` (`-` is standard input).

    Raises:
        CompileError: The file cannot be read or is not UTF-8 text.
    """
    shown = _STDIN_NAME if name == STANDARD_STREAM else name
    try:
        data = sys.stdin.buffer.read() if name == STANDARD_STREAM else Path(name).read_bytes()
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read '{shown}': {reason}")) from failure
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as failure:
        raise CompileError(_not_text(shown, data, failure.start)) from failure
    return SourceFile(shown, text.removeprefix("\ufeff"))


def _not_text(name: str, data: bytes, offset: int) -> Diagnostic:
    line = data.count(b"\n", 0, offset) + 1
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    return error(
        "T0003",
        f"the file is not UTF-8 text: byte 0x{data[offset]:02x} at offset {offset}",
        SourceSpan(name, line, column, line, column + 1),
    )


def write_result(name: str, data: str | bytes) -> None:
    """Write `data` to file `name` (`-` is standard output), all of it or nothing.

    Raises:
        CompileError: The file cannot be written.
    """
    raw = data.encode() if isinstance(data, str) else data
    if name == STANDARD_STREAM:
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
        return
    try:
        write_atomic(Path(name), raw)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0004", f"cannot write '{name}': {reason}")) from failure
