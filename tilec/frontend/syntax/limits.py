"""Limits of a source, so that no text takes all memory or all day.

Each one is far above what a kernel needs, and low enough that what it lets through compiles in
seconds. A message names the limit that was reached, its value, and what to do.
"""

MAX_SOURCE_CHARACTERS = 1 << 19
"""Characters of one source. Half a million characters of short words parse in about 10 s."""
MAX_NESTING = 100
"""Expressions or blocks inside each other (CPython's limit of indented blocks, too). A chain of
operators such as `a + b + c` counts once."""
MAX_CALL_DEPTH = 64
"""Inlined calls inside each other."""
MAX_CALLS = 10_000
"""Inlined calls in all."""
MAX_STATEMENTS = 100_000
"""Statements that are analysed, those of inlined helpers at every call."""
MAX_OPERATIONS = 100_000
"""Operations that are recorded for one kernel."""
MAX_TUPLE_VALUES = 4096
"""Values of one tuple, those of tuples in it included."""
MAX_ELEMENT_OPERATIONS = 1 << 24
"""Elements of the results of all tile operations. A thread's share is computed by straight-line
code, so this bounds its length: 2^17 instructions for 128 threads, 256 tile operations of 2^16
elements."""
MAX_INTEGER_BITS = 256
"""Bits of a compile-time integer; what reaches the kernel has at most 64."""
MAX_ERRORS = 100
"""Errors that are reported in one run."""
MAX_EXTENT_CHARACTERS = 4096
"""Characters of the host expression of a grid extent."""
