"""Builtins that combine the elements of a tile along axes: reductions.

Sums and products of f16 and bf16 are computed in f32 and rounded once; those of bools and of
integers below 32 bits are i32 or u32. A NaN loses in `max`, `min`, `argmax` and `argmin`.
"""

import math
from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.math import elementwise_extremum, extremum_of_two
from tilec.frontend.semantics.builtins.shape import reshaped
from tilec.frontend.semantics.builtins.table import (
    ANY_TYPE,
    ARITHMETIC,
    Argument,
    Call,
    builtin,
    method,
)
from tilec.frontend.semantics.combining import (
    Combiner,
    arithmetic_tile,
    binary_combiner,
    combine,
    identities_of,
    narrowed,
    result_of,
    summed,
    tiles_of,
    user_combiner,
    wide_dtype,
)
from tilec.frontend.semantics.facts.intervals import whole
from tilec.frontend.semantics.numeric import BOOL, I32
from tilec.frontend.semantics.values import AnyValue, Constant
from tilec.support.dtypes import DType

# Axes and shapes


def _shaped(
    call: Call, value: hir.Value, shape: Sequence[int], axes: Sequence[int], keep: bool
) -> hir.Value:
    """Return what was reduced over `axes` of `shape`; with extents of 1 there if `keep`."""
    if not keep:
        return value
    kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    if not numeric.shape_of(value):
        return numeric.broadcast(call.ctx, value, kept, call.span)
    return reshaped(call.ctx, value, kept, call.span)


def _over_axes(
    call: Call,
    x: hir.Value,
    axis: Argument | None,
    keepdims: Argument | None,
    combiner: Combiner,
    identity: float,
) -> hir.Value:
    """Reduce one tile over axes, the last one first."""
    shape = numeric.shape_of(x)
    axes = call.axes(axis, len(shape))
    result = x
    for position in reversed(axes):
        (result,) = combine(call, "reduce", [result], position, combiner, [identity])
    return _shaped(call, result, shape, axes, call.is_set(keepdims, "keepdims"))


# Reductions


def _total(
    call: Call, x: Argument, axis: Argument | None, keepdims: Argument | None, name: str, start: int
) -> hir.Value:
    def run(tile: hir.Value, combiner: Combiner) -> hir.Value:
        return _over_axes(call, tile, axis, keepdims, combiner, start)

    return summed(call, x, name, run)


@builtin("sum", ARITHMETIC, "reduce")
def total(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return the sum over one axis, several or all.

    The order of additions is not fixed. A loop that adds up sums may keep the parts of different
    threads apart and add them after its last round.
    """
    return _total(call, x, axis, keepdims, "add", 0)


@builtin("prod", ARITHMETIC, "reduce")
def product(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return the product over one axis, several or all."""
    return _total(call, x, axis, keepdims, "mul", 1)


def _extremum(
    call: Call,
    name: str,
    values: tuple[Argument, ...],
    axis: Argument | None,
    keepdims: Argument | None,
    propagate_nan: Argument | None,
) -> AnyValue:
    spread = call.is_set(propagate_nan, "propagate_nan")
    if len(values) == 2 and axis is None:
        _refuse_axis(call, *values)
    if len(values) > 1 and axis is None and keepdims is None:
        return elementwise_extremum(call, name, list(values), propagate_nan=spread)
    if len(values) != 1:
        message = f"with axis or keepdims one tile is reduced, found {len(values)} values"
        raise call.fail("T0310", message)
    tile = arithmetic_tile(call, values[0])
    dtype = numeric.dtype_of(tile)
    wide = _ordered_dtype(dtype)
    tile = numeric.convert(call.ctx, tile, wide, call.span)

    def run(first: Sequence[hir.Value], second: Sequence[hir.Value]) -> Sequence[hir.Value]:
        return [extremum_of_two(call, name, first[0], second[0], spread)]

    identity = _lowest(wide) if name == "max" else _highest(wide)
    return narrowed(call, _over_axes(call, tile, axis, keepdims, run, identity), dtype)


def _refuse_axis(call: Call, tile: Argument, number: Argument) -> None:
    """Refuse an integer after a tile that may be meant as an axis: NumPy, Triton and cuTile do.

    A constant that is computed, or has a name, is compared with the elements.

    Raises:
        SemanticError: The integer is written in the call, and the tile has such an axis.
    """
    value = number.value
    rank = len(numeric.shape_of(tile.value)) if isinstance(tile.value, hir.Value) else 0
    if not isinstance(value, Constant) or value.span != number.span or type(value.value) is not int:
        return
    if -rank <= value.value < rank:
        name, axis = call.name, value.value
        hint = (
            f"write '{name}(x, axis={axis})' to reduce axis {axis},"
            f" '{name}imum(x, {axis})' to compare each element with {axis}"
        )
        message = f"{axis} may be an axis of the tile, or a number to compare with"
        raise call.fail("T0310", message, number.span, hint=hint)


@builtin("item", ARITHMETIC, "reduce")
def item(call: Call, x: Argument) -> AnyValue:
    """Return the only element of a tile, as a scalar."""
    tile = arithmetic_tile(call, x)
    count = math.prod(numeric.shape_of(tile))
    if count != 1:
        hint = "reduce it, or 'extract' one element"
        message = f"a tile with {count} elements is no scalar"
        raise call.fail("T0313", message, x.span, hint=hint)
    line = Argument(reshaped(call.ctx, tile, (1,), call.span), x.span)
    return _extremum(call, "max", (line,), None, None, Argument(Constant(True, x.span), x.span))


def _ordered_dtype(dtype: DType) -> DType:
    """Return the type in which elements of `dtype` are compared."""
    return wide_dtype(dtype) if dtype.is_float or dtype is BOOL else dtype


def _lowest(dtype: DType) -> float:
    return -math.inf if dtype.is_float else whole(dtype)[0]


def _highest(dtype: DType) -> float:
    return math.inf if dtype.is_float else whole(dtype)[1]


@builtin("max", ARITHMETIC, "maxf", "maxi", "reduce")
def largest(
    call: Call,
    *values: Argument,
    axis: Argument | None = None,
    keepdims: Argument | None = None,
    propagate_nan: Argument | None = None,
) -> AnyValue:
    """Return the largest of several values, element by element; of one tile, along its axes.

    Name the axis, `axis=1`: a second number is another value.
    """
    return _extremum(call, "max", values, axis, keepdims, propagate_nan)


@builtin("min", ARITHMETIC, "minf", "mini", "reduce")
def smallest(
    call: Call,
    *values: Argument,
    axis: Argument | None = None,
    keepdims: Argument | None = None,
    propagate_nan: Argument | None = None,
) -> AnyValue:
    """Return the smallest of several values, element by element; of one tile, along its axes.

    Name the axis, `axis=1`: a second number is another value.
    """
    return _extremum(call, "min", values, axis, keepdims, propagate_nan)


@method("max")
@method("min")
def method_extremum(
    call: Call,
    x: Argument,
    axis: Argument | None = None,
    *,
    keepdims: Argument | None = None,
    propagate_nan: Argument | None = None,
) -> AnyValue:
    """Return the extremum of a tile along its axes: `x.max(axis)` and `x.min(axis)`."""
    return _extremum(call, call.name, (x,), axis, keepdims, propagate_nan)


def _position(
    call: Call, x: Argument, axis: Argument | None, keepdims: Argument | None, better: str
) -> hir.Value:
    """Return the index of an extremum along one axis; of the flattened tile without an axis."""
    tile = arithmetic_tile(call, x)
    shape = numeric.shape_of(tile)
    axes = call.axes(axis, len(shape))
    first, *others = axes
    if len(axes) == len(shape):
        flat = reshaped(call.ctx, tile, (math.prod(shape),), call.span)
        found = _positions(call, flat, 0, better)
    elif others:
        raise call.fail("T0301", "expected one axis, or none for the whole tile")
    else:
        found = _positions(call, tile, first, better)
    return _shaped(call, found, shape, axes, call.is_set(keepdims, "keepdims"))


def _positions(call: Call, tile: hir.Value, axis: int, better: str) -> hir.Value:
    """Return the first index at which the extremum along an axis lies; 0 where all are NaN.

    First the extremum is found, then the smallest index that has it: one operation for each element
    and step, where to compare pairs of a value and an index takes ten.
    """
    ctx, span = call.ctx, call.span
    shape = numeric.shape_of(tile)
    wide = _ordered_dtype(numeric.dtype_of(tile))
    tile = numeric.convert(ctx, tile, wide, span)
    row = tuple(extent if place == axis else 1 for place, extent in enumerate(shape))
    kept = tuple(1 if place == axis else extent for place, extent in enumerate(shape))
    name, worst = ("max", _lowest(wide)) if better == ">" else ("min", _highest(wide))

    def extreme(first: Sequence[hir.Value], second: Sequence[hir.Value]) -> Sequence[hir.Value]:
        return [extremum_of_two(call, name, first[0], second[0], False)]

    def smaller(first: Sequence[hir.Value], second: Sequence[hir.Value]) -> Sequence[hir.Value]:
        return [extremum_of_two(call, "min", first[0], second[0], False)]

    (best,) = combine(call, "reduce", [tile], axis, extreme, [worst])
    if len(shape) > 1:
        best = reshaped(ctx, best, kept, span)
    has_it = operators.compare(ctx, "==", tile, best, span)
    assert isinstance(has_it, hir.Value)
    counted = ctx.op("iota", [], hir.TileType(I32, (shape[axis],)), span)
    index = numeric.broadcast(ctx, reshaped(ctx, counted, row, span), shape, span)
    last = numeric.make_constant(ctx, whole(I32)[1], I32, shape, span)
    candidates = ctx.op("select", [has_it, index, last], index.type, span)
    (found,) = combine(call, "reduce", [candidates], axis, smaller, [whole(I32)[1]])
    length = numeric.materialize(ctx, Constant(shape[axis], span), span)
    nowhere = operators.compare(ctx, ">=", found, length, span)
    zero = numeric.make_constant(ctx, 0, I32, numeric.shape_of(found), span)
    assert isinstance(nowhere, hir.Value)
    return ctx.op("select", [nowhere, zero, found], found.type, span)


@builtin("argmax", ARITHMETIC, "reduce")
def argmax(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return the index (i32) of the first largest element along an axis, or of the tile.

    A NaN counts only where nothing else is there; then the index is 0.
    """
    return _position(call, x, axis, keepdims, ">")


@builtin("argmin", ARITHMETIC, "reduce")
def argmin(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return the index (i32) of the first smallest element along an axis, or of the tile.

    A NaN counts only where nothing else is there; then the index is 0.
    """
    return _position(call, x, axis, keepdims, "<")


def _logical(
    call: Call, x: Argument, axis: Argument | None, keepdims: Argument | None, name: str, start: int
) -> hir.Value:
    tile = numeric.convert(call.ctx, call.tile(x), BOOL, call.span)
    return _over_axes(call, tile, axis, keepdims, binary_combiner(call, name), start)


@builtin("any", ANY_TYPE, "reduce")
def any_of(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return whether any element along the axes is not 0."""
    return _logical(call, x, axis, keepdims, "ori", 0)


@builtin("all", ANY_TYPE, "reduce")
def all_of(
    call: Call, x: Argument, axis: Argument | None = None, *, keepdims: Argument | None = None
) -> AnyValue:
    """Return whether all elements along the axes are not 0."""
    return _logical(call, x, axis, keepdims, "andi", 1)


@builtin("reduce", ARITHMETIC, "reduce")
def reduce(
    call: Call,
    x: Argument,
    axis: Argument,
    function: Argument,
    identity: Argument,
    *,
    keepdims: Argument | None = None,
) -> AnyValue:
    """Combine the elements along an axis with a function of your own, in their order.

    The function must be associative; which neighbours come first is not fixed. Of a tuple of tiles
    it takes an element of each, then a second one of each, and returns a tuple. If it has two
    parameters, these are tuples.
    """
    tiles = tiles_of(call, x)
    shape = numeric.shape_of(tiles[0])
    position = call.axis(axis, len(shape))
    combiner = user_combiner(call, function, tiles)
    found = combine(call, "reduce", tiles, position, combiner, identities_of(call, identity, tiles))
    keep = call.is_set(keepdims, "keepdims")
    return result_of(x, [_shaped(call, item, shape, (position,), keep) for item in found])
