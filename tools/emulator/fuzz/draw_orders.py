"""Draws programs about the order of loads and stores: few tiles, all used again and again.

All tiles have one type and one shape. Each block owns a row of them in every array, so that an
access meets an earlier one with a good chance: the same tile, another one, or one that only the
run tells. What was loaded is kept and added up in the end.
"""

from dataclasses import replace
from random import Random

from tools.emulator.fuzz.draw_arrays import Frame, extent
from tools.emulator.fuzz.draw_elements import scatter
from tools.emulator.fuzz.draw_scalars import condition, count
from tools.emulator.fuzz.program import (
    I32,
    Access,
    Array,
    Assign,
    Expression,
    For,
    If,
    Layout,
    Statement,
    Store,
    While,
    name,
    number,
)
from tools.emulator.fuzz.scope import Scope, Variable

_DTYPES = ("f32", "f32", "bf16", "f16", "i32", "i8", "f64", "u16", "i64")
_TILES = (
    *((16, 16), (16, 32), (32, 32), (8, 16), (1, 32), (64, 16), (64, 128)),
    *((32,), (128,), (256,)),
    *((24, 16), (12, 20), (48,)),
)
_LAYOUTS = (*[Layout()] * 12, Layout(padding=1), Layout(shift=1), Layout(order=(1, 0)))


def arrays(random: Random) -> tuple[Frame, list[Array]]:
    """Return a grid of one axis or two, and two to four arrays that blocks share in rows."""
    shape, dtype = random.choice(_TILES), random.choice(_DTYPES)
    coordinates = random.choice((1, len(shape)))
    dims = ("M", "N")[: len(shape)]
    sizes = {"M": extent(random, shape[0], 3), "K": 1}
    sizes["N"] = extent(random, shape[-1], 3)
    extents = tuple(
        Expression("call", (name(dim, I32), number(unit, I32)), I32, (), ("cdiv",))
        for dim, unit in zip(dims[:coordinates], shape, strict=False)
    )
    owned = tuple(
        (axis, unit, 0) if axis < coordinates else None for axis, unit in enumerate(shape)
    )
    made = [
        Array(title, dtype, dims, _layout(random, len(shape)),
              random.choice(("small", "usual")), owned)
        for title in "ABCD"[: random.randint(1, 4)]
    ]  # fmt: skip
    if len(made) > 1 and random.random() < 0.25:
        made[-1] = replace(made[-1], layout=Layout(alias=made[0].name), data=made[0].data)
    return Frame(extents, shape, sizes), made


def _layout(random: Random, rank: int) -> Layout:
    chosen = random.choice(_LAYOUTS)
    return chosen if len(chosen.order) in (0, rank) else Layout()


def body(scope: Scope, grid: Frame) -> list[Statement]:
    """Return loads, stores, loops and branches, and a last store of all that was loaded."""
    shape, dtype = grid.units, scope.arrays[0].dtype
    found = _load(scope, shape, fresh=True) + _block(scope, shape, scope.random.randint(3, 7))
    tiles = scope.tiles(dtype, shape)
    total = tiles[0].use
    for item in tiles[1:]:
        total = Expression("binary", (total, item.use), dtype, shape, _sum(scope, dtype))
    return [*found, *_store(scope, shape, total)]


def _sum(scope: Scope, dtype: str) -> str:
    return scope.random.choice("^-+" if dtype[0] in "iu" else "+-")


def _block(scope: Scope, shape: tuple[int, ...], length: int) -> list[Statement]:
    found: list[Statement] = []
    for _ in range(length):
        choice = scope.random.random()
        if choice < 0.4:
            found += _load(scope, shape)
        elif choice < 0.75:
            found += _store(scope, shape, _value(scope, shape))
        elif choice < 0.8:
            found += scatter(scope, scope.random.choice(scope.arrays))
        elif choice < 0.87 or scope.depth > 1:
            known = [item for item in scope.tiles() if not item.fixed]
            found.append(Assign(scope.random.choice(known).name, _value(scope, shape)))
        else:
            found.append(_nested(scope, shape))
    return found


def _nested(scope: Scope, shape: tuple[int, ...]) -> Statement:
    inner = scope.inner()
    length = scope.random.randint(1, 3)
    choice = scope.random.random()
    if choice < 0.4:
        return If(
            condition(scope),
            tuple(_block(inner, shape, length)),
            tuple(_block(scope.inner(), shape, 1)) if scope.chance(0.4) else (),
        )
    counter = scope.fresh("k")
    inner.declare(Variable(counter, I32, (), fixed=True, counts=True))
    rounds = count(scope)
    if choice < 0.9:
        return For(counter, (rounds,), tuple(_block(inner, shape, length)))
    return While(counter, rounds, tuple(_block(inner, shape, length)))


def _load(scope: Scope, shape: tuple[int, ...], *, fresh: bool = False) -> list[Statement]:
    array = scope.random.choice(scope.arrays)
    access = Access(array.name, None, not scope.chance(0.15))
    value = Expression("load", _index(scope, array), array.dtype, shape, access)
    known = [item for item in scope.tiles() if not item.fixed]
    if known and not fresh and scope.chance(0.3):
        return [Assign(scope.random.choice(known).name, value)]
    title = scope.fresh("v")
    scope.declare(Variable(title, array.dtype, shape))
    return [Assign(title, value)]


def _store(scope: Scope, shape: tuple[int, ...], value: Expression) -> list[Statement]:
    array = scope.random.choice(scope.arrays)
    access = Access(array.name, None, not scope.chance(0.4))
    return [Store(access, _index(scope, array), value)]


def _index(scope: Scope, array: Array) -> tuple[Expression, ...]:
    """Return the tile of the block, or along an axis that it has whole any of the first ones."""
    index = []
    for own in array.owned:
        if own is not None:
            index.append(name("mnp"[own[0]], I32))
        elif scope.chance(0.6):
            index.append(number(scope.random.choice((0, 0, 1)), I32))
        else:
            counts = [item for item in scope.scalars() if item.counts]
            index.append(scope.random.choice(counts).use)
    return tuple(index)


def _value(scope: Scope, shape: tuple[int, ...]) -> Expression:
    """Return something simple: a tile, a sum of two, or zeros."""
    tiles = scope.tiles(None, shape)
    first = scope.random.choice(tiles).use
    choice = scope.random.random()
    if choice < 0.4:
        return first
    if choice < 0.55:
        zero = 0 if first.dtype[0] in "iu" else 0.0
        return Expression("full", (number(zero, first.dtype),), first.dtype, shape)
    one = number(1 if first.dtype[0] in "iu" else 1.0, first.dtype)
    second = scope.random.choice(tiles).use if choice < 0.85 else one
    return Expression("binary", (first, second), first.dtype, shape, "+")
