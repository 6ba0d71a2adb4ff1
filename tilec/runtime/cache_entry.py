"""What the disk cache stores for one kernel: its package, and the remarks of the compiler."""

import json
import struct
from collections.abc import Sequence
from typing import Any

from tilec.codegen.manifest import parse_json
from tilec.codegen.package import package_bytes, parse_package
from tilec.codegen.schema import Check, integer, nullable, one_of, record, row, sequence, text
from tilec.support.diagnostics import CompileError, Diagnostic, Severity, SourceSpan

_HEADER = struct.Struct("<Q")
_NUMBER = integer(0, 2**31 - 1)
_FIELDS: dict[str, Check] = {
    "severity": one_of([item.value for item in Severity]),
    "code": text(),
    "message": text(),
    "span": nullable(row(text(), _NUMBER, _NUMBER, _NUMBER, _NUMBER)),
    "hint": nullable(text()),
}


def _remark(value: Any, place: str) -> None:
    record({**_FIELDS, "notes": sequence(_remark)}, {}, closed=True)(value, place)


def pack_entry(artifact: Any, remarks: Sequence[Diagnostic]) -> bytes:
    """Return a cache entry: the length of the remarks, the remarks, the package."""
    text = json.dumps([_to_json(item) for item in remarks]).encode()
    return _HEADER.pack(len(text)) + text + package_bytes(artifact)


def unpack_entry(data: bytes) -> tuple[Any, tuple[Diagnostic, ...]] | None:
    """Return artifact and remarks of an entry, or None when it cannot be read."""
    try:
        (length,) = _HEADER.unpack_from(data)
        start = _HEADER.size
        remarks = parse_json(data[start : start + length])
        sequence(_remark)(remarks, "the remarks")
        (artifact,) = parse_package(data[start + length :], "cache entry")
        return artifact, tuple(_from_json(item) for item in remarks)
    except (CompileError, RecursionError, ValueError, struct.error):
        return None


def _to_json(item: Diagnostic) -> dict[str, Any]:
    span = item.span
    return {
        "severity": item.severity.value,
        "code": item.code,
        "message": item.message,
        "span": None
        if span is None
        else [span.file, span.line, span.column, span.end_line, span.end_column],
        "hint": item.hint,
        "notes": [_to_json(note) for note in item.notes],
    }


def _from_json(item: dict[str, Any]) -> Diagnostic:
    return Diagnostic(
        Severity(item["severity"]),
        item["code"],
        item["message"],
        None if item["span"] is None else SourceSpan(*item["span"]),
        item["hint"],
        tuple(_from_json(note) for note in item["notes"]),
    )
