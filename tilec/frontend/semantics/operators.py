"""Python's operators on constants, scalars and tiles."""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.constant_evaluator import COMPARE, fold_binary, fold_unary
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.hints import comparison_hint
from tilec.frontend.semantics.integer_division import ceil_divide, floor_divide, modulo
from tilec.frontend.semantics.not_yet import no_syntax
from tilec.frontend.semantics.numeric import BOOL, F32, I32
from tilec.frontend.semantics.values import (
    AnyValue,
    Constant,
    NoneValue,
    TupleValue,
    describe,
)
from tilec.frontend.syntax.limits import MAX_TUPLE_VALUES
from tilec.support.diagnostics import CompileError, SourceSpan, note
from tilec.support.dtypes import DType

_FLOAT_OPS = {"+": "addf", "-": "subf", "*": "mulf", "/": "divf"}
_INTEGER_OPS = {"+": "addi", "-": "subi", "*": "muli"}
_BIT_OPS = {"&": "andi", "|": "ori", "^": "xori"}
_SHIFT_OPS = {"<<": "shli", ">>": "shri"}
_PREDICATES = {
    "==": "equal",
    "!=": "not_equal",
    "<": "less_than",
    "<=": "less_than_or_equal",
    ">": "greater_than",
    ">=": "greater_than_or_equal",
}
_MAX_UNROLLED_POWER = 16

Number = Constant | hir.Value


def binary(ctx: Context, name: str, left: AnyValue, right: AnyValue, span: SourceSpan) -> AnyValue:
    """Return `left name right`."""
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and name == "+":
        return checked_tuple(ctx, TupleValue(left.items + right.items), span)
    what = f"'{name}'"
    first = numeric.require_number(ctx, left, span, what)
    second = numeric.require_number(ctx, right, span, what)
    if isinstance(first, Constant) and isinstance(second, Constant):
        return Constant(_folded(ctx, name, first, second, span), span)
    if isinstance(second, Constant) and not second.value and name in ("//", "%"):
        raise ctx.fail("T0403", f"{what}: division by zero", span)
    return _run_time_binary(ctx, name, first, second, span)


def checked_tuple(ctx: Context, value: TupleValue, span: SourceSpan) -> TupleValue:
    """Return a tuple that was made at `span`, unless it is too large."""
    if value.size > MAX_TUPLE_VALUES:
        message = f"this tuple has {value.size} values; the limit is {MAX_TUPLE_VALUES}"
        raise ctx.fail("T0212", message, span, hint="use a tile for many values")
    return value


def _folded(
    ctx: Context, name: str, left: Constant, right: Constant, span: SourceSpan
) -> bool | int | float:
    try:
        return fold_binary(name, left.value, right.value, span)
    except CompileError as failure:
        raise ctx.fail("T0403", failure.diagnostics[0].message, span) from None


def _run_time_binary(
    ctx: Context, name: str, left: Number, right: Number, span: SourceSpan
) -> hir.Value:
    what = f"'{name}'"
    if name == "**":
        return _power(ctx, left, right, span)
    dtype = numeric.common_dtype(ctx, [left, right], span, what)
    numeric.require_arithmetic(ctx, dtype, span, what)
    if name in _BIT_OPS or name in _SHIFT_OPS:
        return _bit_operation(ctx, name, left, right, dtype, span)
    if name == "/" and not dtype.is_float:
        dtype = F32
    if dtype is BOOL:
        dtype = I32
    first, second = numeric.unify(ctx, [left, right], span, what, dtype)
    if name == "//":
        return floor_divide(ctx, first, second, span)
    if name == "%":
        return modulo(ctx, first, second, span)
    if dtype.is_float:
        return ctx.op(_FLOAT_OPS[name], [first, second], first.type, span)
    return ctx.op(_INTEGER_OPS[name], [first, second], first.type, span)


def _bit_operation(
    ctx: Context, name: str, left: Number, right: Number, dtype: DType, span: SourceSpan
) -> hir.Value:
    if dtype.is_float:
        raise ctx.fail("T0306", f"'{name}' needs integers or bools, found {dtype.name}", span)
    if name in _SHIFT_OPS and dtype is BOOL:
        dtype = I32
    first, second = numeric.unify(ctx, [left, right], span, f"'{name}'", dtype)
    if name in _SHIFT_OPS:
        attributes = {"signed": dtype.signed} if name == ">>" else {}
        return ctx.op(_SHIFT_OPS[name], [first, second], first.type, span, **attributes)
    return ctx.op(_BIT_OPS[name], [first, second], first.type, span)


def _power(ctx: Context, base: Number, exponent: Number, span: SourceSpan) -> hir.Value:
    if isinstance(base, hir.Value) and isinstance(exponent, Constant):
        count = exponent.value
        if isinstance(count, int) and 0 < count <= _MAX_UNROLLED_POWER:
            return _multiply_out(ctx, base, count, span)
    dtype = numeric.common_dtype(ctx, [base, exponent], span, "'**'")
    numeric.require_arithmetic(ctx, dtype, span, "'**'")
    if not dtype.is_float:
        message = "'**' on integers needs a constant exponent from 1 to 16"
        raise ctx.fail("T0318", message, span, hint="cast to f32 first")
    first, second = numeric.unify(ctx, [base, exponent], span, "'**'", dtype)
    return ctx.op("pow", [first, second], first.type, span)


def _multiply_out(ctx: Context, base: hir.Value, count: int, span: SourceSpan) -> hir.Value:
    result: hir.Value | None = None
    square = base
    while count:
        if count & 1:
            result = square if result is None else _product(ctx, result, square, span)
        count >>= 1
        if count:
            square = _product(ctx, square, square, span)
    return result if result is not None else base


def _product(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    return _run_time_binary(ctx, "*", left, right, span)


def ceil_division(ctx: Context, left: AnyValue, right: AnyValue, span: SourceSpan) -> AnyValue:
    """Return `cdiv(left, right)`: the quotient of two integers rounded up."""
    first = numeric.require_number(ctx, left, span, "cdiv")
    second = numeric.require_number(ctx, right, span, "cdiv")
    for item in (first, second):
        is_float = (
            isinstance(item.value, float)
            if isinstance(item, Constant)
            else numeric.dtype_of(item).is_float
        )
        if is_float:
            raise ctx.fail("T0306", "cdiv: both operands must be integers", span)
    if isinstance(second, Constant) and not second.value:
        raise ctx.fail("T0403", "cdiv: division by zero", span)
    if isinstance(first, Constant) and isinstance(second, Constant):
        return Constant(-(-first.value // second.value), span)
    dtype = numeric.common_dtype(ctx, [first, second], span, "cdiv")
    unified = numeric.unify(ctx, [first, second], span, "cdiv", I32 if dtype is BOOL else dtype)
    return ceil_divide(ctx, unified[0], unified[1], span)


def unary(ctx: Context, name: str, operand: AnyValue, span: SourceSpan) -> AnyValue:
    """Return `name operand` for `-`, `+`, `~` and `not`."""
    value = numeric.require_number(ctx, operand, span, f"'{name}'")
    if isinstance(value, Constant):
        try:
            return Constant(fold_unary(name, value.value, span), span)
        except CompileError as failure:
            raise ctx.fail("T0403", failure.diagnostics[0].message, span) from None
    if name == "not":
        return _logical_not(ctx, value, span)
    dtype = numeric.dtype_of(value)
    numeric.require_arithmetic(ctx, dtype, span, f"'{name}'")
    if name == "~":
        return _invert(ctx, value, dtype, span)
    if dtype is BOOL:
        value = numeric.convert(ctx, value, I32, span)
        dtype = I32
    if name == "+":
        return value
    return ctx.op("negf" if dtype.is_float else "negi", [value], value.type, span)


def _invert(ctx: Context, value: hir.Value, dtype: DType, span: SourceSpan) -> hir.Value:
    if dtype.is_float:
        raise ctx.fail("T0306", f"'~' needs an integer or a bool, found {dtype.name}", span)
    ones: bool | int = True if dtype is BOOL else -1
    mask = numeric.make_constant(ctx, ones, dtype, numeric.shape_of(value), span)
    return ctx.op("xori", [value, mask], value.type, span)


def _logical_not(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    condition = truth(ctx, value, span)
    if isinstance(condition, Constant):
        return numeric.make_constant(ctx, not condition.value, BOOL, (), span)
    return _invert(ctx, condition, BOOL, span)


def truth(ctx: Context, value: AnyValue, span: SourceSpan) -> Constant | hir.Value:
    """Return a condition: a constant, or a scalar bool (an integer is true when not 0)."""
    if isinstance(value, Constant):
        return Constant(bool(value.value), value.span)
    if isinstance(value, TupleValue):
        return Constant(bool(value.items), span)
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType):
        if value.type.dtype.is_float:
            message = f"a condition must be a bool or an integer, found {describe(value)}"
            raise ctx.fail("T0312", message, span, hint="compare it, for example 'x != 0.0'")
        return numeric.convert(ctx, value, BOOL, span)
    hint = None
    if numeric.is_tile(value):
        hint = (
            "select elements with 'where(condition, a, b)'; combine masks with '&' and '|'; "
            "'any(condition)' and 'all(condition)' are scalars"
        )
    notes = (
        [note("the value comes from here", value.span)]
        if numeric.is_tile(value) and (isinstance(value, hir.Value))
        else []
    )
    raise ctx.fail(
        "T0312",
        f"a condition must be a scalar, found {describe(value)}",
        span,
        hint=hint,
        notes=notes,
    )


def compare(ctx: Context, name: str, left: AnyValue, right: AnyValue, span: SourceSpan) -> AnyValue:
    """Return `left name right` for one comparison operator."""
    if name in ("is", "is not"):
        return _compare_identity(ctx, name, left, right, span)
    if name in ("in", "not in"):
        return _find_member(ctx, name, left, right, span)
    if not numeric.is_number(left) or not numeric.is_number(right):
        return _compare_objects(ctx, name, left, right, span)
    first = numeric.require_number(ctx, left, span, f"'{name}'")
    second = numeric.require_number(ctx, right, span, f"'{name}'")
    if isinstance(first, Constant) and isinstance(second, Constant):
        return Constant(COMPARE[name](first.value, second.value), span)
    lhs, rhs = numeric.unify(ctx, [first, second], span, f"'{name}'")
    dtype = numeric.dtype_of(lhs)
    result_type = numeric.typed(BOOL, numeric.shape_of(lhs))
    if dtype.is_float:
        numeric.require_arithmetic(ctx, dtype, span, f"'{name}'")
        ordering = "unordered" if name == "!=" else "ordered"
        return ctx.op(
            "cmpf", [lhs, rhs], result_type, span, predicate=_PREDICATES[name], ordering=ordering
        )
    return ctx.op(
        "cmpi", [lhs, rhs], result_type, span, predicate=_PREDICATES[name], signed=dtype.signed
    )


def _compare_identity(
    ctx: Context, name: str, left: AnyValue, right: AnyValue, span: SourceSpan
) -> Constant:
    """Return whether one of two values is None when the other one is: all that `is` can tell."""
    first, second = _is_none(left), _is_none(right)
    if not first and not second:
        raise ctx.fail_lacking(no_syntax("is"), name, span)
    return Constant((first and second) == (name == "is"), span)


def _is_none(value: AnyValue) -> bool:
    return isinstance(value, NoneValue) or (isinstance(value, Constant) and value.value is None)


def _find_member(
    ctx: Context, name: str, left: AnyValue, right: AnyValue, span: SourceSpan
) -> AnyValue:
    """Return whether a value equals one of a tuple, element by element for a tile."""
    if not isinstance(right, TupleValue):
        message = f"'{name}': expected a tuple to look in, found {describe(right)}"
        raise ctx.fail("T0311", message, span)
    result: AnyValue = Constant(False, span)
    for item in right.items:
        part = compare(ctx, "==", left, item, span)
        if isinstance(result, Constant) or isinstance(part, Constant):
            known, other = (result, part) if isinstance(result, Constant) else (part, result)
            result = known if _plain(known) else other
        else:
            result = binary(ctx, "|", result, part, span)
    if name == "in":
        return result
    return compare(ctx, "==", result, Constant(False, span), span)


def _plain(value: AnyValue) -> object:
    """Return a compile-time value as plain Python, or `value` itself."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, TupleValue):
        return tuple(_plain(item) for item in value.items)
    return value


def _compare_objects(
    ctx: Context, name: str, left: AnyValue, right: AnyValue, span: SourceSpan
) -> Constant:
    """Compare compile-time values that are no numbers: types, strings, tuples."""
    if name in ("==", "!="):
        first, second = _plain(left), _plain(right)
        hint = comparison_hint(left, right)
        if hint is None and not isinstance(first, hir.Value) and not isinstance(second, hir.Value):
            return Constant((first == second) == (name == "=="), span)
    message = f"'{name}': cannot compare {describe(left)} with {describe(right)}"
    raise ctx.fail("T0311", message, span, hint=comparison_hint(left, right))
