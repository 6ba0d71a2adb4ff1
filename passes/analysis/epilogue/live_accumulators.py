"""Which accumulators of wgmma are live at the same time."""

from collections.abc import Iterable
from typing import Any

from tilec.ir.structured import body_operations, defining_operation, terminator
from tilec.ir.values import is_tile
from tilec.passes.analysis.kernels import function_body
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.plan.live_accumulators import Body, Step, live_together


def accumulators_with(function: Any) -> dict[Any, tuple[Any, ...]]:
    """Return by the result of each sum of wgmma the other accumulators that are live then.

    An accumulator is named by the result of the first product that adds to it.
    """
    return live_together(_outline(function_body(function)))


def _outline(block: Any) -> Body:
    """Return the tiles of a block and the operations that compute them."""
    steps = tuple(_step(op) for op in body_operations(block)[:-1])
    return Body(steps, _tiles(terminator(block).operands), _tiles(block.arguments))


def _step(op: Any) -> Step:
    bodies = tuple(_outline(block) for region in op.regions for block in region.blocks)
    is_product = op.name == DOT and why_not_wgmma(op, 1) is None
    added = op.opview.c if is_product else _promoted_to(op)
    return Step(_tiles(op.results), _tiles(op.operands), bodies, added)


def _promoted_to(op: Any) -> Any:
    """Return what an addition adds the sum of a product to; None for any other operation.

    That is a tile that a loop carries: both are accumulators (`nv-tileaa-promote-sums`).
    """
    if op.name != "arith.addf":
        return None
    total, part = op.operands
    product = defining_operation(part)
    if product is None or product.name != DOT or why_not_wgmma(product, 1) is not None:
        return None
    before = defining_operation(total)
    carried = before is None or _promoted_to(before) is not None
    return total if carried else None


def _tiles(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(value for value in values if is_tile(value))
