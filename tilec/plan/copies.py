"""Who moves a tile where both TMA and threads may. Pure Python.

TMA needs one thread and no registers, but a buffer in shared memory and a barrier: the block waits
for the whole tile, and the buffer limits how many blocks share an SM. Threads load into registers,
in as many accesses as their width allows.
"""

from collections.abc import Sequence

WIDEST_ACCESS_BITS = 128
"""Widest access of a thread to global memory (PTX ISA, ld and st)."""


SMALLEST_COPY_BYTES = 512
"""Copies of TMA that are smaller and many take longer than accesses of threads. A histogram of 2^28
bytes took 136 us with threads, and 156 to 269 us with copies of 256 bytes (H200, 2026-11-23)."""

SMALLEST_STAGED_BYTES = 2048
"""Result tiles of a kernel with products that are smaller are stored from registers: at most four
accesses of 32 bits of each thread of a warpgroup. To stage them, all consumers would meet twice in
every tile, while the point of several consumers is that one multiplies while others do not."""

HIDDEN_COPY_BYTES = 1408
"""Least bytes of a copy of TMA whose issue takes half of the time that its bytes take: a thread
starts one copy in 22 ns (cross entropy with tiles of 2048 to 16384 columns, in copies of 512 bytes,
H200, 2026-11-23), in which an SM's share of the memory bandwidth is 704 bytes."""
PROMOTION, WIDE_PROMOTION = 128, 256
"""Bytes that TMA brings into L2 at a time (cuda.h, CUtensorMapL2promotion).

With 256, 34 of 35 products of few rows took 0.3 to 4.5% less time where K is contiguous in an
operand that is read once: the other half of what comes belongs to the next k-tile. Where N is
contiguous, it belongs to the next CTA: 0.3% less to 4.5% more. Where several CTAs read an operand,
it is soon there anyway: 1.9% less to 1.2% more, on average nothing (bf16, H100,
docs/measurements/2026-11-25-skinny-products.md). On an H200 that is so only where computing takes
longer than memory: 5 such products took 0.5% more to 2.9% less with 256 bytes, 25 that memory
bounds 0.2% less to 8% more, on average 2.7% (2026-11-28, docs/measurements/2026-11-28-few-rows.md).

Without products, 256 pays where the row of a tile takes several boxes, which are 128 bytes wide:
they come one after the other, and each opens its page of DRAM anew. Transposing 8192x8192 of bf16
reached 0.965 instead of 0.954 of a copy. Operands in several boxes took up to 1.6% longer (H100,
docs/measurements/2026-11-25-rows.md)."""
ROW_OF_A_WARP = 1024
"""Elements of a row that a warp reduces without others: 32 of each lane."""
WARPS_WITH_ROWS = 4
"""Warps of a block that shares out rows: fewer rows are shared by warps."""
LEAST_REPEATS = 4
"""How often a round repeats each element of all that it loads, at least, if TMA loads it although
the round reduces it. Mamba-1 by a scan of 16 steps, 32 channels and 16 states repeats them 16 and
32 times: 600 us if threads load, 578 by TMA, and 323 with two CTAs on an SM (8 x 2048 x 2048, H100,
docs/measurements/2026-11-28-user-blocks.md)."""
LEAST_OVERLAPPING = 4
"""Fewest tiles of an array, each of which overlaps another one, that threads load (4, 7 and 9 were
measured)."""
LEAST_TILED_BYTES = 8
"""Fewest bytes that a thread copies at once of rows that it could also load by vectors (choice:
copies of 4 bytes were not timed)."""


def why_threads_copy(
    waits_for_tiles: bool,
    access_bits: int,
    copy_bytes: int,
    copies: int = 1,
    *,
    warps_meet: bool = True,
) -> str | None:
    """Return why threads move a tile although TMA could, as a clause; None if TMA moves it.

    Args:
        waits_for_tiles: Whether each step of the kernel reduces the tiles that it loads
            (`tilec.passes.analysis.reductions`). Nothing in such a block overlaps, so only other
            blocks of the SM hide its loads, and more of them fit without buffers.
        access_bits: Width of the widest access of threads to the tile, or of a run of elements
            that they load by aligned vectors (`tilec.passes.analysis.facts.runs`). Narrow ones
            cost more instructions than the buffers save.
        copy_bytes: Bytes of one TMA copy of the tile.
        copies: Copies that the tile takes.
        warps_meet: Whether the warps of such a block wait for each other in every step. Where they
            do not, a ring of TMA loads keeps up with the memory if its copies are large: running
            sums of f32 in tiles of 4x1024 had 0.91 of the speed of a copy, with threads 0.70 to
            0.85, and in tiles of 8x512 0.91 and 0.90 (H200, 2026-11-23).
    """
    if access_bits < WIDEST_ACCESS_BITS:
        return None
    if waits_for_tiles and (warps_meet or copy_bytes < HIDDEN_COPY_BYTES):
        return "its block waits for the whole tile, and threads move 16 bytes at a time"
    if copy_bytes < SMALLEST_COPY_BYTES and copies > 1:
        return f"one TMA copy moves only {copy_bytes} bytes of it"
    return None


def why_threads_load(access_bits: int, by_threads: int, tiles: int) -> str | None:
    """Return why threads load a tile outside of loops although TMA could; None if TMA loads it.

    Where threads load most tiles of an array, as in a stencil whose tiles start at any element,
    the others are lines that they find in the L1 cache, and TMA would bring them in once more, with
    a wait for each. A stencil of 27 points took 2062 us with 9 tiles by TMA and 1588 us without
    (512^3, H100, docs/measurements/2026-11-27-spills-and-strangers.md).

    Args:
        access_bits: Width of the widest access of threads to the tile.
        by_threads: Tiles of the array that threads have to load.
        tiles: Tiles of the array that a block loads.
    """
    if access_bits < WIDEST_ACCESS_BITS or 2 * by_threads <= tiles:
        return None
    return f"threads load {by_threads} of the {tiles} tiles of its array anyway"


def why_overlaps_stay(access_bits: int, tiles: int) -> str | None:
    """Return why threads load tiles that overlap although TMA could; None if TMA loads them.

    What threads load again, they find in the L1 cache; TMA brings it from L2 each time. A depthwise
    convolution of 3x3 took 143 us by TMA and 80 us by threads, a causal one of 4 steps 271 and 245
    (32x56x56x256 and 4x8192x4096, H100, docs/measurements/2026-11-27-users.md).

    Args:
        access_bits: Width of the widest access of threads to the tile.
        tiles: Tiles of one array that overlap, which a block or a round loads.
    """
    if access_bits < WIDEST_ACCESS_BITS or tiles < LEAST_OVERLAPPING:
        return None
    return f"{tiles} tiles of its array overlap: threads find in the L1 cache what they load again"


def warps_have_rows(rows: int, columns: int) -> bool:
    """Tell whether each warp that reduces the rows of a tile has whole ones."""
    return columns <= ROW_OF_A_WARP and rows >= WARPS_WITH_ROWS


def usual_access(limits: Sequence[int]) -> int:
    """Return the bits of an access for which a layout is tried, besides the widest; 0 for no other.

    Where neighbouring lanes access elements that are further apart than an access is wide, each
    access takes several lines of the L1 cache: a stencil of 27 points, of which 18 start at any
    element, took 1588 us with lanes 16 bytes apart and 1259 us with lanes 4 bytes apart (H100,
    docs/measurements/2026-11-27-spills-and-strangers.md). So this is the width of most loads.

    Args:
        limits: Bits of the widest access of each load of a group of tiles.
    """
    ordered = sorted(limits)
    usual = ordered[(len(ordered) - 1) // 2] if ordered else 0
    return usual if ordered and usual < ordered[-1] else 0


def why_threads_store(has_products: bool, tile_bytes: int) -> str | None:
    """Return why threads store a result although TMA could, as a clause; None if TMA stores it.

    Args:
        has_products: Whether the tensor cores multiply in the kernel.
        tile_bytes: Bytes of the tile.
    """
    if not has_products or tile_bytes >= SMALLEST_STAGED_BYTES:
        return None
    return f"its {tile_bytes} bytes go from registers to memory, so no consumers have to meet"
