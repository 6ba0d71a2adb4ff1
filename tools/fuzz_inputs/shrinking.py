"""Makes a source that fails smaller: first without lines, then without tokens."""

import time
from collections.abc import Callable, Sequence

from tools.fuzz_inputs.texts import tokens


def shrink(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """Return a smaller source that fails, too.

    Args:
        text: One that fails.
        fails: Tells whether another one fails in the same way.
        seconds: When to stop.
    """
    end = time.monotonic() + seconds
    for split in (lambda item: item.splitlines(keepends=True), tokens):
        text = "".join(_shrunk(split(text), fails, end))
    return text


def _shrunk(parts: Sequence[str], fails: Callable[[str], bool], end: float) -> Sequence[str]:
    """Return fewer parts that fail together: drops half of them, a quarter, ..., one."""
    size = max(1, len(parts) // 2)
    while size:
        start = 0
        while start < len(parts):
            rest = [*parts[:start], *parts[start + size :]]
            if time.monotonic() > end:
                return parts
            if rest and fails("".join(rest)):
                parts = rest
            else:
                start += size
        size //= 2
    return parts
