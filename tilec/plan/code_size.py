"""Which functions a kernel calls instead of copying them for every element. Pure Python."""

_LONG = frozenset(("sin", "cos", "tan", "pow", "atan2", "fmod"))
"""Functions of libdevice with slow paths, in loops and through local memory, for arguments that
hardly occur."""
_LONG_OPERATIONS = frozenset(
    ("math.sin", "math.cos", "math.tan", "math.powf", "math.atan2", "arith.remf")
)
"""What calls them."""
MOST_COPIES = 16
"""Registers of a tile for which such a function may be copied into the kernel. A product with `sin`
of its 128x256 tiles took 40 s and five plans, the last one of 64x192, since ptxas spilled in the
others; with `fmod` it was not done after 100 s. Calls take 1 s, and nothing spills (ptxas 13.5).
Whether calls run faster than copies with fewer registers has not been measured."""


def is_called(function: str, registers: int) -> bool:
    """Tell whether a function of libdevice is called for the `registers` of a tile in a thread."""
    return function in _LONG and registers > MOST_COPIES


def is_long(operation: str) -> bool:
    """Tell whether an operation takes a long function, which is not to be repeated for parts."""
    return operation in _LONG_OPERATIONS
