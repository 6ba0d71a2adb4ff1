"""How much of tiles the threads of a block hold at a time, between the rounds and in them."""

from collections.abc import Iterable
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, PermuteOp, SplatOp, ViewOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import LOOPS, body_operations, defining_operation, operations_inside
from tilec.ir.values import is_tile
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.reductions import is_reduction

_RENAMED = (ViewOp.OPERATION_NAME, PermuteOp.OPERATION_NAME)
_MADE_AGAIN = (
    "arith.constant",
    "nv_tileas.make_range",
    BroadcastOp.OPERATION_NAME,
    SplatOp.OPERATION_NAME,
)
"""What threads compute again from less rather than hold it."""
_WORD_BITS = 32


def held_words(function: Any) -> int:
    """Return the most words of tiles that are held during a reduction of a loop; 0 without one.

    All warps wait for each other there, so no part of these tiles is done with before.
    """
    loops = [op for op in kernel_operations(function) if op.name in LOOPS]
    bodies = [block for loop in loops for region in loop.regions for block in region.blocks]
    return max(map(_most_words, bodies), default=0)


def _most_words(block: Any) -> int:
    """Return the same for the reductions that stand in one block."""
    ops = body_operations(block)
    places = {op: place for place, op in enumerate(ops)}
    first = dict.fromkeys(_held(block.arguments), -1)
    last: dict[Any, int] = {}
    for place, op in enumerate(ops):
        inside = operations_inside(op)
        for value in _held(operand for user in (op, *inside) for operand in user.operands):
            maker = defining_operation(value)
            is_own = value.owner == block or (maker is not None and maker in places)
            first.setdefault(value, places[maker] if is_own and maker in places else -1)
            last[value] = place if is_own else len(ops)
    points = [place for place, op in enumerate(ops) if is_reduction(op)]
    return max(
        (
            sum(_words(value) for value in last if first[value] < place <= last[value])
            for place in points
        ),
        default=0,
    )


def _held(values: Iterable[Any]) -> list[Any]:
    """Return the tiles among values that threads hold, under the names that they were made by."""
    found = []
    for value in values:
        while (maker := defining_operation(value)) is not None and maker.name in _RENAMED:
            value = maker.operands[0]
        is_held = is_tile(value) and _words(value)
        if is_held and (maker is None or maker.name not in _MADE_AGAIN):
            found.append(value)
    return found


def _words(tile: Any) -> int:
    """Return the registers that all threads together need for a tile; a mask has predicates."""
    bits = element_bits(tile.type.element_type)
    return 0 if bits == 1 else -(-prod(tile.type.shape) * bits // _WORD_BITS)
