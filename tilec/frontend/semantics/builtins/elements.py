"""Builtins that access single elements: `gather`, `scatter`, and scalar loads and stores."""

from typing import Any

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.element_access import (
    LOAD_ORDERS,
    STORE_ORDERS,
    Elements,
    access_attributes,
    check_scalar_type,
    elements_of,
    note_access,
    spread_value,
    stored_value,
)
from tilec.frontend.semantics.padding import named_padding
from tilec.frontend.semantics.values import AnyValue, Constant, NoneValue, describe
from tilec.support.diagnostics import SourceSpan


def _load(
    call: Call,
    elements: Elements,
    padding: Constant | hir.Value,
    attributes: dict[str, Any],
    span: SourceSpan,
) -> hir.Value:
    check_scalar_type(call, elements)
    note_access(call, elements.array, "read")
    operands = [elements.array.view, *elements.indices]
    masks = [] if elements.mask is None else [elements.mask]
    fillers = []
    if masks or "unchecked" not in attributes:
        fillers.append(spread_value(call, elements, padding, span))
    shown = attributes | {"masked": bool(masks), "padded": bool(fillers)}
    kind = numeric.typed(elements.array.dtype, elements.shape)
    return call.ctx.op("load_elements_tko", [*operands, *masks, *fillers], kind, span, **shown)


def _store(
    call: Call, elements: Elements, value: Constant | hir.Value, attributes: dict[str, Any]
) -> NoneValue:
    check_scalar_type(call, elements)
    note_access(call, elements.array, "write")
    masks = [] if elements.mask is None else [elements.mask]
    stored = spread_value(call, elements, value, call.span)
    operands = [elements.array.view, stored, *elements.indices, *masks]
    shown = attributes | {"masked": bool(masks)}
    call.ctx.record("store_elements_tko", operands, [], call.span, shown)
    return NoneValue()


def _padding_of(
    call: Call, elements: Elements, padding: Argument | None, default: SourceSpan
) -> Constant | hir.Value:
    if padding is None:
        return Constant(0, default)
    found = stored_value(call, elements.array, named_padding(call, padding), "the padding")
    known = numeric.broadcast_shapes(
        call.ctx, [found, elements.indices[0]], padding.span, call.name
    )
    if known != elements.shape:
        message = f"{describe(found)} does not broadcast to the elements that are loaded"
        raise call.fail("T0305", message, padding.span)
    return found


@builtin("gather", ANY_TYPE, "load_elements_tko")
def gather(
    call: Call,
    array: Argument,
    indices: Argument,
    *,
    mask: Argument | None = None,
    pad: Argument | None = None,
    check_bounds: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
    padding_value: Argument | None = None,
) -> AnyValue:
    """Load the elements at `indices`, one index per axis.

    Elements that the mask or the bounds exclude are `pad`, 0 by default; `padding_value` means the
    same.
    """
    if pad is not None and padding_value is not None:
        message = "'pad' and 'padding_value' mean the same"
        raise call.fail("T0310", message, padding_value.span, hint="leave one of them out")
    attributes = access_attributes(
        call, check_bounds, memory_order, memory_scope, LOAD_ORDERS, "weak"
    )
    elements = elements_of(call, array, indices, mask)
    padding = _padding_of(call, elements, pad or padding_value, call.span)
    return _load(call, elements, padding, attributes, call.span)


@builtin("scatter", ANY_TYPE, "store_elements_tko")
def scatter(
    call: Call,
    array: Argument,
    indices: Argument,
    value: Argument,
    *,
    mask: Argument | None = None,
    check_bounds: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Store elements at `indices`, one index per axis.

    An index outside the array stores nothing.
    """
    attributes = access_attributes(
        call, check_bounds, memory_order, memory_scope, STORE_ORDERS, "weak"
    )
    stored = stored_value(call, call.array(array), value, "the value")
    elements = elements_of(call, array, indices, mask, others=[stored])
    return _store(call, elements, stored, attributes)


def load_scalar(
    call: Call,
    array: Argument,
    index: Argument,
    pad: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Load the element at `index` as a scalar; outside of the array it is `pad`."""
    attributes = access_attributes(call, None, memory_order, memory_scope, LOAD_ORDERS, "weak")
    elements = elements_of(call, array, index)
    if elements.shape:
        message = "the index of a scalar holds a tile"
        hint = f"write 'gather({elements.array.param.name}, indices)'"
        raise call.fail("T0319", message, index.span, hint=hint)
    padding = _padding_of(call, elements, pad, call.span)
    return _load(call, elements, padding, attributes, call.span)


def store_scalar(
    call: Call,
    array: Argument,
    index: Argument,
    value: Argument,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Store a scalar at `index`; outside of the array nothing is stored."""
    attributes = access_attributes(call, None, memory_order, memory_scope, STORE_ORDERS, "weak")
    stored = stored_value(call, call.array(array), value, "the value")
    elements = elements_of(call, array, index)
    if elements.shape:
        message = "the index of a scalar holds a tile"
        hint = f"write 'scatter({elements.array.param.name}, indices, value)'"
        raise call.fail("T0319", message, index.span, hint=hint)
    return _store(call, elements, stored, attributes)
