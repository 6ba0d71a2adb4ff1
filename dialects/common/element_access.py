"""Rules of accesses to single elements of an array, for all dialects that have them.

An access names its elements by one index per axis of the array: all of them scalars of one type,
for one element, or tiles of one type, for as many elements.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tilec.dialects.common.accesses import ORDERS, WEAK
from tilec.ir.bindings import ir

INDEX_BITS = (32, 64)
"""Widths of an index; an index is signed."""
LOAD_ORDERS = (WEAK, "relaxed", "acquire")
STORE_ORDERS = (WEAK, "relaxed", "release")
ATOMIC_ORDERS = ORDERS[1:]
_WIDE_INTEGERS = ("i32", "i64")
_FLOATS = ("f32", "f64")
_WIDE = (*_WIDE_INTEGERS, *_FLOATS)
CAS = "cas"
"""The mode whose second value is stored where the first one is found."""
ATOMIC_TYPES: Mapping[str, tuple[str, ...]] = {
    "add": _WIDE_INTEGERS,
    "addf": ("f16", "bf16", "f32", "f64"),
    "max": _WIDE_INTEGERS,
    "min": _WIDE_INTEGERS,
    "umax": _WIDE_INTEGERS,
    "umin": _WIDE_INTEGERS,
    "maxf": _FLOATS,
    "minf": _FLOATS,
    "and": _WIDE_INTEGERS,
    "or": _WIDE_INTEGERS,
    "xor": _WIDE_INTEGERS,
    "xchg": _WIDE,
    CAS: _WIDE,
}
"""Element types of each atomic operation (PTX ISA, atom: types of sm_90, which compares no floats:
`maxf` and `minf` are integer operations on their bits)."""
COMBINE = "combine"
"""Attribute of a store that combines: one of the modes below."""
COMBINATIONS: Mapping[str, tuple[str, ...]] = {
    mode: types for mode, types in ATOMIC_TYPES.items() if mode not in ("xchg", CAS, "maxf", "minf")
}
"""Those by which a tile is combined with an array: the result is the same in any order."""


def shape_of(type_: Any) -> tuple[int, ...]:
    """Return the shape of a tile type; `()` for a scalar."""
    return tuple(type_.shape) if hasattr(type_, "element_type") else ()


def element_of(type_: Any) -> Any:
    """Return the element type of a tile type; a scalar type is its own."""
    return getattr(type_, "element_type", type_)


def find_index_error(indices: Sequence[Any], mask: Any, rank: int) -> str | None:
    """Return what is wrong with the indices and the mask of an access, or None.

    Args:
        indices: One value per axis of the array.
        mask: Which elements are accessed; None for all of them.
        rank: Axes of the array.
    """
    if len(indices) != rank or not indices:
        return f"expects {rank} indices, one per axis, but got {len(indices)}"
    first = indices[0].type
    element, shape = element_of(first), shape_of(first)
    if not isinstance(element, ir.IntegerType) or element.width not in INDEX_BITS:
        return f"expects indices of i32 or i64, but got {first}"
    for index in indices:
        if element_of(index.type) != element or shape_of(index.type) != shape:
            return f"expects indices of one type, but got {first} and {index.type}"
    if mask is None:
        return None
    if shape_of(mask.type) != shape or str(element_of(mask.type)) != "i1":
        return f"expects a mask of i1 with the shape of the indices, but got {mask.type}"
    return None


def find_value_error(values: Sequence[Any], indices: Sequence[Any], element: Any) -> str | None:
    """Return what is wrong with values that are read or written, or None.

    Args:
        values: Operands and results that hold elements.
        indices: Indices of the access, which `find_index_error` accepts.
        element: Element type of the array.
    """
    shape = shape_of(indices[0].type)
    for value in values:
        if shape_of(value.type) != shape or element_of(value.type) != element:
            return (
                f"expects values of {element} with the shape of the indices, but got {value.type}"
            )
    return None


def find_atomic_error(mode: str, count: int, element: Any) -> str | None:
    """Return what is wrong with an atomic operation of `count` values, or None."""
    if mode not in ATOMIC_TYPES:
        return f"expects mode to be one of: {', '.join(ATOMIC_TYPES)}, but got: {mode}"
    wanted = 2 if mode == CAS else 1
    if count != wanted:
        return f"expects {wanted} values for mode {mode}, but got {count}"
    return _find_type_error(mode, element)


def find_combination_error(op: Any, name: str, element: Any) -> str | None:
    """Return what is wrong with the mode `name` in which `op` combines tiles; None without it."""
    if name not in op.attributes:
        return None
    mode = ir.StringAttr(op.attributes[name]).value
    if mode not in COMBINATIONS:
        return f"expects {name} to be one of: {', '.join(COMBINATIONS)}, but got: {mode}"
    return _find_type_error(mode, element)


def _find_type_error(mode: str, element: Any) -> str | None:
    types = ATOMIC_TYPES[mode]
    if str(element) in types:
        return None
    return f"mode {mode} is for {' or '.join(types)}, but the array holds {element}"


def find_order_error(
    order: str, scope: str | None, orders: Sequence[str], scopes: Sequence[str]
) -> str | None:
    """Return what is wrong with a memory order and its scope, or None.

    Args:
        order: The memory order.
        scope: Who sees the access; None where nothing is said.
        orders: Memory orders of this kind of access.
        scopes: Names of scopes in the dialect.
    """
    if order not in orders:
        return f"expects the memory order to be one of: {', '.join(orders)}, but got: {order}"
    if order == WEAK:
        return None if scope is None else "a weak access must not have a memory scope"
    if scope is None:
        return f"a memory scope is required for a {order} access"
    if scope not in scopes:
        return f"expects the memory scope to be one of: {', '.join(scopes)}, but got: {scope}"
    return None
