"""Accesses to single elements: gather, scatter, atomics.

Blocks run one after another and the elements of a tile in row-major order, which is one of the
orders that atomic operations may come in.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tilec.interpreter.registry import value_op
from tilec.interpreter.view_ops import TensorView
from tilec.ir.errors import source_span
from tilec.support.diagnostics import OutOfRangeError, error
from tilec.support.numpy_types import unsigned

Function = Callable[..., Any]
_Change = Callable[..., Any]


class _Access:
    """Where an access gets its operands from, and which elements they name."""

    def __init__(self, op: Any) -> None:
        """Read the attributes of `op`."""
        self._sizes = tuple(op.attributes["operandSegmentSizes"])
        self._unchecked = "unchecked" in op.attributes
        self._span = source_span(op.location)

    def split(self, operands: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the operands, one tuple for each field."""
        found, start = [], 0
        for size in self._sizes:
            found.append(operands[start : start + size])
            start += size
        return found

    def places(
        self, view: TensorView, indices: tuple[Any, ...], mask: tuple[Any, ...]
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Return which elements are accessed, and where; the others are at the first element.

        Raises:
            OutOfRangeError: An index is out of range, and the access says that none is.
        """
        arrays = [np.asarray(index) for index in indices]
        chosen = np.asarray(mask[0]) if mask else np.ones(arrays[0].shape, bool)
        for axis, (index, extent) in enumerate(zip(arrays, view.data.shape, strict=True)):
            inside = (index >= 0) & (index < extent)
            if self._unchecked and not np.all(inside | ~chosen):
                wrong = int(index[chosen & ~inside].flat[0])
                message = f"index {wrong} along axis {axis} is outside of the {extent} elements"
                hint = "leave out 'check_bounds=False', or mask the element off"
                raise OutOfRangeError(error("T0577", message, self._span, hint=hint))
            chosen = chosen & inside
        return chosen, tuple(np.where(chosen, index, 0) for index in arrays)


def _result(tile: np.ndarray) -> Any:
    """Return a tile, or the scalar that an array without axes is."""
    return tile if tile.ndim else tile[()]


@value_op("cuda_tile.load_elements_tko")
def _load_elements(op: Any) -> Function:
    access = _Access(op)

    def evaluate(*operands: Any) -> tuple[Any, None]:
        (view,), indices, mask, padding, _ = access.split(operands)
        chosen, places = access.places(view, indices, mask)
        empty = not view.data.size  # has no element to take instead of those that are not accessed
        found = np.zeros(chosen.shape, view.data.dtype) if empty else view.data[places]
        found = found != 0 if view.is_bool else found
        if padding:
            found = np.where(chosen, found, np.asarray(padding[0]))
        return _result(np.asarray(found)), None

    return evaluate


@value_op("cuda_tile.store_elements_tko")
def _store_elements(op: Any) -> Function:
    access = _Access(op)

    def evaluate(*operands: Any) -> None:
        (view,), (value,), indices, mask, _ = access.split(operands)
        chosen, places = access.places(view, indices, mask)
        inside = tuple(np.asarray(place)[chosen] for place in places)
        view.data[inside] = np.asarray(value)[chosen]

    return evaluate


@value_op("cuda_tile.atomic_elements_tko")
def _atomic_elements(op: Any) -> Function:
    access, change = _Access(op), CHANGES[op.attributes["mode"].value]

    def evaluate(*operands: Any) -> tuple[Any, None]:
        (view,), indices, values, mask, _ = access.split(operands)
        chosen, places = access.places(view, indices, mask)
        old = np.zeros(chosen.shape, view.data.dtype)
        given = [np.asarray(value) for value in values]
        for at in np.argwhere(chosen):
            where = tuple(at)
            place = tuple(axis[where] for axis in places)
            old[where] = view.data[place]
            view.data[place] = change(old[where], *(value[where] for value in given))
        return _result(old), None

    return evaluate


def _same_bits(found: Any, expected: Any) -> bool:
    """Tell whether two elements are equal bit by bit, as the hardware compares them."""
    return found.tobytes() == expected.tobytes()


def _extreme(choose: Any) -> Function:
    """Return what chooses between numbers without a sign, which are held as signed ones."""
    return lambda old, value: choose(unsigned(old), unsigned(value)).astype(old.dtype)


def _extreme_float(larger: bool) -> Function:
    """Return what chooses between floats by their bits, as the GPU does: -0 is below 0.

    A NaN of the kernel wins: it becomes the largest number of all for a maximum, and the least one
    for a minimum. A NaN of the array stays if it has that sign.
    """

    def change(old: Any, value: Any) -> Any:
        signed = np.dtype(f"i{old.dtype.itemsize}")
        if np.isnan(value):
            most = np.iinfo(signed).max if larger else -1
            value = np.array(most, signed).view(old.dtype)[()]
        ours, theirs = (int(np.asarray(item).view(signed)) for item in (value, old))
        if ours >= 0:
            wins = ours > theirs if larger else ours < theirs
        else:  # the bits of negative floats grow as they fall, and are larger without a sign
            ours, theirs = (item % (1 << 8 * signed.itemsize) for item in (ours, theirs))
            wins = ours < theirs if larger else ours > theirs
        return value if wins else old

    return change


CHANGES: Mapping[str, _Change] = {
    "add": lambda old, value: old + value,
    "addf": lambda old, value: old + value,
    "max": np.maximum,
    "min": np.minimum,
    "umax": _extreme(np.maximum),
    "umin": _extreme(np.minimum),
    "maxf": _extreme_float(True),
    "minf": _extreme_float(False),
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "xchg": lambda old, value: value,
    "cas": lambda old, expected, value: value if _same_bits(old, expected) else old,
}
"""What becomes of an element, by mode; signless integers are held as signed ones. All but `maxf`,
`minf` and the last two take tiles, too."""
