"""Which functions a kernel calls instead of copying them for every element. Pure Python."""

_LONG = frozenset(
    ("math.sin", "math.cos", "math.tan", "math.powf", "math.atan2", "arith.remf", "math.log1p")
)
"""Operations whose functions of libdevice have slow paths, in loops and through local memory, for
arguments that hardly occur."""
MOST_COPIES = 16
"""Registers of a thread, in all tiles of a kernel, for which a kernel may copy such a function. A
product with `sin` of its 128x256 tiles took 40 s and five plans, the last one of 64x192, since
ptxas spilled in the others; with `fmod` it was not done after 100 s. Calls take 1 s, and nothing
spills (ptxas 13.5). Whether calls run faster than fewer copies has not been measured."""


def is_long(operation: str) -> bool:
    """Tell whether the code of an operation is too long to be repeated for parts of a tile."""
    return operation in _LONG


def is_called(operation: str, registers: int) -> bool:
    """Tell whether an operation is a call: a kernel has it for so many registers of a thread."""
    return is_long(operation) and registers > MOST_COPIES
