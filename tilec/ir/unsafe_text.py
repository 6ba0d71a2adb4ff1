"""Text that would end the process in MLIR's parser: it is found before it is parsed.

The parser recurses into brackets, makes as many results as a number says, and reads positions in
structs without a check of their range (torch-mlir 20261001).
"""

import re

from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan, error

MOST_NESTED = 256
"""Brackets inside of each other. Dumps have about ten, and three for each loop or branch."""
MOST_RESULTS = 65536
"""Results of an operation, and fields of a struct."""
_LONGEST_NUMBER = 9
"""Characters of a number that is worth reading."""

QUOTED = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*'
"""A string or a comment of textual IR, as a regular expression."""
_BRACKET = re.compile(rf"{QUOTED}|->|[<>]=|(?P<open>[(<\[{{])|(?P<close>[)>\]}}])")
_NUMBER = re.compile(rf"{QUOTED}|%[\w.$-]+ ?[#:] ?(?P<result>[1-9]\d{{4,}}|0x[0-9a-fA-F]+)")
_POSITION = re.compile(r"(?:extract|insert)value\b[^\n\[]*\[([^\]\n]*)\]")
_FAR = re.compile(r"-\s*\d+|0x[0-9a-fA-F]+|\d{6,}")


def check_text(text: str, filename: str) -> None:
    """Refuse text that MLIR's parser cannot take.

    Args:
        text: A module.
        filename: Name to show in diagnostics.

    Raises:
        CompileError: T0584.
    """
    found = _find_nesting(text) or _find_result(text) or _find_position(text)
    if found is not None:
        source = SourceFile(filename, text)
        raise CompileError(_diagnostic(source, *found), [source])


def _diagnostic(source: SourceFile, start: int, end: int, message: str, hint: str) -> Diagnostic:
    line = source.text.count("\n", 0, start) + 1
    column = start - (source.text.rfind("\n", 0, start) + 1) + 1
    span = SourceSpan(source.name, line, column, line, column + end - start)
    return error("T0584", message, span, hint=hint)


def _find_nesting(text: str) -> tuple[int, int, str, str] | None:
    depth = 0
    for match in _BRACKET.finditer(text):
        if match["open"]:
            depth += 1
            if depth > MOST_NESTED:
                message = f"brackets are nested more than {MOST_NESTED} deep"
                return match.start(), match.end(), message, "close some of them"
        elif match["close"] and depth:
            depth -= 1
    return None


def _find_result(text: str) -> tuple[int, int, str, str] | None:
    for match in _NUMBER.finditer(text):
        number = match["result"]
        if number and (len(number) > _LONGEST_NUMBER or int(number, 0) > MOST_RESULTS):
            message = f"result number {number} is out of range"
            hint = f"an operation has at most {MOST_RESULTS} results"
            return match.start("result"), match.end("result"), message, hint
    return None


def _find_position(text: str) -> tuple[int, int, str, str] | None:
    for match in _POSITION.finditer(text):
        number = _FAR.search(match[1])
        if number is not None:
            start = match.start(1) + number.start()
            message = f"position {number[0]} is in no struct or array"
            hint = "positions count from 0"
            return start, start + len(number[0]), message, hint
    return None
