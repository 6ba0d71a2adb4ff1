"""Signed comparisons of tiles, read as comparisons of a number with a limit."""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import BroadcastOp
from tilec.ir.attributes import integer
from tilec.ir.bindings import arith
from tilec.ir.structured import defining_operation
from tilec.ir.values import origin_of
from tilec.support.fast_dataclasses import dataclass

P = arith.CmpIPredicate
SWAPPED = {
    int(P.slt): int(P.sgt),
    int(P.sle): int(P.sge),
    int(P.sgt): int(P.slt),
    int(P.sge): int(P.sle),
}
"""Predicates of signed comparisons, and those of the same comparison with swapped operands."""
_STEPS = {int(P.slt): -1, int(P.sle): 0, int(P.sgt): 1, int(P.sge): 0}
_SPLAT, _BROADCAST = "nv_tileaa.splat", "nv_tileaa.broadcast"


@dataclass(frozen=True)
class Bound:
    """A comparison with a limit.

    Attributes:
        number: What is compared, as small as it is known.
        limit: What it is compared with, likewise.
        step: From the limit to the last number that is inside.
        upper: Whether the limit is an upper one.
        side: Which operand of the comparison the limit is.
    """

    number: Any
    limit: Any
    step: int
    upper: bool
    side: int


def bounds_of(tile: Any) -> Iterator[Bound]:
    """Yield how a mask reads as a comparison with a limit, on either side."""
    op = defining_operation(source_of(tile))
    if op is None or op.name != "arith.cmpi":
        return
    predicate = integer(op, "predicate")
    if predicate not in SWAPPED:
        return
    left, right = map(source_of, op.operands)
    sides = ((left, right, predicate, 1), (right, left, SWAPPED[predicate], 0))
    for number, limit, kind, side in sides:
        yield Bound(number, limit, _STEPS[kind], kind in (int(P.slt), int(P.sle)), side)


def source_of(tile: Any) -> Any:
    """Return the tile that broadcasts repeat to make `tile`."""
    return origin_of(tile, lambda op: op.name == _BROADCAST)


def scalar_of(tile: Any) -> Any:
    """Return the scalar that all elements of a tile equal; None if there is none."""
    op = defining_operation(tile)
    return op.operands[0] if op is not None and op.name == _SPLAT else None


def repeated(tile: Any, shape: tuple[int, ...]) -> Any:
    """Return a tile, broadcast if it has another shape."""
    return tile if tuple(tile.type.shape) == shape else BroadcastOp.build(tile, shape)
