"""Draws operations that move or reinterpret elements: shapes, parts, reversals, bit casts."""

from math import prod

from tools.emulator.fuzz.draw_scalars import small
from tools.emulator.fuzz.draw_tiles import MOST_ELEMENTS, Shape, register, tile
from tools.emulator.fuzz.program import Expression
from tools.emulator.fuzz.scope import ALL, Scope
from tools.emulator.fuzz.values import FLOATS, INTEGERS, NUMPY

_WITH_BITS = (*INTEGERS, *FLOATS, "f8e4m3", "f8e5m2")
_MODES = ("", "rn", "rz", "rm", "rp")
_CHECKED = ("isnan", "isinf")


def _transposed(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    rank = len(shape)
    if rank == 1:
        return _reshaped(scope, dtype, shape, depth)
    if scope.chance(0.5):
        source = (*shape[:-2], shape[-1], shape[-2])
        return Expression("transpose", (tile(scope, dtype, source, depth - 1),), dtype, shape)
    order = scope.random.sample(range(rank), rank)
    source = tuple(shape[order.index(axis)] for axis in range(rank))
    inner = tile(scope, dtype, source, depth - 1)
    return Expression("permute", (inner,), dtype, shape, tuple(order))


def _reshaped(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    count = prod(shape)
    splits = [extent for extent in (1, 2, 4, 8, 16, 32) if count % extent == 0]
    first = scope.random.choice(splits)
    source = scope.random.choice(((first, count // first), (count,), (count // first, first)))
    return Expression("reshape", (tile(scope, dtype, source, depth - 1),), dtype, shape)


def _joined(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    axes = [axis for axis, extent in enumerate(shape) if extent % 2 == 0]
    if not axes:
        return tile(scope, dtype, shape, depth - 1)
    axis = scope.random.choice(axes)
    half = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
    pair = [tile(scope, dtype, half, depth - 1) for _ in range(2)]
    return Expression("cat", tuple(pair), dtype, shape, axis)


def _extracted(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    factors = [1] * len(shape)
    factors[scope.random.randrange(len(shape))] = scope.random.choice((1, 2, 4))
    source = tuple(extent * by for extent, by in zip(shape, factors, strict=True))
    if prod(source) > MOST_ELEMENTS:
        return tile(scope, dtype, shape, depth - 1)
    index = [small(scope, by) for by in factors]
    inner = tile(scope, dtype, source, depth - 1)
    return Expression("extract", (inner, *index), dtype, shape)


def _spread(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    source = tuple(1 if scope.chance(0.5) else extent for extent in shape)
    return Expression("broadcast", (tile(scope, dtype, source, depth - 1),), dtype, shape)


def _bitcast(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    size = NUMPY[dtype](0).itemsize
    kinds = [kind for kind in _WITH_BITS if NUMPY[kind](0).itemsize == size and kind != dtype]
    inner = tile(scope, scope.random.choice(kinds), shape, depth - 1)
    return Expression("bitcast", (inner,), dtype, shape)


def _flip(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    axes = [axis for axis, extent in enumerate(shape) if not extent & (extent - 1)]
    if not axes:
        return tile(scope, dtype, shape, depth - 1)
    axis = scope.random.choice(axes)
    return Expression("flip", (tile(scope, dtype, shape, depth - 1),), dtype, shape, axis)


def _insert(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    factors = [scope.random.choice((1, 2)) if extent % 2 == 0 else 1 for extent in shape]
    part = tuple(extent // by for extent, by in zip(shape, factors, strict=True))
    index = [small(scope, by) for by in factors]
    whole, piece = tile(scope, dtype, shape, depth - 1), tile(scope, dtype, part, depth - 1)
    return Expression("insert", (whole, piece, *index), dtype, shape)


def _test(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    inner = tile(scope, scope.random.choice(FLOATS), shape, depth - 1)
    return Expression("call", (inner,), dtype, shape, (scope.random.choice(_CHECKED),))


def _pair(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    pair = tuple(tile(scope, dtype, shape, depth - 1) for _ in range(2))
    return Expression("call", pair, dtype, shape, ("atan2",))


def _convert(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a cast with a rounding mode, with saturation or with both."""
    mode = scope.random.choice(_MODES)
    saturate = dtype in INTEGERS or not mode or scope.chance(0.3)
    kinds = FLOATS if mode or dtype in FLOATS else (*FLOATS, *INTEGERS)
    kind = scope.random.choice([kind for kind in kinds if kind != dtype])
    inner = tile(scope, kind, shape, depth - 1)
    return Expression("convert", (inner,), dtype, shape, (mode, saturate))


for _rule in (_transposed, _reshaped, _joined, _extracted, _spread):
    register(_rule, frozenset(ALL), 1)
register(_convert, frozenset((*INTEGERS, *FLOATS)), 1)
register(_bitcast, frozenset(_WITH_BITS), 1)
register(_flip, frozenset(ALL), 1)
register(_insert, frozenset(ALL), 1)
register(_test, frozenset(("bool",)), 1)
register(_pair, frozenset(FLOATS), 1)
