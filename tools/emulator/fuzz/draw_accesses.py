"""Draws loads and stores: which way an array is accessed, and what is stored."""

from dataclasses import replace
from math import prod

from tools.emulator.fuzz.draw_places import MOST_ELEMENTS, fits, place, tile_shape
from tools.emulator.fuzz.draw_tiles import tile
from tools.emulator.fuzz.elements import ATOMICS
from tools.emulator.fuzz.program import Access, Array, Assign, Expression, Statement, Store
from tools.emulator.fuzz.scope import Place, Scope, Variable
from tools.emulator.fuzz.values import INTEGERS, RESTRICTED

COMBINING = tuple(name for name in ATOMICS if name not in ("atomic_xchg", "atomic_cas"))
_PADS = (0.5, -1.0, float("inf"), float("-inf"), float("nan"), 0.0)


def load(scope: Scope, array: Array) -> list[Statement]:
    """Return a load into a new variable, or one that is assigned."""
    access, index, shape = _access(scope, array)
    if scope.chance(0.2):
        access = Access(access.array, _pad(scope, array.dtype), access.allow_tma, access.dim_map)
    value = Expression("load", index, array.dtype, shape, access)
    known = [item for item in scope.tiles(array.dtype, shape) if not item.fixed]
    if known and scope.chance(0.25):
        return [Assign(scope.random.choice(known).name, value)]
    fresh = scope.fresh("v")
    scope.declare(Variable(fresh, array.dtype, shape))
    return [Assign(fresh, value)]


def store(scope: Scope, array: Array) -> list[Statement]:
    """Return a store of something that was computed."""
    access, index, shape = _access(scope, array)
    known = [item for item in scope.tiles(array.dtype) if prod(item.shape) <= MOST_ELEMENTS]
    fitting = [item for item in known if fits(array, item.shape)]
    if fitting and scope.chance(0.4):
        chosen = scope.random.choice(fitting[-3:])
        tiles, shape = chosen.use, chosen.shape
        index = tuple(place(scope, array, axis, extent) for axis, extent in enumerate(shape))
        access = Access(array.name, None, access.allow_tma)
        if scope.chance(0.5):
            tiles = tile(scope, array.dtype, shape, 2)
    else:
        tiles = tile(scope, array.dtype, shape, 3)
    return [Store(access, index, tiles, _atomic(scope, array.dtype))]


def _atomic(scope: Scope, dtype: str) -> str:
    """Return how a stored tile is combined with the array; mostly it is not."""
    known = [name for name in COMBINING if dtype in ATOMICS[name]]
    return scope.random.choice(known) if known and scope.chance(0.3) else ""


def _access(scope: Scope, array: Array) -> tuple[Access, tuple[Expression, ...], tuple[int, ...]]:
    """Return the access, the index and the shape of a tile of an array."""
    known = [item for item in scope.places if item.access.array == array.name]
    allow = not scope.chance(0.25)
    if known and scope.chance(0.4):
        again = scope.random.choice(known)
        return replace(again.access, allow_tma=allow, pad=None), again.index, again.shape
    access, index, shape = _new_access(scope, array, allow=allow)
    scope.places.append(Place(access, index, shape))
    return access, index, shape


def _new_access(
    scope: Scope, array: Array, *, allow: bool
) -> tuple[Access, tuple[Expression, ...], tuple[int, ...]]:
    """Return an access to a tile that need not have been accessed before."""
    shape = tile_shape(scope, array)
    index = tuple(place(scope, array, axis, extent) for axis, extent in enumerate(shape))
    rank = len(shape)
    if rank > 1 and scope.chance(0.15):
        order = tuple(scope.random.sample(range(rank), rank))
        moved = tuple(index[axis] for axis in order), tuple(shape[axis] for axis in order)
        return Access(array.name, None, allow, order), *moved
    return Access(array.name, None, allow), index, shape


def _pad(scope: Scope, dtype: str) -> float:
    if dtype == "bool":
        return True
    if dtype in INTEGERS:
        return scope.random.choice((1, 7))
    if dtype in RESTRICTED:
        return scope.random.choice((0.5, -1.0))
    return scope.random.choice(_PADS)
