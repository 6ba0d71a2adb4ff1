"""Views of a tile that move no element: dims of extent 1, and neighbouring dims that are joined."""

from collections.abc import Iterator, Sequence
from math import prod


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


def box_of_view(
    shape: Sequence[int], box: Sequence[int], result: Sequence[int]
) -> tuple[int, ...] | None:
    """Return the box of a view whose elements lie where those of the tile do; None without one.

    Args:
        shape: Extents of the tile.
        box: Extents of its boxes.
        result: Extents of the view. It may have other dims of extent 1, and neighbouring dims of
            either may be one of the other.
    """
    if prod(shape) != prod(result):
        return None
    boxes = [inner for outer, inner in zip(shape, box, strict=True) if outer != 1]
    found: list[int] = []
    for first, outer, inner in _groups(without_units(shape), without_units(result)):
        cut = boxes[first : first + len(outer)]
        part = _joined(outer, cut) if len(inner) == 1 else _split(cut, inner)
        if part is None:
            return None
        found += part
    return extents_among_units(found, result)


def _groups(
    shape: tuple[int, ...], result: tuple[int, ...]
) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield the least runs of dims with equally many elements: the first dim, and the extents."""
    left, right = list(shape), list(result)
    while left and right:
        outer, inner = [left.pop(0)], [right.pop(0)]
        while prod(outer) != prod(inner):
            grows, source = (outer, left) if prod(outer) < prod(inner) else (inner, right)
            if not source:
                return
            grows.append(source.pop(0))
        yield len(shape) - len(left) - len(outer), outer, inner


def _joined(extents: list[int], box: list[int]) -> list[int] | None:
    """Return the box of dims that become one: they are whole after the first that is not 1."""
    first = next((number for number, inner in enumerate(box) if inner != 1), len(box) - 1)
    return [prod(box)] if box[first + 1 :] == extents[first + 1 :] else None


def _split(box: list[int], extents: list[int]) -> list[int] | None:
    """Return the boxes of the dims that one becomes: the last ones are whole."""
    if len(box) != 1:
        return None
    left, found = box[0], []
    for extent in reversed(extents):
        part = min(left, extent)
        if left % part or extent % part:
            return None
        found.append(part)
        left //= part
    return found[::-1]
