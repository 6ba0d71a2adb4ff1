"""Names for what the grammar rejects, and recovery: several syntax errors in one run."""

import re
import unicodedata
from collections.abc import Sequence

from lark import Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from tilec.frontend.syntax.grammar_cache import parse_tree
from tilec.frontend.syntax.source_scan import LogicalLine
from tilec.support.diagnostics import Diagnostic, SourceFile, SourceSpan, error

_MAX_ERRORS = 10
_CHARACTER_HINTS = {
    "!": "write 'not x' or 'x != y'",
    "$": None,
    "?": "write 'a if condition else b'",
    "`": None,
}
_LOOK_ALIKES = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
    "\u00d7": "*",
    "\u00f7": "/",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
}
"""Signs of typography (dashes, quotes, comparisons), and what the language has for them."""
_EXPRESSION_START = {"NAME", "NUMBER", "STRING", "LPAR", "LSQB", "TRUE", "FALSE", "NONE"}
_CLOSING_NAMES = {"RPAR": "')'", "RSQB": "']'", "COLON": "':'", "EQUAL": "'='", "COMMA": "','"}


def parse_with_recovery(
    source: SourceFile, lines: Sequence[LogicalLine], base_indent: int
) -> tuple[Tree | None, list[Diagnostic]]:
    """Parse the text; after an error blank out that logical line and go on.

    Args:
        source: File to parse.
        lines: Its logical lines.
        base_indent: Indentation of the outermost statements.

    Returns:
        The tree when there was no error, else None and the errors.
    """
    rows = source.text.replace("\r\n", "\n").split("\n")
    found: list[Diagnostic] = []
    while True:
        try:
            tree = parse_tree("\n".join(rows), base_indent)
        except UnexpectedInput as failure:
            diagnostic, row = _describe(failure, source)
            found.append(diagnostic)
            if len(found) >= _MAX_ERRORS or not _blank_out(rows, lines, row):
                return None, found
        else:
            return (None, found) if found else (tree, found)


_NEUTRAL = {
    "def": "def _():",
    "if": "if 0:",
    "elif": "elif 0:",
    "else": "if 0:",
    "for": "while 0:",
    "while": "while 0:",
}
"""What stands in for a wrong header, so that its block still parses."""


def _blank_out(rows: list[str], lines: Sequence[LogicalLine], row: int) -> bool:
    line = next((item for item in lines if item.line <= row <= item.end_line), None)
    if line is None:
        return False
    replacement = line.indent + _NEUTRAL.get(line.word, "pass")
    if rows[line.line - 1] == replacement:
        return False
    rows[line.line - 1] = replacement
    rows[line.line : line.end_line] = [""] * (line.end_line - line.line)
    return True


def _describe(failure: UnexpectedInput, source: SourceFile) -> tuple[Diagnostic, int]:
    if isinstance(failure, UnexpectedCharacters):
        return _describe_character(failure, source), failure.line
    if isinstance(failure, UnexpectedToken):
        return _describe_token(failure, source)
    line = source.text.count("\n") + 1
    return error("T0101", "unexpected end of file", SourceSpan(source.name, line, 1, line, 2)), line


def _describe_character(failure: UnexpectedCharacters, source: SourceFile) -> Diagnostic:
    line, column = failure.line, failure.column
    text = (source.line(line) or "")[column - 1 :]
    word = re.match(r"[A-Za-z_]\w*", text)
    if word is not None:
        span = SourceSpan(source.name, line, column, line, column + len(word.group()))
        return error("T0112", f"'{word.group()}' is not part of the language", span)
    pair = text[:2]
    span = SourceSpan(source.name, line, column, line, column + 1)
    if pair in ("&&", "||"):
        hint = f"write '{'and' if pair == '&&' else 'or'}'"
        return error("T0101", f"unexpected '{pair}'", span, hint=hint)
    return error("T0101", f"unexpected character {_shown(text[:1])}", span, hint=_hint(text[:1]))


def _shown(character: str) -> str:
    """Return a character in quotes; one that cannot be seen by its number and name."""
    if not character or (character.isprintable() and not character.isspace()):
        return repr(character)
    return f"U+{ord(character):04X} ({unicodedata.name(character, 'no name')})"


def _hint(character: str) -> str | None:
    """Return what to write instead of a character that the language lacks."""
    if character.isascii():
        return _CHARACTER_HINTS.get(character)
    kind = unicodedata.category(character)
    plain = _LOOK_ALIKES.get(character) or unicodedata.normalize("NFKC", character)
    if kind.startswith("Z"):
        return "write a plain space"
    if kind == "Cf":
        return "remove it: it cannot be seen"
    if plain != character and plain.isascii():
        return f"write {plain!r}" if "'" in plain else f"write '{plain}'"
    if kind.startswith(("L", "N", "M")):
        return "names are made of the letters A to Z, digits and '_'"
    return None


def _describe_token(failure: UnexpectedToken, source: SourceFile) -> tuple[Diagnostic, int]:
    token = failure.token
    line, column = token.line or 1, token.column or 1
    expected: set[str] = set(failure.expected or ())
    if token.type in ("_NEWLINE", "$END", "_INDENT", "_DEDENT"):
        span = _end_of_row(source, line, column)
        message = f"unexpected end of line{_wanted(expected)}"
        return error("T0101", message, span, hint=_step_hint(source.line(line) or "")), line
    end_line, end_column = token.end_line or line, token.end_column or column + 1
    span = SourceSpan(source.name, line, column, end_line, end_column)
    message, hint = _token_message(token, expected, source.line(line) or "")
    if hint is None or (source.line(line - 1) or "").rstrip().endswith("\\"):
        hint = _joined_hint(source, line, column) or hint
    code = "T0112" if token.type in ("DEF", "IMPORT", "FROM") else "T0101"
    return error(code, message, span, hint=hint), line


def _step_hint(row: str) -> str | None:
    """Return the hint for `i++` and `i--`, which are of other languages."""
    found = re.search(r"([A-Za-z_]\w*)(\+\+|--)$", row.rstrip())
    return f"write '{found.group(1)} {found.group(2)[0]}= 1'" if found else None


def _joined_hint(source: SourceFile, line: int, column: int) -> str | None:
    """Return the hint for the first word of a line that the line above does not end before."""
    above, row = source.line(line - 1) or "", source.line(line) or ""
    if not above.rstrip().endswith("\\") or row[: column - 1].strip():
        return None
    return f"the '\\' at the end of line {line - 1} joins the two lines: remove it"


def _end_of_row(source: SourceFile, line: int, column: int) -> SourceSpan:
    row = source.line(line) or ""
    start = min(column, len(row) + 1)
    return SourceSpan(source.name, line, start, line, start + 1)


def _token_message(token: Token, expected: set[str], row: str) -> tuple[str, str | None]:
    text = str(token)
    if token.type == "EQUAL" and row.lstrip().startswith(("if", "elif", "while", "assert")):
        return "unexpected '='", "compare with '=='"
    if token.type in ("BIT_AND", "BIT_OR") and row[(token.column or 1) - 2 :][:1] == text:
        return f"unexpected '{text}{text}'", f"write '{'and' if text == '&' else 'or'}'"
    if token.type in ("ELIF", "ELSE"):
        hint = "loops have no 'else': let the loop set a variable, and test it afterwards"
        return f"'{text}' without an 'if' before it", hint if text == "else" else None
    if token.type in ("BREAK", "CONTINUE", "PASS", "RETURN", "ASSERT", "DEF", "IMPORT", "FROM"):
        return f"'{text}' cannot stand here", "start a new line"
    hint = None
    if token.type in _EXPRESSION_START and "PLUS" in expected:
        hint = "an operator, a comma or a line break is missing before it"
    return f"unexpected '{text}'{_wanted(expected)}", hint


def _wanted(expected: set[str]) -> str:
    if expected & _EXPRESSION_START and "PLUS" in expected and "COMPARE" not in expected:
        return ": expected an expression"
    named = sorted(_CLOSING_NAMES[item] for item in expected if item in _CLOSING_NAMES)
    if not named or len(named) > 3:
        return ""
    return ": expected " + " or ".join(named)
