"""Debug builds (`--debug-waits`): what the compiler and the launcher agree on. Pure Python.

Every wait on an mbarrier of such a build has a cycle limit. The first wait of a launch that exceeds
it writes a record into a buffer, whose address is a hidden parameter of the kernel; the launcher
reads the record and says which wait it was, from the table in the kernel's metadata:

```text
debug_waits = {limit = 2000000000,
               waits = [{role = "producer", first_thread = 0, ring = 0, barrier = "empty",
                         span = ["matmul.tile", 17, 13, 17, 38], line = "        a = load("},
                        ...]}
```

`ring` is -1 for a wait that is for the partial sums of a split tile (`barrier = "partials"`), not
for a ring, and for an `extract` (`barrier = "extract"`), which writes the record if an index of it
is out of range.
`span` is file, line, column, end line and end column. The position of a wait in the table is its
id. Without `waits` the build was asked for, but the pass `nv-tileas-debug-waits` has not run yet.
"""

from enum import IntEnum

METADATA_KEY = "debug_waits"
"""Entry of the kernel metadata that makes a build a debug build."""
HIDDEN_PARAMETERS = "hidden_parameters"
"""Entry of the kernel metadata that names the parameters after the tensor maps, in order."""
DEBUG_BUFFER = "debug_buffer"
"""Name of the hidden parameter."""
CLOCK_LIMIT = 2_000_000_000
"""Cycles of the SM that a wait may take: a second at 2 GHz."""
RECORD_BYTES = 32
"""Size of the buffer: eight words of 32 bits, zero before the launch."""


INDEX_HINT = "extract cuts a tile into slices of the shape and counts them from 0"


def index_message(index: int, axis: int, count: int) -> str:
    """Return what is wrong with an index of `extract` along `axis`, of `count` slices."""
    return f"extract: index {index} along axis {axis} is outside 0 to {count - 1}"


class Word(IntEnum):
    """What the words of the record hold."""

    STATE = 0
    """1 as soon as a wait has exceeded the limit."""
    WAIT = 1
    """Id of the wait."""
    BLOCK = 2
    """Index of the CTA in the flattened grid."""
    THREAD = 3
    """Index of the thread in its CTA."""
    PARITY = 4
    """Parity of the phase that was waited for; or how many partial sums were there instead; or the
    axis of the index."""
    SLOT = 5
    """Slot of the ring; or the number of the tile; or the index."""
    ITERATION = 6
    """How many slots of the ring the role has gone past since the kernel started; or the number of
    partial sums that were waited for; or the number of slices along the axis."""
