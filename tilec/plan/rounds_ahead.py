"""When threads load the tiles of the next round of a loop that reduces them. Pure Python."""

from tilec.plan import machine
from tilec.plan.thread_operands import NEXT_ROUND_REGISTERS
from tilec.plan.workers import DEFAULT_WORKER_WARPS, MAX_REDUCED_PER_THREAD
from tilec.request.target import Target

BLOCKS_AHEAD = 6
"""Blocks for each SM up to which threads load ahead. With more, other blocks of an SM hide what one
of them waits for. Gradients of layer norm, whose blocks take every 264th row or every 528th or
792nd one, had 0.81, 0.79 and 0.77 of the speed of a copy with 4096 columns, and 0.94, 0.90 and 0.88
with rows that were loaded ahead; with 1024 columns 0.39, 0.68 and 0.56, then 0.54, 0.86 and 0.73
(H100, docs/measurements/2026-11-27-user-rows.md)."""
REGISTER_BYTES = 4


def reduces_ahead(blocks: int, size: int, elements: int, target: Target) -> bool:
    """Tell whether threads keep the tiles of the next round in registers.

    Args:
        blocks: How many blocks the grid has at most.
        size: Bytes of all tiles that threads load in a round, to reduce them.
        elements: Elements of the largest of them.
        target: Machine.
    """
    least = DEFAULT_WORKER_WARPS * machine.WARP_THREADS
    threads = max(least, elements // MAX_REDUCED_PER_THREAD)
    fits = size <= REGISTER_BYTES * NEXT_ROUND_REGISTERS * threads
    return fits and blocks <= BLOCKS_AHEAD * target.sm_count
