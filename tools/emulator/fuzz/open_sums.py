"""Sums of floats whose order is open: what several `atomic_store_add` of a block add to an element.

docs/language.md, Single elements: two `atomic_store_add` of a block to one array have no order. The
first two terms of a sum give the same in any order, and so does a term that is added to what was
loaded or stored in between; the bound leaves the latter out, so it is too large there.
"""

from dataclasses import replace

import numpy as np

from tools.emulator.fuzz import elements
from tools.emulator.fuzz.memory import Block, View
from tools.emulator.fuzz.values import Numbers, Value, is_float, largest, tidy, unit

_ADD = "atomic_add"


def combine(view: View, index: tuple[int, ...], atomic: str, tile: Value) -> Value:
    """Return what a tile makes of the elements at a tile index, with a bound for open orders.

    Args:
        view: The array.
        index: Tile index.
        atomic: As in `program.Store`.
        tile: The tile.
    """
    old = view.load(index, tile.data.shape, None)
    found = elements.combined(old, atomic, tile)
    if not is_float(view.dtype) or (atomic != _ADD and view.block.sums is None):
        return found
    sizes, counts = _sums_of(view)
    zeros = np.zeros(tile.data.shape)
    if atomic != _ADD:
        _store(counts, index, zeros)
        return found
    count = counts.load(index, zeros.shape, None).data
    before = np.where(count > 0, sizes.load(index, zeros.shape, None).data, _size(old))
    size, count = before + _size(tile), count + 1
    _store(sizes, index, size)
    _store(counts, index, count)
    return _spread(found, size, count)


def _spread(found: Value, size: Numbers, count: Numbers) -> Value:
    """Return a sum of `count` terms and one more, of this size together, in any order.

    Each order errs by half a unit of at most `size` for each addition.
    """
    top = largest(found.dtype)
    steps = unit(np.minimum(np.nan_to_num(size, nan=top, posinf=top), top), found.dtype)
    error = np.where(size < top, count * steps, np.inf)  # an infinity on the way, or NaN
    error = np.where(count > 1, error, 0.0) + (0.0 if found.error is None else found.error)
    return Value(found.data, found.dtype, tidy(error))


def _size(value: Value) -> Numbers:
    error = 0.0 if value.error is None else value.error
    return np.abs(value.data.astype(np.float64)) + error


def _sums_of(view: View) -> tuple[View, View]:
    """Return, for the elements of an array, the sizes of open sums and how often was added."""
    if view.block.sums is None:
        size = view.block.data.size
        view.block.sums = Block(np.zeros(size)), Block(np.zeros(size))
    sizes, counts = (replace(view, block=block, dtype="f64") for block in view.block.sums)
    return sizes, counts


def _store(view: View, index: tuple[int, ...], numbers: Numbers) -> None:
    view.store(index, Value(numbers, "f64"))
