"""What comes first in the softmax of a round: choices that were measured. Pure Python.

ptxas orders the instructions of a block by what each of them needs. So the order is chosen by what
is made to need what: chains instead of pairs, and values that need the result of a wait.
"""

_CHAINED_WARPGROUPS = 3
"""Fewest consumer warpgroups whose threads combine rows in chains where no product hides special
functions. Each scheduler of an SM has as many warps, and the others issue while a chain of one
waits. Heads of 64 gain 3 %, and loops of two warpgroups lose up to 8 % (H100,
docs/measurements/2026-11-26-softmax-by-rows.md)."""
_PAIRED_COLUMNS = 128
"""Columns of the longest row whose largest score is found in pairs: with 128 columns, pairs take
1.2 % less time than one chain, with 192 columns 1.0 % more (H100,
docs/measurements/2026-11-26-softmax-by-rows.md)."""
_EARLY_COLUMNS = 96
"""Columns of the first row of a thread that come before the wait where a row is longer than
`_PAIRED_COLUMNS`. Of 176 columns, 96 and 128 take 1.4 and 2.2 % less time than all of them, of 192
4.2 and 3.5 %. Of 128, all of them are within 0.4 % of the best number (H100,
docs/measurements/2026-11-27-attention-order.md)."""


def combines_in_chains(warpgroups: int) -> bool:
    """Tell whether threads combine rows in chains in a loop that so many warpgroups share."""
    return warpgroups >= _CHAINED_WARPGROUPS


def finds_tops_in_chains(columns: int) -> bool:
    """Tell whether the largest of so many scores of a row is found in one chain."""
    return columns > _PAIRED_COLUMNS


def columns_before_wait(columns: int) -> int:
    """Return how many columns of the first of two rows come before the wait that both straddle."""
    return columns if columns <= _PAIRED_COLUMNS else _EARLY_COLUMNS
