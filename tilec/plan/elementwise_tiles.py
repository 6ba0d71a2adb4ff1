"""Tile extents for `auto` constants of tiles that no product takes. Pure Python."""

from collections.abc import Mapping
from math import prod

from tilec.support.numbers import round_up_power_of_two

TILE_BYTES = 16 * 1024
"""Bytes of an elementwise tile: 4 to 8 accesses of 16 bytes for each of 128 to 256 threads."""
MIN_TILE_ELEMENTS, MAX_TILE_ELEMENTS = 2048, 8192
INNER_BYTES = 256
"""Bytes along the contiguous axis of an elementwise tile of rank 2 or more: two 128-byte lines."""


def choose_elementwise(
    element_bytes: int, extents: tuple[int | str, ...], sizes: Mapping[str, int | None]
) -> dict[str, int]:
    """Split the element budget over the `auto` extents of one tile.

    The contiguous axis gets `INNER_BYTES`; the rest is doubled evenly, inner axes first; what the
    other axes cannot take goes back to the contiguous one.

    Args:
        element_bytes: Size of the widest element of the arrays.
        extents: Extents of the tile, outermost first: numbers, and names of `auto` constants.
        sizes: Extents of the named dims that these constants divide, where known.
    """
    budget = min(max(TILE_BYTES // element_bytes, MIN_TILE_ELEMENTS), MAX_TILE_ELEMENTS)
    names = list(dict.fromkeys(item for item in reversed(extents) if isinstance(item, str)))
    values = dict.fromkeys(names, 1)

    def double(name: str) -> bool:
        grown = values | {name: values[name] * 2}
        size = sizes[name]
        if size is not None and grown[name] > round_up_power_of_two(size):
            return False
        if prod(grown[e] if isinstance(e, str) else e for e in extents) > budget:
            return False
        values[name] *= 2
        return True

    inner = extents[-1]
    if isinstance(inner, str):
        want = INNER_BYTES // element_bytes
        while values[inner] < want and double(inner):
            pass
    outer = [name for name in names if name != inner]
    while any(double(name) for name in sorted(outer, key=values.__getitem__)):
        pass
    while isinstance(inner, str) and double(inner):
        pass
    return values
