"""Assertions of the running kernel: what the compiler and the launcher agree on. Pure Python.

A kernel with assertions has the hidden parameter `wait_records.DEBUG_BUFFER`. The first assertion
of a launch that fails writes its record there; the launcher waits for the end of the launch, reads
the record, and raises the error. The record has the words of `wait_records.Word`: the state is
`FAILED`, the id is the position in the table of the kernel's metadata, and the coordinates of the
block follow:

```text
assertions = [{message = "n is even", span = ["f.tile", 17, 13, 17, 38], line = "    assert ..."}]
```
"""

from collections.abc import Sequence

from tilec.request.wait_records import Word

METADATA_KEY = "assertions"
"""Entry of the kernel metadata with the table."""
FAILED = 2
"""State of a record that an assertion wrote."""
COORDINATES = (Word.BLOCK, Word.THREAD, Word.PARITY)
"""Words with the coordinates of the block along the three axes of the grid."""


def failure_text(kernel: str, block: Sequence[int], rank: int, message: str) -> str:
    """Return what to say about an assertion that failed.

    Args:
        kernel: Name of the kernel.
        block: Coordinates of the block.
        rank: Axes of the grid.
        message: Message of the assertion; empty without one.
    """
    place = ", ".join(str(int(item)) for item in block[:rank])
    text = f"{kernel}: assertion failed in block ({place})"
    return f"{text}: {message}" if message else text
