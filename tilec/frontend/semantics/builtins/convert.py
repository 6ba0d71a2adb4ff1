"""Builtins that convert: `cast` with its rounding modes and saturation, and `bitcast`.

A mode or saturation is spelled with the operations that there are, so every stage and the CPU
reference compute the same.
"""

import sys

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import BOOL
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DTYPES, DType, Kind

_TO_WHOLE = {"rn": "round", "rz": None, "rm": "floor", "rp": "ceil"}
"""Rounding mode -> the operation before a conversion to integers, which rounds towards zero.

The names are those of PTX: to nearest even, towards zero, minus infinity, plus infinity."""
_SIGNED_BITS = {16: DTYPES["i16"], 32: DTYPES["i32"], 64: DTYPES["i64"]}
_FLOAT_LIMITS = {
    "f16": 65504.0,
    "bf16": 2.0**127 * (2 - 2**-7),
    "f32": 2.0**127 * (2 - 2**-23),
    "f64": sys.float_info.max,
}
"""Largest finite number of the types whose conversions do not saturate by themselves."""
WITH_BITS = tuple(name for name in ANY_TYPE if name not in ("bool", "tf32"))
"""The element types whose bits are defined."""


@builtin("cast", ANY_TYPE, "ftof", "ftoi", "itof", "exti", "trunci")
def cast(
    call: Call,
    x: Argument,
    dtype: Argument,
    *,
    rounding: Argument | None = None,
    saturate: Argument | None = None,
) -> AnyValue:
    """Convert `x` to another element type.

    `rounding` rounds a float to nearest even (`'rn'`), towards zero (`'rz'`), down (`'rm'`) or up
    (`'rp'`). With `saturate=True`, a number that does not fit and an infinity become the nearest
    finite number of the type. A conversion to the type that `x` has changes nothing.
    """
    value, target = call.number(x), call.dtype(dtype)
    mode = None if rounding is None else mode_of(call, rounding)
    clamps = call.is_set(saturate, "saturate")
    if mode is None and not clamps:
        return numeric.convert(call.ctx, value, target, call.span)
    source = numeric.materialize(call.ctx, value, call.span)
    for kind, span in ((numeric.dtype_of(source), x.span), (target, dtype.span)):
        if kind.kind is Kind.RESTRICTED_FLOAT:
            message = f"rounding modes and saturation do not exist for {kind.name}"
            raise call.fail("T0306", message, span)
    if numeric.dtype_of(source) == target or target is BOOL:
        return numeric.convert(call.ctx, source, target, call.span)
    if mode is not None:
        source = _before(call, source, target, mode)
    if clamps:
        return _saturated(call.ctx, source, target, mode, call.span)
    return rounded(call.ctx, source, target, mode, call.span)


def mode_of(call: Call, argument: Argument) -> str:
    """Return the rounding mode that an argument names."""
    value = argument.value
    if isinstance(value, Constant) and value.value in _TO_WHOLE:
        return str(value.value)
    found = f"'{value.value}'" if isinstance(value, Constant) else describe(value)
    message = f"rounding must be 'rn', 'rz', 'rm' or 'rp', found {found}"
    raise call.fail("T0310", message, argument.span)


def _before(call: Call, source: hir.Value, target: DType, mode: str) -> hir.Value:
    """Return what a conversion to integers takes, rounded as asked."""
    dtype = numeric.dtype_of(source)
    if not dtype.is_float:
        message = f"rounding modes are for floats, found {dtype.name}"
        raise call.fail("T0306", message, notes=numeric.origin(source, "the value"))
    name = _TO_WHOLE[mode]
    if target.is_float or name is None:
        return source
    return call.ctx.op(name, [source], source.type, call.span)


def rounded(
    ctx: Context, source: hir.Value, target: DType, mode: str | None, span: SourceSpan
) -> hir.Value:
    """Convert; a float that becomes a narrower one is rounded as asked."""
    nearest = numeric.convert(ctx, source, target, span)
    dtype = numeric.dtype_of(source)
    narrows = target.is_float and dtype.is_float and _loses(dtype, target)
    if mode in (None, "rn") or not narrows:
        return nearest
    return _directed(ctx, source, nearest, mode, span)


def _loses(source: DType, target: DType) -> bool:
    return source.bits > target.bits or {source.name, target.name} == {"f16", "bf16"}


def _directed(
    ctx: Context, source: hir.Value, nearest: hir.Value, mode: str, span: SourceSpan
) -> hir.Value:
    """Step from the nearest number to the one on the other side of `source`, where it is wrong.

    The bits of a float count its size, so that the next one is one bit pattern away.
    """
    dtype, shape = numeric.dtype_of(nearest), numeric.shape_of(nearest)
    wide = numeric.dtype_of(source)
    if wide.bits == dtype.bits:  # f16 and bf16 meet in f32
        wide = numeric.F32
        source = numeric.convert(ctx, source, wide, span)
    back = numeric.convert(ctx, nearest, wide, span)
    integer = _SIGNED_BITS[dtype.bits]
    bits = ctx.op("bitcast", [nearest], numeric.typed(integer, shape), span)
    is_negative = _compare(ctx, "<", bits, 0, span)
    if mode == "rz":
        sizes = [ctx.op("absf", [item], item.type, span) for item in (back, source)]
        is_wrong = _compare(ctx, ">", sizes[0], sizes[1], span)
        step = numeric.make_constant(ctx, -1, integer, shape, span)
    else:
        is_wrong = _compare(ctx, ">" if mode == "rm" else "<", back, source, span)
        outward = 1 if mode == "rm" else -1
        away = numeric.make_constant(ctx, outward, integer, shape, span)
        towards = numeric.make_constant(ctx, -outward, integer, shape, span)
        step = ctx.op("select", [is_negative, away, towards], bits.type, span)
    moved = ctx.op("addi", [bits, step], bits.type, span)
    fixed = ctx.op("select", [is_wrong, moved, bits], bits.type, span)
    return ctx.op("bitcast", [fixed], nearest.type, span)


def _compare(
    ctx: Context, name: str, left: hir.Value, right: hir.Value | float, span: SourceSpan
) -> hir.Value:
    other = right if isinstance(right, hir.Value) else Constant(right, span)
    result = operators.compare(ctx, name, left, other, span)
    assert isinstance(result, hir.Value)
    return result


def _saturated(
    ctx: Context, source: hir.Value, target: DType, mode: str | None, span: SourceSpan
) -> hir.Value:
    """Convert; what does not fit becomes the nearest number of the type, and a NaN an integer 0."""
    dtype = numeric.dtype_of(source)
    if target.is_float:
        return _saturated_float(ctx, source, target, mode, span)
    low = -(1 << (target.bits - 1)) if target.signed else 0
    high = (1 << (target.bits - (1 if target.signed else 0))) - 1
    shape = numeric.shape_of(source)
    limits = [numeric.make_constant(ctx, item, target, shape, span) for item in (low, high)]
    if dtype.is_float:
        wide = numeric.F32 if dtype.bits < numeric.F32.bits else dtype
        source = numeric.convert(ctx, source, wide, span)
        above = _compare(ctx, ">=", source, float(high + 1), span)
        below = _compare(ctx, "<=", source, float(low), span)
        nan = _unordered(ctx, source, span)
        zero = numeric.make_constant(ctx, 0, wide, shape, span)
        outside = ctx.op("ori", [above, below], above.type, span)
        outside = ctx.op("ori", [outside, nan], above.type, span)
        source = ctx.op("select", [outside, zero, source], source.type, span)
    else:
        above = _beyond(ctx, ">", source, high, span)
        below = _beyond(ctx, "<", source, low, span)
    result = numeric.convert(ctx, source, target, span)
    result = ctx.op("select", [above, limits[1], result], result.type, span)
    return ctx.op("select", [below, limits[0], result], result.type, span)


def _beyond(ctx: Context, name: str, source: hir.Value, limit: int, span: SourceSpan) -> hir.Value:
    """Compare an integer with a limit, which its own type may not hold."""
    dtype = numeric.dtype_of(source)
    width = 1 if dtype is BOOL else dtype.bits
    low = -(1 << (width - 1)) if dtype.signed and dtype is not BOOL else 0
    high = (1 << (width - (1 if low else 0))) - 1
    if dtype is not BOOL and low <= limit <= high:
        return _compare(ctx, name, source, limit, span)
    return numeric.make_constant(ctx, False, BOOL, numeric.shape_of(source), span)


def _saturated_float(
    ctx: Context, source: hir.Value, target: DType, mode: str | None, span: SourceSpan
) -> hir.Value:
    result = rounded(ctx, source, target, mode, span)
    limit = _FLOAT_LIMITS.get(target.name)
    if limit is None:
        return result
    shape = numeric.shape_of(result)
    for name, number in ((">", limit), ("<", -limit)):
        is_beyond = _compare(ctx, name, result, number, span)
        bound = numeric.make_constant(ctx, number, target, shape, span)
        result = ctx.op("select", [is_beyond, bound, result], result.type, span)
    return result


def _unordered(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    kind = numeric.typed(BOOL, numeric.shape_of(value))
    attributes = {"predicate": "not_equal", "ordering": "unordered"}
    return ctx.op("cmpf", [value, value], kind, span, **attributes)


@builtin("bitcast", WITH_BITS, "bitcast")
def bitcast(call: Call, x: Argument, dtype: Argument) -> AnyValue:
    """Return the bits of `x` as another element type of the same width."""
    value = numeric.materialize(call.ctx, call.number(x), call.span)
    source, target = numeric.dtype_of(value), call.dtype(dtype)
    if source.bits != target.bits or not {source.name, target.name} <= set(WITH_BITS):
        message = f"the bits of {source.name} are not those of a {target.name}"
        hint = "both types need the same width; bool and tf32 have no bits of their own"
        raise call.fail("T0306", message, hint=hint, notes=numeric.origin(value, "the value"))
    if target.kind is Kind.RESTRICTED_FLOAT and not numeric.is_tile(value):
        message = f"only tiles hold {target.name}, not scalars"
        raise call.fail("T0307", message)
    if source == target:
        return value
    kind = numeric.typed(target, numeric.shape_of(value))
    is_same = source.is_integer and target.is_integer
    return call.ctx.op("reinterpret" if is_same else "bitcast", [value], kind, call.span)
