"""Reading inputs and writing results for the command line."""

import sys
from pathlib import Path

from tilec.support.diagnostics import CompileError, SourceFile, error
from tilec.support.file_io import write_atomic
from tilec.support.sources import decode_source, read_bytes, read_source_file

STANDARD_STREAM = "-"
"""File name that means standard input or standard output."""
_STDIN_NAME = "<stdin>"


def read_source(name: str) -> SourceFile:
    """Return the text of file `name` (`-` is standard input).

    Raises:
        CompileError: The file cannot be read or is not UTF-8 text.
    """
    if name != STANDARD_STREAM:
        return read_source_file(name)
    try:
        data = read_bytes(sys.stdin.buffer)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read standard input: {reason}")) from failure
    return decode_source(_STDIN_NAME, data)


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
