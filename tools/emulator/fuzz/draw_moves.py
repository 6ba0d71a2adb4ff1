"""Draws operations that move or reinterpret elements: bit casts, reversals, insertions."""

from tools.emulator.fuzz.draw_scalars import small
from tools.emulator.fuzz.draw_tiles import Shape, register, tile
from tools.emulator.fuzz.program import Expression
from tools.emulator.fuzz.scope import ALL, Scope
from tools.emulator.fuzz.values import FLOATS, INTEGERS, NUMPY

_WITH_BITS = (*INTEGERS, *FLOATS, "f8e4m3", "f8e5m2")
_CHECKED = ("isnan", "isinf")


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


register(_bitcast, frozenset(_WITH_BITS), 1)
register(_flip, frozenset(ALL), 1)
register(_insert, frozenset(ALL), 1)
register(_test, frozenset(("bool",)), 1)
register(_pair, frozenset(FLOATS), 1)
