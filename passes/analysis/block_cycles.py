"""How long an SM computes a block at least, as a launch can evaluate it.

Only what takes long is counted: products, and tiles that come from memory. Rounds that depend on
the block count half as many as they may be, and those that loaded numbers decide as one. So the
estimate is rather too low.
"""

from collections import defaultdict
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import FOR_BOUNDS, enclosing_loops
from tilec.passes.analysis.facts.host_texts import LONGEST_TEXT, half_of_rounds, rounds_text
from tilec.passes.analysis.kernels import is_tiled_access, kernel_operations, tiled_access
from tilec.passes.analysis.mma.operands import DOT
from tilec.plan import machine


def block_cycles(function: Any) -> str | None:
    """Return the cycles of a block as an expression of dims and scalars; None for few.

    Args:
        function: The kernel, before roles.
    """
    products: dict[str, int] = defaultdict(int)
    loads: dict[str, int] = defaultdict(int)
    for op in kernel_operations(function):
        if op.name == DOT:
            products[_times(op, function)] += _product_cycles(op)
        elif is_tiled_access(op) and tiled_access(op).is_load:
            loads[_times(op, function)] += _load_cycles(op)
    sums = [
        " + ".join(
            f"{cycles} * {times}" if times else str(cycles) for times, cycles in item.items()
        )
        for item in (products, loads)
        if item and (any(item) or sum(item.values()) > 0)
    ]
    text = f"max({sums[0]}, {sums[1]})" if len(sums) > 1 else "".join(sums)
    return text if 0 < len(text) <= LONGEST_TEXT else None


def _times(op: Any, function: Any) -> str:
    """Return how often a block performs an operation; empty for once."""
    rounds = []
    for loop in enclosing_loops(op):
        counter = list(loop.operands)[:FOR_BOUNDS] if loop.name == "scf.for" else None
        if counter is not None:
            text = rounds_text(function, counter) or half_of_rounds(function, counter)
            rounds += [text] if text is not None else []
    return " * ".join(f"({text})" for text in rounds)


def _product_cycles(dot: Any) -> int:
    a, _, acc = dot.operands
    depth = prod(a.type.shape) // acc.type.shape[-2] // prod(acc.type.shape[:-2])
    size = prod(acc.type.shape) * depth * element_bits(a.type.element_type) // 8
    return size // machine.MMA_BYTES_PER_CYCLE


def _load_cycles(op: Any) -> int:
    tile = tiled_access(op).tile_type
    size = prod(tile.shape) * element_bits(tile.element_type) // 8
    return size // machine.EVEN_BYTES_PER_CYCLE
