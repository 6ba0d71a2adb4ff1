"""Reading source files."""

from pathlib import Path

from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error


def read_source_file(path: str | Path) -> SourceFile:
    """Return the text of a source file.

    Raises:
        CompileError: The file cannot be read (T0002) or is not UTF-8 text (T0003).
    """
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read '{name}': {reason}")) from failure
    return decode_source(name, data)


def decode_source(name: str, data: bytes) -> SourceFile:
    """Return bytes as a source; a byte-order mark is dropped.

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
    return SourceFile(name, text.removeprefix("\ufeff"))
