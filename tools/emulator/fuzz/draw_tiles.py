"""Draws expressions of tiles: of any type and shape, whose values the language defines."""

from collections.abc import Callable
from math import prod

from tools.emulator.fuzz.draw_places import inline
from tools.emulator.fuzz.draw_scalars import condition, integer, small
from tools.emulator.fuzz.program import I32, Expression, name, number
from tools.emulator.fuzz.scope import ALL, ARITHMETIC, Scope
from tools.emulator.fuzz.values import FLOATS, INTEGERS, RESTRICTED, is_float, largest, promote

Shape = tuple[int, ...]
MOST_ELEMENTS = 2048
"""Elements of a tile that is drawn."""
_SHORT_FUNCTIONS = ("sqrt", "rsqrt", "floor", "ceil", "round", "trunc", "abs")
_FUNCTIONS = (
    *("exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh"),
    *("sinh", "cosh", "erf", "asin", "acos", "atan", "log1p", "expm1"),
)
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_CLAMPS = {
    "i8": (-128.0, 127.0),
    "u8": (0.0, 255.0),
    "i16": (-30000.0, 30000.0),
    "u16": (0.0, 60000.0),
    "i32": (-60000.0, 60000.0),
    "u32": (0.0, 60000.0),
    "i64": (-60000.0, 60000.0),
    "u64": (0.0, 60000.0),
}
"""Floats that every float type holds and that a type holds: casts of others are undefined."""


def tile(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a tile of a type and a shape, at most `depth` operations deep."""
    scope.budget.operations -= 1
    if depth <= 0 or scope.budget.operations <= 0 or scope.chance(0.15):
        return leaf(scope, dtype, shape)
    rules = [rule for rule, fits in _RULES if fits(dtype)]
    return scope.random.choice(rules)(scope, dtype, shape, depth)


def leaf(scope: Scope, dtype: str, shape: Shape) -> Expression:
    """Return a tile without operations where there is one, else one that is made."""
    known = scope.tiles(dtype, shape)
    if known and scope.chance(0.85):
        return scope.random.choice(known[-4:]).use
    loaded = inline(scope, dtype, shape) if scope.chance(0.5) else None
    if loaded is not None:
        return loaded
    return _moved(scope, dtype, shape) or _made(scope, dtype, shape)


def _moved(scope: Scope, dtype: str, shape: Shape) -> Expression | None:
    """Return a tile that exists in another type or shape, or None."""
    others = scope.tiles(None, shape)
    if others and scope.chance(0.8):
        return _converted(scope, scope.random.choice(others[-4:]).use, dtype)
    larger = [item.use for item in scope.tiles() if prod(item.shape) % prod(shape) == 0][-4:]
    if not larger or scope.chance(0.1):
        return None
    source = scope.random.choice(larger)
    factor = prod(source.shape) // prod(shape)
    if len(shape) == len(source.shape) and all(
        have % want == 0 for have, want in zip(source.shape, shape, strict=True)
    ):
        pairs = zip(source.shape, shape, strict=True)
        index = [small(scope, have // want) for have, want in pairs]
        part = Expression("extract", (source, *index), source.dtype, shape)
        return _converted(scope, part, dtype)
    line = Expression("reshape", (source,), source.dtype, (factor, *shape))
    if factor == 1:
        line = Expression("reshape", (source,), source.dtype, shape)
        return _converted(scope, line, dtype)
    part = Expression(
        "extract", (line, small(scope, factor), *[number(0, I32)] * len(shape)), source.dtype,
        (1, *shape),
    )  # fmt: skip
    return _converted(scope, Expression("reshape", (part,), source.dtype, shape), dtype)


def _made(scope: Scope, dtype: str, shape: Shape) -> Expression:
    """Return a tile of numbers."""
    if len(shape) == 1 and dtype in (*INTEGERS, *FLOATS) and shape[0] <= 128 and scope.chance(0.5):
        return Expression("arange", (), dtype, shape)
    return Expression("full", (literal(scope, dtype),), dtype, shape)


def literal(scope: Scope, dtype: str) -> Expression:
    """Return a number of the source for a type."""
    random = scope.random
    if dtype == "bool":
        return number(random.random() < 0.5, dtype)
    if dtype in FLOATS and random.random() < 0.03:
        return number(random.choice((float("nan"), float("inf"), float("-inf"))), dtype)
    if is_float(dtype):
        return number(random.choice((0.5, 2.0, -1.0, 0.0, 1.5, -0.125, 3.0, 0.1, 7.0)), dtype)
    values = (1, 2, 3, 5, 7, 100) if dtype[0] == "u" else (1, 2, 3, -1, -5, 100, -128)
    if random.random() < 0.1:
        bits = int(dtype[1:]) - (dtype[0] == "i")
        values = (2**bits - 1, 2 ** (bits - 1) + 12345 % 2**bits // 2, 2 ** (bits // 2))
        if dtype[0] == "i":
            values = (*values, -(2**bits), -(2**bits))
    return number(random.choice(values), dtype)


def _converted(scope: Scope, value: Expression, dtype: str) -> Expression:
    """Return `cast(value, dtype)`, of values that the type can hold."""
    if value.dtype == dtype:
        return value
    source = value.dtype
    if source in RESTRICTED and dtype in INTEGERS:
        value, source = Expression("cast", (value,), "f32", value.shape), "f32"
    if source in FLOATS and dtype in INTEGERS:
        low, high = (number(limit, source) for limit in _CLAMPS[dtype])
        for op, limit in (("maximum", low), ("minimum", high)):
            value = Expression("call", (value, limit), source, value.shape, (op,))
    return Expression("cast", (value,), dtype, value.shape)


def _operands(
    scope: Scope, dtype: str, shape: Shape, depth: int, *, any_order: bool = True
) -> list[Expression]:
    """Return two operands of an operation in `dtype`: tiles, scalars, numbers, narrower types.

    The first one is a tile of that type, unless they may come in any order.
    """
    first = tile(scope, dtype, shape, depth - 1)
    choice = scope.random.random()
    if choice < 0.3:
        second = literal(scope, dtype)
    elif choice < 0.4:
        second = _scalar(scope, dtype)
    elif choice < 0.5:
        second = _narrower(scope, dtype, shape, depth)
    elif choice < 0.6:
        second = _repeated(scope, dtype, shape, depth)
    else:
        second = tile(scope, dtype, shape, depth - 1)
    pair = [first, second]
    if dtype[0] == "i" and scope.chance(0.02):  # the quotient that does not fit
        least = number(-(2 ** (int(dtype[1:]) - 1)), dtype)
        return [Expression("full", (least,), dtype, shape), number(-1, dtype)]
    if any_order and scope.chance(0.3):
        pair.reverse()
    return pair


def _scalar(scope: Scope, dtype: str) -> Expression:
    """Return a scalar that leaves the type of the other operand."""
    known = scope.scalars(dtype)
    if known and scope.chance(0.8):
        return scope.random.choice(known).use
    if dtype == I32:
        return integer(scope, 1)
    if dtype not in FLOATS:
        return literal(scope, dtype)
    drawn = integer(scope, 1)
    too_large = drawn.op == "number" and abs(drawn.value) > largest(dtype)
    return literal(scope, dtype) if too_large else drawn


def _narrower(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a tile of another type that meets `dtype` in `dtype`."""
    others = [item for item in ("bool", *ARITHMETIC) if promote(item, dtype) == dtype]
    return tile(scope, scope.random.choice(others), shape, depth - 1)


def _repeated(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a tile that is broadcast to `shape`: with extents of 1, or fewer axes."""
    if len(shape) == 1:
        return tile(scope, dtype, (1,), depth - 1) if shape != (1,) else literal(scope, dtype)
    if scope.chance(0.5):
        axis = scope.random.randrange(len(shape))
        inner = tuple(extent for place, extent in enumerate(shape) if place != axis)
        expanded = tuple(1 if place == axis else extent for place, extent in enumerate(shape))
        return Expression("expand", (tile(scope, dtype, inner, depth - 1),), dtype, expanded, axis)
    return tile(scope, dtype, shape[1:], depth - 1)


def _binary(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    op = scope.random.choice(("+", "-", "*", "+", "-", "*", "/", "//", "%"))
    if not is_float(dtype):
        op = scope.random.choice(("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>", "cdiv"))
    any_order = is_float(dtype) or op not in ("//", "%", "cdiv", "<<", ">>")
    first, second = _operands(scope, dtype, shape, depth, any_order=any_order)
    if op in ("//", "%", "cdiv"):
        second = _not_zero(scope, dtype, second)
    if op in ("<<", ">>"):
        second = _amount(scope, dtype, second)
    if op == "cdiv":
        return Expression("call", (first, second), dtype, shape, (op,))
    return Expression("binary", (first, second), dtype, shape, op)


def _not_zero(scope: Scope, dtype: str, value: Expression) -> Expression:
    if is_float(dtype) or (value.op == "number" and value.value):
        return number(2.0, dtype) if value.op == "number" and not value.value else value
    if value.op == "number" or not value.shape or value.dtype == "bool" or scope.chance(0.6):
        least = -1 if dtype[0] == "i" else 1
        return number(scope.random.choice((1, 2, 3, 7, 16, 100, least)), dtype)
    return Expression("binary", (value, number(1, value.dtype)), value.dtype, value.shape, "|")


def _amount(scope: Scope, dtype: str, value: Expression) -> Expression:
    bits = int(dtype[1:])
    if value.op == "number" or not value.shape or value.dtype != dtype or scope.chance(0.6):
        return number(scope.random.choice((scope.random.randrange(bits), bits - 1)), dtype)
    return Expression("binary", (value, number(bits - 1, dtype)), dtype, value.shape, "&")


def _power(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    base = tile(scope, dtype, shape, depth - 1)
    exponent = number(scope.random.choice((1, 2, 3, 4)), I32)
    return Expression("binary", (base, exponent), dtype, shape, "**")


def _unary(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    op = scope.random.choice(("-", "~") if dtype in INTEGERS else ("-",))
    return Expression("unary", (tile(scope, dtype, shape, depth - 1),), dtype, shape, op)


def _function(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    long = prod(shape) <= (64 if dtype == "f64" else 1024) and scope.budget.functions > 0
    call = scope.random.choice(_FUNCTIONS if long and scope.chance(0.7) else _SHORT_FUNCTIONS)
    keywords: tuple[str, ...] = ()
    if call in _FUNCTIONS:
        scope.budget.functions -= 2 if dtype == "f64" else 1
        if dtype == "f32" and call in ("exp", "tanh") and scope.chance(0.3):
            keywords = ("rounding='approx'",)
    source = dtype
    if (
        dtype == "f32"
        and call not in ("floor", "ceil", "round", "trunc", "abs")
        and scope.chance(0.15)
    ):
        source = scope.random.choice(INTEGERS)
    inner = tile(scope, source, shape, depth - 1)
    return Expression("call", (inner,), dtype, shape, (call, *keywords))


def _absolute(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    return Expression("call", (tile(scope, dtype, shape, depth - 1),), dtype, shape, ("abs",))


def _extremum(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    name = scope.random.choice(("minimum", "maximum", "min", "max"))
    both = is_float(dtype) and len(name) == 3 and scope.chance(0.3)
    operands = _operands(scope, dtype, shape, depth)
    if len(name) == 3 and operands[1].op == "number" and isinstance(operands[1].value, int):
        # an integer after the tile of 'min' or 'max' may be meant as an axis
        name, both = f"{name}imum", False
    call = (name, "propagate_nan=True") if both else (name,)
    return Expression("call", tuple(operands), dtype, shape, call)


def _fma(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    args = [*_operands(scope, dtype, shape, depth), tile(scope, dtype, shape, depth - 1)]
    return Expression("call", tuple(args), dtype, shape, ("fma",))


def _divided(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return the quotient of two integers, which is f32, or a number with a fraction among them."""
    kind = scope.random.choice(INTEGERS)
    first = tile(scope, kind, shape, depth - 1)
    if scope.chance(0.5):
        second = number(scope.random.choice((0.5, -1.5, 3.25)), "f32")
        return Expression("binary", (first, second), dtype, shape, scope.random.choice("+-*/"))
    return Expression("binary", (first, literal(scope, kind)), dtype, shape, "/")


def _cast(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    sources = [item for item in ALL if item != dtype]
    kind = scope.random.choice(sources)
    return _converted(scope, tile(scope, kind, shape, depth - 1), dtype)


def _sign(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return the signs of integers, as `x >> 31` gives them, in another type."""
    kind = scope.random.choice(INTEGERS)
    source = tile(scope, kind, shape, depth - 1)
    if scope.chance(0.4):
        source = Expression("unary", (source,), kind, shape, "~")
    last = number(int(kind[1:]) - 1, kind)
    return _converted(scope, Expression("binary", (source, last), kind, shape, ">>"), dtype)


def _where(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    mask = tile(scope, "bool", shape, depth - 1)
    if dtype in RESTRICTED or dtype == "bool":
        pair = [tile(scope, dtype, shape, depth - 1) for _ in range(2)]
    else:
        pair = _operands(scope, dtype, shape, depth)
    return Expression("where", (mask, *pair), dtype, shape)


def _choose(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    pair = [tile(scope, dtype, shape, depth - 1) for _ in range(2)]
    return Expression("choose", (condition(scope), *pair), dtype, shape)


def _comparison(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    kind = scope.random.choice(ARITHMETIC)
    pair = _operands(scope, kind, shape, depth)
    return Expression("compare", tuple(pair), dtype, shape, scope.random.choice(_COMPARISONS))


def _mask(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    first = tile(scope, dtype, shape, depth - 1)
    if scope.chance(0.3):
        return Expression("unary", (first,), dtype, shape, "~")
    second = tile(scope, dtype, shape, depth - 1)
    return Expression("binary", (first, second), dtype, shape, scope.random.choice("&|^"))


def _place(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return positions, as masks of the edges of arrays are made of: `arange + scalar`."""
    if len(shape) != 1 or shape[0] > 128:
        return tile(scope, dtype, shape, depth - 1)
    line = Expression("arange", (), I32, shape)
    by = integer(scope, 1)
    if by.op == "number":
        by = name("m", I32)
    return Expression("binary", (line, by), I32, shape, scope.random.choice(("+", "*", "-")))


def _is(*dtypes: str) -> Callable[[str], bool]:
    return lambda dtype: dtype in dtypes


def _any(_: str) -> bool:
    return True


Rule = Callable[[Scope, str, Shape, int], Expression]
_RULES: list[tuple[Rule, Callable[[str], bool]]] = [
    *[(_binary, _is(*ARITHMETIC))] * 5,
    (_power, _is(*ARITHMETIC)),
    (_unary, _is(*ARITHMETIC)),
    *[(_function, _is(*FLOATS))] * 2,
    (_absolute, _is(*INTEGERS)),
    (_extremum, _is(*ARITHMETIC)),
    (_fma, _is(*FLOATS)),
    (_divided, _is("f32")),
    (_sign, _is(*ARITHMETIC)),
    *[(_cast, _any)] * 2,
    (_where, _any),
    (_choose, _any),
    *[(_comparison, _is("bool"))] * 4,
    *[(_mask, _is("bool"))] * 2,
    *[(_place, _is(I32))] * 2,
]
"""What makes a tile, and for which types; those that stand here more often are drawn more often."""


def register(rule: Rule, dtypes: frozenset[str], often: int) -> None:
    """Add a rule of another module, for some element types."""
    _RULES.extend([(rule, dtypes.__contains__)] * often)
