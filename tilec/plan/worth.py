"""From which size on a rewrite is worth the instructions that it costs. Pure Python."""

MASKED_WORK = 8192
"""Element operations that are worth a branch: 64 instructions of each of 128 threads. The test and
the branch take about 20 (estimate)."""
COLUMN_COPIES, ROW_COPIES = 4, 32
"""Threads that hold an element of a column or row next to the result of a product: a warpgroup has
4 for each row and 32 for each column of it (PTX ISA, wgmma.mma_async, fragments of D)."""
ELEMENTS_OF_A_LIMIT = 16
"""Elements of a mask for each one of its limits, so that arithmetic on limits costs nothing next to
the comparison (choice)."""
INDICES_OF_A_LIMIT = 4
"""Indices of a thread for each of its limits that are worth a difference for the limit (choice)."""
CONVERTED_INDICES = 4
"""Registers of converted indices that are worth arithmetic of their own: fewer occupy little
(choice)."""
ANCHORED_CYCLES = 100
"""Cycles of a warpgroup that are worth the four instructions of an anchor (choice)."""
ANCHORED_REGISTERS = 4
"""Most registers of a tile that an anchor waits for, at two instructions each (choice)."""
COPIES_OF_A_TILE = 16
"""Users up to which a cheap tile is made again for each: chains of such tiles multiply (choice)."""
OPERATIONS_IN_A_ROW = 12
"""Operations that follow each other and may be done again instead of a change of layout: what takes
more is not worth the search (choice)."""
DIVISION_INSTRUCTIONS = 6
"""Instructions of a division by a constant: a product, shifts and a correction (SASS of ptxas 13.0,
i32)."""
NOTABLE_CYCLES = 8
"""Cycles of an SM that a change of layout takes, from which on a remark says so (choice)."""
TAIL_REGISTERS = 8
"""Registers of a tile that the end of a block computes at a time, at least: enough loads in flight,
few alive (choice)."""
SELECTS_IN_A_ROW = 8
"""Selects of a picked element in a row, at most: each waits for the one before (choice)."""
LANES_OF_A_PICK = 4
"""Lanes along the axis from which on it pays to compute which of them has the picked element: two
lanes exchange theirs with one shuffle, too (choice)."""
TERMS_IN_A_ROW = 8
"""Terms that a thread adds in a row, at most, where each takes one instruction (choice)."""
CHAINS_OF_A_SUM = 4
"""Chains of such terms that a thread adds at a time, if it has enough terms: an addition takes four
cycles (choice)."""
SHARED_DIVISOR = 4
"""Elements of a thread that share a divisor, at least, if they share its reciprocal (choice)."""
CHECKED_QUOTIENTS = 16
"""Quotients with one check of their exponents, at most: registers hold their dividends so long
(choice)."""
FACTOR_TERMS = 4
"""Terms of a sum to which its scalar factor goes, at most: each takes a scalar operation and a
register (choice)."""
