"""Builtins that make tiles or change their shape, and those about blocks and the grid."""

import math

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.memory import index_scalar
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import F32, I32
from tilec.frontend.semantics.values import AnyValue, Constant, TupleValue, describe
from tilec.support.diagnostics import SourceSpan, note
from tilec.support.dtypes import DType

# Making tiles


def _dtype_or(call: Call, dtype: Argument | None, default: DType) -> DType:
    return default if dtype is None else call.dtype(dtype)


@builtin("zeros", ANY_TYPE, "constant")
def zeros(call: Call, shape: Argument, dtype: Argument | None = None) -> AnyValue:
    """Return a tile of zeros (f32 by default)."""
    kind = _dtype_or(call, dtype, F32)
    return numeric.make_constant(call.ctx, 0, kind, call.shape(shape), call.span)


@builtin("ones", ANY_TYPE, "constant")
def ones(call: Call, shape: Argument, dtype: Argument | None = None) -> AnyValue:
    """Return a tile of ones (f32 by default)."""
    kind = _dtype_or(call, dtype, F32)
    return numeric.make_constant(call.ctx, 1, kind, call.shape(shape), call.span)


@builtin("full", ANY_TYPE, "constant")
def full(call: Call, shape: Argument, value: Argument, dtype: Argument | None = None) -> AnyValue:
    """Return a tile with one value everywhere; its type is that of the value by default."""
    extents = call.shape(shape)
    number = call.number(value)
    if numeric.is_tile(number):
        message = f"the value must be a scalar, found {describe(number)}"
        raise call.fail("T0311", message, value.span, hint="use 'broadcast_to(x, shape)'")
    natural = numeric.common_dtype(call.ctx, [number], value.span, call.name)
    kind = _dtype_or(call, dtype, natural)
    if isinstance(number, Constant):
        numeric.check_fits(call.ctx, number, kind, value.span)
        return numeric.make_constant(call.ctx, number.value, kind, extents, call.span)
    repeated = numeric.broadcast(call.ctx, number, extents, call.span)
    return numeric.convert(call.ctx, repeated, kind, call.span)


@builtin("arange", ANY_TYPE, "iota")
def arange(
    call: Call,
    size: Argument,
    dtype: Argument | None = None,
    *,
    start: Argument | None = None,
    step: Argument | None = None,
) -> AnyValue:
    """Return the 1-D tile 0, 1, ..., size - 1 (i32 by default), or `start`, `start + step`, ..."""
    if dtype is not None and isinstance(dtype.value, Constant | hir.Value):
        hint = "write 'arange(size)', or 'arange(size, start=n)' for other first numbers"
        raise call.fail("T0310", "takes the number of elements, not a start and an end", hint=hint)
    extents = call.shape(size)
    if len(extents) != 1:
        raise call.fail("T0301", "the size must be one integer, not a tuple", size.span)
    kind = _dtype_or(call, dtype, I32)
    known = [
        call.integer(item, name) if item and isinstance(item.value, Constant) else default
        for name, item, default in (("start", start, 0), ("step", step, 1))
    ]
    counted = kind if kind.is_integer else I32
    for number in (known[0], known[0] + (extents[0] - 1) * known[1]):
        numeric.check_fits(call.ctx, Constant(number, size.span), counted, size.span)
    result: AnyValue = call.ctx.op("iota", [], hir.TileType(counted, extents), call.span)
    for operator, item, neutral in (("*", step, 1), ("+", start, 0)):
        if item is not None and item.value != Constant(neutral, item.span):
            result = operators.binary(call.ctx, operator, result, item.value, call.span)
    assert isinstance(result, hir.Value)
    return numeric.convert(call.ctx, result, kind, call.span)


# Changing shapes


def reshaped(ctx: Context, value: hir.Value, shape: tuple[int, ...], span: SourceSpan) -> hir.Value:
    """Reshape a tile to a shape with as many elements."""
    if numeric.shape_of(value) == shape:
        return value
    kind = hir.TileType(numeric.dtype_of(value), shape)
    return ctx.op("reshape", [value], kind, span)


def permuted(ctx: Context, value: hir.Value, axes: tuple[int, ...], span: SourceSpan) -> hir.Value:
    """Permute the axes of a tile: result axis i is source axis `axes[i]`."""
    if axes == tuple(range(len(axes))):
        return value
    source = numeric.shape_of(value)
    kind = hir.TileType(numeric.dtype_of(value), tuple(source[axis] for axis in axes))
    return ctx.op("permute", [value], kind, span, permutation=axes)


def swap_axes(
    ctx: Context, value: hir.Value, span: SourceSpan, first: int = -2, second: int = -1
) -> hir.Value:
    """Swap two axes of a tile."""
    rank = len(numeric.shape_of(value))
    if rank < 2:
        notes = [note("the tile comes from here", value.span)]
        message = f"transpose: {describe(value)} has only one axis"
        hint = "write 'x[:, None]' for a column"
        raise ctx.fail("T0301", message, span, hint=hint, notes=notes)
    axes = list(range(rank))
    axes[first % rank], axes[second % rank] = axes[second % rank], axes[first % rank]
    return permuted(ctx, value, tuple(axes), span)


@builtin("reshape", ANY_TYPE, "reshape")
def reshape(call: Call, x: Argument, shape: Argument) -> AnyValue:
    """Give a tile another shape with as many elements; one extent may be -1."""
    source = call.tile(x)
    count = math.prod(numeric.shape_of(source))
    extents = call.integers(shape, "the extents of a tile")
    known = -math.prod(extents)
    if extents.count(-1) == 1 and known > 0:
        if count % known:
            message = f"{count} elements cannot be divided by {known}"
            raise call.fail("T0313", message, shape.span, notes=numeric.origin(source, "the tile"))
        extents = tuple(count // known if item == -1 else item for item in extents)
    if not extents:
        raise call.fail("T0303", "a tile has at least one axis", shape.span)
    numeric.check_tile_shape(call.ctx, extents, shape.span, call.name)
    if math.prod(extents) != count:
        message = (
            f"{hir.shape_text(numeric.shape_of(source))} has {count} elements but"
            f" {hir.shape_text(extents)} has {math.prod(extents)}"
        )
        raise call.fail("T0313", message, shape.span, notes=numeric.origin(source, "the tile"))
    return reshaped(call.ctx, source, extents, call.span)


@builtin("permute", ANY_TYPE, "permute")
def permute(call: Call, x: Argument, axes: Argument) -> AnyValue:
    """Permute the axes: axis i of the result is axis `axes[i]` of x."""
    source = call.tile(x)
    order = call.integers(axes, "an axis")
    rank = len(numeric.shape_of(source))
    order = tuple(axis + rank if -rank <= axis < 0 else axis for axis in order)
    if sorted(order) != list(range(rank)):
        message = f"axes must hold every axis from 0 to {rank - 1} once"
        raise call.fail("T0301", message, axes.span, notes=numeric.origin(source, "the tile"))
    return permuted(call.ctx, source, order, call.span)


@builtin("transpose", ANY_TYPE, "permute")
def transpose(
    call: Call, x: Argument, axis0: Argument | None = None, axis1: Argument | None = None
) -> AnyValue:
    """Swap two axes, by default the last two."""
    source = call.tile(x)
    rank = len(numeric.shape_of(source))
    if (axis0 is None) != (axis1 is None):
        raise call.fail("T0310", "give both axes or none")
    if axis0 is None or axis1 is None:
        return swap_axes(call.ctx, source, call.span)
    first, second = call.axis(axis0, rank), call.axis(axis1, rank)
    return swap_axes(call.ctx, source, call.span, first, second)


@builtin("expand_dims", ANY_TYPE, "reshape")
def expand_dims(call: Call, x: Argument, axis: Argument) -> AnyValue:
    """Insert an axis of extent 1 so that it becomes axis `axis` of the result."""
    source = call.tile(x)
    shape = numeric.shape_of(source)
    position = call.axis(axis, len(shape) + 1)
    return reshaped(call.ctx, source, (*shape[:position], 1, *shape[position:]), call.span)


@builtin("broadcast_to", ANY_TYPE, "broadcast")
def broadcast_to(call: Call, x: Argument, shape: Argument) -> AnyValue:
    """Repeat a scalar or tile along axes of extent 1 until it has `shape`."""
    number = call.number(x)
    extents = call.shape(shape)
    value = numeric.materialize(call.ctx, number, call.span)
    source = numeric.shape_of(value)
    padded = (1,) * (len(extents) - len(source)) + source
    fits = len(padded) == len(extents) and all(
        have in (1, want) for have, want in zip(padded, extents, strict=True)
    )
    if not fits:
        message = f"{hir.shape_text(source)} does not broadcast to {hir.shape_text(extents)}"
        raise call.fail("T0305", message, shape.span, notes=numeric.origin(value, "the tile"))
    return numeric.broadcast(call.ctx, value, extents, call.span)


@builtin("extract", ANY_TYPE, "extract")
def extract(call: Call, x: Argument, index: Argument, shape: Argument) -> AnyValue:
    """Cut a tile into tiles of `shape` and return the one at tile index `index`."""
    source = call.tile(x)
    outer, extents = numeric.shape_of(source), call.shape(shape)
    items = index.value.items if isinstance(index.value, TupleValue) else (index.value,)
    if not len(outer) == len(extents) == len(items):
        message = (
            f"the tile has {len(outer)} axes, the index {len(items)} and the shape {len(extents)}"
        )
        raise call.fail("T0301", message, notes=numeric.origin(source, "the tile"))
    if any(have % want for have, want in zip(outer, extents, strict=True)):
        message = f"{hir.shape_text(extents)} does not divide {hir.shape_text(outer)}"
        raise call.fail("T0313", message, shape.span, notes=numeric.origin(source, "the tile"))
    indices = []
    for item, have, want in zip(items, outer, extents, strict=True):
        if isinstance(item, Constant) and numeric.is_number(item) and item.value >= have // want:
            message = f"index {item.value} is outside 0 to {have // want - 1}"
            raise call.fail("T0319", message, index.span)
        indices.append(index_scalar(call, item, index))
    kind = hir.TileType(numeric.dtype_of(source), extents)
    return call.ctx.op("extract", [source, *indices], kind, call.span)


# Blocks

MAX_BLOCKS = 2**31 - 1
"""Most blocks along one axis of a grid (CUDA programming guide, compute capabilities)."""


def block_coordinates(ctx: Context, name: str, span: SourceSpan) -> tuple[hir.Value, ...]:
    """Return the three results of `get_tile_block_id` or `get_num_tile_blocks`."""
    results = ctx.record(name, [], [hir.ScalarType(I32)] * 3, span)
    for result in results:
        result.bounds = (0, MAX_BLOCKS)
    return results


def _block_axis(call: Call, axis: Argument) -> int:
    position = call.integer(axis, "the axis")
    limit = 3 if call.ctx.grid is None else len(call.ctx.grid.extents)
    if not 0 <= position < limit:
        message = f"axis {int(position)} is outside a grid of {limit} extents"
        raise call.fail("T0301", message, axis.span)
    return position


@builtin("block_id", (), "get_tile_block_id")
def block_id(call: Call, axis: Argument) -> AnyValue:
    """Return the coordinate of this block along one axis of the grid."""
    position = _block_axis(call, axis)
    return block_coordinates(call.ctx, "get_tile_block_id", call.span)[position]


@builtin("num_blocks", (), "get_num_tile_blocks")
def num_blocks(call: Call, axis: Argument) -> AnyValue:
    """Return the number of blocks along one axis of the grid."""
    position = _block_axis(call, axis)
    return block_coordinates(call.ctx, "get_num_tile_blocks", call.span)[position]


@builtin("grid")
def grid(call: Call, *extents: Argument) -> AnyValue:
    """Declare a grid of one to three extents and return the coordinates of this block."""
    del extents  # `statements` handles the one legal place; this is every other
    hint = "write 'm, n = grid(...)' once, first in the kernel after scalar assignments"
    raise call.fail("T0316", "not allowed here", hint=hint)


@builtin("range")
def loop_range(call: Call, *bounds: Argument) -> AnyValue:
    """Give the bounds of a `for` loop: `range(end)`, `range(start, end)` or with a step."""
    del bounds  # `control_flow` handles a `for` statement; this is every other place
    raise call.fail("T0318", "only allowed in 'for ... in range(...)'")


@builtin("static_range")
def static_range(call: Call, *bounds: Argument) -> AnyValue:
    """Give the bounds of a `for` loop that is unrolled; they are compile-time integers."""
    del bounds
    raise call.fail("T0318", "only allowed in 'for ... in static_range(...)'")


@builtin("len")
def length(call: Call, x: Argument) -> AnyValue:
    """Return the length of a tuple, or the first extent of a tile."""
    if isinstance(x.value, TupleValue):
        return Constant(len(x.value.items), call.span)
    return Constant(numeric.shape_of(call.tile(x, "expected a tuple or a tile"))[0], call.span)
