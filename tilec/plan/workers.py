"""How many warps compute a block without products on the tensor cores. Pure Python."""

from tilec.plan import machine
from tilec.plan.model import KernelProblem

DEFAULT_WORKER_WARPS = 4
MAX_WORKER_WARPS = 16
MAX_ELEMENTS_PER_THREAD = 64
"""Elements of one tile that a thread should hold at most: with two tiles of 32-bit elements alive
that is half of the registers of a thread."""
MAX_REDUCED_PER_THREAD = 32
"""The same where blocks reduce the tiles that they load: only other blocks hide their loads. With
64, softmax of 8192x8192 bf16 had 0.82 of the speed on an H200 (2026-11-23)."""
MAX_REDUCED_BYTES = 64
"""Bytes of such a tile that a thread should load at most. With 128, running sums of f32 in tiles of
1x4096 had 0.82 of the speed of a copy instead of 0.93, in tiles of 4x1024 0.70 instead of 0.85, and
of 1x16384, with 32 warps, 0.61 instead of 0.73 (H200, 2026-11-23)."""
MAX_REDUCING_WARPS = 32
"""Most warps of a block: 1024 threads (CUDA programming guide, technical specifications)."""


def choose_warps(problem: KernelProblem) -> int:
    """Return the number of warps that compute a block, or a CTA's part of one.

    Where threads may not get fewer registers, a block has at most half of the threads that fit.
    """
    most = MAX_REDUCING_WARPS if problem.blocks_per_sm else MAX_WORKER_WARPS
    warps = DEFAULT_WORKER_WARPS
    limit = MAX_REDUCED_PER_THREAD if problem.waits_for_tiles else MAX_ELEMENTS_PER_THREAD
    while warps < MAX_WORKER_WARPS and problem.tile_elements > warps * machine.WARP_THREADS * limit:
        warps *= 2
    reduced = problem.thread_bytes if problem.waits_for_tiles else 0
    while warps < most and reduced > warps * machine.WARP_THREADS * MAX_REDUCED_BYTES:
        warps *= 2
    return warps


def elements_of_a_thread(problem: KernelProblem, warps: int) -> int:
    """Return how many elements of the largest tile each thread of `warps` warps holds."""
    return -(-problem.tile_elements // (warps * machine.WARP_THREADS))
