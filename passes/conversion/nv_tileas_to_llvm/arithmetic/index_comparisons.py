"""Comparisons of a tile of indices with limits of which a thread has few.

`columns < N` compares each of the 48 columns that a thread has of a tile with N. Without this file,
each column is the sum of the first one and a constant. LLVM moves these sums out of loops whose
rounds have the same columns, as the first round of a rotated loop has in all tiles of a CTA. They
then occupy registers through the loop (11 in attention of 128x192, where they cost 11% of the time:
docs/measurements/2026-11-27-kernels-of-any-size.md). So the constants are compared with the
distance of the limit from the first column: one difference for each limit, and one instruction less
for each column. LLVM must not look into the first column: it would carry the difference from round
to round, also through rounds without a mask.

Kernels whose loops are not split stay as they are, unless warpgroups exchange operands in them
(`nv-tileas-exchange-operands`): the first round of such a loop also comes before it. In others LLVM
moves nothing out of the rounds, and ptxas made of the other order 0.9% more to 0.2% less time
(attention with heads of 64).
"""

from collections.abc import Callable
from typing import Any

from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.bindings import arith, ir
from tilec.passes.analysis.facts.bounds import SWAPPED
from tilec.passes.analysis.facts.comparisons import EXACT_DIFFERENCE, recorded_run
from tilec.passes.analysis.facts.index_tiles import index_steps
from tilec.passes.analysis.schedule.marks import EXCHANGED, SPLIT
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, tile_layout
from tilec.plan.worth import INDICES_OF_A_LIMIT


def index_comparison(lowering: Lowering, op: Any) -> Callable[[int], Any] | None:
    """Return what emits a register of the result of `op`; None if it does not compare indices so.

    Args:
        lowering: The conversion.
        op: An operation on one tile.
    """
    if op.name != "arith.cmpi" or EXACT_DIFFERENCE not in op.attributes:
        return None
    if op.operands[0].type.element_type != emit.i32_type():
        return None
    split = read_kernel_fact(lowering.function, "plan", {}).get(SPLIT, False)
    if not (split or read_kernel_fact(lowering.function, EXCHANGED, False)):
        return None
    predicate = integer(op, "predicate")
    exact = ir.DenseI64ArrayAttr(op.attributes[EXACT_DIFFERENCE])
    for side in exact:
        kind = SWAPPED[predicate] if side else predicate
        steps = index_steps(op.operands[side])
        limits = lowering.tile(op.operands[1 - side])
        if steps is not None and len(limits) >= INDICES_OF_A_LIMIT * len(set(limits)):
            first = lowering.tile(op.operands[side])[0]
            hidden = emit.inline_ptx("mov.b32 $0, $1;", "=r,r", [first], first.type)
            return _comparison(op, kind, hidden, steps, limits)
    return None


def _comparison(
    op: Any, kind: int, first: Any, steps: tuple[int, ...], limits: list[Any]
) -> Callable[[int], Any]:
    """Return what compares the distance of an index from the first one with that of its limit."""
    layout = tile_layout(op.results[0])
    places = layout.register_offsets()
    equal = layout.vector_width(layout.rank - 1, recorded_run(op))
    left: dict[Any, Any] = {}
    known: dict[Any, Any] = {}

    def element(number: int) -> Any:
        start = number - number % equal
        moved = zip(steps, places[start], places[0], strict=True)
        distance = sum(step * (place - origin) for step, place, origin in moved)
        limit = limits[start]
        if limit not in left:
            left[limit] = arith.subi(limit, first)
        if (distance, limit) not in known:
            constant = arith.constant(limit.type, distance)
            known[distance, limit] = arith.cmpi(kind, constant, left[limit])
        return known[distance, limit]

    return element
