"""Draws the parameters of a program: element types, extents, layouts, aliases, data."""

from dataclasses import dataclass, replace
from random import Random

from tools.emulator.fuzz.program import I32, Array, Expression, Layout, Scalar, name, number
from tools.emulator.fuzz.scope import ALL
from tools.emulator.fuzz.values import FLOATS, INTEGERS

DIMS = ("M", "N", "K")


@dataclass(frozen=True)
class Frame:
    """The grid of a program.

    Attributes:
        extents: Extents of the grid.
        units: Elements that each block has along each coordinate.
        sizes: Extent of each dim; the first ones belong to the coordinates.
    """

    extents: tuple[Expression, ...]
    units: tuple[int, ...]
    sizes: dict[str, int]


def frame(random: Random) -> Frame:
    """Return a grid: one block, or as many as an array has tiles along one axis or two."""
    rank = random.choice((1, 1, 2, 2, 2, 3))
    choices = (12, 20, 24) if random.random() < 0.1 else (8, 16, 16, 32)
    units = tuple(random.choice(choices) for _ in range(rank))
    sizes = {dim: extent(random, random.choice((8, 16, 32))) for dim in DIMS}
    if random.random() < 0.3:
        return Frame((number(1, I32),) * rank, units, sizes)
    extents = []
    for dim, unit in zip(DIMS, units, strict=False):
        sizes[dim] = extent(random, unit, 2 if rank > 1 else 3)
        counted = Expression("call", (name(dim, I32), number(unit, I32)), I32, (), ("cdiv",))
        if random.random() < 0.05:  # the same, by numbers that need 64 bits
            many = Expression("binary", (name(dim, I32), number(2**30 // unit, I32)), I32, (), "*")
            counted = Expression("call", (many, number(2**30, I32)), I32, (), ("cdiv",))
        extents.append(number(1, I32) if random.random() < 0.2 else counted)
    return Frame(tuple(extents), units, sizes)


def extent(random: Random, tile: int, most: int = 3) -> int:
    """Return whole tiles, some tiles and a piece, or less than one."""
    whole = tile * random.randint(1, most)
    piece = whole - random.choice((1, 2, 3, 7))
    return max(1, random.choice((whole, whole, piece, random.randint(1, tile))))


def layout(random: Random, rank: int, *, written: bool) -> Layout:
    """Return how an array lies in memory: mostly as TMA likes it."""
    if random.random() < 0.5:
        return Layout()
    order: tuple[int, ...] = ()
    if rank > 1 and random.random() < 0.5:
        order = tuple(random.sample(range(rank), rank))
    odd = random.random() < 0.5
    return Layout(
        order=order,
        step=random.choice((2, 3)) if odd and random.random() < 0.3 else 1,
        padding=random.choice((1, 3, 8)) if odd else 0,
        shift=random.choice((1, 2, 5)) if odd and random.random() < 0.6 else 0,
        repeated=(random.randrange(rank),) if not written and random.random() < 0.2 else (),
        backwards=(random.randrange(rank),) if random.random() < 0.1 else (),
    )


def arrays(random: Random, grid: Frame, count: int, dtypes: tuple[str, ...] = ALL) -> list[Array]:
    """Return arrays, at least one of them written."""
    kinds = random.sample(dtypes, min(len(dtypes), random.choice((1, 1, 2, 3))))
    made: list[Array] = []
    for index in range(count):
        written = index == 0 or random.random() < 0.5
        made.append(_array(random, grid, "ABCDEF"[index], random.choice(kinds), written))
    if count > 1 and random.random() < 0.3:
        place = random.randrange(1, count)
        made[place] = _aliased(random, grid, made[random.randrange(place)], made[place])
    return made


def _array(random: Random, grid: Frame, title: str, dtype: str, written: bool) -> Array:
    coordinates = len(grid.units)
    rank = (
        max(coordinates, random.choice((1, 2, 2, 2, 3))) if written else random.choice((1, 2, 2, 3))
    )
    dims: list[str | int] = [random.choice(DIMS) for _ in range(rank)]
    owned: list[tuple[int, int, int] | None] = [None] * rank
    if written:
        axes = (
            range(coordinates) if random.random() < 0.7 else random.sample(range(rank), coordinates)
        )
        for coordinate, axis in enumerate(axes):
            shift = random.choice((-1, 1)) if random.random() < 0.1 else 0
            owned[axis] = (coordinate, grid.units[coordinate], shift)
            if random.random() < 0.8:
                dims[axis] = DIMS[coordinate]
    dims = [random.choice((1, 4, 16, 20)) if random.random() < 0.1 else dim for dim in dims]
    data = random.choice(("small", "small", "usual", "usual", "special"))
    where = layout(random, rank, written=written)
    return Array(title, dtype, tuple(dims), where, data, tuple(owned) if written else ())


def _aliased(random: Random, grid: Frame, origin: Array, array: Array) -> Array:
    """Return `array` in the memory of `origin`, so that blocks still do not meet in it."""
    if origin.layout.alias or origin.layout.repeated:
        return array
    single = all(item.op == "number" for item in grid.extents)
    same = replace(
        array,
        dtype=origin.dtype,
        dims=origin.dims,
        data=origin.data,
        owned=origin.owned,
        layout=Layout(alias=origin.name),
    )
    rank = len(origin.dims)
    if not single or random.random() < 0.4:
        return same
    if rank > 1 and random.random() < 0.5:
        order = tuple(random.sample(range(rank), rank))
        return replace(
            same,
            dims=tuple(origin.dims[axis] for axis in order),
            owned=tuple(origin.owned[axis] for axis in order) if origin.owned else (),
            layout=Layout(alias=origin.name, order=order),
        )
    return replace(same, layout=Layout(alias=origin.name, shift=random.choice((1, 4, 8, 16))))


def scalars(random: Random) -> list[Scalar]:
    """Return scalar parameters: `q` and `r` count rounds, the others are numbers."""
    made = [
        Scalar("q", I32, random.randrange(4)),
        Scalar("r", I32, random.choice((0, 1, 2, 5, -3))),
    ]
    for title in ("s", "t"):
        if random.random() < 0.4:
            dtype = random.choice((*INTEGERS, *FLOATS))
            value = random.choice((0, 1, 3, 7)) if dtype in INTEGERS else random.choice((0.5, -2.0))
            made.append(Scalar(title, dtype, value))
    return made
