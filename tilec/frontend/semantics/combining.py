"""Operations `reduce` and `scan` of the typed program: a function of two elements along an axis.

The function becomes the body of the operation. It sees scalars only: a pair for each tile that is
combined, and constants.
"""

from collections.abc import Callable, Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call
from tilec.frontend.semantics.calls import call_with_values
from tilec.frontend.semantics.numeric import BOOL, F32, I32, U32
from tilec.frontend.semantics.values import (
    AnyValue,
    BuiltinValue,
    Constant,
    FunctionValue,
    TupleValue,
    describe,
)
from tilec.support.diagnostics import note
from tilec.support.dtypes import DType

_WORD_BITS = 32
_PAIR = 2
MAX_TILES = 4
"""Tiles that one `reduce` or `scan` combines together: the operand fields of the operations."""
_REPORTS = ("assert", "print")
"""Operations by which a kernel reports; in the body of a reduction no pass numbers them."""

Combiner = Callable[[Sequence[hir.Value], Sequence[hir.Value]], Sequence[hir.Value]]
"""From the elements of one side and those of the other to what they give, one for each tile."""


def combine(
    call: Call,
    name: str,
    tiles: Sequence[hir.Value],
    axis: int,
    combiner: Combiner,
    identities: Sequence[float],
    *,
    reverse: bool | None = None,
) -> tuple[hir.Value, ...]:
    """Record a `reduce` or `scan` and return its results.

    Args:
        call: The call that asks for it.
        name: `reduce` or `scan`.
        tiles: Tiles of one shape, which are combined together.
        axis: The axis along which elements are combined.
        combiner: Records the function, in the body of the operation.
        identities: For each tile what changes nothing.
        reverse: For a scan: whether it runs from the end.
    """
    ctx, span = call.ctx, call.span
    block = hir.Block()
    pairs = []
    for tile in tiles:
        element = hir.ScalarType(numeric.dtype_of(tile))
        pairs.append((hir.Value(element, tile.span), hir.Value(element, tile.span)))
    block.arguments = tuple(item for pair in pairs for item in pair)
    with ctx.in_block(block):
        found = combiner([first for first, _ in pairs], [second for _, second in pairs])
        block.yields = tuple(found)
    _check_closed(call, block)
    shape = numeric.shape_of(tiles[0])
    if name == "reduce":
        shape = (*shape[:axis], *shape[axis + 1 :])
    kinds = [numeric.typed(numeric.dtype_of(tile), shape) for tile in tiles]
    attributes = {"dim": axis, "identities": tuple(identities)}
    if reverse is not None:
        attributes["reverse"] = reverse
    return ctx.record(name, tiles, kinds, span, attributes, (block,))


def _check_closed(call: Call, block: hir.Block) -> None:
    """Raise when the body uses a run-time value of the kernel around it."""
    own = set(block.arguments)
    for op in block.operations:
        if op.regions:
            message = "the function may not hold a loop or a branch at run time"
            raise call.fail("T0318", message, op.span, hint="use 'where(condition, a, b)'")
        if op.name in _REPORTS:
            message = f"the function may not {op.name} at run time"
            raise call.fail("T0318", message, op.span)
        if any(isinstance(result.type, hir.TileType) for result in op.results):
            message = "the function combines two numbers: it may not make tiles"
            raise call.fail("T0311", message, op.span)
        _check_known(call, op.operands, own)
        own.update(op.results)
    _check_known(call, block.yields, own)


def _check_known(call: Call, values: Sequence[hir.Value], own: set[hir.Value]) -> None:
    for value in values:
        if value not in own:
            message = "the function uses a run-time value from outside of it"
            notes = [note("the value comes from here", value.span)]
            hint = "pass it as one more tile, or make it a 'const'"
            raise call.fail("T0318", message, hint=hint, notes=notes)


def user_combiner(call: Call, function: Argument, tiles: Sequence[hir.Value]) -> Combiner:
    """Return the combiner that inlines a function of the user.

    It takes an element of each tile, then a second one of each, and returns one for each. A
    function of two parameters takes the elements of several tiles as two tuples.

    Raises:
        SemanticError: It is no function, or what it returns does not fit.
    """
    target = function.value
    if not isinstance(target, FunctionValue | BuiltinValue):
        message = f"expected a function of two numbers, found {describe(target)}"
        raise call.fail("T0311", message, function.span)

    def run(first: Sequence[hir.Value], second: Sequence[hir.Value]) -> Sequence[hir.Value]:
        given: Sequence[AnyValue] = (*first, *second)
        if len(tiles) > 1 and _takes_pairs(target):
            given = (TupleValue(tuple(first)), TupleValue(tuple(second)))
        arguments = [Argument(value, function.span) for value in given]
        if isinstance(target, BuiltinValue):
            inner = Call(call.ctx, target.name, call.span)
            found = target.call(inner, *arguments)
        else:
            found = _inline(call, target, arguments)
        return _results(call, found, tiles, function)

    return run


def _takes_pairs(function: FunctionValue | BuiltinValue) -> bool:
    """Tell whether a function has two parameters."""
    return isinstance(function, FunctionValue) and len(function.definition.parameters) == _PAIR


def _inline(call: Call, function: FunctionValue, arguments: Sequence[Argument]) -> AnyValue:
    definition = function.definition
    slots = [item for item in definition.parameters if not item.keyword_only]
    needed = sum(item.default is None for item in definition.parameters)
    if definition.is_kernel or not needed <= len(arguments) <= len(slots):
        pairs = ", or 2 that take tuples," if len(arguments) > _PAIR else ","
        message = (
            f"expected a helper with {len(arguments)} parameters{pairs} found"
            f" '{definition.name}' with {len(definition.parameters)}"
        )
        notes = [note(f"'{definition.name}' is defined here", definition.span)]
        raise call.fail("T0310", message, notes=notes)
    return call_with_values(call.ctx, function, arguments, call.span)


def _results(
    call: Call, found: AnyValue, tiles: Sequence[hir.Value], function: Argument
) -> Sequence[hir.Value]:
    items = found.items if isinstance(found, TupleValue) else (found,)
    if len(items) != len(tiles) or not all(numeric.is_number(item) for item in items):
        what = "a number" if len(tiles) == 1 else f"a tuple of {len(tiles)} numbers"
        message = f"the function must return {what}, found {describe(found)}"
        raise call.fail("T0311", message, function.span)
    results = []
    for item, tile in zip(items, tiles, strict=True):
        dtype = numeric.dtype_of(tile)
        if isinstance(item, hir.Value) and numeric.dtype_of(item) != dtype:
            message = (
                f"the function returns {describe(item)} for a tile of {dtype.name}: both must"
                " have one element type"
            )
            raise call.fail("T0306", message, function.span, hint=f"cast to {dtype.name}")
        number = numeric.require_number(call.ctx, item, function.span, call.name)
        results.append(numeric.convert(call.ctx, number, dtype, call.span))
    return results


def identities_of(call: Call, identity: Argument, tiles: Sequence[hir.Value]) -> list[float]:
    """Return the identity of each tile: one number, or a tuple of as many as there are tiles."""
    value = identity.value
    items = value.items if isinstance(value, TupleValue) else (value,)
    known = [item.value for item in items if isinstance(item, Constant) and numeric.is_number(item)]
    what = "a number" if len(tiles) == 1 else f"a tuple of {len(tiles)} numbers"
    if len(items) != len(tiles) or not all(map(numeric.is_number, items)):
        message = f"the identity must be {what}, found {describe(value)}"
        raise call.fail("T0403", message, identity.span)
    if len(known) != len(items):
        message = f"the identity must be {what} that the compiler knows, found run-time values"
        hint = "write it as numbers, such as 0, inf or 2 ** 31 - 1"
        raise call.fail("T0403", message, identity.span, hint=hint)
    for number, tile in zip(known, tiles, strict=True):
        dtype = numeric.dtype_of(tile)
        numeric.check_fits(call.ctx, Constant(number, identity.span), dtype, identity.span)
    return known


def arithmetic_tile(call: Call, x: Argument) -> hir.Value:
    """Return a tile of numbers that can be computed with."""
    tile = call.tile(x, "expected a tile to combine the elements of")
    numeric.require_arithmetic(call.ctx, numeric.dtype_of(tile), x.span, call.name)
    return tile


def wide_dtype(dtype: DType) -> DType:
    """Return the type in which sums and products of `dtype` are computed."""
    if dtype is BOOL or (dtype.is_integer and dtype.bits < _WORD_BITS):
        return U32 if dtype is not BOOL and not dtype.signed else I32
    return F32 if dtype.is_float and dtype.bits < _WORD_BITS else dtype


def summed(
    call: Call,
    x: Argument,
    name: str,
    run: Callable[[hir.Value, Combiner], hir.Value],
) -> hir.Value:
    """Return sums or products of a tile, computed in the wide type.

    Args:
        call: The call that asks for them.
        x: The tile.
        name: `add` or `mul`.
        run: Records the reduction or scan of the widened tile.
    """
    tile = arithmetic_tile(call, x)
    dtype = numeric.dtype_of(tile)
    wide = wide_dtype(dtype)
    widened = numeric.convert(call.ctx, tile, wide, call.span)
    combiner = binary_combiner(call, name + ("f" if wide.is_float else "i"))
    return narrowed(call, run(widened, combiner), dtype)


def narrowed(call: Call, value: hir.Value, dtype: DType) -> hir.Value:
    """Return a result in the type of the tile, if that is a float."""
    return numeric.convert(call.ctx, value, dtype, call.span) if dtype.is_float else value


def binary_combiner(call: Call, name: str) -> Combiner:
    """Return the combiner that is one operation."""

    def run(first: Sequence[hir.Value], second: Sequence[hir.Value]) -> Sequence[hir.Value]:
        kind = first[0].type
        return [call.ctx.op(name, [first[0], second[0]], kind, call.span)]

    return run


def tiles_of(call: Call, x: Argument) -> list[hir.Value]:
    """Return one tile or a tuple of tiles of one shape."""
    items = x.value.items if isinstance(x.value, TupleValue) else (x.value,)
    tiles = [call.tile(Argument(item, x.span)) for item in items]
    if not tiles:
        raise call.fail("T0311", "expected a tile or a tuple of tiles", x.span)
    if len(tiles) > MAX_TILES:
        message = f"combines at most {MAX_TILES} tiles, found {len(tiles)}"
        raise call.fail("T0310", message, x.span, hint="combine them in two calls")
    shapes = {numeric.shape_of(tile) for tile in tiles}
    if len(shapes) > 1:
        shown = " and ".join(describe(tile) for tile in tiles)
        raise call.fail("T0313", f"the tiles must have one shape, found {shown}", x.span)
    return tiles


def result_of(x: Argument, values: Sequence[hir.Value]) -> AnyValue:
    """Return a tuple of results where a tuple of tiles was given, else the only one."""
    return TupleValue(tuple(values)) if isinstance(x.value, TupleValue) else values[0]
