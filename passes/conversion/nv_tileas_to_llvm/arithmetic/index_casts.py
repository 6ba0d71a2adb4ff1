"""Conversions of indices to floats, in loops.

LLVM moves what is the same in all rounds out of a loop, such as the 32 columns that a thread has of
a tile, or their values in an iteration that a rotated loop peels off. Each then occupies a register
through the loop, and ptxas spills them. So only the first register of an index tile is taken from
outside, through a move that LLVM cannot look into; the others are that one plus a constant.
"""

from collections.abc import Callable
from typing import Any

from tilec.ir.bindings import arith
from tilec.ir.structured import enclosing_loops
from tilec.passes.analysis.facts.index_tiles import index_steps
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, tile_layout
from tilec.plan.worth import CONVERTED_INDICES


def index_cast(lowering: Lowering, op: Any) -> Callable[[int], Any] | None:
    """Return what emits a register of the result of `op`; None if it converts no indices in a loop.

    The first register of the operand is read at once.

    Args:
        lowering: The conversion.
        op: An operation on one tile.
    """
    if op.name != "arith.sitofp" or not enclosing_loops(op):
        return None
    source, result = op.operands[0], op.results[0]
    integer, element_type = source.type.element_type, result.type.element_type
    layout = tile_layout(result)
    if integer != emit.i32_type() or restricted_floats.is_restricted(element_type):
        return None
    if layout.num_registers < CONVERTED_INDICES:
        return None
    steps = index_steps(source)
    if steps is None:
        return None
    first = emit.inline_ptx("mov.b32 $0, $1;", "=r,r", [lowering.tile(source)[0]], integer)
    places = layout.register_offsets()

    def element(number: int) -> Any:
        moved = zip(steps, places[number], places[0], strict=True)
        distance = sum(step * (place - start) for step, place, start in moved)
        index = arith.addi(first, arith.constant(integer, distance)) if distance else first
        return arith.sitofp(element_type, index)

    return element
