"""`tilec opt --verify-diagnostics`: compares what was reported with what a test expects.

An expectation is a comment, as in mlir-opt: `// expected-error@+1 {{text}}`. The kinds are error,
warning, remark and note; the place is `@+N`, `@-N`, `@above`, `@below`, `@unknown` (no location)
or nothing (the same line). The text must be part of the message; with `-re` after the kind, parts
in inner double braces are regular expressions.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tilec.support.diagnostics import Diagnostic, Severity

_EXPECTATION = re.compile(
    r"expected-(error|warning|remark|note)(-re)?\s*(?:@([+-]\d+|above|below|unknown))?\s*"
    r"\{\{(.*)\}\}\s*$"
)
_UNKNOWN_LINE = 0


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expected diagnostic: its kind, its line (0: it has none) and its text."""

    severity: Severity
    line: int
    pattern: re.Pattern[str]
    text: str
    written_at: int

    def matches(self, diagnostic: Diagnostic) -> bool:
        """Tell whether `diagnostic` is the expected one."""
        line = diagnostic.span.line if diagnostic.span is not None else _UNKNOWN_LINE
        return (
            diagnostic.severity is self.severity
            and line == self.line
            and self.pattern.search(diagnostic.message) is not None
        )


def find_expectations(text: str) -> list[Expectation]:
    """Return every expectation written in `text`; lines count from 1."""
    lines = text.splitlines()
    found = []
    for number, line in enumerate(lines, start=1):
        match = _EXPECTATION.search(line)
        if match is not None:
            kind, is_regex, place, expected = match.groups()
            target = _target_line(lines, number, place)
            pattern = _compile_nested(expected) if is_regex else re.compile(re.escape(expected))
            found.append(Expectation(Severity(kind), target, pattern, expected, number))
    return found


def _target_line(lines: list[str], number: int, place: str | None) -> int:
    if place is None:
        return number
    if place == "unknown":
        return _UNKNOWN_LINE
    if place[0] in "+-":
        return number + int(place)
    step = 1 if place == "below" else -1
    target = number + step
    while 1 <= target <= len(lines) and _EXPECTATION.search(lines[target - 1]):
        target += step
    return target


def _compile_nested(text: str) -> re.Pattern[str]:
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return re.compile(
        "".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts))
    )


def compare(text: str, reported: Iterable[Diagnostic]) -> list[str]:
    """Return one line for every difference between `text`'s expectations and `reported`.

    Each expectation needs its own diagnostic. Each error and each warning needs an expectation;
    remarks and notes do not.
    """
    open_expectations = find_expectations(text)
    problems = []
    for diagnostic in _with_notes(reported):
        match = next((item for item in open_expectations if item.matches(diagnostic)), None)
        if match is not None:
            open_expectations.remove(match)
        elif diagnostic.severity in (Severity.ERROR, Severity.WARNING):
            line = diagnostic.span.line if diagnostic.span is not None else "unknown"
            problems.append(
                f"line {line}: unexpected {diagnostic.severity.value}: {diagnostic.message}"
            )
    problems.extend(
        f"line {item.written_at}: expected {item.severity.value} was not reported: {item.text}"
        for item in open_expectations
    )
    return problems


def _with_notes(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        yield diagnostic
        yield from _with_notes(diagnostic.notes)
