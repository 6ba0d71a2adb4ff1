"""From a line of PTX back to the source line that it was compiled from."""

import re

from tilec.support.diagnostics import SourceSpan

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$.]+)")


class SourceMap:
    """The `.loc` directives of a PTX text."""

    def __init__(self, ptx: str) -> None:
        """Read the directives; a text without any maps nothing."""
        self._files = {int(number): name for number, name in _FILE.findall(ptx)}
        self._lines = ptx.splitlines()

    def span(self, line: int) -> SourceSpan | None:
        """Return the source position of PTX line `line` (from 1), or None when it has none."""
        for index in range(min(line, len(self._lines)) - 1, -1, -1):
            text = self._lines[index]
            match = _LOC.match(text)
            if match is not None and match[2] != "0":
                return self._make_span(match)
            if _ENTRY.match(text):
                return None
        return None

    def entry_span(self, name: str | None = None) -> SourceSpan | None:
        """Return the source position of kernel `name` (None: the first), or None without one."""
        inside = False
        for text in self._lines:
            entry = _ENTRY.match(text)
            if entry is not None:
                inside = name is None or entry[1] == name
            match = _LOC.match(text) if inside else None
            if match is not None and match[2] != "0":
                return self._make_span(match)
        return None

    def _make_span(self, match: re.Match[str]) -> SourceSpan | None:
        file, line, column = (int(match[group]) for group in (1, 2, 3))
        if file not in self._files:
            return None
        column = max(column, 1)
        return SourceSpan(self._files[file], line, column, line, column + 1)
