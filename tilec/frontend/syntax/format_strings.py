"""The parts of an f-string: texts and replacement fields."""

from typing import NamedTuple

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Field(NamedTuple):
    """A replacement field: `{text:spec}`.

    Attributes:
        text: Source of its expression.
        offset: Characters of the token before the expression.
        spec: Its format, without the colon.
        is_shown: Whether the expression itself is shown, too: `{text=}`.
    """

    text: str
    offset: int
    spec: str
    is_shown: bool


class FormatError(ValueError):
    """An f-string is wrong. `offset` counts the characters of the token before the mistake."""

    def __init__(self, message: str, offset: int) -> None:
        """Keep the place."""
        self.offset = offset
        super().__init__(message)


def split_format(token: str) -> list[str | Field]:
    """Return the texts and fields of an f-string, in order.

    Args:
        token: The literal with prefix and quotes.

    Raises:
        FormatError: Braces do not match, or a field is empty.
    """
    start = next(at for at, character in enumerate(token) if character in "'\"")
    is_raw = "r" in token[:start].lower()
    quotes = token[start : start + 3]
    size = 3 if quotes in ("'''", '"""') else 1
    at, end = start + size, len(token) - size
    parts: list[str | Field] = []
    text = ""
    while at < end:
        pair = token[at : at + 2]
        if pair in ("{{", "}}"):
            text, at = text + pair[0], at + 2
        elif token[at] == "{":
            parts.append(_unescaped(text, raw=is_raw, offset=start))
            found, at = _field(token, at + 1, end)
            parts.append(found)
            text = ""
        elif token[at] == "}":
            raise FormatError("a single '}' in an f-string: write '}}'", at)
        else:
            text, at = text + token[at], at + 1
    parts.append(_unescaped(text, raw=is_raw, offset=start))
    return [part for part in parts if part != ""]


def _unescaped(text: str, *, raw: bool, offset: int) -> str:
    if raw or "\\" not in text:
        return text
    try:
        return text.encode("latin-1", "backslashreplace").decode("unicode_escape")
    except UnicodeDecodeError as failure:
        raise FormatError("a bad escape in an f-string", offset) from failure


def _field(token: str, start: int, end: int) -> tuple[Field, int]:
    """Return the field that starts after a `{`, and the place after its `}`."""
    at, open_brackets = start, [""]
    while at < end:
        character = token[at]
        if character in "'\"":
            at = _after_string(token, at, end)
            continue
        if not open_brackets[-1] and character in ":}!" and token[at : at + 2] != "!=":
            break
        if character in _CLOSERS:
            open_brackets.append(_CLOSERS[character])
        elif character == open_brackets[-1]:
            open_brackets.pop()
        at += 1
    text = token[start:at]
    spec_start = at + 1 if token[at : at + 1] == ":" else at
    closing = token.find("}", at, end)
    if token[at : at + 1] == "!":
        raise FormatError("conversions such as '!r' are not part of the language", at)
    if closing < 0:
        raise FormatError("a '{' of an f-string is not closed", start - 1)
    spec = token[spec_start:closing]
    is_shown = text.rstrip().endswith("=") and text.rstrip()[-2:-1] not in ("=", "!", "<", ">")
    expression = text.rstrip()[:-1] if is_shown else text
    if not expression.strip() or "{" in spec:
        raise FormatError("a field of an f-string needs an expression and a plain format", start)
    return Field(expression, start, spec, is_shown), closing + 1


def _after_string(token: str, at: int, end: int) -> int:
    closing = token.find(token[at], at + 1, end)
    if closing < 0:
        raise FormatError("a string inside an f-string is not closed", at)
    return closing + 1
