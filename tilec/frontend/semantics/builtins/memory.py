"""Builtins that move tiles between arrays and registers: `load`, `prefetch`, `store`."""

from math import prod
from typing import Any

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.elements import load_scalar, store_scalar
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.element_access import check_axes, note_access, stored_value
from tilec.frontend.semantics.numeric import BOOL, I32
from tilec.frontend.semantics.tile_views import pad_constant, record_tile, view_of
from tilec.frontend.semantics.values import (
    AnyValue,
    ArrayValue,
    Constant,
    NoneValue,
    TupleValue,
    ViewValue,
    describe,
)
from tilec.support.diagnostics import note


def index_scalars(
    call: Call, argument: Argument, array: ArrayValue, *, counts_tiles: bool
) -> list[hir.Value]:
    """Return a tile index, or an offset in elements, as i32 scalars."""
    value = argument.value
    items = value.items if isinstance(value, TupleValue) else (value,)
    check_axes(call, array, len(items), "index" if counts_tiles else "offset", argument)
    return [index_scalar(call, item, argument, counts_tiles=counts_tiles) for item in items]


def index_scalar(
    call: Call, value: AnyValue, argument: Argument, *, counts_tiles: bool = True
) -> hir.Value:
    """Return an index of a tile, or an offset in elements, as an i32 scalar."""
    name = "a tile index" if counts_tiles else "an offset"
    if isinstance(value, Constant) and isinstance(value.value, int):
        if value.value < 0 and counts_tiles:
            message = f"a tile index counts from 0, found {int(value.value)}"
            raise call.fail("T0319", message, argument.span)
        numeric.check_fits(call.ctx, value, I32, argument.span)
        return numeric.make_constant(call.ctx, value.value, I32, (), value.span)
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType):
        dtype = value.type.dtype
        if dtype == I32:
            return value
        if dtype.is_integer and dtype.bits < I32.bits:
            return numeric.convert(call.ctx, value, I32, argument.span)
        if dtype.is_integer:
            message = f"{name} is an i32, found {dtype.name}"
            raise call.fail("T0319", message, argument.span, hint="use 'cast(i, i32)'")
    message = f"{name} is an integer scalar, found {describe(value)}"
    raise call.fail("T0319", message, argument.span, hint=_scalar_hint(value))


def _scalar_hint(value: AnyValue) -> str | None:
    """Return how to make an index of what is no integer scalar."""
    if not isinstance(value, hir.Value):
        return None
    if numeric.dtype_of(value).is_float:
        return "divide integers with '//', or use 'cast(i, i32)'"
    if not isinstance(value.type, hir.TileType):
        return None
    if prod(value.type.shape) == 1:
        return "load it as a scalar, with the shape '()', or take 'x.item()'"
    return "for an index for each element, use 'gather' or 'scatter'"


MAX_LATENCY = 10
"""Largest hint of the dialect (cuda_tile, `latency` of view accesses)."""


@builtin("load", ANY_TYPE, "load_view_tko", "load_elements_tko")
def load(
    call: Call,
    array: Argument,
    index: Argument | None = None,
    shape: Argument | None = None,
    pad: Argument | None = None,
    *,
    offset: Argument | None = None,
    allow_tma: Argument | None = None,
    latency: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Return the tile at tile index `index` of an array or view, or at element `offset`.

    `index` and `shape` have one entry per axis, or are plain numbers for one axis. Elements outside
    the array are `pad`, 0 by default. With the shape `()` the result is a scalar. `latency`, from 1
    to 10, is how many tiles a loop keeps in flight: more for memory that answers slowly.
    """
    place = place_of(call, index, offset)
    if shape is not None and shape.value == TupleValue(()):
        _refuse(call, "a scalar", "moves one element", allow_tma, latency)
        return load_scalar(call, array, place, pad, memory_order, memory_scope)
    _refuse(call, "a tile", "is loaded weakly; 'gather' takes one", memory_order, memory_scope)
    view = _loaded_view(call, array, shape, pad)
    indices = index_scalars(call, place, view.array, counts_tiles=offset is None)
    attributes = access_attributes(call, offset, allow_tma)
    if latency is not None:
        attributes["latency"] = _latency(call, latency)
    note_access(call, view.array, "read")
    kind = hir.TileType(view.array.dtype, _tile_extents(view, shape, call))
    result = call.ctx.op("load_view_tko", [view.value, *indices], kind, call.span, **attributes)
    if view.pad is not None:
        return _fill_outside(call, view, indices, result, view.pad, counts_tiles=offset is None)
    return result


@builtin("prefetch", ANY_TYPE, "prefetch_view")
def prefetch(
    call: Call,
    array: Argument,
    index: Argument | None = None,
    shape: Argument | None = None,
    *,
    offset: Argument | None = None,
    allow_tma: Argument | None = None,
) -> AnyValue:
    """Ask for a tile to be in L2 when it is loaded later. The arguments are those of `load`.

    It changes no value, and ignores elements outside of the array.
    """
    place = place_of(call, index, offset)
    view = _loaded_view(call, array, shape, None)
    indices = index_scalars(call, place, view.array, counts_tiles=offset is None)
    attributes = access_attributes(call, offset, allow_tma)
    call.ctx.record("prefetch_view", [view.value, *indices], [], call.span, attributes)
    return NoneValue()


def access_attributes(
    call: Call, offset: Argument | None, allow_tma: Argument | None
) -> dict[str, Any]:
    """Return how an access counts its indices, in tiles or elements, and whether TMA may do it."""
    attributes: dict[str, Any] = {} if offset is None else {"element_offsets": True}
    if allow_tma is not None:
        attributes["allow_tma"] = call.flag(allow_tma, "allow_tma")
    return attributes


def place_of(call: Call, index: Argument | None, offset: Argument | None) -> Argument:
    """Return where a tile lies: its index in tiles, or its offset in elements."""
    if index is not None and offset is not None:
        message = "a tile lies at an index, in tiles, or at an offset, in elements, not both"
        raise call.fail("T0310", message, offset.span)
    if index is not None:
        return index
    if offset is None:
        last = "x" if "store" in call.name else "shape"
        hint = f"write '{call.name}(A, index, {last})'"
        raise call.fail("T0310", "argument 'index' is missing", hint=hint)
    return offset


def place_and_tile(
    call: Call, index: Argument | None, tile: Argument | None, offset: Argument | None
) -> tuple[Argument, Argument]:
    """Return where a tile is stored, and the tile: `f(A, index, x)` or `f(A, x, offset=...)`."""
    if offset is not None and tile is None:
        tile, index = index, None
    place = place_of(call, index, offset)
    if tile is None:
        hint = f"write '{call.name}(A, index, x)'"
        raise call.fail("T0310", "argument 'tile' is missing", hint=hint)
    return place, tile


def _refuse(call: Call, what: str, why: str, *arguments: Argument | None) -> None:
    """Raise when an argument is given that has no meaning for `what`."""
    for argument in arguments:
        if argument is not None:
            raise call.fail("T0310", f"{what} takes no such argument: it {why}", argument.span)


def _latency(call: Call, argument: Argument) -> int:
    """Return the hint how many tiles should be in flight."""
    value = call.integer(argument, "latency")
    if not 1 <= value <= MAX_LATENCY:
        message = f"latency is a number from 1 to {MAX_LATENCY}, found {int(value)}"
        raise call.fail("T0310", message, argument.span)
    return int(value)


def _loaded_view(
    call: Call, array: Argument, shape: Argument | None, pad: Argument | None
) -> ViewValue:
    """Return the view that a tile is loaded from: the one given, or a new one of the array."""
    if isinstance(array.value, ViewValue):
        if shape is not None or pad is not None:
            message = "a view already has a tile shape and padding"
            raise call.fail("T0310", message, (shape or pad or array).span)
        return array.value
    source = call.array(array)
    if shape is None:
        hint = f"write '{call.name}({source.param.name}, index, shape)'"
        raise call.fail("T0310", "argument 'shape' is missing", hint=hint)
    extents = call.shape(shape)
    view = view_of(call, array, extents, pad_constant(call, pad, source.dtype), shape)
    record_tile(call, source, extents, view.type.dim_map, is_store=False)
    return view


def _tile_extents(view: ViewValue, shape: Argument | None, call: Call) -> tuple[int, ...]:
    """Return the extents as the source gives them: an `auto` constant keeps its name."""
    if shape is None:
        return view.type.tile
    return call.integers(shape, "the extents of a tile")


def _fill_outside(
    call: Call,
    view: ViewValue,
    indices: list[hir.Value],
    tile: hir.Value,
    pad: Constant,
    *,
    counts_tiles: bool,
) -> hir.Value:
    """Replace what lies outside the array by `pad`; the load itself filled it with zeros."""
    ctx, span = call.ctx, call.span
    shape, steps = view.type.tile, view.type.steps or view.type.tile
    mask: hir.Value | None = None
    for axis, extent in enumerate(shape):
        line = (1,) * axis + (extent,) + (1,) * (len(shape) - axis - 1)
        size = view.array.shape[view.type.dim_map[axis]]
        limit = numeric.require_number(ctx, size, span, call.name)
        index = indices[axis]
        start = _first_element(call, index, steps[axis]) if counts_tiles else index
        inside = _inside(call, start, extent, limit)
        if line != (extent,):
            inside = ctx.op("reshape", [inside], hir.TileType(BOOL, line), span)
        inside = numeric.broadcast(ctx, inside, shape, span)
        mask = inside if mask is None else ctx.op("andi", [mask, inside], mask.type, span)
    filler = numeric.make_constant(ctx, pad.value, view.array.dtype, shape, span)
    assert mask is not None
    return ctx.op("select", [mask, tile, filler], tile.type, span)


def _first_element(call: Call, index: hir.Value, step: int) -> hir.Value:
    """Return the element along one axis where the tile at `index` starts, a tile every `step`."""
    ctx, span = call.ctx, call.span
    scalar = hir.ScalarType(I32)
    # Tiles before the array and those from 2^31 on are outside, wherever the product would wrap to.
    beyond = numeric.make_constant(ctx, -(-(2**31) // step), I32, (), span)
    limited = ctx.op("mini", [index, beyond], scalar, span, signed=False) if step > 1 else index
    scale = numeric.make_constant(ctx, step, I32, (), span)
    return ctx.op("muli", [limited, scale], scalar, span)


def _inside(call: Call, start: hir.Value, extent: int, limit: Constant | hir.Value) -> hir.Value:
    """Return where positions along one axis of a tile lie inside the array."""
    ctx, span = call.ctx, call.span
    line = hir.TileType(I32, (extent,))
    positions = ctx.op("iota", [], line, span)
    shifted = ctx.op(
        "addi", [positions, numeric.broadcast(ctx, start, (extent,), span)], line, span
    )
    end = numeric.unify(ctx, [shifted, limit], span, call.name)[1]
    mask = hir.TileType(BOOL, (extent,))
    # As an unsigned number a position before the array is beyond its end.
    return ctx.op("cmpi", [shifted, end], mask, span, predicate="less_than", signed=False)


@builtin("store", ANY_TYPE, "store_view_tko", "store_elements_tko")
def store(
    call: Call,
    array: Argument,
    index: Argument | None = None,
    tile: Argument | None = None,
    *,
    offset: Argument | None = None,
    allow_tma: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Store a tile at tile index `index` or at element `offset`, or a scalar at an index.

    Elements outside the array are dropped. The tile has the element type of the array.
    """
    place, tile = place_and_tile(call, index, tile, offset)
    if numeric.is_number(tile.value) and not numeric.is_tile(tile.value):
        _refuse(call, "a scalar", "moves one element", allow_tma)
        return store_scalar(call, array, place, tile, memory_order, memory_scope)
    _refuse(call, "a tile", "is stored weakly; 'scatter' takes one", memory_order, memory_scope)
    value = call.tile(tile, "expected the tile to store")
    view = stored_view(call, array, value, tile)
    indices = index_scalars(call, place, view.array, counts_tiles=offset is None)
    attributes = access_attributes(call, offset, allow_tma)
    note_access(call, view.array, "write")
    record_write(call, "store_view_tko", tile, view, indices, attributes)
    return NoneValue()


def record_write(
    call: Call,
    name: str,
    tile: Argument,
    view: ViewValue,
    indices: list[hir.Value],
    attributes: dict[str, Any],
) -> None:
    """Record the operation that writes a tile to a view, or combines it."""
    stored_value(call, view.array, tile, "the tile")
    value = call.tile(tile)
    record_tile(call, view.array, numeric.shape_of(value), view.type.dim_map, is_store=True)
    call.ctx.record(name, [value, view.value, *indices], [], call.span, attributes)


def stored_view(call: Call, array: Argument, value: hir.Value, tile: Argument) -> ViewValue:
    """Return the view that a tile is stored to: the one given, or a new one of the array."""
    shape = numeric.shape_of(value)
    if not isinstance(array.value, ViewValue):
        return view_of(call, array, shape, None, tile)
    view = array.value
    if view.type.tile != shape:
        shown = f"{hir.shape_text(view.type.tile)} tiles"
        message = f"the view has {shown}, but the tile is {hir.shape_text(shape)}"
        notes = [note("the view is made here", view.span), *numeric.origin(value, "the tile")]
        raise call.fail("T0315", message, tile.span, notes=notes)
    return view
