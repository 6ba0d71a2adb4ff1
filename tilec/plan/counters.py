"""How many copies of every counter a histogram has in shared memory. Pure Python.

With one copy, lanes of a warp often change the same bank, and the atomic operations follow one
another. With 32 copies each lane has a bank of its own.
"""

from collections.abc import Mapping

COUNTER_BYTES = 4
COUNTER_BUDGET = 65536
"""Most bytes of the counters of a kernel if they have copies: it leaves room for three CTAs."""
WORDS_PER_CYCLE = 32
"""Words of shared memory that an SM reads or writes in a cycle (CUDA programming guide)."""
_COUNT_CYCLES: Mapping[int, float] = {1: 3.3, 16: 2.4, 32: 2.0}
"""Copies -> cycles in which an SM counts 32 random bytes (docs/measurements/2026-11-23-counts.md).

Two to eight copies are as slow as one.
"""


def choose_copies(bins: int, numbers: int, *, summed: bool, budget: int = COUNTER_BUDGET) -> int:
    """Return the copies of every counter.

    Args:
        bins: Numbers that are counted.
        numbers: Elements of the tile that is counted.
        summed: Whether a loop adds up the counts, so that its first round clears the counters and
            its last one reads them.
        budget: Bytes that the counters may take if they have copies.
    """

    def cycles(copies: int) -> float:
        moved = 0 if summed else 2 * bins * copies
        return numbers / 32 * _COUNT_CYCLES[copies] + moved / WORDS_PER_CYCLE

    fitting = [
        copies for copies in _COUNT_CYCLES if copies == 1 or bins * copies * COUNTER_BYTES <= budget
    ]
    return min(fitting, key=cycles)
