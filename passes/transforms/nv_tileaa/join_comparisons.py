"""Compare indices with the tighter one of two limits, instead of with both.

Before:  %p = cmpi slt, %columns, (splat %N)
         %q = cmpi sle, (broadcast %columns), (broadcast %rows);  %m = andi (broadcast %p), %q
After:   %limit = minsi (splat (%N - 1)), %rows
         %m = cmpi sle, (broadcast %columns), (broadcast %limit)

The mask of a causal tile asks of each score whether its column lies inside of the sequence, and
whether it comes after its row. Limits have one element for each row, masks one for each score. So
one comparison and one selection of each score go. Upper limits join by their least one, lower
limits by their greatest one.

A limit that is a scalar takes the shape of the other one. Limits of two shapes stay, unless one is
a scalar. So do limits of which not even the shape of the mask tells that they are fewer.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import BroadcastOp, SplatOp
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import arith, ir
from tilec.ir.removal import erase_unused
from tilec.ir.structured import defining_operation
from tilec.ir.values import origin_of
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
from tilec.passes.registry import PassContext, register_pass
from tilec.support.fast_dataclasses import dataclass

_P = arith.CmpIPredicate
_SWAPPED = {
    int(_P.slt): int(_P.sgt),
    int(_P.sle): int(_P.sge),
    int(_P.sgt): int(_P.slt),
    int(_P.sge): int(_P.sle),
}
_STEPS = {int(_P.slt): -1, int(_P.sle): 0, int(_P.sgt): 1, int(_P.sge): 0}
"""By the predicate: from a limit to the last number that is inside."""
_AND, _SPLAT, _BROADCAST = "arith.andi", "nv_tileaa.splat", "nv_tileaa.broadcast"
_FEWER = 16
"""Elements of a mask for each one of a limit, at least, so that joining limits costs nothing."""


@dataclass(frozen=True)
class _Bound:
    """A comparison with a limit.

    Attributes:
        number: What is compared, as small as it is known.
        limit: What it is compared with, likewise.
        step: From the limit to the last number that is inside.
        upper: Whether the limit is an upper one.
    """

    number: Any
    limit: Any
    step: int
    upper: bool


@register_pass("nv-tileaa-join-comparisons")
def join_comparisons(module: Any, context: PassContext) -> bool:
    """Join the comparisons of masks that are conjunctions."""
    del context
    changed = False
    for function in kernel_functions(module):
        ranges = ValueRanges(function.regions[0].blocks[0], read_kernel_metadata(function))
        masks = [op for op in kernel_operations(function) if op.name == _AND and _is_tile(op)]
        for mask in masks:
            changed |= _join(mask, ranges)
    return changed


def _join(mask: Any, ranges: ValueRanges) -> bool:
    """Replace a conjunction of two comparisons by one, if that is possible."""
    elements = prod(mask.results[0].type.shape)
    for first in _bounds(mask.operands[0]):
        for second in _bounds(mask.operands[1]):
            if first.number != second.number or first.upper != second.upper:
                continue
            bounds = [first, second]
            if not all(_can_step(bound, ranges) for bound in bounds):
                continue
            shape = _common_shape(bounds)
            if shape is None or elements < _FEWER * prod(shape):
                continue
            _replace(mask, bounds, shape)
            return True
    return False


def _bounds(tile: Any) -> Iterator[_Bound]:
    """Yield how a mask reads as a comparison with a limit, on either side."""
    op = defining_operation(_source(tile))
    if op is None or op.name != "arith.cmpi":
        return
    predicate = ir.IntegerAttr(op.attributes["predicate"]).value
    if predicate not in _SWAPPED:
        return
    left, right = map(_source, op.operands)
    for number, limit, kind in ((left, right, predicate), (right, left, _SWAPPED[predicate])):
        upper = kind in (int(_P.slt), int(_P.sle))
        yield _Bound(number, limit, _STEPS[kind], upper)


def _source(tile: Any) -> Any:
    """Return the tile that broadcasts repeat to make `tile`."""
    return origin_of(tile, lambda op: op.name == _BROADCAST)


def _scalar(tile: Any) -> Any:
    """Return the scalar that all elements of a tile equal; None if there is none."""
    op = defining_operation(tile)
    return op.operands[0] if op is not None and op.name == _SPLAT else None


def _can_step(bound: _Bound, ranges: ValueRanges) -> bool:
    """Tell whether the last number inside of a limit is one of its type."""
    scalar = _scalar(bound.limit)
    if bound.step == 0:
        return True
    if scalar is None:
        return False
    limits = intervals.signed_limits(ir.IntegerType(scalar.type).width)
    low, high = ranges.signed(scalar)
    return intervals.is_within((low + bound.step, high + bound.step), limits)


def _common_shape(bounds: list[_Bound]) -> tuple[int, ...] | None:
    """Return the shape of the limits but for scalars; None where they differ."""
    shapes = {tuple(item.limit.type.shape) for item in bounds if _scalar(item.limit) is None}
    return shapes.pop() if len(shapes) == 1 else None


def _replace(mask: Any, bounds: list[_Bound], shape: tuple[int, ...]) -> None:
    upper, number = bounds[0].upper, bounds[0].number
    with ir.InsertionPoint(mask), mask.location:
        first, second = (_inside(bound, shape) for bound in bounds)
        limit = arith.minsi(first, second) if upper else arith.maxsi(first, second)
        whole = tuple(mask.results[0].type.shape)
        joined = arith.cmpi(_P.sle if upper else _P.sge, _as(number, whole), _as(limit, whole))
    mask.results[0].replace_all_uses_with(joined)
    erase_unused(mask.results)


def _inside(bound: _Bound, shape: tuple[int, ...]) -> Any:
    """Emit the last numbers inside of a limit, as a tile of a shape."""
    scalar = _scalar(bound.limit)
    if scalar is None:
        return bound.limit
    if bound.step:
        scalar = arith.addi(scalar, arith.constant(scalar.type, bound.step))
    return SplatOp.build(scalar, shape)


def _as(tile: Any, shape: tuple[int, ...]) -> Any:
    return tile if tuple(tile.type.shape) == shape else BroadcastOp.build(tile, shape)


def _is_tile(op: Any) -> bool:
    return isinstance(op.results[0].type, ir.RankedTensorType)
