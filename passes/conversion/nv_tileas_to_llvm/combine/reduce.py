"""Rule for reductions: registers in pairs, lanes by butterfly, warps through shared memory.

Where a comparison of an index leaves one element of a sum, it is picked (`picking.py`).

Where the function is not commutative, neighbouring elements are combined first, as in a scan, but
only the totals of blocks are kept.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.ir.bindings import arith
from tilec.ir.values import is_tile
from tilec.layout import Owner, RegisterLayout
from tilec.layout.reduction import ScanStep, reduction, scan_steps
from tilec.passes.analysis.commutativity import is_commutative
from tilec.passes.analysis.picks import Pick, first_of, pick_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import (
    Combiner,
    Element,
    choose,
    elements_of,
    exchanged,
    shuffled,
)
from tilec.passes.conversion.nv_tileas_to_llvm.combine.picking import (
    firsts,
    from_lane,
    lane_of,
    picked,
)
from tilec.passes.conversion.nv_tileas_to_llvm.combine.summing import summed, terms_of
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.waiting import no_bits_of, with_bits


@RULES.converts(ReduceOp)
def lower_reduce(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Combine what a thread holds, then with other lanes, then with other warps."""
    layout = tile_layout(op.operands[0])
    reduced = _in_any_order if is_commutative(op) else _in_order
    found = reduced(op, layout, Combiner(op, lowering), lowering)
    columns = [list(column) for column in zip(*found, strict=True)]
    is_scalar = not is_tile(op.results[0])
    return [column[0] for column in columns] if is_scalar else columns


def _in_any_order(
    op: Any, layout: RegisterLayout, combine: Combiner, lowering: Lowering
) -> list[Element]:
    """Return an element for each register of the result."""
    steps, elements = reduction(layout, op.opview.axis.value), elements_of(op, lowering)
    groups: dict[int, list[int]] = {}
    for register, target in enumerate(steps.registers):
        groups.setdefault(target, []).append(register)
    rows = [groups[target] for target in sorted(groups)]
    pick, first = pick_of(op), first_of(op)
    if pick is not None:
        found = _picked(op, pick, rows, steps.lane_distances, combine, lowering)
    elif first is not None:
        found = firsts(first, op.opview.axis.value, rows, lowering)
        found = _over_lanes(found, steps.lane_distances, combine)
    elif op.opview.is_row_by_row:
        parts = [[elements[register] for register in row] for row in rows]
        found = _row_by_row(parts, steps.lane_distances, combine, lowering)
    else:
        terms = None if op.opview.is_serial else terms_of(op)
        if terms is not None:
            found = summed(terms, rows, combine, lowering)
        else:
            found = [combine.all_of([elements[register] for register in row]) for row in rows]
        found = _over_lanes(found, steps.lane_distances, combine)
    if steps.exchange is None:
        return found
    return [combine.all_of(part) for part in exchanged(op, lowering, steps.exchange, found)]


def _picked(
    op: Any,
    pick: Pick,
    rows: Sequence[Sequence[int]],
    distances: Sequence[int],
    combine: Combiner,
    lowering: Lowering,
) -> list[Element]:
    """Return the element of each row that counts, or zero where another warp has it."""
    found = []
    for row, own in zip(rows, picked(pick, rows, combine, lowering), strict=True):
        lane = lane_of(pick, op.opview.axis.value, row[0], lowering)
        if lane is None:
            found += _over_lanes([own], distances, combine)
        else:
            found.append(from_lane(own, lane))
    return found


def _over_lanes(found: list[Element], distances: Sequence[int], combine: Combiner) -> list[Element]:
    for distance in distances:
        found = [combine(item, shuffled("bfly", item, distance)) for item in found]
    return found


def _row_by_row(
    rows: Sequence[Sequence[Element]],
    distances: Sequence[int],
    combine: Combiner,
    lowering: Lowering,
) -> list[Element]:
    """Combine each row, whose elements have 32 bits, when the one before it is combined."""
    found: list[Element] = []
    for first, *others in rows:
        if found:
            bits = no_bits_of(found[-1][0], lowering)
            first = tuple(with_bits(value, bits) for value in first)
        found += _over_lanes([combine.all_of([first, *others])], distances, combine)
    return found


def _in_order(
    op: Any, layout: RegisterLayout, combine: Combiner, lowering: Lowering
) -> list[Element]:
    """Return an element for each register of the result."""
    axis = op.opview.axis.value
    numbers: Sequence[int] = range(layout.num_registers)
    totals = dict(zip(numbers, elements_of(op, lowering), strict=True))
    for step in scan_steps(layout, axis):
        totals = {new: totals[old] for old, new in zip(numbers, step.blocks, strict=True)}
        totals = _joined(op, step, totals, combine, lowering)
        numbers = step.joined
    targets = dict(zip(reduction(layout, axis).registers, numbers, strict=True))
    return [totals[targets[target]] for target in sorted(targets)]


def _joined(
    op: Any, step: ScanStep, totals: dict[int, Element], combine: Combiner, lowering: Lowering
) -> dict[int, Element]:
    """Return the totals of the larger blocks to which the blocks of `totals` are joined."""
    if step.owner is Owner.REG:
        members: dict[int, dict[int, Element]] = {}
        for block, joined, digit in zip(step.blocks, step.joined, step.digits, strict=True):
            members.setdefault(joined, {})[digit] = totals[block]
        return {
            joined: combine.all_of([parts[digit] for digit in sorted(parts)])
            for joined, parts in members.items()
        }
    joined = dict(zip(step.blocks, step.joined, strict=True))
    order = sorted(totals)
    found = [totals[number] for number in order]
    if step.exchange is not None:
        found = [combine.all_of(part) for part in exchanged(op, lowering, step.exchange, found)]
    else:
        assert step.term is not None
        for exponent in range(step.term.extent.bit_length() - 1):
            distance = step.term.divisor << exponent
            found = [_with_lane(item, distance, combine, lowering) for item in found]
    return {joined[number]: item for number, item in zip(order, found, strict=True)}


def _with_lane(element: Element, distance: int, combine: Combiner, lowering: Lowering) -> Element:
    """Combine an element with that of the lane at a distance; both lanes get the same bits."""
    other = shuffled("bfly", element, distance)
    lane = lowering.current_role.ids[Owner.LANE]
    is_second = emit.compare("ne", arith.andi(lane, emit.value(distance)), 0)
    return combine(choose(is_second, other, element), choose(is_second, element, other))
