"""The tiles that the planner would take next: candidates for a search by measurement.

Pure Python.
"""

from collections.abc import Sequence

from tilec.plan.tiles import Ranked, TileChoice, make_choice, values_of

SAME_EXTENTS = 2
"""How many of them have the same extents; cluster, split or ping-pong differ."""


def runners_up(choice: TileChoice, most: int) -> list[TileChoice]:
    """Return the next best choices of the `auto` constants of a kernel, best first.

    Args:
        choice: The choice.
        most: How many to return. There are fewer where other tiles do not fit, and none where the
            extents of one mma are not all there is to choose.
    """
    extents = choice.extents
    return [
        make_choice(values_of(item, extents), (), [[item]])
        for item in _spread_out(choice.ranked[1:], most)
    ]


def _spread_out(ranked: Sequence[Ranked], most: int) -> list[Ranked]:
    """Return the first tiles, of which few have the same extents."""
    found: list[Ranked] = []
    seen: dict[tuple[int, int, int], int] = {}
    for item in ranked:
        if len(found) == most:
            break
        extents = item.tile.m, item.tile.n, item.tile.k
        seen[extents] = seen.get(extents, 0) + 1
        if seen[extents] <= SAME_EXTENTS:
            found.append(item)
    return found
