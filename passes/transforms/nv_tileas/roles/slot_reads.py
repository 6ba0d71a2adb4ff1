"""Reads of tiles from the slots of rings into registers, at once or when elements are needed."""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas import LoadSharedOp, SlotViewOp
from tilec.ir.bindings import ir
from tilec.ir.sequences import at_level
from tilec.ir.structured import body_operations, operations_inside
from tilec.passes.analysis.facts.unit_views import is_row_view
from tilec.passes.analysis.mma.operands import DOT

_OPERANDS = 2


def read_slot(receive: Any, buffer: Any, position: Any) -> tuple[Any, Any]:
    """Read what `receive` returns from a slot of a ring; return the slot and the tile."""
    with ir.InsertionPoint(receive), receive.location:
        slot = SlotViewOp.build(buffer, position)
        tile = LoadSharedOp.build(slot)
    receive.results[0].replace_all_uses_with(tile)
    return slot, tile


def waiting_uses(tile: Any, block: Any) -> list[Any]:
    """Return the uses of a tile's registers, if products come between its load and all of them.

    Args:
        tile: What `load_shared` returns.
        block: The block of the load.
    """
    uses = list(_register_uses(tile))
    if not uses:
        return []
    ops = body_operations(block)
    first = min(ops.index(at_level(use.owner.operation, block)) for use in uses)
    start = ops.index(tile.owner.operation)
    return uses if any(map(_multiplies, ops[start:first])) else []


def read_late(tile: Any, slot: Any, block: Any, uses: list[Any]) -> Any:
    """Read a tile once more, before the first of `uses`, and let these take it; return the read.

    Products name the tile by its first read, which takes no registers if nothing else uses it.
    """
    places = {at_level(use.owner.operation, block) for use in uses}
    first = next(op for op in body_operations(block) if op in places)
    with ir.InsertionPoint(first), tile.owner.location:
        late = LoadSharedOp.build(slot)
        for use in uses:
            value = use.owner.operation.operands[use.operand_number]
            use.owner.operation.operands[use.operand_number] = _same_view(value, tile, late)
    return late


def _register_uses(value: Any) -> Iterator[Any]:
    """Yield the uses of a tile, or of its views without dims of extent 1, that are no products."""
    for use in value.uses:
        op = use.owner.operation
        if is_row_view(op):
            yield from _register_uses(op.results[0])
        elif op.name != DOT or use.operand_number >= _OPERANDS:
            yield use


def _same_view(value: Any, tile: Any, late: Any) -> Any:
    """Return the view of `late` that `value` is of `tile`."""
    if value == tile:
        return late
    view = value.owner
    made = view.operation.clone()
    made.operands[0] = _same_view(view.operands[0], tile, late)
    return made.results[0]


def _multiplies(op: Any) -> bool:
    return op.name == DOT or any(inner.name == DOT for inner in operations_inside(op))
