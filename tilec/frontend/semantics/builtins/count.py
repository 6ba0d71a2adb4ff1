"""The builtin that counts: `histogram`."""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.element_access import mask_value
from tilec.frontend.semantics.numeric import BOOL, I32
from tilec.frontend.semantics.values import AnyValue

_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
_UNCOUNTED = -1
"""A number that no bin counts."""


@builtin("histogram", _INTEGERS, "histogram")
def histogram(call: Call, x: Argument, bins: Argument, *, mask: Argument | None = None) -> AnyValue:
    """Return how often each of the numbers 0, ..., `bins` - 1 occurs in a tile, as i32 tile."""
    tile = call.tile(x)
    dtype = numeric.dtype_of(tile)
    if dtype.name not in _INTEGERS:
        hint = "use 'cast(x, i32)'"
        raise call.fail("T0306", f"it counts integers, found {dtype.name}", x.span, hint=hint)
    count = call.integer(bins, "the number of bins")
    numeric.check_tile_shape(call.ctx, (count,), bins.span, call.name)
    if dtype.bits < I32.bits:
        tile = numeric.convert(call.ctx, tile, I32, x.span)
    if mask is not None:
        tile = _masked(call, tile, mask)
    return call.ctx.op("histogram", [tile], hir.TileType(I32, (count,)), call.span)


def _masked(call: Call, tile: hir.Value, mask: Argument) -> hir.Value:
    """Replace what is masked off by a number that is not counted."""
    ctx, dtype, chosen = call.ctx, numeric.dtype_of(tile), mask_value(call, mask)
    shape = numeric.broadcast_shapes(ctx, [tile, chosen], call.span, call.name)
    if isinstance(chosen, hir.Value):
        chosen = numeric.broadcast(ctx, chosen, shape, mask.span)
    else:
        chosen = numeric.make_constant(ctx, bool(chosen.value), BOOL, shape, mask.span)
    spread = numeric.broadcast(ctx, tile, shape, call.span)
    number = _UNCOUNTED if dtype.signed else (1 << dtype.bits) + _UNCOUNTED
    other = numeric.make_constant(ctx, number, dtype, shape, call.span)
    return ctx.op("select", [chosen, spread, other], spread.type, call.span)
