"""Rule for reductions: registers in pairs, lanes by butterfly, warps through shared memory."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.ir.bindings import arith, ir
from tilec.layout import Owner
from tilec.layout.reduction import reduction
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combining import (
    Combiner,
    Element,
    choose,
    elements_of,
    exchanged,
    shuffled,
)
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout


@RULES.converts(ReduceOp)
def lower_reduce(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Combine what a thread holds, then with other lanes, then with other warps."""
    steps = reduction(tile_layout(op.operands[0]), op.opview.axis.value)
    combine = Combiner(op, lowering)
    groups: dict[int, list[Element]] = {}
    for target, element in zip(steps.registers, elements_of(op, lowering), strict=True):
        groups.setdefault(target, []).append(element)
    found = [combine.all_of(groups[target]) for target in sorted(groups)]
    for distance in steps.lane_distances:
        found = [_with_lane(element, distance, combine, lowering) for element in found]
    if steps.exchange is not None:
        parts = exchanged(op, lowering, steps.exchange, found)
        found = [combine.all_of(part) for part in parts]
    columns = [list(column) for column in zip(*found, strict=True)]
    is_scalar = not isinstance(op.results[0].type, ir.RankedTensorType)
    return [column[0] for column in columns] if is_scalar else columns


def _with_lane(element: Element, distance: int, combine: Combiner, lowering: Lowering) -> Element:
    """Combine an element with that of the lane at a distance; both lanes get the same bits."""
    other = shuffled("bfly", element, distance)
    if combine.is_commutative:
        return combine(element, other)
    lane = lowering.current_role.ids[Owner.LANE]
    is_second = emit.compare("ne", arith.andi(lane, emit.value(distance)), 0)
    return combine(choose(is_second, other, element), choose(is_second, element, other))
