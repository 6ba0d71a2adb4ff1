"""Dims of extent 1 of a tile: they come and go without moving an element."""

from collections.abc import Sequence


def without_units(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the extents of `shape` that are not 1, in order."""
    return tuple(extent for extent in shape if extent != 1)


def differ_in_units(source: Sequence[int], result: Sequence[int]) -> bool:
    """Tell whether `source` and `result` are alike but for dims of extent 1."""
    return without_units(source) == without_units(result)


def axis_in(source: Sequence[int], axis: int, result: Sequence[int]) -> int | None:
    """Return the axis of `result` that is axis `axis` of `source`.

    None where the axis has extent 1, or where the two differ in more than dims of extent 1.
    """
    if source[axis] == 1 or not differ_in_units(source, result):
        return None
    number = sum(extent != 1 for extent in source[:axis])
    return [index for index, extent in enumerate(result) if extent != 1][number]


def extents_among_units(extents: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return `extents` for the dims of `shape` that have more than one element, 1 for others."""
    rest = iter(extents)
    return tuple(1 if extent == 1 else next(rest) for extent in shape)
