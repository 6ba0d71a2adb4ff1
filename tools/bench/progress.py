"""A progress bar on stderr: redrawn in a terminal, one line a step in a log."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

BAR_WIDTH = 24


class Progress:
    """Counts steps and says how far it is and about how long it will take."""

    def __init__(
        self,
        total: int,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with no step done.

        Args:
            total: Number of steps.
            stream: Where to draw; stderr by default.
            clock: Returns seconds.
        """
        self.total = total
        self.done = 0
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._started = clock()
        self._terminal = self._stream.isatty()

    def start(self, label: str) -> None:
        """Say which step begins."""
        self._draw(label)

    def finish(self) -> None:
        """Count a step; a terminal's line is cleared, so that a result can be printed."""
        self.done += 1
        if self._terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def line(self, label: str) -> str:
        """Return the bar: steps, elapsed seconds, the estimate of the rest, what runs now."""
        filled = BAR_WIDTH * self.done // max(1, self.total)
        elapsed = self._clock() - self._started
        left = ""
        if self.done:
            rest = elapsed / self.done * (self.total - self.done)
            left = f", about {rest:.0f} s left"
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        return f"[{bar}] {self.done}/{self.total}, {elapsed:.0f} s{left}: {label}"

    def _draw(self, label: str) -> None:
        text = self.line(label)
        self._stream.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        self._stream.flush()
