"""What the builtins that access single elements of an array share: indices, masks, memory order."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call
from tilec.frontend.semantics.numeric import BOOL, I32, I64
from tilec.frontend.semantics.values import AnyValue, ArrayValue, Constant, TupleValue, describe
from tilec.support.diagnostics import note
from tilec.support.dtypes import DType, Kind
from tilec.support.fast_dataclasses import dataclass

SCOPES = {"block": "tl_blk", "device": "device", "sys": "sys"}
"""Who sees an ordered access: the block, the device, the system; name -> name in cuda_tile."""
LOAD_ORDERS = ("weak", "relaxed", "acquire")
STORE_ORDERS = ("weak", "relaxed", "release")
_TILE_FORMS = {
    "scatter": "write 'store(A, index, x)' to store a tile at a tile index",
    **{
        f"atomic_{kind}": f"write 'atomic_store_{kind}(A, index, x)' for a tile at a tile index"
        for kind in ("add", "max", "min", "and", "or", "xor")
    },
}
"""What takes a tile index and a tile, by what takes indices of elements."""
ATOMIC_ORDERS = ("relaxed", "acquire", "release", "acq_rel")
DEFAULT_SCOPE = "device"


@dataclass(frozen=True, slots=True)
class Elements:
    """Elements of an array that an access names.

    Attributes:
        array: The array.
        indices: One value per axis, all of shape `shape`.
        shape: Shape of the tile of elements; `()` for one element.
        mask: Which elements are accessed; None for all of them.
        attributes: `unchecked` and the memory order, as the operation takes them.
    """

    array: ArrayValue
    indices: tuple[hir.Value, ...]
    shape: tuple[int, ...]
    mask: hir.Value | None
    attributes: dict[str, Any]


def check_axes(call: Call, array: ArrayValue, count: int, what: str, argument: Argument) -> None:
    """Raise when a shape or index of `count` entries does not fit the axes of an array."""
    rank = len(array.shape)
    if count != rank:
        name = array.param.name
        axes = "axis" if rank == 1 else "axes"
        notes = [note(f"'{name}' is declared here", array.param.span)]
        message = f"'{name}' has {rank} {axes}, but the {what} has {count}"
        hint = f"give the {what} one number for each axis"
        if what == "tile":
            hint += ", such as an extent of 1; 'reshape' adds and drops axes of extent 1"
        raise call.fail("T0301", message, argument.span, hint=hint, notes=notes)


def element_index(call: Call, value: AnyValue, argument: Argument) -> Constant | hir.Value:
    """Return one index of an element: an integer scalar or tile, widened to 32 bits."""
    if isinstance(value, Constant) and _is_integer(value.value):
        if value.value < 0:
            message = f"an index counts from 0, found {int(value.value)}"
            raise call.fail("T0319", message, argument.span)
        return value
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType | hir.TileType):
        dtype = value.type.dtype
        if dtype.is_integer and dtype.bits < I32.bits:
            return numeric.convert(call.ctx, value, I32, argument.span)
        if dtype.is_integer:
            return value
    message = f"an index is an integer or a tile of integers, found {describe(value)}"
    hint = "use 'cast(i, i32)'" if numeric.is_number(value) else None
    raise call.fail("T0319", message, argument.span, hint=hint)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def elements_of(
    call: Call,
    array: Argument,
    indices: Argument,
    mask: Argument | None = None,
    *,
    others: Sequence[Constant | hir.Value] = (),
) -> Elements:
    """Return the elements that a call names; indices, mask and `others` broadcast together."""
    source, ctx = call.array(array), call.ctx
    value = indices.value
    items = value.items if isinstance(value, TupleValue) else (value,)
    check_axes(call, source, len(items), "index", indices)
    found = [element_index(call, item, indices) for item in items]
    masks = [] if mask is None else [mask_value(call, mask)]
    _check_values(call, found, others, indices)
    shape = numeric.broadcast_shapes(ctx, [*found, *masks, *others], call.span, call.name)
    dtype = _index_dtype(found)
    spread = tuple(_spread_index(call, item, shape, dtype, indices) for item in found)
    covered = [_spread(call, item, shape, BOOL) for item in masks]
    return Elements(source, spread, shape, covered[0] if covered else None, {})


def _check_values(
    call: Call,
    indices: Sequence[Constant | hir.Value],
    values: Sequence[Constant | hir.Value],
    argument: Argument,
) -> None:
    """Raise when scalar indices, which name one element, meet a tile of values.

    Who writes that takes them for a tile index, as that of `store`.
    """
    if any(isinstance(item, hir.Value) and numeric.shape_of(item) for item in indices):
        return
    for value in values:
        if isinstance(value, hir.Value) and prod(numeric.shape_of(value)) > 1:
            message = f"the index names one element, but there is {describe(value)} for it"
            hint = _TILE_FORMS.get(call.name, "give it one value, or indices that are tiles")
            raise call.fail("T0305", message, argument.span, hint=hint)


def _index_dtype(indices: Sequence[Constant | hir.Value]) -> DType:
    """Return the type that all indices of an access get: i64 as soon as one of them is as wide."""
    found = [numeric.dtype_of(index) for index in indices if isinstance(index, hir.Value)]
    return I64 if any(dtype.bits > I32.bits for dtype in found) else I32


def _spread_index(
    call: Call,
    index: Constant | hir.Value,
    shape: tuple[int, ...],
    dtype: DType,
    argument: Argument,
) -> hir.Value:
    if isinstance(index, Constant):
        numeric.check_fits(call.ctx, index, I32, argument.span)
    elif numeric.dtype_of(index).bits < dtype.bits:
        index = numeric.convert(call.ctx, index, dtype, argument.span)
    return _spread(call, index, shape, dtype)


def _spread(
    call: Call, value: Constant | hir.Value, shape: tuple[int, ...], dtype: DType
) -> hir.Value:
    """Broadcast a value to `shape`; a constant becomes one of `dtype`."""
    if isinstance(value, Constant):
        return numeric.make_constant(call.ctx, value.value, dtype, shape, call.span)
    return numeric.broadcast(call.ctx, value, shape, call.span)


def mask_value(call: Call, mask: Argument) -> Constant | hir.Value:
    """Return a mask: a bool or a tile of bool."""
    value = mask.value
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return value
    if isinstance(value, hir.Value) and _is_bool(value.type):
        return value
    message = f"a mask is a bool or a tile of bool, found {describe(value)}"
    raise call.fail("T0311", message, mask.span)


def _is_bool(kind: hir.Type) -> bool:
    return isinstance(kind, hir.ScalarType | hir.TileType) and kind.dtype is BOOL


def stored_value(call: Call, array: ArrayValue, value: Argument, what: str) -> Constant | hir.Value:
    """Return a value that is stored to an array: its element type, or a number of the source."""
    number = call.number(value)
    if isinstance(number, Constant):
        numeric.check_fits(call.ctx, number, array.dtype, value.span)
        return number
    found = numeric.dtype_of(number)
    if found != array.dtype:
        name = array.param.name
        message = f"'{name}' holds {array.dtype.name} but {what} is {found.name}"
        notes = [
            note(f"'{name}' is declared here", array.param.span),
            *numeric.origin(number, what),
        ]
        verb = "store" if call.name == "store" else "use"
        hint = f"{verb} 'cast(x, {array.dtype.name})'"
        if array.dtype.is_integer and found.is_float:
            hint += ", which rounds towards zero; '//' divides integers, '/' gives f32"
        raise call.fail("T0315", message, value.span, hint=hint, notes=notes)
    return number


def spread_value(
    call: Call, elements: Elements, value: Constant | hir.Value, span: Any
) -> hir.Value:
    """Broadcast a value to the shape of the elements; a number becomes one of the array's type."""
    dtype = elements.array.dtype
    if isinstance(value, Constant):
        return numeric.make_constant(call.ctx, value.value, dtype, elements.shape, span)
    return numeric.broadcast(call.ctx, value, elements.shape, span)


def check_scalar_type(call: Call, elements: Elements) -> None:
    """Raise for a single element of a type that only tiles hold."""
    dtype = elements.array.dtype
    if not elements.shape and dtype.kind is Kind.RESTRICTED_FLOAT:
        message = f"only tiles hold {dtype.name}, not scalars"
        raise call.fail("T0307", message, hint="use indices that are tiles")


def access_attributes(
    call: Call,
    check_bounds: Argument | None,
    order: Argument | None,
    scope: Argument | None,
    orders: Sequence[str],
    default: str,
) -> dict[str, Any]:
    """Return the attributes of an access.

    Args:
        call: The call.
        check_bounds: Whether indices may be out of range; None for yes.
        order: Memory order, a name; None for `default`.
        scope: Memory scope, a key of `SCOPES`; None for the device.
        orders: Memory orders of this kind of access.
        default: The memory order that the call has by default.
    """
    found: dict[str, Any] = {}
    if check_bounds is not None and not call.flag(check_bounds, "check_bounds"):
        found["unchecked"] = True
    chosen = default if order is None else _name(call, order, "memory_order", orders)
    found["ordering"] = chosen
    wanted = DEFAULT_SCOPE if scope is None else _name(call, scope, "memory_scope", tuple(SCOPES))
    if chosen != "weak":
        found["scope"] = SCOPES[wanted]
    elif scope is not None:
        message = "a weak access has no memory scope"
        hint = "give it a memory_order, too"
        raise call.fail("T0310", message, scope.span, hint=hint)
    return found


def _name(call: Call, argument: Argument, what: str, names: Sequence[str]) -> str:
    value = argument.value
    if isinstance(value, Constant) and value.value in names and isinstance(value.value, str):
        return value.value
    shown = ", ".join(f"'{name}'" for name in names)
    message = f"{what} must be one of {shown}, found {describe(value)}"
    raise call.fail("T0310", message, argument.span)


def note_access(call: Call, array: ArrayValue, *kinds: str) -> None:
    """Record that the kernel reads or writes an array."""
    call.ctx.access.setdefault(array.param.name, set()).update(kinds)
