"""Reading source files."""

import errno
import re
from pathlib import Path
from typing import BinaryIO

from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error

MAX_BYTES = 1 << 28
"""Bytes of a source or a dump. A device such as /dev/zero never ends, and tells no size."""
_OLD_LINE_END = re.compile("\r(?!\n)")


def read_source_file(path: str | Path) -> SourceFile:
    """Return the text of a source file.

    Raises:
        CompileError: The file cannot be read (T0002) or is not UTF-8 text (T0003).
    """
    name = str(path)
    try:
        with Path(path).open("rb") as stream:
            data = read_bytes(stream)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read '{name}': {reason}")) from failure
    return decode_source(name, data)


def read_bytes(stream: BinaryIO) -> bytes:
    """Return what is left of a stream.

    Raises:
        OSError: It cannot be read, or has more than `MAX_BYTES`.
    """
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MAX_BYTES} bytes")
    return data


def text_source(name: str, text: str) -> SourceFile:
    """Return text as a source: without a byte-order mark, with lines that end in line feeds.

    Python, too, takes a carriage return for the end of a line.
    """
    return SourceFile(name, _OLD_LINE_END.sub("\n", text.removeprefix("\ufeff")))


def decode_source(name: str, data: bytes) -> SourceFile:
    """Return bytes as a source, as `text_source` does.

    Args:
        name: Name to show for the source.
        data: UTF-8 text.

    Raises:
        CompileError: The bytes are not UTF-8 (T0003).
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as failure:
        line = data.count(b"\n", 0, failure.start) + 1
        column = failure.start - (data.rfind(b"\n", 0, failure.start) + 1) + 1
        span = SourceSpan(name, line, column, line, column + 1)
        byte = f"byte 0x{data[failure.start]:02x} at offset {failure.start}"
        message = f"the file is not UTF-8 text: {byte}"
        raise CompileError(error("T0003", message, span)) from failure
    return text_source(name, text)
