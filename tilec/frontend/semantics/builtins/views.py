"""Builtins that make views of arrays: `make_partition_view`, `make_strided_view`, `slice`."""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.element_access import check_axes
from tilec.frontend.semantics.numeric import I32
from tilec.frontend.semantics.tile_views import cut, pad_constant, record_tile
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.support.fast_dataclasses import replace


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
    return _tiles(call, array, tile, dim_map, pad, None)


@builtin("make_strided_view", ANY_TYPE, "make_strided_view")
def make_strided_view(
    call: Call,
    array: Argument,
    tile: Argument,
    steps: Argument,
    dim_map: Argument | None = None,
    pad: Argument | None = None,
) -> AnyValue:
    """Return a view in which a tile begins every `steps[i]` elements along axis i of a tile.

    Where a step is less than the extent of a tile, tiles overlap. All else is as in a partition
    view.
    """
    return _tiles(call, array, tile, dim_map, pad, call.integers(steps, "the steps"), steps)


def _tiles(
    call: Call,
    array: Argument,
    tile: Argument,
    dim_map: Argument | None,
    pad: Argument | None,
    steps: tuple[int, ...] | None,
    argument: Argument | None = None,
) -> AnyValue:
    """Check the arguments of a view and return it; `argument` is that of the steps."""
    source = call.array(array)
    shape = call.shape(tile)
    check_axes(call, source, len(shape), "tile", tile)
    mapped = tuple(range(len(shape)))
    if dim_map is not None:
        mapped = call.integers(dim_map, "dim_map")
        if sorted(mapped) != list(range(len(shape))):
            message = f"dim_map must hold every axis from 0 to {len(shape) - 1} once"
            raise call.fail("T0301", message, dim_map.span)
    if steps is not None and argument is not None:
        check_axes(call, source, len(steps), "list of steps", argument)
        if any(not 0 < step < 2**31 for step in steps):
            message = f"steps count from 1 to 2^31 - 1, found {min(steps)}"
            raise call.fail("T0303", message, argument.span)
        steps = tuple(int(step) for step in steps)
    record_tile(call, source, shape, mapped, is_store=False)
    constant = pad_constant(call, pad, source.dtype)
    return cut(call, source, shape, constant, dim_map=mapped, steps=steps)


@builtin("slice", ANY_TYPE, "slice_view")
def slice_(
    call: Call,
    array: Argument,
    axis: Argument,
    start: Argument | None = None,
    stop: Argument | None = None,
) -> AnyValue:
    """Return the part of an array from element `start` to before element `stop` along one axis.

    It is used like an array: elements outside of it are padding, or are not stored. Bounds may be
    values of the running kernel; beyond the array they mean its ends. `A.slice(axis, start, stop)`
    is the same.
    """
    source = call.array(array)
    place = call.axis(axis, len(source.shape), "an array")
    ctx, span = call.ctx, call.span
    extent = numeric.require_number(ctx, source.shape[place], span, call.name)
    end = numeric.convert(ctx, extent, I32, span)
    zero = numeric.make_constant(ctx, 0, I32, (), span)
    first = _limited(call, start, zero, end, zero)
    last = _limited(call, stop, first, end, end)
    size = ctx.op("subi", [last, first], hir.ScalarType(I32), span)
    whole = source.view.type
    assert isinstance(whole, hir.TensorViewType)
    shape = (*whole.shape[:place], None, *whole.shape[place + 1 :])
    kind = hir.TensorViewType(whole.dtype, shape, whole.strides)
    view = ctx.op("slice_view", [source.view, first, size], kind, span, dim=place)
    extents = (*source.shape[:place], size, *source.shape[place + 1 :])
    return replace(source, shape=extents, view=view)


def _limited(
    call: Call, bound: Argument | None, low: hir.Value, high: hir.Value, default: hir.Value
) -> hir.Value:
    """Return a bound of a slice, or the limit that it is beyond, as an i32 scalar."""
    if bound is None or bound.value == Constant(None, bound.span):
        return default
    ctx, span, value = call.ctx, call.span, _bound(call, bound)
    dtype = numeric.dtype_of(value)
    low, high = (numeric.convert(ctx, limit, dtype, span) for limit in (low, high))
    kind, signed = hir.ScalarType(dtype), dtype.signed
    least = ctx.op("maxi", [value, low], kind, span, signed=signed)
    return numeric.convert(ctx, ctx.op("mini", [least, high], kind, span, signed=signed), I32, span)


def _bound(call: Call, bound: Argument) -> hir.Value:
    """Return a bound of a slice as an integer scalar of 32 bits or more."""
    value = bound.value
    if isinstance(value, Constant) and isinstance(value.value, int):
        if value.value < 0:
            message = f"the bound of a slice counts from 0, found {int(value.value)}"
            raise call.fail("T0319", message, bound.span, hint="write 'A.shape[axis] - n'")
        numeric.check_fits(call.ctx, value, I32, bound.span)
        return numeric.make_constant(call.ctx, value.value, I32, (), value.span)
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType):
        dtype = value.type.dtype
        if dtype.is_integer:
            wide = dtype.bits >= I32.bits
            return value if wide else numeric.convert(call.ctx, value, I32, bound.span)
    message = f"the bound of a slice is an integer scalar, found {describe(value)}"
    raise call.fail("T0319", message, bound.span)
