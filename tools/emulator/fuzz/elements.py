"""Accesses to single elements on the memory of a call: gather, scatter, atomic operations."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tools.emulator.fuzz import arithmetic
from tools.emulator.fuzz.memory import Memory, View
from tools.emulator.fuzz.program import Access, Elements, Scatter
from tools.emulator.fuzz.values import FLOATS, NUMPY, Numbers, Value, cast, errors, is_float, tidy

_TINY = 2.0**-125
"""Sums of f32 below may be flushed (PTX ISA, atom: `atom.add.f32` on global memory)."""


def _places(
    view: View, access: Elements, values: list[Value], shape: tuple[int, ...]
) -> tuple[Numbers, tuple[Numbers, ...], Numbers]:
    """Return which elements are accessed, where they are, and where that is not known."""
    used = values[: access.rank + access.masked]
    indices = [np.broadcast_to(item.data, shape) for item in used[: access.rank]]
    chosen = np.ones(shape, bool)
    if access.masked:
        chosen &= used[-1].data.astype(bool)
    for index, extent in zip(indices, view.shape, strict=True):
        chosen &= (index >= 0) & (index < extent)
    unsure = errors(*used)
    wild = np.zeros(shape, bool) if unsure is None else np.broadcast_to(unsure > 0, shape)
    places = tuple(np.where(chosen, index, 0).astype(np.int64) for index in indices)
    return chosen, places, wild


def gather(memory: Memory, access: Elements, values: list[Value], shape: tuple[int, ...]) -> Value:
    """Return the elements at indices; the padding elsewhere."""
    view = memory.view(Access(access.array))
    chosen, places, wild = _places(view, access, values, shape)
    padding = Value(np.asarray(0).astype(NUMPY[view.dtype]), view.dtype)
    if access.padded:
        padding = cast(values[-1], view.dtype)
    filler = np.broadcast_to(padding.data, shape)
    data = np.array(filler)
    data[chosen] = view.of(view.block.data)[tuple(at[chosen] for at in places)]
    error = np.array(np.broadcast_to(0.0 if padding.error is None else padding.error, shape))
    error[chosen] = 0.0
    if view.block.error is not None:
        error[chosen] = view.of(view.block.error)[tuple(at[chosen] for at in places)]
    return Value(data, view.dtype, tidy(np.where(wild, np.inf, error)))


def change(memory: Memory, item: Scatter, values: list[Value]) -> Value:
    """Store to single elements, or change them; return what they were, 0 where there are none."""
    view = memory.view(Access(item.elements.array))
    chosen, places, wild = _places(view, item.elements, values, item.shape)
    first = item.elements.rank + item.elements.masked
    given = [_spread(cast(value, view.dtype), item.shape) for value in values[first:]]
    old = gather(memory, item.elements, values[:first], item.shape)
    if wild.any():  # any element may have been changed
        view.of(_error_of(view))[...] = np.inf
        return Value(old.data, old.dtype, np.full(item.shape, np.inf))
    rounds = _CHANGES[item.atomic]
    flat = [at[chosen] for at in places]
    if item.target or not item.atomic:
        _at_once(view, rounds, tuple(flat), old, given, chosen)
        return old
    for count, place in enumerate(zip(*flat, strict=True)):  # elements may be equal
        where = tuple(at[count] for at in np.nonzero(chosen))
        here = tuple(np.asarray([at]) for at in place)
        before = _element(view, here)
        after = rounds(before, *(_rule(value, where) for value in given))
        _put(view, here, after)
    return old


def _at_once(
    view: View, rounds: Any, flat: tuple[Numbers, ...], old: Value, given: list[Value],
    chosen: Numbers,
) -> None:  # fmt: skip
    """Change elements that are all different."""
    after = rounds(_rule(old, chosen), *(_rule(value, chosen) for value in given))
    _put(view, flat, after)


def _spread(value: Value, shape: tuple[int, ...]) -> Value:
    error = None if value.error is None else np.broadcast_to(value.error, shape)
    return Value(np.broadcast_to(value.data, shape), value.dtype, error)


def _rule(value: Value, chosen: Any) -> Value:
    """Return the chosen elements as a line."""
    data = np.atleast_1d(value.data[chosen])
    error = None if value.error is None else np.atleast_1d(value.error[chosen])
    return Value(data, value.dtype, error)


def _element(view: View, place: tuple[Numbers, ...]) -> Value:
    error = None if view.block.error is None else view.of(view.block.error)[place]
    return Value(view.of(view.block.data)[place], view.dtype, error)


def _error_of(view: View) -> Numbers:
    if view.block.error is None:
        view.block.error = np.zeros(view.block.data.size)
    return view.block.error


def _put(view: View, place: tuple[Numbers, ...], value: Value) -> None:
    view.of(view.block.data)[place] = value.data
    if value.error is not None:
        view.of(_error_of(view))[place] = value.error
    elif view.block.error is not None:
        view.of(view.block.error)[place] = 0.0


def _added(old: Value, value: Value) -> Value:
    exact = Value(value.data, value.dtype, value.error)
    found = arithmetic.binary("+", old, exact, old.dtype)
    if old.dtype != "f32":
        return found
    small = np.abs(found.data.astype(np.float64)) < _TINY
    loose = 0.0 if found.error is None else found.error
    return Value(found.data, found.dtype, tidy(np.where(small, loose + _TINY, loose)))


def _by(op: str) -> Callable[[Value, Value], Value]:
    return lambda old, value: arithmetic.binary(op, old, value, old.dtype)


def _exchanged(old: Value, value: Value) -> Value:
    return value


def _compared(old: Value, expected: Value, value: Value) -> Value:
    """Return the result of `atomic_cas`; floats are compared bit by bit."""
    width = f"u{old.data.itemsize}"
    same = np.ascontiguousarray(old.data).view(width) == np.ascontiguousarray(expected.data).view(
        width
    )
    error = np.zeros(old.data.shape)
    for item in (old, expected, value):
        if item.error is not None:
            error = np.where(np.asarray(item.error) > 0, np.inf, error)
        if is_float(old.dtype) and item is not value:
            error = np.where(np.isnan(item.data.astype(np.float64)), np.inf, error)
    return Value(np.where(same, value.data, old.data), old.dtype, tidy(error))


_CHANGES: dict[str, Callable[..., Value]] = {
    "": _exchanged,
    "atomic_add": _added,
    "atomic_max": _by("maximum"),
    "atomic_min": _by("minimum"),
    "atomic_and": _by("&"),
    "atomic_or": _by("|"),
    "atomic_xor": _by("^"),
    "atomic_xchg": _exchanged,
    "atomic_cas": _compared,
}
WORDS = ("i32", "u32", "i64", "u64")


def combined(old: Value, atomic: str, value: Value) -> Value:
    """Return what an atomic operation makes of elements; `atomic` is empty for a store."""
    return _CHANGES[atomic](old, value)


ATOMICS = {
    "atomic_add": (*WORDS, *FLOATS),
    **dict.fromkeys(("atomic_max", "atomic_min"), WORDS),
    **dict.fromkeys(("atomic_and", "atomic_or", "atomic_xor"), WORDS),
    **dict.fromkeys(("atomic_xchg", "atomic_cas"), (*WORDS, "f32", "f64")),
}
"""Element types of each atomic operation that is drawn. Extremes take f32 and f64, too."""
