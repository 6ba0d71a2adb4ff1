"""Reductions that pick an element (`passes/analysis/picks.py`), without adding zeros.

A thread holds at most one element that counts. So it selects one after another, and a result is
what the last condition that held has left: one instruction for each register instead of two.
Registers are taken a few at a time, so that the chains are short. Of a sum, the place of the
element says which lane holds it; a warp takes it from there, instead of adding what all lanes hold.
A zero is still added once: a sum of -0 and zeros is 0.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.layout import Owner, RegisterLayout
from tilec.passes.analysis.picks import Pick
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import Combiner, Element, shuffled
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, tile_layout
from tilec.plan.worth import LANES_OF_A_PICK, SELECTS_IN_A_ROW


def picked(
    pick: Pick, rows: Sequence[Sequence[int]], combine: Combiner, lowering: Lowering
) -> list[Element]:
    """Return for each row what this thread holds of the element that counts: it, or zero.

    Args:
        pick: What is picked.
        rows: The registers that are combined, for each register of the result.
        combine: Adds.
        lowering: The lowering.
    """
    mask, tile, zeros = (lowering.tile(operand) for operand in pick.select.operands)
    is_float = isinstance(pick.select.results[0].type.element_type, ir.FloatType)
    found = []
    for row in rows:
        chains = []
        for first in range(0, len(row), SELECTS_IN_A_ROW):
            value = zeros[row[0]]
            for register in row[first : first + SELECTS_IN_A_ROW]:
                value = arith.select(mask[register], tile[register], value)
            chains.append((value,))
        if len(chains) == 1 and is_float:
            chains.append((zeros[row[0]],))
        found.append(combine.all_of(chains))
    return found


def firsts(
    select: Any, axis: int, rows: Sequence[Sequence[int]], lowering: Lowering
) -> list[Element]:
    """Return for each row the first index of this thread for which a condition holds.

    Args:
        select: Chooses the index where the condition holds, and a constant where it does not.
        axis: The axis along which the index grows by 1.
        rows: The registers that are combined, for each register of the result.
        lowering: The lowering.
    """
    mask, index, most = (lowering.tile(operand) for operand in select.operands)
    offsets = [offset[axis] for offset in tile_layout(select.results[0]).register_offsets()]
    nothing = emit.value(-1)
    found = []
    for row in rows:
        order = sorted(row, key=lambda register: offsets[register])
        chains = []
        for first in range(0, len(order), SELECTS_IN_A_ROW):
            place = nothing
            for register in reversed(order[first : first + SELECTS_IN_A_ROW]):
                step = emit.value(offsets[register] - offsets[order[0]])
                place = arith.select(mask[register], step, place)
            chains.append(place)
        while len(chains) > 1:  # nothing, as an unsigned number, is more than all places
            pairs = zip(chains[::2], chains[1::2], strict=False)
            rest = chains[len(chains) // 2 * 2 :]
            chains = [*(arith.minui(*pair) for pair in pairs), *rest]
        type_ = index[order[0]].type
        place = chains[0] if type_ == emit.i32_type() else arith.extsi(type_, chains[0])
        value = arith.addi(index[order[0]], place)
        missing = emit.compare("eq", chains[0], -1)
        found.append((arith.select(missing, most[order[0]], value),))
    return found


def lane_of(pick: Pick, axis: int, register: int, lowering: Lowering) -> Any:
    """Emit which lane holds the element that counts in the row of a register (i32).

    None if few lanes hold elements of a row. Where the element is outside of the tile, it is any
    lane: all of them hold zeros.
    """
    layout = tile_layout(pick.select.results[0])
    terms = [term for term in layout.reduction_terms(axis) if term.owner is Owner.LANE]
    if prod(term.extent for term in terms) < LANES_OF_A_PICK:
        return None
    place = _place(pick, axis, register, layout, lowering)
    lane = lowering.current_role.ids[Owner.LANE]
    own = sum((term.extent - 1) * term.divisor for term in terms)
    lane = arith.andi(lane, emit.value(~own & 31))
    for term in terms:
        digit = arith.divui(place, emit.value(term.stride[axis]))
        digit = arith.remui(digit, emit.value(term.extent))
        lane = arith.ori(lane, arith.muli(digit, emit.value(term.divisor)))
    return lane


def from_lane(element: Element, lane: Any) -> Element:
    """Return the element that a lane holds."""
    return shuffled("idx", element, lane)


def _place(pick: Pick, axis: int, register: int, layout: RegisterLayout, lowering: Lowering) -> Any:
    """Emit the coordinate along `axis` of the element that counts in the row of a register."""
    number = register
    for op in pick.path:
        if op.name == "nv_tileas.broadcast":
            source = tuple(op.operands[0].type.shape)
            _, registers = tile_layout(op.results[0]).broadcast_source(source)
            number = registers[number]
    offset = layout.register_offsets()[register][axis]
    here = emit.value(emit.add(lowering.thread_coordinates(layout)[axis], offset))
    wanted, index = lowering.tile(pick.wanted)[number], lowering.tile(pick.index)[number]
    return arith.addi(here, arith.subi(wanted, index))
