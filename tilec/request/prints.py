"""Prints of the running kernel: what the compiler, the launcher and the CPU reference agree on.

A kernel with prints has the hidden parameter `PRINT_BUFFER`. Every thread appends records for what
it holds; the launcher waits for the end of the launch, puts the values together and prints them.
The buffer starts with `HEADER_BYTES`, whose first word of 32 bits counts the records that were
asked for, also those that had no room. The metadata of the kernel has a row for each print:

```text
prints = [{template = "x = {0:.2f}", dtype = "f32", shape = [16, 32], starts = true}]
```

A print has one value at most: a statement with several is several prints. `template` is a format
string of Python, the shape of a scalar is empty, as is `dtype` without a value, and `starts` says
whether the coordinates of the block go in front.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from string import Formatter
from typing import Any

METADATA_KEY = "prints"
"""Entry of the kernel metadata with the table."""
PRINT_BUFFER = "print_buffer"
"""Name of the hidden parameter."""
CAPACITY = 1 << 17
"""Records that have room."""
RECORD_BYTES = 32
HEADER_BYTES = 32
BUFFER_BYTES = HEADER_BYTES + CAPACITY * RECORD_BYTES


class Word(IntEnum):
    """What the words of 32 bits of a record hold; words 6 and 7 are the bits of the value."""

    PRINT = 0
    """Id of the print."""
    SEQUENCE = 1
    """How many prints the thread had come to before."""
    X = 2
    """Coordinate of the block along axis 0 of the grid; the other two follow."""
    ELEMENT = 5
    """Number of the element in its tile, in row-major order."""
    LOW = 6
    HIGH = 7


class _Text(Formatter):
    """Formats numbers as Python does, and tiles element by element."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the text of a scalar, or of a tile as nested lists."""
        if not getattr(value, "ndim", 0):
            return _number_text(value, format_spec)
        return _tile_text(value, lambda item: _number_text(item, format_spec), 1)


def _number_text(value: Any, spec: str) -> str:
    """Return the text of a number: as short as its type allows unless a format is given."""
    if not spec:
        return str(value)
    number = value.item() if hasattr(value, "item") else value
    return format(number if isinstance(number, bool | int | float) else float(number), spec)


def _tile_text(tile: Any, text: Callable[[Any], str], depth: int) -> str:
    if tile.ndim == 1:
        return f"[{', '.join(text(item) for item in tile)}]"
    rows = (_tile_text(row, text, depth + 1) for row in tile)
    return "[" + (",\n" + " " * depth).join(rows) + "]"


def check_format(template: str) -> Iterator[str]:
    """Yield the format of every field of a format string.

    Raises:
        ValueError: It is no format string.
    """
    for _, field, spec, _ in Formatter().parse(template):
        if field is not None:
            yield spec or ""


def printed(template: str, values: Sequence[Any], block: Sequence[int], *, starts: bool) -> str:
    """Return what a print writes.

    Args:
        template: Its format string.
        values: A NumPy scalar or array, if it has a field.
        block: Coordinates of the block.
        starts: Whether they go in front.
    """
    place = ", ".join(str(int(item)) for item in block)
    text = _Text().vformat(template, values, {})
    return f"[block {place}] {text}" if starts else text


def rank_of(metadata: Mapping[str, Any]) -> int:
    """Return the axes of the grid of a kernel."""
    return len(metadata.get("grid", ())) or 3
