"""Builtins that combine every element of a tile with those before it: scans.

Types are those of reductions: see `reduce.py`.
"""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import ARITHMETIC, Argument, Call, builtin
from tilec.frontend.semantics.combining import (
    Combiner,
    combine,
    identities_of,
    result_of,
    summed,
    tiles_of,
    user_combiner,
)
from tilec.frontend.semantics.values import AnyValue


def _running(
    call: Call, x: Argument, axis: Argument | None, reverse: Argument | None, name: str, start: int
) -> hir.Value:
    backwards = call.is_set(reverse, "reverse")

    def run(tile: hir.Value, combiner: Combiner) -> hir.Value:
        position = call.axis(axis, len(numeric.shape_of(tile)))
        (found,) = combine(call, "scan", [tile], position, combiner, [start], reverse=backwards)
        return found

    return summed(call, x, name, run)


@builtin("cumsum", ARITHMETIC, "scan")
def cumsum(
    call: Call, x: Argument, axis: Argument | None = None, *, reverse: Argument | None = None
) -> AnyValue:
    """Return the sum of every element and those before it along an axis, which a row may omit."""
    return _running(call, x, axis, reverse, "add", 0)


@builtin("cumprod", ARITHMETIC, "scan")
def cumprod(
    call: Call, x: Argument, axis: Argument | None = None, *, reverse: Argument | None = None
) -> AnyValue:
    """Return the product of every element and those before it along an axis, see `cumsum`."""
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
    """Combine every element with those before it along an axis, in their order.

    The function is that of `reduce`, but it only has to be associative.
    """
    tiles = tiles_of(call, x)
    position = call.axis(axis, len(numeric.shape_of(tiles[0])))
    combiner = user_combiner(call, function, tiles)
    identities = identities_of(call, identity, tiles)
    backwards = call.is_set(reverse, "reverse")
    found = combine(call, "scan", tiles, position, combiner, identities, reverse=backwards)
    return result_of(x, found)
