"""Builtins that combine every element of a tile with those before it: scans.

Types are those of reductions: see `builtins_reduce`.
"""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtin_table import ARITHMETIC, Argument, Call, builtin
from tilec.frontend.semantics.combining import (
    arithmetic_tile,
    binary_combiner,
    combine,
    identities_of,
    narrowed,
    result_of,
    tiles_of,
    user_combiner,
    wide_dtype,
)
from tilec.frontend.semantics.values import AnyValue


def _running(
    call: Call, x: Argument, axis: Argument, reverse: Argument | None, name: str, start: int
) -> hir.Value:
    tile = arithmetic_tile(call, x)
    dtype = numeric.dtype_of(tile)
    wide = wide_dtype(dtype)
    widened = numeric.convert(call.ctx, tile, wide, call.span)
    position = call.axis(axis, len(numeric.shape_of(tile)))
    backwards = call.is_set(reverse, "reverse")
    combiner = binary_combiner(call, name + ("f" if wide.is_float else "i"))
    (found,) = combine(call, "scan", [widened], position, combiner, [start], reverse=backwards)
    return narrowed(call, found, dtype)


@builtin("cumsum", ARITHMETIC, "scan")
def cumsum(call: Call, x: Argument, axis: Argument, *, reverse: Argument | None = None) -> AnyValue:
    """Return the sum of every element and those before it along an axis."""
    return _running(call, x, axis, reverse, "add", 0)


@builtin("cumprod", ARITHMETIC, "scan")
def cumprod(
    call: Call, x: Argument, axis: Argument, *, reverse: Argument | None = None
) -> AnyValue:
    """Return the product of every element and those before it along an axis."""
    return _running(call, x, axis, reverse, "mul", 1)


@builtin("scan", ARITHMETIC, "scan")
def scan(
    call: Call,
    x: Argument,
    axis: Argument,
    function: Argument,
    identity: Argument,
    *,
    reverse: Argument | None = None,
) -> AnyValue:
    """Combine every element with those before it along an axis, with an associative function."""
    tiles = tiles_of(call, x)
    position = call.axis(axis, len(numeric.shape_of(tiles[0])))
    combiner = user_combiner(call, function, tiles)
    identities = identities_of(call, identity, tiles)
    backwards = call.is_set(reverse, "reverse")
    found = combine(call, "scan", tiles, position, combiner, identities, reverse=backwards)
    return result_of(x, found)
