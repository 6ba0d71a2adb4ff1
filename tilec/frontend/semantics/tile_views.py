"""Views of arrays that tiles are loaded from and stored to: what the builtins share."""

from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call
from tilec.frontend.semantics.element_access import check_axes
from tilec.frontend.semantics.padding import ARRAY, named_padding, padding_name
from tilec.frontend.semantics.values import ArrayValue, Constant, ViewValue, describe
from tilec.support.dtypes import DType


def pad_constant(call: Call, pad: Argument | None, dtype: DType) -> Constant | None:
    """Return the padding as a number of `dtype`, or as a name; None for the default, zero."""
    if pad is None:
        return None
    if isinstance(pad.value, Constant) and pad.value.value == ARRAY:
        return pad.value
    value = named_padding(call, pad, ARRAY).value
    if not isinstance(value, Constant) or not numeric.is_number(value):
        message = f"pad must be a compile-time number, found {describe(value)}"
        raise call.fail("T0403", message, pad.span)
    if isinstance(value.value, float) and not dtype.is_float and value.value == 0:
        value = Constant(0, pad.span)
    numeric.check_fits(call.ctx, value, dtype, pad.span)
    return value


def cut(
    call: Call,
    array: ArrayValue,
    tile: tuple[int, ...],
    pad: Constant | None,
    *,
    dim_map: tuple[int, ...] | None = None,
    steps: tuple[int, ...] | None = None,
) -> ViewValue:
    """Return a view of tiles of an array.

    Args:
        call: The call that makes it.
        array: The array.
        tile: Extents of a tile.
        pad: What lies outside of the array; None for zero.
        dim_map: Axis of the array of each axis of a tile; None for the same ones.
        steps: Elements from one tile to the next; None for the extents of a tile.
    """
    view_type = array.view.type
    assert isinstance(view_type, hir.TensorViewType)
    axes = tuple(range(len(tile))) if dim_map is None else dim_map
    padding = "zero" if pad is None else padding_name(pad.value, array.dtype)
    extents = tuple(int(extent) for extent in tile)
    kind = hir.PartitionViewType(extents, view_type, axes, padding or "zero", steps)
    name = "make_partition_view" if steps is None else "make_strided_view"
    value = call.ctx.op(name, [array.view], kind, call.span)
    return ViewValue(array, value, pad if padding is None else None, call.span)


def view_of(
    call: Call,
    target: Argument,
    shape: tuple[int, ...],
    pad: Constant | None,
    argument: Argument,
) -> ViewValue:
    """Return the view that a load or store of tiles of `shape` needs of its array."""
    array = call.array(target)
    check_axes(call, array, len(shape), "tile", argument)
    return cut(call, array, shape, pad)


def record_tile(
    call: Call, array: ArrayValue, shape: Sequence[int], dim_map: Sequence[int], *, is_store: bool
) -> None:
    """Tell the planner of tiles that the kernel accesses."""
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
