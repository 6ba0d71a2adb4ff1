"""A look at the raw text before the grammar sees it: named errors for the common slips.

One pass over the characters finds strings, comments and brackets and cuts the text into logical
lines. That is enough to name an unclosed bracket or string, tabs mixed with spaces, a missing
colon, a block that is missing or wrongly indented, and Python statements that tilec lacks, several
at once and each at its place, where a table-driven parser would only say "unexpected token".
"""

import re
from collections.abc import Iterator

from tilec.frontend.semantics.not_yet import no_syntax
from tilec.support.diagnostics import Diagnostic, SourceFile, SourceSpan, error, note
from tilec.support.fast_dataclasses import dataclass, field

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_PIECE = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<string>[rRbBuUfF]{0,2}(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"
          |"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')(?:[^'\\\n]|\\.)*'))
      | (?P<open_string>'''|\"\"\"|"|')
      | (?P<opening>[(\[{])
      | (?P<closing>[)\]}])
      | (?P<newline>\n)
      | (?P<continuation>\\[ \t\f\r]*\n)
      | (?P<other>[A-Za-z_0-9]+|:=|[^\n])""",
    re.VERBOSE | re.DOTALL,
)
_RELATIVE_IMPORT = re.compile(r"\s*from\s*(\.+)")
_STAR_IMPORT = re.compile(r"\s*from\s+[\w.]+\s+import\s*(\*)")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_BLOCK_WORDS = ("def", "if", "elif", "else", "for", "while")
_FOREIGN_BLOCKS = ("class", "try", "except", "finally", "with", "async", "match", "case")
_FOREIGN_WORDS = frozenset(
    {
        "async", "await", "class", "del", "except", "finally", "global", "nonlocal",
        "raise", "try", "with", "yield",
    }
)  # fmt: skip
"""Words that Python reserves and the grammar lacks."""
_BEFORE_STAR = frozenset("([,=")
"""What stands before a `*` that is no operator."""
_AFTER_LONE_STAR = frozenset("*,)=")
"""What follows a `*` that stands in front of no value."""


@dataclass
class LogicalLine:
    """One logical line: the rows from `line` to `end_line`, without comments.

    Attributes:
        line: First row, from 1.
        end_line: Last row.
        indent: Its leading blanks.
        word: Its first word.
        has_colon: A `:` stands outside brackets.
        end_column: Column after its last character that is no comment or blank.
        end_row: Row of that character.
        ends_with_colon: That character is a `:` outside brackets.
        foreign: Places of Python's syntax that tilec lacks: (name in `not_yet`, row, column,
            length).
    """

    line: int
    indent: str
    word: str
    end_line: int = 0
    has_colon: bool = False
    ends_with_colon: bool = False
    end_row: int = 0
    end_column: int = 1
    foreign: list[tuple[str, int, int, int]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Indentation in columns."""
        return len(self.indent.expandtabs())

    @property
    def opens_block(self) -> bool:
        """Whether it is the header of an indented block."""
        return self.word in _BLOCK_WORDS + _FOREIGN_BLOCKS and self.ends_with_colon


@dataclass
class Scan:
    """What the scan found. `fatal` errors make the rest of the text meaningless."""

    lines: list[LogicalLine] = field(default_factory=list)
    errors: list[Diagnostic] = field(default_factory=list)
    fatal: bool = False


class Scanner:
    """Cuts one source into logical lines."""

    def __init__(self, source: SourceFile) -> None:
        """Prepare to scan `source`."""
        self.source = source
        self.scan = Scan()
        self._rows = source.text.split("\n")
        self._brackets: list[tuple[str, int, int]] = []
        self._current: LogicalLine | None = None
        self._recent: list[tuple[str, int, int]] = []

    def span(self, line: int, column: int, length: int = 1) -> SourceSpan:
        """Return a range inside one row."""
        return SourceSpan(self.source.name, line, column, line, column + length)

    def _fail(self, code: str, message: str, span: SourceSpan, hint: str | None = None) -> None:
        self.scan.errors.append(error(code, message, span, hint=hint))

    def run(self) -> Scan:
        """Scan the text and check its structure."""
        self._check_characters()
        if not self.scan.fatal:
            self._cut()
        if not self.scan.fatal:
            self._check_indentation()
            self._check_lines()
        return self.scan

    def _check_characters(self) -> None:
        found = _CONTROL.search(self.source.text)
        if found is None:
            return
        line = self.source.text.count("\n", 0, found.start()) + 1
        column = found.start() - self.source.text.rfind("\n", 0, found.start())
        what = f"character U+{ord(found.group()):04X}"
        self._fail("T0107", f"this is not a text file: it holds {what}", self.span(line, column))
        self.scan.fatal = True

    def _pieces(self) -> Iterator[tuple[str, str, int, int]]:
        line, start = 1, 0
        for match in _PIECE.finditer(self.source.text):
            kind = match.lastgroup or "other"
            text = match.group()
            yield kind, text, line, match.start() - start + 1
            if "\n" in text:
                line += text.count("\n")
                start = match.start() + text.rfind("\n") + 1

    def _cut(self) -> None:
        for kind, text, line, column in self._pieces():
            if kind == "newline":
                if not self._brackets:
                    self._finish(line)
            elif kind == "open_string":
                self._fail(
                    "T0111", "this string is never closed", self.span(line, column, len(text))
                )
                self.scan.fatal = True
                return
            elif kind not in ("comment", "continuation") and not text.isspace():
                self._add(kind, text, line, column)
                if self.scan.fatal:
                    return
        self._finish(self.source.text.count("\n") + 1)
        for bracket, line, column in self._brackets[-1:]:
            self._fail("T0105", f"this '{bracket}' is never closed", self.span(line, column))
            self.scan.fatal = True

    def _finish(self, line: int) -> None:
        if self._current is not None:
            self._current.end_line = line
            self.scan.lines.append(self._current)
            self._current = None

    def _add(self, kind: str, text: str, line: int, column: int) -> None:
        if self._current is None:
            row = self._rows[line - 1]
            word = text if kind == "other" else ""
            self._current = LogicalLine(line, row[: column - 1], word)
            self._recent = []
        current = self._current
        outside = not self._brackets
        current.ends_with_colon = outside and text == ":"
        current.has_colon = current.has_colon or current.ends_with_colon
        rows = text.count("\n")
        current.end_row = line + rows
        current.end_column = len(text) - text.rfind("\n") if rows else column + len(text)
        name = self._foreign_name(kind, text)
        if name is not None:
            current.foreign.append((name, line, column, len(text) if kind == "other" else 1))
        if text not in _AFTER_LONE_STAR:
            self._check_star(current)
        self._recent = [*self._recent[-2:], (text, line, column)]
        if kind == "opening":
            self._brackets.append((text, line, column))
        elif kind == "closing":
            self._close(text, line, column)

    def _foreign_name(self, kind: str, text: str) -> str | None:
        """Return the name in `not_yet` of a piece of Python that tilec lacks, or None."""
        if kind == "string":
            prefix = text[: min(text.find(quote) % len(text) for quote in "'\"")].lower()
            return "bytes" if "b" in prefix else None
        if text in _FOREIGN_WORDS or text in ("{", ":="):
            return text
        return "comprehension" if text == "for" and self._brackets else None

    def _check_star(self, current: LogicalLine) -> None:
        """Notice the `*` of `f(*x)` and `**` of `f(**x)`: the last pieces before a value."""
        stars = [item for item in self._recent[-2:] if item[0] == "*"]
        before = self._recent[: len(self._recent) - len(stars)]
        is_last = bool(stars) and self._recent[-1] is stars[-1]
        if is_last and before and before[-1][0] in _BEFORE_STAR:
            _, line, column = stars[0]
            current.foreign.append(("*" * len(stars), line, column, len(stars)))

    def _close(self, text: str, line: int, column: int) -> None:
        if not self._brackets:
            self._fail("T0106", f"'{text}' has no opening bracket", self.span(line, column))
            self.scan.fatal = True
            return
        bracket, open_line, open_column = self._brackets.pop()
        if _CLOSERS[bracket] == text:
            return
        message = f"expected '{_CLOSERS[bracket]}' but found '{text}'"
        opened = note(f"the '{bracket}' stands here", self.span(open_line, open_column))
        self.scan.errors.append(error("T0105", message, self.span(line, column), notes=[opened]))
        self.scan.fatal = True

    def _check_indentation(self) -> None:
        if self._mixes_tabs() or not self.scan.lines:
            return
        levels = [self.scan.lines[0].width]
        previous: LogicalLine | None = None
        for item in self.scan.lines:
            self._check_level(item, previous, levels)
            previous = item
        if previous is not None and previous.opens_block:
            self._missing_block(previous, None)

    def _mixes_tabs(self) -> bool:
        first: LogicalLine | None = None
        for item in self.scan.lines:
            if not item.indent:
                continue
            if item.indent.strip(" \t"):
                self._mixed(item, "this indentation has more than tabs and spaces", None)
                return True
            if " " in item.indent and "\t" in item.indent:
                self._mixed(item, "this line mixes tabs and spaces in its indentation", None)
                return True
            first = first or item
            if item.indent[0] != first.indent[0]:
                kinds = ("tabs", "spaces") if item.indent[0] == "\t" else ("spaces", "tabs")
                message = f"this line is indented with {kinds[0]}, an earlier one with {kinds[1]}"
                self._mixed(item, message, first)
                return True
        return False

    def _mixed(self, item: LogicalLine, message: str, first: LogicalLine | None) -> None:
        notes = []
        if first is not None:
            notes.append(note("the earlier line", self.span(first.line, 1, len(first.indent))))
        hint = "indent with four spaces everywhere"
        span = self.span(item.line, 1, len(item.indent))
        self.scan.errors.append(error("T0104", message, span, hint=hint, notes=notes))
        self.scan.fatal = True

    def _check_level(
        self, item: LogicalLine, previous: LogicalLine | None, levels: list[int]
    ) -> None:
        width = item.width
        if previous is not None and previous.opens_block:
            if width > levels[-1]:
                levels.append(width)
                return
            self._missing_block(previous, item)
        elif width > levels[-1]:
            # After a header without its colon the block is as expected; that error comes below.
            if previous is None or previous.word not in _BLOCK_WORDS or previous.has_colon:
                span = self.span(item.line, 1, len(item.indent))
                self._fail("T0110", "this line is indented but no block opens above it", span)
                self.scan.fatal = True
            levels.append(width)
            return
        while len(levels) > 1 and width < levels[-1]:
            levels.pop()
        if width != levels[-1]:
            span = self.span(item.line, 1, max(1, len(item.indent)))
            self._fail("T0110", "this indentation matches no block above", span)
            self.scan.fatal = True

    def _missing_block(self, header: LogicalLine, following: LogicalLine | None) -> None:
        found = "the file ends" if following is None else "the next line is not indented"
        self._fail(
            "T0103",
            f"expected an indented block after '{header.word}', but {found}",
            self.span(header.line, len(header.indent) + 1, len(header.word)),
            "indent the body, or write 'pass'",
        )
        self.scan.fatal = True

    def _check_lines(self) -> None:
        for item in self.scan.lines:
            self._report_foreign(item)
            if item.word in _BLOCK_WORDS and not item.has_colon:
                span = self.span(item.end_row, item.end_column)
                self._fail("T0102", f"expected ':' at the end of this '{item.word}' line", span)

    def _report_foreign(self, item: LogicalLine) -> None:
        found = item.foreign
        if item.word == "match" and item.ends_with_colon:
            found = [("match", item.line, len(item.indent) + 1, len("match")), *found]
        if item.word == "from":
            found = [*_foreign_imports(self._rows[item.line - 1], item.line), *found]
        for name, line, column, length in found:
            if name not in ("except", "finally"):  # their 'try' is reported
                entry = no_syntax(name)
                span = self.span(line, column, length)
                self._fail("T0112", entry.message(name), span, entry.hint)


def _foreign_imports(row: str, line: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield imports that name no file of their own: relative ones, and those of all names."""
    for name, pattern in (("relative-import", _RELATIVE_IMPORT), ("star-import", _STAR_IMPORT)):
        match = pattern.match(row)
        if match is not None:
            yield name, line, match.start(1) + 1, len(match.group(1))
