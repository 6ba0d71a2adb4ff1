"""Textual IR: parsing with readable errors, and printing in a shorter spelling.

Dialects defined from Python cannot have a syntax of their own. Two spellings are translated here,
in both directions; text in the spelling of MLIR parses, too.

* A tile type holds a tensor type: `!cuda_tile.tile<tensor<128x64xbf16>>`. Users read and write the
  published spelling `!cuda_tile.tile<128x64xbf16>`.
* An operation with optional operands holds their number. It is omitted (`tilec/ir/segments.py`).
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from tilec.ir.bindings import MLIRError, ir
from tilec.ir.errors import diagnose
from tilec.ir.segments import find_insertions, omit_sizes
from tilec.ir.unsafe_text import QUOTED, check_text
from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan
from tilec.support.fast_dataclasses import replace

VERIFIER_CODE = "T0500"
PARSER_CODE = "T0502"

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_BODY = r"(?P<body>(?:\d+x)*(?:[a-zA-Z]\w*|!cuda_tile\.ptr<\w+>))"
_HEAD = r"(?P<head>!cuda_tile\.tile<)"
_TILE_IN = re.compile(rf"{QUOTED}|{_HEAD}{_BODY}(?=>)")
"""A short tile type; string literals and comments match first and are left alone."""
_TILE_OUT = re.compile(rf"{_STRING}|{_HEAD}tensor<{_BODY}>(?=>)")
_OPENING, _CLOSING = "tensor<", ">"
_NO_REASON = "Unable to parse module assembly"
"""All that the bindings say about a custom form that they do not know."""
_SOURCE = re.compile(r"^@(?:\w+\.)?kernel\b", re.MULTILINE)
_SOURCE_HINT = "this is a source, not IR: use 'tilec compile' without --start-from"
_VERIFIER_MESSAGE = re.compile(r"'[\w.$]+' op |op expects ")

Insertions = Mapping[int, list[tuple[int, int]]]
"""Line -> (column, length) of every text that was put into it; lines and columns count from 1."""


def parse_module(text: str, context: Any, filename: str) -> Any:
    """Parse and verify textual IR.

    Args:
        text: A module, in either spelling.
        context: An `ir.Context` that knows the dialects (`tilec.ir.context.make_context`).
        filename: Name to show in diagnostics.

    Returns:
        The `ir.Module`.

    Raises:
        CompileError: The text does not parse, or a verifier rejects it.
    """
    check_text(text, filename)
    spelled_out, insertions = _spell_out(text)
    try:
        return ir.Module.parse(spelled_out, context)
    except MLIRError as failure:
        code = VERIFIER_CODE if _is_from_verifier(failure) else PARSER_CODE
        found = diagnose(failure, [SourceFile(filename, text)], code)
        items = dict.fromkeys(_as_written(item, filename, insertions) for item in found.diagnostics)
        if code == PARSER_CODE and _SOURCE.search(text):
            items = dict.fromkeys(replace(item, hint=_SOURCE_HINT) for item in [*items][:1])
        raise CompileError(list(items), found.sources) from failure


def print_module(module: Any, *, locations: bool = False, verified: bool = False) -> str:
    """Return the text of `module`, with a newline at its end.

    Args:
        module: An `ir.Module` or operation.
        locations: Print the source location of every operation.
        verified: The module is known to be valid. Else MLIR verifies it first, which takes twice
            as long as the text; it prints what is not valid in a form that assumes nothing.
    """
    text = module.operation.get_asm(enable_debug_info=locations, assume_verified=verified)
    return omit_sizes(shorten_types(text)).rstrip("\n") + "\n"


def shorten_types(text: str) -> str:
    """Return `text` with every tile type in the published spelling."""
    return _TILE_OUT.sub(
        lambda match: match["head"] + match["body"] if match["head"] else match[0], text
    )


def _is_from_verifier(failure: MLIRError) -> bool:
    return any(_VERIFIER_MESSAGE.match(item.message) for item in failure.error_diagnostics)


def _spell_out(text: str) -> tuple[str, Insertions]:
    """Return `text` as the bindings parse it, and what was inserted where."""
    insertions: dict[int, list[tuple[int, int]]] = {}
    pieces: list[str] = []
    position = line_start = inserted = 0
    number = 1
    for offset, piece in sorted([*_tile_insertions(text), *find_insertions(text)]):
        lines = text.count("\n", position, offset)
        if lines:
            number, line_start, inserted = number + lines, text.rindex("\n", 0, offset) + 1, 0
        pieces += [text[position:offset], piece]
        column = offset - line_start + inserted + 1
        insertions.setdefault(number, []).append((column, len(piece)))
        position, inserted = offset, inserted + len(piece)
    return "".join([*pieces, text[position:]]), insertions


def _tile_insertions(text: str) -> list[tuple[int, str]]:
    """Return what tile types lack, as (offset, text to insert there)."""
    if "!cuda_tile.tile<" not in text:
        return []
    return [
        (match.end(group), piece)
        for match in _TILE_IN.finditer(text)
        if match["head"] is not None
        for group, piece in (("head", _OPENING), ("body", _CLOSING))
    ]


def _as_written(item: Diagnostic, filename: str, insertions: Insertions) -> Diagnostic:
    """Return `item` with the columns and the spelling of the text that the user wrote."""
    notes = tuple(_as_written(note, filename, insertions) for note in item.notes)
    message, span = shorten_types(item.message), item.span
    if message == _NO_REASON:
        message = 'not a module: operations are written in the generic form "dialect.op"(...)'
    if span is not None and span.file == filename:
        span = SourceSpan(
            span.file,
            span.line,
            _original_column(span.line, span.column, insertions),
            span.end_line,
            _original_column(span.end_line, span.end_column, insertions),
        )
    return replace(item, message=message, span=span, notes=notes)


def _original_column(line: int, column: int, insertions: Insertions) -> int:
    inserted = insertions.get(line, [])
    before = inserted[: bisect_left(inserted, (column, 0))]
    shift = sum(min(length, column - start) for start, length in before)
    return max(1, column - shift)
