"""Element types and shapes of operands: promotion, conversion, broadcasting.

Promotion goes bool < int < float. Numbers written in the source (and `const` values) are weak:
they take the type of the other operand. Restricted floats (tf32, f8) need an explicit `cast`.
"""

import math
from collections.abc import Sequence

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.values import AnyValue, ArrayValue, Constant, Unusable, describe
from tilec.support.diagnostics import Diagnostic, SourceSpan, note
from tilec.support.dtypes import DTYPES, DType, Kind, largest_float, overflows

BOOL, I32, I64, F32 = DTYPES["bool"], DTYPES["i32"], DTYPES["i64"], DTYPES["f32"]
U32 = DTYPES["u32"]
MAX_TILE_ELEMENTS = 1 << 20
"""Most elements of one tile. No SM holds as many; cuda_tile allows 2^24 (`Types.h`), whose code
takes minutes to compile."""


def dtype_of(value: hir.Value) -> DType:
    """Return the element type of a scalar or tile."""
    kind = value.type
    if isinstance(kind, hir.ScalarType | hir.TileType):
        return kind.dtype
    raise TypeError(f"{kind} has no element type")


def shape_of(value: hir.Value) -> tuple[int, ...]:
    """Return the shape of a tile; `()` for a scalar."""
    return value.type.shape if isinstance(value.type, hir.TileType) else ()


def typed(dtype: DType, shape: tuple[int, ...]) -> hir.Type:
    """Return the type of a tile of that shape, or of a scalar for `()`."""
    return hir.TileType(dtype, shape) if shape else hir.ScalarType(dtype)


def is_tile(value: AnyValue) -> bool:
    """Tell whether a value is a tile."""
    return isinstance(value, hir.Value) and isinstance(value.type, hir.TileType)


def is_number(value: AnyValue) -> bool:
    """Tell whether a value is a number: constant, scalar or tile."""
    if isinstance(value, Constant):
        return isinstance(value.value, bool | int | float)
    return isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType | hir.TileType)


def require_number(
    ctx: Context, value: AnyValue, span: SourceSpan, what: str
) -> Constant | hir.Value:
    """Return `value` when it is a number, else raise."""
    if isinstance(value, Unusable):
        raise ctx.fail("T0202", f"{what}: this value {value.reason}", span)
    if is_number(value) and isinstance(value, Constant | hir.Value):
        return value
    hint = None
    if isinstance(value, ArrayValue):
        hint = "an array is no pointer: use 'load(A, i, shape)' or 'gather(A, indices)'"
    elif isinstance(value, Constant) and isinstance(value.value, str):
        hint = "strings are printed only: give 'print' several values, or an f-string"
    message = f"{what}: expected a number or a tile, found {describe(value)}"
    raise ctx.fail("T0311", message, span, hint=hint)


def origin(value: AnyValue, what: str) -> list[Diagnostic]:
    """Return a note that points at where a value comes from."""
    if isinstance(value, hir.Value | Constant):
        return [note(f"{what} is {describe(value)}", value.span)]
    return []


# Element types


def _promote_floats(left: DType, right: DType) -> DType:
    if left.bits == right.bits:
        return F32  # f16 with bf16: neither holds the other
    return left if left.bits > right.bits else right


def _promote_integers(left: DType, right: DType) -> DType | None:
    if left.signed == right.signed:
        return left if left.bits >= right.bits else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    return signed if signed.bits > unsigned.bits else None


def promote(left: DType, right: DType) -> DType | None:
    """Return the common type of two element types, or None when they need a cast."""
    if left == right:
        return left
    if Kind.RESTRICTED_FLOAT in (left.kind, right.kind):
        return None
    if left.kind != right.kind:
        return left if left.kind.value > right.kind.value else right
    return _promote_floats(left, right) if left.is_float else _promote_integers(left, right)


def weak_dtype(value: bool | float) -> DType:
    """Return the type that a number of the source has when nothing else decides."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return I32 if -(1 << 31) <= value < (1 << 31) else I64
    return F32


def _with_weak(dtype: DType, value: bool | float) -> DType:
    weak = weak_dtype(value)
    return dtype if dtype.kind.value >= weak.kind.value else weak


def common_dtype(
    ctx: Context, values: Sequence[Constant | hir.Value], span: SourceSpan, what: str
) -> DType:
    """Return the type that an operation on `values` computes in.

    Raises:
        SemanticError: Two types have no common one (T0306) or are restricted (T0307).
    """
    result: DType | None = None
    for value in values:
        if isinstance(value, Constant):
            continue
        dtype = dtype_of(value)
        common = dtype if result is None else promote(result, dtype)
        if common is None and result is not None:
            raise _no_common(ctx, result, dtype, values, span, what)
        result = common
    for value in values:
        if isinstance(value, Constant):
            weak = weak_dtype(value.value)
            result = weak if result is None else _with_weak(result, value.value)
    return result or I32


def _no_common(
    ctx: Context,
    left: DType,
    right: DType,
    values: Sequence[Constant | hir.Value],
    span: SourceSpan,
    what: str,
) -> Exception:
    notes = [item for value in values[:2] for item in origin(value, "this operand")]
    restricted = next((item for item in (left, right) if item.kind is Kind.RESTRICTED_FLOAT), None)
    if restricted is not None:
        message = f"{what}: {restricted.name} is never converted implicitly"
        return ctx.fail("T0307", message, span, hint="use 'cast(x, dtype)'", notes=notes)
    message = f"{what}: {left.name} and {right.name} have no common type"
    hint = f"cast one of them, for example 'cast(x, {left.name})'"
    return ctx.fail("T0306", message, span, hint=hint, notes=notes)


def require_arithmetic(ctx: Context, dtype: DType, span: SourceSpan, what: str) -> None:
    """Raise when a type has no arithmetic (restricted floats)."""
    if dtype.kind is Kind.RESTRICTED_FLOAT:
        message = f"{what}: {dtype.name} has no arithmetic"
        hint = "cast to f32 or f16 first; 'mma' accepts it without a cast"
        raise ctx.fail("T0307", message, span, hint=hint)


# Constants


def check_fits(ctx: Context, constant: Constant, dtype: DType, span: SourceSpan) -> None:
    """Raise when a number of the source cannot be a value of `dtype`."""
    value = constant.value
    if dtype.is_float:
        _check_float(ctx, value, dtype, span)
        return
    if isinstance(value, float):
        message = f"{value!r} is not a value of {dtype.name}"
        raise ctx.fail("T0306", message, span, hint="use 'cast(x, dtype)' to convert")
    if not isinstance(value, bool) and isinstance(value, int) and dtype.is_integer:
        low = -(1 << (dtype.bits - 1)) if dtype.signed else 0
        high = (1 << (dtype.bits - 1 if dtype.signed else dtype.bits)) - 1
        if not low <= value <= high:
            message = f"{int(value)} does not fit {dtype.name} ({low} to {high})"
            hint = "convert the other operand to a wider type first" if dtype.bits < 64 else None
            raise ctx.fail("T0306", message, span, hint=hint)


def _check_float(ctx: Context, value: bool | float, dtype: DType, span: SourceSpan) -> None:
    """Raise when a number would become an infinity or a NaN in a float type."""
    if isinstance(value, float) and not math.isfinite(value):
        if dtype.name == "f8e4m3" and math.isinf(value):
            raise ctx.fail("T0306", f"{dtype.name} has no infinity", span)
        return
    if overflows(value, dtype):
        message = f"{value} does not fit {dtype.name} (at most {float(largest_float(dtype)):g})"
        hint = "use a wider type, or 'inf' for infinity"
        raise ctx.fail("T0306", message, span, hint=hint)


def make_constant(
    ctx: Context, value: bool | float, dtype: DType, shape: tuple[int, ...], span: SourceSpan
) -> hir.Value:
    """Append a constant scalar or tile."""
    number = float(value) if dtype.is_float else bool(value) if dtype is BOOL else int(value)
    return ctx.op("constant", [], typed(dtype, shape), span, value=number)


def materialize(ctx: Context, value: Constant | hir.Value, span: SourceSpan) -> hir.Value:
    """Return a run-time value; a constant gets its default type."""
    if isinstance(value, hir.Value):
        return value
    dtype = weak_dtype(value.value)
    check_fits(ctx, value, dtype, span)
    return make_constant(ctx, value.value, dtype, (), span)


# Conversion


def convert(ctx: Context, value: Constant | hir.Value, dtype: DType, span: SourceSpan) -> hir.Value:
    """Convert a number to `dtype`, as `cast` does."""
    if dtype.kind is Kind.RESTRICTED_FLOAT and not is_tile(value):
        message = f"only tiles hold {dtype.name}, not scalars"
        raise ctx.fail("T0307", message, span, hint=f"use 'full(shape, x, {dtype.name})'")
    if isinstance(value, Constant):
        number = value.value
        if isinstance(number, float) and dtype.is_integer:
            if not math.isfinite(number):
                raise ctx.fail("T0306", f"cast: {number!r} is not a value of {dtype.name}", span)
            number = int(number)
        check_fits(ctx, Constant(number, span), dtype, span)
        return make_constant(ctx, number, dtype, (), span)
    source = dtype_of(value)
    if source == dtype:
        return value
    result_type = typed(dtype, shape_of(value))
    if dtype is BOOL:
        return _to_bool(ctx, value, span)
    if source.is_float:
        if dtype.is_float:
            return ctx.op("ftof", [value], result_type, span)
        return ctx.op("ftoi", [value], result_type, span, signed=dtype.signed)
    if dtype.is_float:
        return ctx.op("itof", [value], result_type, span, signed=source.signed)
    return _convert_integer(ctx, value, source, dtype, span)


def _convert_integer(
    ctx: Context, value: hir.Value, source: DType, dtype: DType, span: SourceSpan
) -> hir.Value:
    result_type = typed(dtype, shape_of(value))
    width = 1 if source is BOOL else source.bits
    if width < dtype.bits:
        return ctx.op("exti", [value], result_type, span, signed=source.signed)
    return ctx.op("trunci" if width > dtype.bits else "reinterpret", [value], result_type, span)


def _to_bool(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    if dtype_of(value).kind is Kind.RESTRICTED_FLOAT:
        value = convert(ctx, value, F32, span)  # restricted floats have no comparisons
    source = dtype_of(value)
    zero = make_constant(ctx, 0, source, shape_of(value), span)
    result_type = typed(BOOL, shape_of(value))
    if source.is_float:
        return ctx.op(
            "cmpf", [value, zero], result_type, span, predicate="not_equal", ordering="unordered"
        )
    return ctx.op(
        "cmpi", [value, zero], result_type, span, predicate="not_equal", signed=source.signed
    )


# Shapes


def check_tile_shape(ctx: Context, shape: tuple[int, ...], span: SourceSpan, what: str) -> None:
    """Raise when a tile of `shape` cannot exist (T0303, T0304)."""
    shown = f"{what}: tile {hir.shape_text(shape)}" if shape else what
    for extent in shape:
        if extent <= 0:
            raise ctx.fail("T0303", f"{shown}: extents must be positive, found {int(extent)}", span)
        if extent & (extent - 1) and not ctx.any_tile_extents:
            low = 1 << (int(extent).bit_length() - 1)
            message = f"{shown}: extents must be powers of two, found {int(extent)}"
            hint = f"use {low} or {2 * low}, or allow it with '@kernel(any_tile_extents=True)'"
            raise ctx.fail("T0303", message, span, hint=hint)
    elements = math.prod(shape)
    if elements > MAX_TILE_ELEMENTS:
        message = f"{shown} has {elements} elements; the limit is {MAX_TILE_ELEMENTS}"
        raise ctx.fail("T0304", message, span, hint="use a smaller tile")


def broadcast_shapes(
    ctx: Context,
    values: Sequence[Constant | hir.Value],
    span: SourceSpan,
    what: str,
) -> tuple[int, ...]:
    """Return the common shape of `values` by NumPy's rule.

    Raises:
        SemanticError: Two extents differ and neither is 1 (T0305).
    """
    result: tuple[int, ...] = ()
    widest: hir.Value | None = None
    for value in values:
        if isinstance(value, Constant) or not shape_of(value):
            continue
        shape = shape_of(value)
        common = _broadcast_two(result, shape)
        if common is None:
            first, second = hir.shape_text(result), hir.shape_text(shape)
            message = f"{what}: shapes {first} and {second} do not broadcast"
            notes = origin(widest, "one operand") if widest is not None else []
            notes += origin(value, "the other operand")
            raise ctx.fail("T0305", message, span, hint=_axis_hint(result, shape), notes=notes)
        if common != result or widest is None:
            widest = value
        result = common
    return result


def _axis_hint(left: tuple[int, ...], right: tuple[int, ...]) -> str | None:
    """Return what makes a tile broadcast that lacks an axis of the other one; None if nothing does.

    That is what a reduction leaves without `keepdims=True`.
    """
    short, long = sorted((left, right), key=len)
    if len(short) + 1 != len(long):
        return None
    for axis in range(len(long)):
        shape = (*short[:axis], 1, *short[axis:])
        if _broadcast_two(shape, long) is not None:
            index = ", ".join("None" if place == axis else ":" for place in range(len(long)))
            return (
                f"give the smaller one another axis with '[{index}]'; a reduction keeps its axis"
                " with 'keepdims=True'"
            )
    return None


def _broadcast_two(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    rank = max(len(left), len(right))
    padded = zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True)
    result = []
    for first, second in padded:
        if first != second and 1 not in (first, second):
            return None
        result.append(second if first == 1 else first)
    return tuple(result)


def broadcast(
    ctx: Context, value: hir.Value, shape: tuple[int, ...], span: SourceSpan
) -> hir.Value:
    """Broadcast a scalar or tile to `shape`, which it must fit."""
    source = shape_of(value)
    if source == shape:
        return value
    dtype = dtype_of(value)
    if not source:
        result = ctx.op("splat", [value], hir.TileType(dtype, shape), span)
    else:
        padded = (1,) * (len(shape) - len(source)) + source
        result = value
        if padded != source:
            result = ctx.op("reshape", [value], hir.TileType(dtype, padded), span)
        if padded != shape:
            result = ctx.op("broadcast", [result], hir.TileType(dtype, shape), span)
    return result


def unify(
    ctx: Context,
    values: Sequence[Constant | hir.Value],
    span: SourceSpan,
    what: str,
    dtype: DType | None = None,
) -> list[hir.Value]:
    """Return `values` with one element type and one shape.

    Args:
        ctx: The analysis.
        values: Operands; at least one.
        span: The operation.
        what: Its name, for messages.
        dtype: Element type to convert to; by default the promoted one.
    """
    target = dtype or common_dtype(ctx, values, span, what)
    shape = broadcast_shapes(ctx, values, span, what)
    result = []
    for value in values:
        if isinstance(value, Constant):
            check_fits(ctx, value, target, span)
            result.append(make_constant(ctx, value.value, target, shape, span))
        else:
            result.append(broadcast(ctx, convert(ctx, value, target, span), shape, span))
    return result
