"""Builtins that touch memory: `load`, `store`, `make_partition_view`."""

import math
from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtin_table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.numeric import BOOL, I32
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
from tilec.support.dtypes import DType

_PADDING_NAMES = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": math.nan,
    "pos_inf": math.inf,
    "neg_inf": -math.inf,
}


def _padding_name(value: float, dtype: DType) -> str | None:
    """Return the padding of the view type that gives `value`, or None when none does."""
    if value == 0:
        is_negative = dtype.is_float and math.copysign(1.0, value) < 0
        return "neg_zero" if is_negative else "zero"
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, float) and math.isinf(value):
        return "pos_inf" if value > 0 else "neg_inf"
    return None


def _pad_constant(call: Call, pad: Argument | None, dtype: DType) -> Constant | None:
    """Return the padding as a number of `dtype`; None for the default, zero."""
    if pad is None:
        return None
    value = pad.value
    if isinstance(value, Constant) and isinstance(value.value, str):
        if value.value not in _PADDING_NAMES:
            names = ", ".join(f"'{name}'" for name in _PADDING_NAMES)
            message = f"unknown padding '{value.value}'"
            raise call.fail("T0310", message, pad.span, hint=f"use a number or one of {names}")
        value = Constant(_PADDING_NAMES[value.value], pad.span)
    if not isinstance(value, Constant) or not numeric.is_number(value):
        message = f"pad must be a compile-time number, found {describe(value)}"
        raise call.fail("T0403", message, pad.span)
    if isinstance(value.value, float) and not dtype.is_float and value.value == 0:
        value = Constant(0, pad.span)
    numeric.check_fits(call.ctx, value, dtype, pad.span)
    return value


def _partition(
    call: Call,
    array: ArrayValue,
    tile: tuple[int, ...],
    dim_map: tuple[int, ...],
    pad: Constant | None,
) -> ViewValue:
    view_type = array.view.type
    assert isinstance(view_type, hir.TensorViewType)
    padding = "zero" if pad is None else _padding_name(pad.value, array.dtype) or "zero"
    extents = tuple(int(extent) for extent in tile)
    kind = hir.PartitionViewType(extents, view_type, dim_map, padding)
    value = call.ctx.op("make_partition_view", [array.view], kind, call.span)
    masked = pad if pad is not None and _padding_name(pad.value, array.dtype) is None else None
    return ViewValue(array, value, masked, call.span)


def _check_rank(call: Call, array: ArrayValue, count: int, what: str, argument: Argument) -> None:
    rank = len(array.shape)
    if count != rank:
        name = array.param.name
        axes = "axis" if rank == 1 else "axes"
        notes = [note(f"'{name}' is declared here", array.param.span)]
        message = f"'{name}' has {rank} {axes}, but the {what} has {count}"
        raise call.fail("T0301", message, argument.span, notes=notes)


def _index(call: Call, argument: Argument, array: ArrayValue) -> list[hir.Value]:
    """Return a tile index as i32 scalars."""
    value = argument.value
    items = value.items if isinstance(value, TupleValue) else (value,)
    _check_rank(call, array, len(items), "index", argument)
    return [index_scalar(call, item, argument) for item in items]


def index_scalar(call: Call, value: AnyValue, argument: Argument) -> hir.Value:
    """Return an index of a tile as an i32 scalar."""
    if isinstance(value, Constant) and isinstance(value.value, int):
        if value.value < 0:
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
            message = f"a tile index is an i32, found {dtype.name}"
            raise call.fail("T0319", message, argument.span, hint="use 'cast(i, i32)'")
    message = f"a tile index is an integer scalar, found {describe(value)}"
    raise call.fail("T0319", message, argument.span)


def _view_of(
    call: Call,
    target: Argument,
    shape: tuple[int, ...],
    pad: Constant | None,
    argument: Argument,
) -> ViewValue:
    array = call.array(target)
    _check_rank(call, array, len(shape), "tile", argument)
    return _partition(call, array, shape, tuple(range(len(shape))), pad)


@builtin("make_partition_view", ANY_TYPE, "make_partition_view")
def make_partition_view(
    call: Call,
    array: Argument,
    tile: Argument,
    dim_map: Argument | None = None,
    pad: Argument | None = None,
) -> AnyValue:
    """Return a view that cuts an array into tiles; axis i of a tile is axis `dim_map[i]` of it.

    `load(view, index)` and `store(view, index, tile)` take the view instead of the array.
    """
    source = call.array(array)
    shape = call.shape(tile)
    _check_rank(call, source, len(shape), "tile", tile)
    mapped = tuple(range(len(shape)))
    if dim_map is not None:
        mapped = call.integers(dim_map, "dim_map")
        if sorted(mapped) != list(range(len(shape))):
            message = f"dim_map must hold every axis from 0 to {len(shape) - 1} once"
            raise call.fail("T0301", message, dim_map.span)
    _record_tile(call, source, shape, mapped, is_store=False)
    return _partition(call, source, shape, mapped, _pad_constant(call, pad, source.dtype))


def _record_tile(
    call: Call, array: ArrayValue, shape: Sequence[int], dim_map: Sequence[int], *, is_store: bool
) -> None:
    dims = [array.param.dims[axis] for axis in dim_map]
    view = array.view.type
    assert isinstance(view, hir.TensorViewType)
    unit = [axis for axis, place in enumerate(dim_map) if view.strides[place] == 1]
    call.ctx.uses.record_access(
        array.param.name,
        shape,
        dims,
        array.dtype,
        is_store=is_store,
        contiguous_axis=unit[0] if len(unit) == 1 else None,
    )


@builtin("load", ANY_TYPE, "load_view_tko")
def load(
    call: Call,
    array: Argument,
    index: Argument,
    shape: Argument | None = None,
    pad: Argument | None = None,
    *,
    allow_tma: Argument | None = None,
) -> AnyValue:
    """Return the tile at tile index `index` of an array or view.

    `index` and `shape` have one entry per axis, or are plain numbers for one axis. Elements outside
    the array are `pad`, 0 by default.
    """
    if isinstance(array.value, ViewValue):
        view = array.value
        if shape is not None or pad is not None:
            message = "a view has its tile shape and padding already"
            raise call.fail("T0310", message, (shape or pad or array).span)
    else:
        source = call.array(array)
        if shape is None:
            hint = f"write 'load({source.param.name}, index, shape)'"
            raise call.fail("T0310", "argument 'shape' is missing", hint=hint)
        extents = call.shape(shape)
        padding = _pad_constant(call, pad, source.dtype)
        view = _view_of(call, array, extents, padding, shape)
        _record_tile(call, source, extents, view.type.dim_map, is_store=False)
    indices = _index(call, index, view.array)
    attributes = {}
    if allow_tma is not None:
        attributes["allow_tma"] = call.flag(allow_tma, "allow_tma")
    call.ctx.access.setdefault(view.array.param.name, set()).add("read")
    kind = hir.TileType(view.array.dtype, _tile_extents(view, shape, call))
    result = call.ctx.op("load_view_tko", [view.value, *indices], kind, call.span, **attributes)
    if view.pad is not None:
        return _fill_outside(call, view, indices, result, view.pad)
    return result


def _tile_extents(view: ViewValue, shape: Argument | None, call: Call) -> tuple[int, ...]:
    """Return the extents as the source gives them: an `auto` constant keeps its name."""
    if shape is None:
        return view.type.tile
    return call.integers(shape, "the extents of a tile")


def _fill_outside(
    call: Call, view: ViewValue, indices: list[hir.Value], tile: hir.Value, pad: Constant
) -> hir.Value:
    """Replace what lies outside the array by `pad`; the load itself filled it with zeros."""
    ctx, span = call.ctx, call.span
    shape = view.type.tile
    mask: hir.Value | None = None
    for axis, extent in enumerate(shape):
        line = (1,) * axis + (extent,) + (1,) * (len(shape) - axis - 1)
        size = view.array.shape[view.type.dim_map[axis]]
        limit = numeric.require_number(ctx, size, span, call.name)
        inside = _inside(call, indices[axis], extent, limit)
        if line != (extent,):
            inside = ctx.op("reshape", [inside], hir.TileType(BOOL, line), span)
        inside = numeric.broadcast(ctx, inside, shape, span)
        mask = inside if mask is None else ctx.op("andi", [mask, inside], mask.type, span)
    filler = numeric.make_constant(ctx, pad.value, view.array.dtype, shape, span)
    assert mask is not None
    return ctx.op("select", [mask, tile, filler], tile.type, span)


def _inside(call: Call, index: hir.Value, extent: int, limit: Constant | hir.Value) -> hir.Value:
    """Return where positions along one axis of a tile lie inside the array."""
    ctx, span = call.ctx, call.span
    line = hir.TileType(I32, (extent,))
    scalar = hir.ScalarType(I32)
    # Tiles before the array and those from 2^31 on are outside, wherever the product would wrap to.
    beyond = numeric.make_constant(ctx, -(-(2**31) // extent), I32, (), span)
    limited = ctx.op("mini", [index, beyond], scalar, span, signed=False) if extent > 1 else index
    scale = numeric.make_constant(ctx, extent, I32, (), span)
    start = ctx.op("muli", [limited, scale], scalar, span)
    positions = ctx.op("iota", [], line, span)
    shifted = ctx.op(
        "addi", [positions, numeric.broadcast(ctx, start, (extent,), span)], line, span
    )
    end = numeric.unify(ctx, [shifted, limit], span, call.name)[1]
    mask = hir.TileType(BOOL, (extent,))
    # As an unsigned number a position before the array is beyond its end.
    return ctx.op("cmpi", [shifted, end], mask, span, predicate="less_than", signed=False)


@builtin("store", ANY_TYPE, "store_view_tko")
def store(
    call: Call,
    array: Argument,
    index: Argument,
    tile: Argument,
    *,
    allow_tma: Argument | None = None,
) -> AnyValue:
    """Store a tile at tile index `index`; elements outside the array are dropped.

    The tile has the element type of the array.
    """
    value = call.tile(tile, "expected the tile to store")
    assert isinstance(value.type, hir.TileType)
    if isinstance(array.value, ViewValue):
        view = array.value
        if view.type.tile != value.type.shape:
            shown = f"{hir.shape_text(view.type.tile)} tiles"
            message = f"the view has {shown}, but the tile is {hir.shape_text(value.type.shape)}"
            notes = [note("the view is made here", view.span), *numeric.origin(value, "the tile")]
            raise call.fail("T0315", message, tile.span, notes=notes)
    else:
        view = _view_of(call, array, value.type.shape, None, tile)
    target = view.array
    indices = _index(call, index, target)
    if value.type.dtype != target.dtype:
        name = target.param.name
        message = f"'{name}' holds {target.dtype.name} but the tile is {value.type.dtype.name}"
        notes = [
            note(f"'{name}' is declared here", target.param.span),
            *numeric.origin(value, "the tile"),
        ]
        hint = f"store 'cast(x, {target.dtype.name})'"
        raise call.fail("T0315", message, tile.span, hint=hint, notes=notes)
    _record_tile(call, target, value.type.shape, view.type.dim_map, is_store=True)
    attributes = {}
    if allow_tma is not None:
        attributes["allow_tma"] = call.flag(allow_tma, "allow_tma")
    call.ctx.access.setdefault(target.param.name, set()).add("write")
    call.ctx.record("store_view_tko", [value, view.value, *indices], [], call.span, attributes)
    return NoneValue()
