"""Which loads go on along the contiguous axis soon: in the next box, or the next round of a loop.

TMA brings 128 or 256 aligned bytes into L2 at a time. Of 256 bytes, a box with rows of 128 leaves
half for the next box along the contiguous axis. If the same load takes that box, or the load of the
next round of the loop, the CTA finds it in L2; else another CTA may, or nobody.
"""

from typing import Any

from tilec.ir.attributes import integer_or
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.ir.structured import enclosing_loops
from tilec.layout import SharedLayout
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.plan.copies import PROMOTION

_ATTRIBUTE = "l2_promotion"


def reads_on(access: Any, layout: SharedLayout) -> bool:
    """Tell whether a load takes what follows its boxes along the contiguous axis, now or next.

    Args:
        access: The load.
        layout: Layout of its tile in shared memory, whose parts are boxes of TMA.
    """
    return layout.grid[-1] > 1 or _next_round_reads_on(access)


def _next_round_reads_on(access: Any) -> bool:
    """Tell whether the innermost loop around a load moves its tile along the contiguous axis."""
    loops = enclosing_loops(access.op)
    if not loops or loops[0].name != "scf.for":
        return False
    last = len(access.coords) - 1
    begin = (start.value for start in slice_starts(access.view) if start.dim == last)
    counter = loops[0].regions[0].blocks[0].arguments[0]
    return any(_is_computed_from(value, counter) for value in (access.coords[last], *begin))


def _is_computed_from(value: Any, source: Any) -> bool:
    """Tell whether scalar operations compute `value` from `source`."""
    if value == source:
        return True
    if isinstance(value, ir.BlockArgument) or len(value.owner.operation.regions):
        return False
    return any(_is_computed_from(operand, source) for operand in value.owner.operation.operands)


def set_promotion(descriptor: Any, size: int) -> None:
    """Let a descriptor (`make_tiled_tma_desc`) bring `size` bytes into L2 at a time."""
    if size != PROMOTION:
        descriptor.attributes[_ATTRIBUTE] = i64(size)


def promotion_of(descriptor: Any) -> int:
    """Return how many bytes a descriptor (`make_tiled_tma_desc`) brings into L2 at a time."""
    return integer_or(descriptor, _ATTRIBUTE, PROMOTION)
