"""Builtins that see a tile as its bytes: `pack_to_bytes` and `unpack_from_bytes`.

A byte is a shift of the bits of an element, so every stage and the CPU reference compute the same.
The bytes of an element lie from the lowest to the highest, as in memory.
"""

import math

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.convert import WITH_BITS, bitcast
from tilec.frontend.semantics.builtins.shape import reshaped
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.combining import binary_combiner, combine
from tilec.frontend.semantics.values import AnyValue, DTypeValue
from tilec.support.dtypes import DTYPES, DType

_BYTE = DTYPES["u8"]


@builtin("pack_to_bytes", WITH_BITS, "bitcast", "reshape", "broadcast", "shri", "trunci")
def pack_to_bytes(call: Call, x: Argument) -> AnyValue:
    """Return the bytes of a tile as a tile of one axis of u8: of each element the lowest first."""
    value = call.tile(x)
    dtype, shape = numeric.dtype_of(value), numeric.shape_of(value)
    _check_bits(call, dtype, value)
    number = DTYPES[f"u{dtype.bits}"]
    bits = reshaped(call.ctx, _bits(call, value, number), (math.prod(shape), 1), call.span)
    if dtype.bytes > 1:
        bits = _shifted(call, ">>", bits, dtype.bytes)
        bits = numeric.convert(call.ctx, bits, _BYTE, call.span)
    return reshaped(call.ctx, bits, (math.prod(shape) * dtype.bytes,), call.span)


@builtin("unpack_from_bytes", ("i8", "u8"), "reshape", "exti", "shli", "reduce", "bitcast")
def unpack_from_bytes(call: Call, x: Argument, dtype: Argument) -> AnyValue:
    """Return the tile of one axis of element type `dtype` that has the bytes `x`.

    It undoes `pack_to_bytes`, but for the shape.
    """
    value, target = call.tile(x), call.dtype(dtype)
    source, shape = numeric.dtype_of(value), numeric.shape_of(value)
    if source.name not in ("i8", "u8") or len(shape) != 1:
        message = "expected a tile of one axis of u8"
        hint = "write 'reshape(x, (-1,))' for one axis"
        raise call.fail("T0306", message, hint=hint, notes=numeric.origin(value, "the tile"))
    _check_bits(call, target, value)
    if shape[0] % target.bytes:
        message = f"{shape[0]} bytes are no whole number of {target.name}"
        raise call.fail("T0313", message, notes=numeric.origin(value, "the tile"))
    number = DTYPES[f"u{target.bits}"]
    bits = _bits(call, value, _BYTE)
    if target.bytes > 1:
        rows = reshaped(call.ctx, bits, (shape[0] // target.bytes, target.bytes), call.span)
        wide = numeric.convert(call.ctx, rows, number, call.span)
        moved = _shifted(call, "<<", wide, target.bytes)
        (bits,) = combine(call, "reduce", [moved], 1, binary_combiner(call, "ori"), [0])
    return _bits(call, bits, target)


def _check_bits(call: Call, dtype: DType, value: hir.Value) -> None:
    if dtype.name not in WITH_BITS:
        message = f"{dtype.name} has no bytes of its own"
        hint = "cast to u8" if dtype.name == "bool" else "cast to f32"
        raise call.fail("T0306", message, hint=hint, notes=numeric.origin(value, "the tile"))


def _bits(call: Call, value: hir.Value, dtype: DType) -> hir.Value:
    """Return the bits of a tile as another type of the same width."""
    found = bitcast(call, Argument(value, call.span), Argument(DTypeValue(dtype), call.span))
    assert isinstance(found, hir.Value)
    return found


def _shifted(call: Call, operator: str, bits: hir.Value, count: int) -> hir.Value:
    """Shift column n of `count` columns by n bytes; a single column is repeated."""
    ctx, span, dtype = call.ctx, call.span, numeric.dtype_of(bits)
    places = ctx.op("iota", [], hir.TileType(numeric.I32, (count,)), span)
    steps = numeric.convert(ctx, places, dtype, span)
    eight = numeric.make_constant(ctx, 8, dtype, (count,), span)
    row = reshaped(ctx, ctx.op("muli", [steps, eight], steps.type, span), (1, count), span)
    moved = operators.binary(ctx, operator, bits, row, span)
    assert isinstance(moved, hir.Value)
    return moved
