"""Draws accesses to single elements.

What is gathered from an array that is written lies in the part of the block; what is scattered
there, too, and no two elements of a tile are the same one. Only atomic operations change elements
that other blocks change, too: those of a *counted* array, all by the same operation, whose order
does not matter.
"""

from random import Random

from tools.emulator.fuzz.draw_tiles import Shape, literal, register, tile
from tools.emulator.fuzz.elements import ATOMICS, WORDS
from tools.emulator.fuzz.program import (
    COORDINATES,
    I32,
    Array,
    Elements,
    Expression,
    Scatter,
    Statement,
    name,
    number,
)
from tools.emulator.fuzz.scope import ALL, ARITHMETIC, Scope, Variable
from tools.emulator.fuzz.values import INTEGERS, is_float

_COMMUTING = ("add", "max", "min", "and", "or", "xor")
_WIDTHS = (8, 16, 32)


def counted(random: Random) -> Array:
    """Return an array that all blocks change by one atomic operation."""
    atomic = f"atomic_{random.choice(_COMMUTING)}"
    kinds = (*WORDS, "f32", "f64") if atomic == "atomic_add" else WORDS
    dims = random.choice(((16,), (32,), (3,), (8, 4), (2, 20)))
    return Array("H", random.choice(kinds), dims, data="small", counted=atomic)


def _binary(op: str, left: Expression, right: Expression) -> Expression:
    shape = left.shape or right.shape
    return Expression("binary", (left, right), I32, shape, op)


def _line(shape: Shape, axis: int) -> Expression:
    """Return 0, 1, 2, ... along one axis of a shape, with extents of 1 elsewhere."""
    line = Expression("arange", (), I32, (shape[axis],))
    if len(shape) == 1:
        return line
    longer = tuple(extent if place == axis else 1 for place, extent in enumerate(shape))
    return Expression("reshape", (line,), I32, longer)


def _read_index(scope: Scope, array: Array, axis: int, shape: Shape) -> Expression:
    """Return any index; of an array that is written, one in the part of the block."""
    own = array.owned[axis] if array.owned else None
    choice = scope.random.random()
    counts = [item.use for item in scope.scalars() if item.counts]
    if choice < 0.45:
        index = _line(shape, scope.random.randrange(len(shape)))
        if counts and own is None and scope.chance(0.5):
            index = _binary(scope.random.choice("+*-"), index, scope.random.choice(counts))
    elif choice < 0.85 or not counts:
        kind = I32 if own is not None else scope.random.choice((I32, I32, *INTEGERS))
        index = tile(scope, kind, shape, 1)
    else:
        index = scope.random.choice(counts)
    if own is None:
        return index
    return _own(index, own)


def _own(index: Expression, own: tuple[int, int, int]) -> Expression:
    """Return an index in the part of a block."""
    coordinate, unit, shift = own
    at = name(COORDINATES[coordinate], I32)
    if shift:
        at = _binary("+", at, number(shift, I32))
    inside = _binary("%", index, number(unit, I32))
    return _binary("+", inside, _binary("*", at, number(unit, I32)))


def _gather(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a gather from any array of a type, with any indices."""
    found = [array for array in scope.arrays if array.dtype == dtype]
    if not found:
        return tile(scope, dtype, shape, depth - 1)
    array = scope.random.choice(found)
    args = [_read_index(scope, array, axis, shape) for axis in range(len(array.dims))]
    masked, padded = scope.chance(0.4), dtype in ARITHMETIC and scope.chance(0.4)
    args += [tile(scope, "bool", shape, 1)] if masked else []
    args += [literal(scope, dtype)] if padded else []
    known = args[: len(array.dims) + masked]
    result = tuple(
        max((item.shape[axis] for item in known if item.shape), default=0)
        for axis in range(len(shape))
    )
    if 0 in result:
        return tile(scope, dtype, shape, depth - 1)
    order = scope.random.choice(("relaxed", "acquire")) if scope.chance(0.1) else ""
    access = Elements(array.name, len(array.dims), masked, padded, order)
    value = Expression("gather", tuple(args), dtype, result, access)
    return value if result == shape else Expression("broadcast", (value,), dtype, shape)


def _order(scope: Scope, line: Expression, extent: int) -> Expression:
    """Return a line from 0 to `extent` - 1 in another order."""
    choice = scope.random.random()
    if choice < 0.4:
        return line
    last = number(extent - 1, I32)
    if choice < 0.7 or extent & (extent - 1):
        return Expression("binary", (last, line), I32, line.shape, "-")
    if choice < 0.85:
        return _binary("^", line, number(scope.random.randrange(extent), I32))
    return _binary("&", _binary("*", line, number(scope.random.choice((3, 5, 7)), I32)), last)


def _different(scope: Scope, array: Array) -> tuple[tuple[Expression, ...], Shape]:
    """Return indices of elements that are all different, in the part of the block."""
    places = list(range(len(array.dims)))
    scope.random.shuffle(places)
    extents = [own[1] if own is not None else scope.random.choice(_WIDTHS) for own in array.owned]
    while len(places) > 1 and _count(extents, places) > 1024:
        places.pop()
    shape = tuple(extents[axis] for axis in places)
    indices: list[Expression] = []
    for axis, own in enumerate(array.owned):
        if axis not in places:
            inside: Expression = number(scope.random.randrange(extents[axis]), I32)
        else:
            inside = _order(scope, _line(shape, places.index(axis)), extents[axis])
        if own is not None:
            coordinate, unit, shift = own
            at = name(COORDINATES[coordinate], I32)
            at = _binary("+", at, number(shift, I32)) if shift else at
            inside = _binary("+", inside, _binary("*", at, number(unit, I32)))
        elif inside.shape and scope.chance(0.3):
            step = number(scope.random.choice((1, 2, 3)), I32)
            inside = _binary("+", _binary("*", inside, step), number(scope.random.choice((-2, 1)),
                                                                     I32))  # fmt: skip
        indices.append(inside)
    return tuple(indices), shape


def _count(extents: list[int], places: list[int]) -> int:
    count = 1
    for axis in places:
        count *= extents[axis]
    return count


def _value(scope: Scope, dtype: str, shape: Shape) -> Expression:
    return literal(scope, dtype) if scope.chance(0.2) else tile(scope, dtype, shape, 2)


def scatter(scope: Scope, array: Array) -> list[Statement]:
    """Return a scatter, or an atomic operation that returns what the elements were."""
    indices, shape = _different(scope, array)
    masked = scope.chance(0.4)
    mask = (tile(scope, "bool", shape, 1),) if masked else ()
    atomics = [call for call, dtypes in ATOMICS.items() if array.dtype in dtypes]
    access = Elements(array.name, len(array.dims), masked)
    if not atomics or scope.chance(0.5):
        args = (*indices, *mask, _value(scope, array.dtype, shape))
        return [Scatter(access, args, "", "", array.dtype, shape)]
    atomic = scope.random.choice(atomics)
    values = [_value(scope, array.dtype, shape)]
    if atomic == "atomic_cas":
        zero = number(0.0 if is_float(array.dtype) else 0, array.dtype)
        values.insert(0, scope.random.choice((zero, literal(scope, array.dtype))))
    target = scope.fresh("v")
    scope.declare(Variable(target, array.dtype, shape))
    return [Scatter(access, (*indices, *mask, *values), atomic, target, array.dtype, shape)]


def count(scope: Scope, array: Array) -> list[Statement]:
    """Return an atomic operation on any elements of a counted array."""
    shape = scope.random.choice(((16,), (64,), (8, 8), (256,), (1, 32)))
    args = [_read_index(scope, array, axis, shape) for axis in range(len(array.dims))]
    masked = scope.chance(0.4)
    if masked:
        args.append(tile(scope, "bool", shape, 1))
    whole = any(item.shape == shape for item in args)
    if not whole or not any(item.shape for item in args[: len(array.dims)]):  # one element
        args[0] = tile(scope, I32, shape, 1)
    value = number(scope.random.choice((1.0, 2.0, -1.0)), array.dtype)
    if not is_float(array.dtype):
        value = _value(scope, array.dtype, shape)
    order = scope.random.choice(("relaxed", "relaxed", "acq_rel", ""))
    access = Elements(array.name, len(array.dims), masked, order=order)
    return [Scatter(access, (*args, value), array.counted, "", array.dtype, shape)]


register(_gather, frozenset(ALL), 2)
