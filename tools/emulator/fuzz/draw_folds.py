"""Draws reductions and scans, of builtins and of functions, over one axis, several or all."""

from math import prod

from tools.emulator.fuzz.draw_tiles import Shape, register, tile
from tools.emulator.fuzz.folds import FUNCTIONS, result_dtype
from tools.emulator.fuzz.program import Expression, Fold
from tools.emulator.fuzz.scope import ALL, ARITHMETIC, Scope
from tools.emulator.fuzz.values import INTEGERS

_MOST_ELEMENTS = 1024
_REDUCTIONS = ("sum", "prod", "max", "min", "argmax", "argmin", "any", "all")
_SCANS = ("cumsum", "cumprod")
_MOST_AXES = 4


def _sources(call: str, dtype: str) -> list[str]:
    """Return the element types from which a builtin makes a type."""
    kinds = ALL if call in ("any", "all") else ARITHMETIC
    if call in ("sum", "prod", *_SCANS):
        kinds = ("bool", *ARITHMETIC)
    return [kind for kind in kinds if result_dtype(call, kind) == dtype]


def _along(scope: Scope, shape: Shape) -> tuple[Shape, int] | None:
    """Return a shape with one axis more, and that axis; None if it were too large."""
    axis = scope.random.randint(0, len(shape))
    extent = scope.random.choice((1, 2, 4, 8, 16, 32, 64))
    longer = (*shape[:axis], extent, *shape[axis:])
    if len(longer) > _MOST_AXES or prod(longer) > _MOST_ELEMENTS:
        return None
    return longer, axis


def _builtin(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a reduction that a builtin makes, along one axis or two."""
    calls = [call for call in _REDUCTIONS if _sources(call, dtype)]
    found = _along(scope, shape)
    if not calls or found is None:
        return tile(scope, dtype, shape, depth - 1)
    call = scope.random.choice(calls)
    source, axis = found
    axes: tuple[int, ...] = (axis,)
    again = _along(scope, source) if scope.chance(0.2) else None
    if again is not None and not call.startswith("arg"):
        source, other = again
        axes = tuple(sorted((axis + (other <= axis), other)))
    keepdims = len(axes) == 1 and scope.chance(0.25)
    if keepdims:  # the shape has the axis already
        if 1 not in shape:
            keepdims = False
        else:
            axis = shape.index(1)
            source, axes = (*shape[:axis], 8, *shape[axis + 1 :]), (axis,)
            if prod(source) > _MOST_ELEMENTS:
                return tile(scope, dtype, shape, depth - 1)
    return _fold(scope, call, dtype, shape, source, axes, depth, keepdims=keepdims)


def _fold(
    scope: Scope, call: str, dtype: str, shape: Shape, source: Shape,
    axes: tuple[int, ...] | None, depth: int, *, keepdims: bool = False,
) -> Expression:  # fmt: skip
    kind = scope.random.choice(_sources(call, dtype))
    inner = tile(scope, kind, source, depth - 1)
    propagate = call in ("max", "min") and kind not in INTEGERS and scope.chance(0.3)
    item = Fold(call, axes, keepdims, propagate=propagate)
    return Expression("fold", (inner,), dtype, shape, item)


def _whole(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a tile that is filled with what all elements of another tile give."""
    calls = [call for call in _REDUCTIONS if _sources(call, dtype)]
    source = scope.random.choice(((16,), (64,), (8, 16), (4, 2, 8), (256,), (1, 32)))
    call = scope.random.choice(calls)
    total = _fold(scope, call, dtype, (), source, None, depth)
    return Expression("full", (total,), dtype, shape)


def _function(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return a reduction or a scan with a function of the program."""
    scans = scope.chance(0.5)
    found = _along(scope, shape)
    if not scans and found is None:
        return tile(scope, dtype, shape, depth - 1)
    names = [name for name, item in FUNCTIONS.items() if item.floats or dtype in INTEGERS]
    name = scope.random.choice(names)
    function = FUNCTIONS[name]
    part = scope.random.randrange(function.tiles)
    if scans or found is None:
        source, axis = shape, scope.random.randrange(len(shape))
    else:
        source, axis = found
    kinds = [scope.random.choice(INTEGERS) for _ in range(function.tiles)]
    kinds[part] = dtype
    if name == "affine":
        kinds = [dtype] * function.tiles
    tiles = tuple(tile(scope, kind, source, depth - 1) for kind in kinds)
    item = Fold(
        "scan" if scans else "reduce", (axis,), reverse=scans and scope.chance(0.4), function=name,
        part=part,
    )  # fmt: skip
    return Expression("fold", tiles, dtype, shape, item)


def _scan(scope: Scope, dtype: str, shape: Shape, depth: int) -> Expression:
    """Return running sums or products."""
    calls = [call for call in _SCANS if _sources(call, dtype)]
    if not calls:
        return tile(scope, dtype, shape, depth - 1)
    call = scope.random.choice(calls)
    kind = scope.random.choice(_sources(call, dtype))
    axis = scope.random.randrange(len(shape))
    item = Fold(call, (axis,), reverse=scope.chance(0.4))
    return Expression("fold", (tile(scope, kind, shape, depth - 1),), dtype, shape, item)


_NUMBERS = frozenset((*ARITHMETIC, "bool"))
register(_builtin, _NUMBERS, 6)
register(_whole, _NUMBERS, 2)
register(_function, frozenset(ARITHMETIC), 5)
register(_scan, frozenset(ARITHMETIC), 3)
