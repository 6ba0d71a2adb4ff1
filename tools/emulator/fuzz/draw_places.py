"""Draws which tile of an array is accessed.

Blocks must not meet in an array that is written: each has a part of its own, which its loads and
stores do not leave. What is only read is read anywhere, before its start and after its end, too.
"""

from math import prod

from tools.emulator.fuzz.draw_scalars import FAR, integer, small
from tools.emulator.fuzz.program import COORDINATES, I32, Access, Array, Expression, name, number
from tools.emulator.fuzz.scope import Scope

MOST_ELEMENTS = 1024


def fits(array: Array, shape: tuple[int, ...]) -> bool:
    """Tell whether a tile can be stored without leaving the part of a block."""
    if len(shape) != len(array.dims):
        return False
    pairs = zip(shape, array.owned or (None,) * len(shape), strict=True)
    return all(own is None or own[1] % extent == 0 for extent, own in pairs)


def inline(scope: Scope, dtype: str, shape: tuple[int, ...]) -> Expression | None:
    """Return a load of a tile from some array that has such tiles, or None."""
    found = [array for array in scope.arrays if array.dtype == dtype and fits(array, shape)]
    if not found:
        return None
    array = scope.random.choice(found)
    index = tuple(place(scope, array, axis, extent) for axis, extent in enumerate(shape))
    access = Access(array.name, None, not scope.chance(0.25))
    return Expression("load", index, dtype, shape, access)


def tile_shape(scope: Scope, array: Array) -> tuple[int, ...]:
    """Return the shape of a tile: a part of what a block owns, or of anything."""
    shape = []
    usual = scope.chance(0.7)
    for axis, own in enumerate(array.owned or (None,) * len(array.dims)):
        if own is not None:
            shape.append(own[1] // (1 if usual else scope.random.choice((1, 2, 4))))
        elif len(array.dims) > 2 and axis == 0:
            shape.append(scope.random.choice((1, 1, 2, 4)))
        elif usual:
            shape.append(scope.width)
        else:
            shape.append(scope.random.choice((8, 16, 32) if len(array.dims) > 1 else (16, 32, 128)))
    while prod(shape) > MOST_ELEMENTS:
        widest = shape.index(max(shape))
        shape[widest] //= 2
    return tuple(shape)


def place(scope: Scope, array: Array, axis: int, extent: int) -> Expression:
    """Return the tile index along an axis."""
    own = array.owned[axis] if array.owned else None
    if own is None:
        return anywhere(scope)
    coordinate, unit, shift = own
    parts = unit // extent
    at = name(COORDINATES[coordinate], I32)
    if shift:
        at = Expression("binary", (at, number(shift, I32)), I32, (), "+")
    if parts == 1:
        return at
    base = Expression("binary", (at, number(parts, I32)), I32, (), "*")
    return Expression("binary", (base, small(scope, parts)), I32, (), "+")


def anywhere(scope: Scope) -> Expression:
    """Return a tile index: mostly one near the array, sometimes any."""
    near = [item for item in scope.scalars() if item.counts]
    choice = scope.random.random()
    if choice < 0.5 and near:
        use = scope.random.choice(near).use
        if scope.chance(0.25):
            by = number(scope.random.choice((1, -1, 2)), I32)
            return Expression("binary", (use, by), I32, (), "+")
        return use
    if choice < 0.8:
        return number(scope.random.randrange(2), I32)
    if choice < 0.85:
        return _far(scope)
    drawn = integer(scope)
    if drawn.op == "number":
        return number(min(abs(drawn.value), 2**31 - 1), I32)
    return drawn


def _far(scope: Scope) -> Expression:
    """Return a tile index whose elements no 32 bits can count."""
    near = scope.random.choice([item for item in scope.scalars() if item.counts] or scope.scalars())
    by = number(scope.random.choice(FAR), I32)
    op = scope.random.choice(("+", "*", "-"))
    return Expression("binary", (near.use, by), I32, (), op)
