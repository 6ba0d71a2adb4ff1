"""Draws sums of products in loops, of every type that `mma` takes."""

from random import Random

from tools.emulator.fuzz.draw_arrays import Frame, extent, layout
from tools.emulator.fuzz.program import (
    I32,
    Access,
    Array,
    Assign,
    Expression,
    For,
    Statement,
    name,
    number,
)
from tools.emulator.fuzz.scope import Scope, Variable

OPERANDS = ("bf16", "f16", "bf16", "f16", "f32", "f64", "tf32", "f8e4m3", "f8e5m2", "i8", "u8")
_SUMS = {"f16": ("f16", "f32"), "f64": ("f64",), "i8": ("i32",), "u8": ("i32",)}
_SUMS |= {"f8e4m3": ("f32", "f16"), "f8e5m2": ("f32", "f16")}
_WITHOUT_WGMMA = ("f32", "f64")
ROWS = {"wgmma": (64, 64, 64, 128), "other": (16, 32)}
COLUMNS = {"wgmma": (16, 32, 64), "other": (16, 32)}
DEPTHS = {"wgmma": (16, 32, 64), "other": (16, 32)}


def arrays(random: Random) -> tuple[Frame, list[Array]]:
    """Return a grid of tiles, and the arrays: A and B are multiplied, C, D and R are not."""
    operand = random.choice(OPERANDS)
    kind = "wgmma" if operand not in _WITHOUT_WGMMA and random.random() < 0.8 else "other"
    rows, columns = random.choice(ROWS[kind]), random.choice(COLUMNS[kind])
    depth = random.choice(DEPTHS[kind])
    many = random.choice((1, 2))
    sizes = {
        "M": extent(random, rows, many),
        "N": extent(random, columns, 3 - many),
        "K": extent(random, depth, 3),
    }
    extents = tuple(
        Expression("call", (name(dim, I32), number(unit, I32)), I32, (), ("cdiv",))
        for dim, unit in (("M", rows), ("N", columns))
    )
    total = random.choice(_SUMS.get(operand, ("f32",)))
    owned = ((0, rows, 0), (1, columns, 0))
    data = random.choice(("small", "usual"))
    made = [
        Array("A", operand, ("M", "K"), layout(random, 2, written=False), data),
        Array("B", operand, ("K", "N"), layout(random, 2, written=False), data),
        Array("C", random.choice((total, operand)), ("M", "N"), layout(random, 2, written=True),
              data, owned),
    ]  # fmt: skip
    if random.random() < 0.5:
        other = random.choice((operand, total, "f32"))
        made.append(Array("D", other, ("M", "N"), layout(random, 2, written=True), data, owned))
    if random.random() < 0.6:
        other = random.choice((operand, total))
        dims = random.choice((("M", "N"), ("N",), ("M",)))
        made.append(Array("R", other, dims, layout(random, len(dims), written=False), data))
    frame = Frame(extents, (rows, columns), {**sizes, "depth": depth})
    return frame, made


def products(scope: Scope, grid: Frame) -> list[Statement]:
    """Return one sum of products, sometimes two; their results are known after them."""
    found = _loop(scope, grid)
    if scope.chance(0.2):
        found += _loop(scope, grid)
    grid.sizes.pop("depth", None)
    return found


def _loop(scope: Scope, grid: Frame) -> list[Statement]:
    operand = scope.arrays[0].dtype
    kinds = _SUMS.get(operand, ("f32",))
    total = scope.random.choice(kinds)
    rows, columns = grid.units
    depth = grid.sizes["depth"]
    result, counter = scope.fresh("acc"), scope.fresh("k")
    start = number(0 if total == "i32" else 0.0, total)
    if scope.chance(0.1):
        start = number(2 if total == "i32" else 0.5, total)
    shape = (rows, columns)
    a = _operand(scope, "A", "m", counter, (rows, depth), operand, first=True)
    b = _operand(scope, "B", "n", counter, (depth, columns), operand, first=False)
    left, right = scope.fresh("a"), scope.fresh("b")
    step = Expression(
        "mma",
        (name(left, operand, (rows, depth)), name(right, operand, (depth, columns)),
         name(result, total, shape)),
        total,
        shape,
    )  # fmt: skip
    body: list[Statement] = [Assign(left, a), Assign(right, b), Assign(result, step)]
    zeros = Expression("full", (start,), total, shape)
    before: list[Statement] = [Assign(result, zeros)]
    scope.declare(Variable(result, total, shape))
    if scope.chance(0.25):
        other = result if scope.chance(0.4) else scope.fresh("acc")
        body += _second(scope, step, other, operand)
        if other != result:
            before.append(Assign(other, zeros))
            scope.declare(Variable(other, total, shape))
    return [*before, For(counter, _bounds(scope, depth), tuple(body))]


def _second(scope: Scope, step: Expression, result: str, operand: str) -> list[Statement]:
    """Return a second product of the same round, added to the first sum or to one of its own."""
    left, right, total = step.args
    if operand in ("bf16", "f16", "f32", "f64") and scope.chance(0.5):
        factor = number(scope.random.choice((2.0, -1.0)), operand)
        left = Expression("binary", (left, factor), operand, left.shape, "*")
    args = (left, right, name(result, total.dtype, total.shape))
    return [Assign(result, Expression("mma", args, step.dtype, step.shape))]


def _operand(
    scope: Scope, array: str, coordinate: str, counter: str, shape: tuple[int, int], dtype: str,
    *, first: bool,
) -> Expression:  # fmt: skip
    """Return an operand of a product, sometimes one that is computed from what is loaded."""
    at = name(coordinate, I32), name(counter, I32)
    index = at if first else at[::-1]
    access = Access(array, None, not scope.chance(0.1))
    value = Expression("load", index, dtype, shape, access)
    if dtype in ("bf16", "f16", "f32") and scope.chance(0.15):
        factor = number(scope.random.choice((2.0, -1.0, 0.5)), dtype)
        value = Expression("binary", (value, factor), dtype, shape, "*")
    return value


def _bounds(scope: Scope, depth: int) -> tuple[Expression, ...]:
    whole = Expression("call", (name("K", I32), number(depth, I32)), I32, (), ("cdiv",))
    choice = scope.random.random()
    if choice < 0.75:
        return (whole,)
    if choice < 0.85:
        return number(1, I32), whole
    if choice < 0.92:
        return number(0, I32), whole, number(2, I32)
    return (name("q", I32),)
