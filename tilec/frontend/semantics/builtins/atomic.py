"""Builtins that change single elements in one step: `atomic_add`, `atomic_cas`, ..."""

from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.element_access import (
    ATOMIC_ORDERS,
    access_attributes,
    elements_of,
    note_access,
    spread_value,
    stored_value,
)
from tilec.frontend.semantics.values import AnyValue, ArrayValue
from tilec.support.dtypes import DType

_DEFAULT_ORDER = "acq_rel"
_WIDE_INTEGERS = ("i32", "u32", "i64", "u64")
_WIDE = (*_WIDE_INTEGERS, "f32", "f64")
TYPES = {
    "add": (*_WIDE_INTEGERS, "f16", "bf16", "f32", "f64"),
    "max": _WIDE,
    "min": _WIDE,
    "and": _WIDE_INTEGERS,
    "or": _WIDE_INTEGERS,
    "xor": _WIDE_INTEGERS,
    "xchg": _WIDE,
    "cas": _WIDE,
}
"""Element types of each operation (PTX ISA, atom: types of sm_90). Floats are compared by their
bits."""
STORE_TYPES = {**TYPES, "max": _WIDE_INTEGERS, "min": _WIDE_INTEGERS}
"""The same for tiles that are combined with an array."""


_COMBINED = "Replace each element at `indices`, in one atomic step, by"
_RETURNED = "return the old elements"
_SUMMARIES = {
    "add": f"{_COMBINED} its sum with `value`; {_RETURNED}.",
    "max": f"{_COMBINED} the larger one of it and `value`; {_RETURNED}.",
    "min": f"{_COMBINED} the smaller one of it and `value`; {_RETURNED}.",
    "xchg": f"{_COMBINED} `value`; {_RETURNED}.",
}


def mode_of(operation: str, dtype: DType) -> str:
    """Return the mode of the cuda_tile operation."""
    if operation in ("add", "max", "min") and dtype.is_float:
        return f"{operation}f"
    if operation in ("max", "min") and not dtype.signed:
        return f"u{operation}"
    return operation


def check_type(call: Call, array: ArrayValue, names: Sequence[str], argument: Argument) -> None:
    """Raise when the array holds elements of none of these types."""
    if array.dtype.name not in names:
        message = (
            f"'{array.param.name}' holds {array.dtype.name}, which this operation does not support"
        )
        hint = f"it takes arrays of {', '.join(names)}"
        raise call.fail("T0306", message, argument.span, hint=hint)


def _atomic(
    call: Call,
    operation: str,
    array: Argument,
    indices: Argument,
    values: Sequence[tuple[Argument, str]],
    mask: Argument | None,
    check_bounds: Argument | None,
    memory_order: Argument | None,
    memory_scope: Argument | None,
) -> AnyValue:
    attributes = access_attributes(
        call, check_bounds, memory_order, memory_scope, ATOMIC_ORDERS, _DEFAULT_ORDER
    )
    target = call.array(array)
    check_type(call, target, TYPES[operation], array)
    given = [stored_value(call, target, argument, what) for argument, what in values]
    elements = elements_of(call, array, indices, mask, others=given)
    spread: list[hir.Value] = [spread_value(call, elements, item, call.span) for item in given]
    masks = [] if elements.mask is None else [elements.mask]
    note_access(call, target, "read", "write")
    attributes |= {"mode": mode_of(operation, target.dtype), "masked": bool(masks)}
    kind = numeric.typed(target.dtype, elements.shape)
    operands = [target.view, *elements.indices, *spread, *masks]
    return call.ctx.op("atomic_elements_tko", operands, kind, call.span, **attributes)


def _register(operation: str) -> None:
    def change(
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
        values = [(value, "the value")]
        options = (mask, check_bounds, memory_order, memory_scope)
        return _atomic(call, operation, array, indices, values, *options)

    change.__doc__ = _SUMMARIES.get(
        operation, f"{_COMBINED} its bitwise `{operation}` with `value`; {_RETURNED}."
    )
    builtin(f"atomic_{operation}", TYPES[operation], "atomic_elements_tko")(change)


for _operation in ("add", "max", "min", "and", "or", "xor", "xchg"):
    _register(_operation)


@builtin("atomic_cas", TYPES["cas"], "atomic_elements_tko")
def atomic_cas(
    call: Call,
    array: Argument,
    indices: Argument,
    expected: Argument,
    desired: Argument,
    *,
    mask: Argument | None = None,
    check_bounds: Argument | None = None,
    memory_order: Argument | None = None,
    memory_scope: Argument | None = None,
) -> AnyValue:
    """Store `desired` where an element is `expected`; return what the elements were."""
    values = [(expected, "the expected value"), (desired, "the desired value")]
    options = (mask, check_bounds, memory_order, memory_scope)
    return _atomic(call, "cas", array, indices, values, *options)
