"""In which order a thread combines the elements of a row. Pure Python.

In pairs, by default: that has the shortest chains of operations that wait for each other, and most
registers wait for a partner. Or in one chain.
"""

CHAINING_WARPGROUPS = 3
"""Warpgroups that share the products of a loop, from which on a chain is better: each scheduler of
an SM then has three warps, and the others issue while a chain of one waits. Attention with heads of
64 gains 3 %; loops of two warpgroups lose up to 8 %
(H100, docs/measurements/2026-11-26-softmax-by-rows.md)."""
COLUMNS_IN_PAIRS = 128
"""Columns of the longest row whose largest element is found in pairs, where a product hides special
functions: with 128 columns, pairs take 1.2 % less time than one chain, with 192 columns 1.0 % more
(attention; same note)."""


def chains_rows(warpgroups: int) -> bool:
    """Tell whether threads of so many consumer warpgroups combine rows in chains."""
    return warpgroups >= CHAINING_WARPGROUPS


def chains_long_row(columns: int) -> bool:
    """Tell whether a thread finds the largest element of a row of so many columns in one chain.

    Where a product hides special functions; ptxas then ends one row before it begins the next one.
    """
    return columns > COLUMNS_IN_PAIRS
