"""What the planner needs to know about operands of products that threads load in a loop."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.structured import body_operations
from tilec.passes.analysis.facts.runs import run_elements
from tilec.passes.analysis.kernels import is_tiled_access, tiled_access
from tilec.passes.analysis.mma.copied_operands import copy_bytes
from tilec.plan import machine
from tilec.plan.thread_operands import ThreadOperands
from tilec.support.mma_atoms import find_family

_PRODUCT, _GATHER = "nv_tileaa.dot", "nv_tileaa.gather"
_PAIRED_BITS = 16
"""Bits of elements that loops carry in pairs (`nv_tileas_to_llvm`)."""


def thread_operands(
    function: Any, loop: Any, loads: Sequence[Any], *, copied: bool
) -> ThreadOperands:
    """Describe what threads load for the products of a round.

    Args:
        function: The kernel, in nv_tileaa.
        loop: The loop.
        loads: The loads; gathers where threads can copy them.
        copied: Whether they can.
    """
    ops = body_operations(loop.regions[0].blocks[0])
    dots = [op for op in ops if op.name == _PRODUCT]
    tma = [op for op in ops if is_tiled_access(op) and tiled_access(op).uses_tma]
    rows = min((dot.opview.extents[0] for dot in dots), default=0)
    warpgroups = 2 if rows and rows % (2 * machine.MMA_ROWS) == 0 else 1
    tiles = [load.results[0].type for load in loads]
    sizes = [prod(tile.shape) * max(8, element_bits(tile.element_type)) // 8 for tile in tiles]
    widths = map(copy_bytes, loads) if copied else ()
    return ThreadOperands(
        mma_cycles=sum(map(_mma_cycles, dots)),
        warpgroups=warpgroups,
        size=sum(sizes),
        elements=sum(prod(tile.shape) for tile in tiles),
        copies=sum(size // width for size, width in zip(sizes, widths, strict=False)),
        packed=any(_is_packed(load, warpgroups) for load in loads),
        ring_bytes=sum(_bytes(op.results[0].type) for op in tma),
        result_bytes=max((_bytes(dot.results[0].type) for dot in dots), default=0),
        splits=read_kernel_fact(function, "planned_split_k", 1),
    )


def _mma_cycles(dot: Any) -> float:
    rate = find_family(dot.opview.product_types).rate * machine.MMA_ISSUE_SHARE
    return prod(dot.opview.extents) / rate


def _is_packed(load: Any, warpgroups: int) -> bool:
    """Tell whether a thread loads elements of which loops carry two in a register one by one."""
    tile = load.results[0].type
    several = prod(tile.shape) > warpgroups * machine.WARPGROUP_THREADS
    return several and element_bits(tile.element_type) == _PAIRED_BITS and _elements(load) == 1


def _elements(load: Any) -> int:
    """Return how many elements a thread loads at once."""
    if load.name == _GATHER:
        return load.opview.run
    bits = load.opview.atom.vector_bits
    return run_elements(load, bits) or bits // element_bits(load.results[0].type.element_type)


def _bytes(tile: Any) -> int:
    return box_bytes(tile.shape, tile.element_type)
