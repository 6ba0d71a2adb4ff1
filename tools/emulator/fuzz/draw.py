"""Draws a program from a seed."""

from random import Random
from typing import Any

from tools.emulator.fuzz import draw_arrays, draw_elements, draw_orders, draw_products

# These add their rules to those of `draw_tiles`.
from tools.emulator.fuzz import draw_folds, draw_moves  # noqa: F401  # isort: skip
from tools.emulator.fuzz.draw_accesses import load, store
from tools.emulator.fuzz.draw_scalars import condition, count, integer
from tools.emulator.fuzz.draw_tiles import tile
from tools.emulator.fuzz.program import (
    COORDINATES,
    I32,
    Assign,
    Expression,
    For,
    If,
    Jump,
    Program,
    Statement,
    While,
    number,
)
from tools.emulator.fuzz.scope import Budget, Scope, Variable

FAMILIES = ("order", "memory", "values", "products", "elements")
"""What a program is mostly about: the order of loads and stores, where they reach, arithmetic,
`mma`, or single elements."""
WEIGHTS = (4, 3, 4, 3, 3)
FIELDS: tuple[tuple[str, float, tuple[Any, ...]], ...] = (
    ("stages", 0.1, (1, 2, 3)),
    ("specialize", 0.1, (0, 1)),
    ("persistent", 0.1, (0, 1)),
    ("worker_warps", 0.1, (1, 2, 4, 8)),
    ("tile_group", 0.05, (0, 1, 2)),
    ("spread", 0.1, (2, 4)),
    ("fill_gpu", 0.1, (0, 1)),
)
"""Fields of the plan: how often each is fixed, and its values."""
MULTIPROCESSORS = (1, 2, 3, 5)


def draw(seed: int) -> Program:
    """Return the program of a seed; the same one always."""
    random = Random(seed)
    family = random.choices(FAMILIES, WEIGHTS)[0]
    grid = draw_arrays.frame(random)
    if family == "products":
        grid, made = draw_products.arrays(random)
    elif family == "order":
        grid, made = draw_orders.arrays(random)
    else:
        made = draw_arrays.arrays(random, grid, random.randint(1, 4))
    scalars = draw_arrays.scalars(random)
    budget = Budget(operations=60 if family == "values" else 25)
    counted = (draw_elements.counted(random),) if random.random() < 0.3 else ()
    width = random.choice((8, 16, 16, 32))
    scope = Scope(
        random, made, budget=budget, width=width, counted=counted,
        mostly_elements=family == "elements",
    )  # fmt: skip
    for item in scalars:
        counts = item.dtype == I32 and 0 <= item.value < 4
        scope.declare(Variable(item.name, item.dtype, (), fixed=True, counts=counts))
    dims = sorted({dim for item in made for dim in item.dims if isinstance(dim, str)})
    extents = tuple(item if {*item.names()} <= {*dims} else number(2, I32) for item in grid.extents)
    for dim in dims:
        scope.declare(Variable(dim, I32, (), fixed=True))
    for coordinate in COORDINATES[: len(grid.extents)]:
        scope.declare(Variable(coordinate, I32, (), fixed=True, counts=True))
    body, plan = _body(scope, family, grid), _plan(random, grid)
    sizes = {**dict.fromkeys(draw_arrays.DIMS, 1), **grid.sizes}
    return Program(
        seed, (*made, *counted), tuple(scalars), extents, tuple(body), sizes, plan,
        random.choice(MULTIPROCESSORS),
    )  # fmt: skip


def _plan(random: Random, grid: draw_arrays.Frame) -> dict[str, Any]:
    """Return the fields of the plan that are fixed."""
    plan = {
        field: random.choice(found) for field, often, found in FIELDS if random.random() < often
    }
    if random.random() < 0.6:
        plan = {}
    if any(unit & (unit - 1) for unit in grid.units):
        plan["any_tile_extents"] = True
    return plan


def _body(scope: Scope, family: str, grid: draw_arrays.Frame) -> list[Statement]:
    """Return the statements of a program."""
    if family == "order":
        return draw_orders.body(scope, grid)
    lengths = {"memory": (4, 8), "values": (1, 3), "products": (0, 3), "elements": (3, 6)}
    before = draw_products.products(scope, grid) if family == "products" else []
    return [*before, *_block(scope, scope.random.randint(*lengths[family])), *_last_stores(scope)]


def _last_stores(scope: Scope) -> list[Statement]:
    """Return stores of what was computed last, so that it is seen."""
    found: list[Statement] = []
    for array in scope.arrays:
        if array.owned and (scope.chance(0.6) or not found):
            found += store(scope, array)
    return found


def _block(scope: Scope, length: int) -> list[Statement]:
    """Return statements; what they declare is known after them."""
    found: list[Statement] = []
    for _ in range(length):
        kind = scope.random.choices(_KINDS, _KIND_WEIGHTS[scope.mostly_elements])[0]
        found += kind(scope)
    return found


def _load(scope: Scope) -> list[Statement]:
    return load(scope, scope.random.choice(scope.arrays))


def _store(scope: Scope) -> list[Statement]:
    written = [array for array in scope.arrays if array.owned]
    return store(scope, scope.random.choice(written))


def _scatter(scope: Scope) -> list[Statement]:
    if scope.counted and scope.chance(0.5):
        return draw_elements.count(scope, scope.random.choice(scope.counted))
    written = [array for array in scope.arrays if array.owned]
    return draw_elements.scatter(scope, scope.random.choice(written))


def _assign(scope: Scope) -> list[Statement]:
    """Return an assignment to a new variable or to one that exists."""
    if scope.chance(0.2):
        fresh = scope.fresh("x")
        value = integer(scope)
        if value.op != "number":
            scope.declare(Variable(fresh, I32, ()))
            return [Assign(fresh, value)]
    tiles = [item for item in scope.tiles() if not item.fixed]
    if not tiles:
        return _load(scope)
    like: Variable = scope.random.choice(tiles)
    value = tile(scope, like.dtype, like.shape, 3)
    if scope.chance(0.5):
        return [Assign(like.name, value)]
    fresh = scope.fresh("v")
    scope.declare(Variable(fresh, like.dtype, like.shape))
    return [Assign(fresh, value)]


def _for(scope: Scope) -> list[Statement]:
    if scope.depth > 1:
        return _store(scope)
    inner = scope.inner("for")
    counter = scope.fresh("k")
    if scope.chance(0.15):
        rounds = number(scope.random.choice((0, 1, 2, 3)), I32)
        return [For(counter, (rounds,), tuple(_block(scope.inner("static"), 2)), static=True)]
    bounds = _bounds(scope)
    inner.declare(Variable(counter, I32, (), fixed=True, counts=len(bounds) == 1))
    body = tuple(_block(inner, scope.random.randint(1, 3)))
    return [For(counter, bounds, body)]


def _bounds(scope: Scope) -> tuple[Expression, ...]:
    stop = count(scope)
    choice = scope.random.random()
    if choice < 0.6:
        return (stop,)
    start = number(scope.random.choice((0, 1, 2, -1)), I32)
    if choice < 0.8:
        return start, stop
    return start, stop, number(scope.random.choice((1, 2, 3)), I32)


def _while(scope: Scope) -> list[Statement]:
    if scope.depth > 1:
        return _store(scope)
    limit = count(scope)
    inner = scope.inner("while")
    counter = scope.fresh("w")
    inner.declare(Variable(counter, I32, (), fixed=True, counts=True))
    return [While(counter, limit, tuple(_block(inner, scope.random.randint(1, 2))))]


def _if(scope: Scope) -> list[Statement]:
    if scope.depth > 1:
        return _load(scope)
    test = condition(scope)
    then = _block(scope.inner(), scope.random.randint(1, 3))
    otherwise = _block(scope.inner(), scope.random.randint(1, 2)) if scope.chance(0.5) else []
    if scope.depth == 0 and scope.chance(0.1):
        then.append(Jump("return"))
    elif scope.loop and scope.chance(0.5):
        jumps = ("break", "continue", "return") if scope.loop == "for" else ("break",)
        then.append(Jump(scope.random.choice(jumps)))
    return [If(test, tuple(then), tuple(otherwise))]


_KINDS = (_load, _store, _assign, _for, _while, _if, _scatter)
_KIND_WEIGHTS = ((6, 6, 4, 2, 1, 2, 3), (4, 3, 4, 2, 1, 3, 10))
"""How often each kind of statement is drawn: usually, and in programs about single elements."""
