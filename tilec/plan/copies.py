"""Who moves a tile where both TMA and threads may. Pure Python.

TMA needs one thread and no registers, but a buffer in shared memory and a barrier: the block waits
for the whole tile, and the buffer limits how many blocks share an SM. Threads load into registers,
in as many accesses as their width allows.
"""

WIDEST_ACCESS_BITS = 128
"""Widest access of a thread to global memory (PTX ISA, ld and st)."""


SMALLEST_COPY_BYTES = 512
"""Copies of TMA that are smaller and many take longer than accesses of threads. A histogram of 2^28
bytes took 136 us with threads, and 156 to 269 us with copies of 256 bytes (H200, 2026-11-23)."""


def why_threads_copy(
    waits_for_tiles: bool, access_bits: int, copy_bytes: int | None = None
) -> str | None:
    """Return why threads move a tile although TMA could, as a clause; None if TMA moves it.

    Args:
        waits_for_tiles: Whether each step of the kernel reduces the tiles that it loads
            (`tilec.passes.analysis.reductions`). Nothing in such a block overlaps, so only other
            blocks of the SM hide its loads, and more of them fit without buffers.
        access_bits: Width of the widest access of threads to the tile. Narrow ones cost more
            instructions than the buffers save.
        copy_bytes: Bytes of one TMA copy, of a tile that takes several; None for other tiles.
    """
    if access_bits < WIDEST_ACCESS_BITS:
        return None
    if waits_for_tiles:
        return "its block waits for the whole tile, and threads move 16 bytes at a time"
    if copy_bytes is not None and copy_bytes < SMALLEST_COPY_BYTES:
        return f"one TMA copy moves only {copy_bytes} bytes of it"
    return None
