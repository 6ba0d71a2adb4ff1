"""Builtins that put tiles together from parts: `cat`, `insert` and `flip`."""

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.shape import index_scalar, reshaped
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.numeric import I32
from tilec.frontend.semantics.values import AnyValue, Constant, TupleValue, describe


@builtin("cat", ANY_TYPE, "cat")
def cat(call: Call, tiles: Argument, axis: Argument) -> AnyValue:
    """Join two or more tiles along one axis."""
    if not isinstance(tiles.value, TupleValue) or len(tiles.value.items) < 2:
        message = f"expected a tuple of two or more tiles, found {describe(tiles.value)}"
        raise call.fail("T0311", message, tiles.span, hint="write 'cat((a, b), axis)'")
    items = [call.tile(Argument(item, tiles.span)) for item in tiles.value.items]
    position = call.axis(axis, len(numeric.shape_of(items[0])))
    for item in items[1:]:
        _check_alike(call, items[0], item, position)
    # Equal neighbours are joined first, so that every part of the result is a tile, too.
    joined: list[hir.Value] = []
    for item in items:
        joined.append(item)
        while len(joined) > 1 and joined[-1].type == joined[-2].type:
            second, first = joined.pop(), joined.pop()
            joined.append(_join(call, first, second, position))
    while len(joined) > 1:
        second, first = joined.pop(), joined.pop()
        joined.append(_join(call, first, second, position))
    return joined[0]


def _check_alike(call: Call, first: hir.Value, second: hir.Value, position: int) -> None:
    left, right = numeric.shape_of(first), numeric.shape_of(second)
    notes = [*numeric.origin(first, "the first"), *numeric.origin(second, "the second")]
    if numeric.dtype_of(first) != numeric.dtype_of(second):
        raise call.fail("T0306", "the tiles have different element types", notes=notes)
    rest = [shape[:position] + shape[position + 1 :] for shape in (left, right)]
    if len(left) != len(right) or rest[0] != rest[1]:
        shapes = f"{hir.shape_text(left)} and {hir.shape_text(right)}"
        message = f"{shapes} must have equal extents on every axis but {position}"
        raise call.fail("T0313", message, notes=notes)


def _join(call: Call, first: hir.Value, second: hir.Value, position: int) -> hir.Value:
    left, right = numeric.shape_of(first), numeric.shape_of(second)
    shape = (*left[:position], left[position] + right[position], *left[position + 1 :])
    numeric.check_tile_shape(call.ctx, shape, call.span, call.name)
    kind = hir.TileType(numeric.dtype_of(first), shape)
    return call.ctx.op("cat", [first, second], kind, call.span, dim=position)


@builtin("flip", ANY_TYPE, "reshape", "extract", "cat")
def flip(call: Call, x: Argument, axis: Argument | None = None) -> AnyValue:
    """Reverse the elements along one or several axes, or along all axes without `axis`."""
    value = call.tile(x)
    for position in call.axes(axis, len(numeric.shape_of(value))):
        extent = numeric.shape_of(value)[position]
        if extent & (extent - 1):
            message = f"flip: the extent {extent} of axis {position} is no power of two"
            raise call.ctx.fail("T0303", message, x.span)
        value = _flipped(call, value, position)
    return value


def _flipped(call: Call, value: hir.Value, axis: int) -> hir.Value:
    """Swap the halves along an axis, then the halves of the halves, and so on."""
    shape = numeric.shape_of(value)
    size = shape[axis] // 2
    while size:
        before, after = _product(shape[:axis]), _product(shape[axis + 1 :])
        count = shape[axis] // (2 * size)
        whole = reshaped(call.ctx, value, (before * count, 2, size * after), call.span)
        halves = [_half(call, whole, number) for number in (1, 0)]
        value = reshaped(call.ctx, _join(call, halves[0], halves[1], 1), shape, call.span)
        size //= 2
    return value


def _half(call: Call, whole: hir.Value, number: int) -> hir.Value:
    rows, _, columns = numeric.shape_of(whole)
    index = [numeric.make_constant(call.ctx, item, I32, (), call.span) for item in (0, number, 0)]
    kind = hir.TileType(numeric.dtype_of(whole), (rows, 1, columns))
    return call.ctx.op("extract", [whole, *index], kind, call.span)


def _product(extents: tuple[int, ...]) -> int:
    result = 1
    for extent in extents:
        result *= extent
    return result


@builtin("insert", ANY_TYPE, "reshape", "broadcast", "select")
def insert(call: Call, x: Argument, index: Argument, part: Argument) -> AnyValue:
    """Return `x` with one part replaced: the one that `extract` takes at tile index `index`."""
    value, piece = call.tile(x), call.tile(part)
    outer, inner = numeric.shape_of(value), numeric.shape_of(piece)
    items = index.value.items if isinstance(index.value, TupleValue) else (index.value,)
    if not len(outer) == len(inner) == len(items):
        message = (
            f"the tile has {len(outer)} axes, the index {len(items)} and the part {len(inner)}"
        )
        raise call.fail("T0301", message, notes=numeric.origin(value, "the tile"))
    if numeric.dtype_of(value) != numeric.dtype_of(piece):
        notes = [*numeric.origin(value, "the tile"), *numeric.origin(piece, "the part")]
        raise call.fail("T0306", "tile and part have different element types", notes=notes)
    if any(have % want for have, want in zip(outer, inner, strict=True)):
        message = f"{hir.shape_text(inner)} does not divide {hir.shape_text(outer)}"
        raise call.fail("T0313", message, part.span, notes=numeric.origin(value, "the tile"))
    mask: AnyValue | None = None
    for axis, (item, have, want) in enumerate(zip(items, outer, inner, strict=True)):
        if isinstance(item, Constant) and numeric.is_number(item) and item.value >= have // want:
            message = f"index {item.value} is outside 0 to {have // want - 1}"
            raise call.fail("T0319", message, index.span)
        place = _is_in_part(call, axis, outer, want, index_scalar(call, item, index))
        mask = place if mask is None else operators.binary(call.ctx, "&", mask, place, call.span)
    assert isinstance(mask, hir.Value)
    spread = numeric.broadcast(call.ctx, mask, outer, call.span)
    repeated = _repeated(call, piece, outer)
    return call.ctx.op("select", [spread, repeated, value], value.type, call.span)


def _is_in_part(
    call: Call, axis: int, outer: tuple[int, ...], extent: int, index: hir.Value
) -> hir.Value:
    """Return along one axis, with extent 1 on the others, which elements belong to the part."""
    ctx, length = call.ctx, outer[axis]
    numbers = ctx.op("iota", [], hir.TileType(I32, (length,)), call.span)
    numbers.bounds = (0, length - 1)
    part = operators.binary(ctx, "//", numbers, Constant(extent, call.span), call.span)
    found = operators.compare(ctx, "==", part, index, call.span)
    assert isinstance(found, hir.Value)
    shape = tuple(length if position == axis else 1 for position in range(len(outer)))
    return reshaped(ctx, found, shape, call.span)


def _repeated(call: Call, piece: hir.Value, outer: tuple[int, ...]) -> hir.Value:
    """Repeat a part until it fills the tile, one axis after the other."""
    for axis, length in enumerate(outer):
        shape = numeric.shape_of(piece)
        count = length // shape[axis]
        if count == 1:
            continue
        before, after = _product(shape[:axis]), _product(shape[axis:])
        rows = reshaped(call.ctx, piece, (before, 1, after), call.span)
        many = numeric.broadcast(call.ctx, rows, (before, count, after), call.span)
        piece = reshaped(call.ctx, many, (*shape[:axis], length, *shape[axis + 1 :]), call.span)
    return piece
