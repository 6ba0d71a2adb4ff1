"""Which tiles join their pieces in registers, because a product takes its A operand from there.

The fragment of A is known before layouts are assigned, but for the rows that each warpgroup has.
It spreads backwards over what computes A, so the planner can tell which joins need no scratch area.
"""

from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile
from tilec.layout import RegisterLayout, wgmma_a_fragment
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.layouts.operations import CAT, joined_layouts, source_layout
from tilec.passes.analysis.mma.operands import DOT, stays_in_registers

_RELABELS = ("nv_tileas.view", "nv_tileas.permute")


def a_fragment(product: Any, warpgroups: int) -> RegisterLayout:
    """Return the layout in which a product takes its A operand from registers.

    A product of a part of K takes the whole operand: the part is a choice of registers.

    Args:
        product: A `dot` or an `async_mma` whose A operand has K along its rows.
        warpgroups: Number of warpgroups that share the product.
    """
    m, n = product.results[0].type.shape
    a = product.opview.a.type
    return wgmma_a_fragment((m, n, a.shape[1]), element_bits(a.element_type), warpgroups)


def joined_in_fragments(function: Any) -> set[Any]:
    """Return each `cat` of a kernel that only names registers of an A operand."""
    found: set[Any] = set()
    for op in kernel_operations(function):
        if op.name == DOT and stays_in_registers(op, 0):
            _collect(op.operands[0], a_fragment(op, 1), found)
    return found


def _collect(tile: Any, layout: RegisterLayout, found: set[Any]) -> None:
    """Add each `cat` that computes `tile`, whose layout is `layout`, to `found`."""
    pending, seen = [(tile, layout)], set[Any]()
    while pending:
        tile, layout = pending.pop()
        op = defining_operation(tile)
        if op is None or op in found or (tile, layout) in seen:
            continue
        seen.add((tile, layout))
        if op.name == CAT:
            pieces = joined_layouts(op, layout)
            if pieces is not None:
                found.add(op)
                pending += zip(op.operands, pieces, strict=True)
        elif op.name in _RELABELS:
            source = source_layout(op, layout)
            if source is not None:
                pending.append((op.operands[0], source))
        elif op.name.split(".")[0] in ("arith", "math"):
            tiles = (value for value in op.operands if is_tile(value))
            pending += ((value, layout) for value in tiles)
