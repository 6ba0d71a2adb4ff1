"""How many warps compute a block without products on the tensor cores. Pure Python."""

from collections.abc import Callable
from math import gcd

from tilec.plan import machine
from tilec.plan.model import KernelProblem

DEFAULT_WORKER_WARPS = 4
MAX_WORKER_WARPS = 16
MAX_ELEMENTS_PER_THREAD = 64
"""Elements of one tile that a thread should hold at most: with two tiles of 32-bit elements alive
that is half of the registers of a thread."""
MAX_PRODUCT_BYTES = 256
"""Bytes of an accumulator that a thread should hold at most: fragments of both operands are in
registers, too. With 512, products of f64 in tiles of 64x128 had 0.586 of the speed of cuBLAS
instead of 0.935 (4096^3, H100, 2026-11-26)."""
MAX_REDUCED_PER_THREAD = 32
"""The same where blocks reduce the tiles that they load: only other blocks hide their loads. With
64, softmax of 8192x8192 bf16 had 0.82 of the speed on an H200 (2026-11-23)."""
MAX_REDUCED_BYTES = 64
"""Bytes of such a tile that a thread should load at most. With 128, running sums of f32 in tiles of
1x4096 had 0.82 of the speed of a copy instead of 0.93, in tiles of 4x1024 0.70 instead of 0.85, and
of 1x16384, with 32 warps, 0.61 instead of 0.73 (H200, 2026-11-23)."""
GOOD_PART_WARPS = 8
"""Warps of a CTA that has a part of a row, before its threads get more elements: up to twice the
limits above. Softmax of 2048x131072 had 1.198 of the speed of a copy with 8 warps, 1.163 with 16;
2048x128256 0.964 and 0.932; layer_norm of 2048x131072 1.065 and 1.053 (H100, 2026-11-25)."""
MAX_REDUCING_WARPS = 32
"""Most warps of a block: 1024 threads (CUDA programming guide, technical specifications)."""


def choose_warps(problem: KernelProblem, ctas: int = 1) -> int:
    """Return the number of warps that compute a block, or a CTA's part of one.

    Where threads may not get fewer registers, a block has at most half of the threads that fit.

    Args:
        problem: The kernel, or the part of a CTA.
        ctas: CTAs that compute a block together.
    """
    return _with_own_elements(problem, _warps_by_size(problem, ctas))


def _with_own_elements(problem: KernelProblem, warps: int) -> int:
    """Return fewer warps where others would only hold copies.

    The threads that share a tile are a power of two. A tile of 16x784 elements, 2^8 * 49, has
    elements of their own for 256 threads; others load and compute the same again. Group norm of
    such groups had 0.46 of the speed of a copy with 16 warps and 0.84 with 8
    (H100, docs/measurements/2026-11-27-shared-rounds.md).
    """
    threads = problem.tile_elements & -problem.tile_elements
    most = max(1, threads // machine.WARP_THREADS)
    held = elements_of_a_thread(problem, most)
    if threads == problem.tile_elements or held > 2 * MAX_ELEMENTS_PER_THREAD:
        return warps
    return min(warps, most)


def _warps_by_size(problem: KernelProblem, ctas: int) -> int:
    """Return how many warps are enough for the tiles of a block."""
    most = MAX_REDUCING_WARPS if problem.blocks_per_sm else MAX_WORKER_WARPS
    warps = DEFAULT_WORKER_WARPS
    if ctas > 1:
        while warps < GOOD_PART_WARPS and _is_much(problem, warps):
            warps *= 2
        while warps < most and _is_much(problem, warps, 2):
            warps *= 2
        return _with_wide_vectors(problem, warps, _vector)
    limit = MAX_REDUCED_PER_THREAD if problem.waits_for_tiles else MAX_ELEMENTS_PER_THREAD
    while warps < MAX_WORKER_WARPS and problem.tile_elements > warps * machine.WARP_THREADS * limit:
        warps *= 2
    products = problem.product_bytes
    while warps < MAX_WORKER_WARPS and products > warps * machine.WARP_THREADS * MAX_PRODUCT_BYTES:
        warps *= 2
    reduced = problem.thread_bytes if problem.waits_for_tiles else 0
    while warps < most and reduced > warps * machine.WARP_THREADS * MAX_REDUCED_BYTES:
        warps *= 2
    return _with_wide_vectors(problem, warps, _vector_or_run) if reduced else warps


def more_warps(problem: KernelProblem, warps: int) -> int:
    """Return `warps`, or more where the registers of so many were too few for all tiles.

    The largest tile does not tell how many are live together: a stencil of 27 points that adds up
    faces, edges and corners holds four of its size, and loads more of them ahead.
    """
    return min(warps * problem.warp_factor, MAX_REDUCING_WARPS)


def _is_much(part: KernelProblem, warps: int, times: int = 1) -> bool:
    """Tell whether a thread would have more than so many times what it should have of a part."""
    threads = warps * machine.WARP_THREADS
    elements, size = threads * MAX_REDUCED_PER_THREAD, threads * MAX_REDUCED_BYTES
    return part.tile_elements > times * elements or part.thread_bytes > times * size


def _with_wide_vectors(
    part: KernelProblem, warps: int, width: Callable[[KernelProblem, int], int]
) -> int:
    """Return fewer warps where that makes the accesses of threads wider.

    Layer_norm of 2048x40000, in tiles of 40960 columns, had 0.928 of the speed of a copy with
    vectors of 16 bytes and 0.785 with vectors of 8 (H100, 2026-11-25). That of 8192x8400, in tiles
    of 9216 columns, had 0.972 with 8 warps and vectors of 8 bytes, 0.814 with 16 and of 4 (H100,
    docs/measurements/2026-11-27-alignments.md).
    """
    while warps > DEFAULT_WORKER_WARPS and not _is_much(part, warps // 2, 2):
        if width(part, warps // 2) <= width(part, warps):
            break
        warps //= 2
    return warps


def _vector(part: KernelProblem, warps: int) -> int:
    """Return how many elements each access of a thread moves."""
    return gcd(part.tile_elements // (warps * machine.WARP_THREADS), part.thread_vector)


def _vector_or_run(row: KernelProblem, warps: int) -> int:
    """Return the same, or the elements of a run where rows begin at any element.

    Layer_norm of 4096x10001, in tiles of 10240 columns, had 0.832 of the speed of a copy with 8
    warps, whose threads load five runs, and 0.445 with 16; softmax 0.903 and 0.846; RMS norm 0.866
    and 0.849 (H100, docs/measurements/2026-11-27-alignments.md). Parts of rows, and rows of two
    elements, do not count: nobody measured them.
    """
    each = row.tile_elements // (warps * machine.WARP_THREADS)
    has_runs = row.thread_vector == 1 and row.thread_run > 0 and each % row.thread_run == 0
    return row.thread_run if has_runs else _vector(row, warps)


def elements_of_a_thread(problem: KernelProblem, warps: int) -> int:
    """Return how many elements of the largest tile each thread of `warps` warps holds."""
    return -(-problem.tile_elements // (warps * machine.WARP_THREADS))
