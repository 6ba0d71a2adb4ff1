"""Kernels whose blocks wait for the tiles that they load."""

from math import prod
from typing import Any

from tilec.ir.structured import LOOPS, enclosing_loops
from tilec.ir.values import element_count
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.kernels import kernel_operations
from tilec.plan.copies import LEAST_REPEATS, warps_have_rows

_REDUCTIONS = ("reduce", "scan")
_OVERLAPPED = ("dot", "permute")


def waits_for_tiles(function: Any) -> bool:
    """Tell whether each step of a kernel's blocks reduces the tiles that it has loaded.

    A step is a round of a loop, or all of a block without loops. A reduction needs the whole tile,
    and its threads wait for each other, so nothing in such a block overlaps: only other blocks of
    the SM hide its loads. More of them fit if threads copy the tiles, which then need no buffers in
    shared memory. Measured on an H200 (2026-11-23, bf16, against the bandwidth of a copy): softmax
    of 8192x8192 without a loop 1.00, with TMA 0.93; cross entropy of 8192x32768 in a loop over 4096
    columns 1.00, with a ring of TMA loads and one CTA on an SM 0.39.

    A kernel with a product or a permutation is none: there the buffers of TMA do more. Neither is
    one whose loops only add up tiles and reduce them at the end, nor one whose loops repeat all
    that they load in larger tiles: it computes longer than it loads, and threads would load such a
    tile in the layout of the larger one, each element by several of them.
    """
    operations = kernel_operations(function)
    names = {op.name for op in operations}
    short = {name.rpartition(".")[2] for name in names if name.startswith("nv_tilea")}
    if short.intersection(_OVERLAPPED) or repeats_tiles(function):
        return False
    return bool(_reductions_of_steps(operations))


def warps_meet(function: Any) -> bool:
    """Tell whether several warps may share what a step of a kernel's blocks reduces.

    They do not where a loop only reduces short rows: each warp takes whole ones.
    """
    found = _reductions_of_steps(kernel_operations(function))
    return not all(enclosing_loops(op) and _is_of_short_rows(op) for op in found)


def _reductions_of_steps(operations: list[Any]) -> list[Any]:
    """Return the reductions of every round of a loop, or of a kernel without loops."""
    found = [op for op in operations if is_reduction(op)]
    if any(op.name in LOOPS for op in operations):
        found = [op for op in found if enclosing_loops(op)]
    return found


def _is_of_short_rows(op: Any) -> bool:
    *rows, columns = op.operands[0].type.shape
    return op.opview.axis.value == len(rows) and warps_have_rows(prod(rows), columns)


def repeats_tiles(function: Any) -> bool:
    """Tell whether loops load tiles, and repeat each of them several times in a larger one."""
    operations = kernel_operations(function)
    loads = [op for op in operations if op.name.endswith(".tiled_load") and enclosing_loops(op)]
    return bool(loads) and all(_is_repeated(load) for load in loads)


def _is_repeated(load: Any) -> bool:
    """Tell whether all that is computed from a loaded tile in its round is a larger tile."""
    pending, least = list(load.results[0].uses), LEAST_REPEATS * element_count(load.results[0])
    found = False
    while pending:
        op = pending.pop().owner.operation
        if not only_computes(op) or op.block != load.block:
            return False
        if len(op.results) and element_count(op.results[0]) >= least:
            found = True
        else:
            pending += [use for result in op.results for use in result.uses]
    return found


def is_reduction(op: Any) -> bool:
    """Tell whether an operation reduces or scans tiles."""
    dialect, _, name = op.name.partition(".")
    return dialect.startswith("nv_tilea") and name in _REDUCTIONS
