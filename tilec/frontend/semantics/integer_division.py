"""Division and modulo with Python's meaning: the quotient is rounded towards minus infinity.

The hardware rounds towards zero. Where both operands are proven to be 0 or more (dims, block ids,
loop variables that count up from 0; see `intervals`) the two agree and the plain operation is used.
Division by -1 is written as a negation, which wraps where a quotient would be undefined.
"""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.facts.intervals import Bounds, bounds_of, is_non_negative
from tilec.frontend.semantics.numeric import BOOL, I32
from tilec.support.diagnostics import SourceSpan


def _constant(ctx: Context, value: int, like: hir.Value, span: SourceSpan) -> hir.Value:
    dtype, shape = numeric.dtype_of(like), numeric.shape_of(like)
    return numeric.make_constant(ctx, value, dtype, shape, span)


def _truncating(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    signed = numeric.dtype_of(left).signed
    return ctx.op("divi", [left, right], left.type, span, signed=signed, rounding="zero")


def _remainder(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    signed = numeric.dtype_of(left).signed
    return ctx.op("remi", [left, right], left.type, span, signed=signed)


def _agree(left: hir.Value, right: hir.Value) -> bool:
    """Tell whether rounding down and rounding to zero give the same quotient."""
    if not numeric.dtype_of(left).signed:
        return True
    return is_non_negative(left) and is_non_negative(right)


def _is_minus_one(value: hir.Value) -> bool:
    return bounds_of(value) == (-1, -1)


def floor_divide(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    """Return `left // right` for two numbers of the same type."""
    if numeric.dtype_of(left).is_float:
        quotient = ctx.op("divf", [left, right], left.type, span)
        return ctx.op("floor", [quotient], left.type, span)
    if _is_minus_one(right):
        return ctx.op("negi", [left], left.type, span)
    quotient = _truncating(ctx, left, right, span)
    if _agree(left, right):
        return quotient
    remainder = _remainder(ctx, left, right, span)
    wrong = _needs_step(ctx, remainder, right, span)
    lower = ctx.op("subi", [quotient, _constant(ctx, 1, left, span)], left.type, span)
    return ctx.op("select", [wrong, lower, quotient], left.type, span)


def modulo(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    """Return `left % right` for two numbers of the same type; it has the sign of `right`."""
    if numeric.dtype_of(left).is_float:
        return _float_modulo(ctx, left, right, span)
    if _is_minus_one(right):
        return _constant(ctx, 0, left, span)
    remainder = _remainder(ctx, left, right, span)
    if _agree(left, right):
        return remainder
    wrong = _needs_step(ctx, remainder, right, span)
    raised = ctx.op("addi", [remainder, right], left.type, span)
    result = ctx.op("select", [wrong, raised, remainder], left.type, span)
    divisor = bounds_of(right)
    if divisor is not None and divisor[0] > 0:
        result.bounds = (0, divisor[1] - 1)
    return result


def _needs_step(
    ctx: Context, remainder: hir.Value, right: hir.Value, span: SourceSpan
) -> hir.Value:
    """Tell where rounding to zero went up: the remainder has not the sign of the divisor."""
    if is_non_negative(right):
        zero = _constant(ctx, 0, right, span)
        mask = numeric.typed(BOOL, numeric.shape_of(right))
        return ctx.op("cmpi", [remainder, zero], mask, span, predicate="less_than", signed=True)
    return _inexact(ctx, remainder, right, span, signs="less_than")


def _inexact(
    ctx: Context, remainder: hir.Value, right: hir.Value, span: SourceSpan, *, signs: str
) -> hir.Value:
    """Tell where there is a remainder and its sign is the divisor's or not.

    `signs` compares both, exclusive or, with 0: `less_than` where they differ, or
    `greater_than_or_equal` where they are the same. Without a sign a remainder is enough.
    """
    zero = _constant(ctx, 0, right, span)
    mask = numeric.typed(BOOL, numeric.shape_of(right))
    inexact = ctx.op("cmpi", [remainder, zero], mask, span, predicate="not_equal", signed=True)
    if not numeric.dtype_of(right).signed:
        return inexact
    mixed = ctx.op("xori", [remainder, right], right.type, span)
    compared = ctx.op("cmpi", [mixed, zero], mask, span, predicate=signs, signed=True)
    return ctx.op("andi", [compared, inexact], mask, span)


def _float_modulo(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    remainder = ctx.op("remf", [left, right], left.type, span)
    zero = _constant(ctx, 0, left, span)
    mask = numeric.typed(BOOL, numeric.shape_of(left))

    def less(value: hir.Value) -> hir.Value:
        return ctx.op("cmpf", [value, zero], mask, span, predicate="less_than", ordering="ordered")

    inexact = ctx.op(
        "cmpf", [remainder, zero], mask, span, predicate="not_equal", ordering="ordered"
    )
    differ = ctx.op("xori", [less(remainder), less(right)], mask, span)
    wrong = ctx.op("andi", [inexact, differ], mask, span)
    raised = ctx.op("addf", [remainder, right], left.type, span)
    return ctx.op("select", [wrong, raised, remainder], left.type, span)


def ceil_divide(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    """Return the quotient of two numbers of the same type, rounded up."""
    if _is_minus_one(right):
        return ctx.op("negi", [left], left.type, span)
    if _agree(left, right) and left.type == hir.ScalarType(I32):
        return _ceil_of_sum(ctx, left, right, span)
    quotient = _truncating(ctx, left, right, span)
    remainder = _remainder(ctx, left, right, span)
    # Rounding to zero went down: the remainder has the sign of the divisor.
    wrong = _inexact(ctx, remainder, right, span, signs="greater_than_or_equal")
    raised = ctx.op("addi", [quotient, _constant(ctx, 1, left, span)], left.type, span)
    result = ctx.op("select", [wrong, raised, quotient], left.type, span)
    result.bounds = _ceil_bounds(left, right)
    return result


def _ceil_of_sum(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    """Return `(left + right - 1) / right` for two i32 scalars that are not negative."""
    divisor = bounds_of(right)
    if divisor is not None and divisor[0] == divisor[1]:
        below = _constant(ctx, divisor[0] - 1, left, span)
    else:
        below = ctx.op("subi", [right, _constant(ctx, 1, left, span)], left.type, span)
    raised = ctx.op("addi", [left, below], left.type, span)
    # The sum fits where dims and coordinates are concerned, and as an unsigned number always.
    signed = is_non_negative(raised)
    result = ctx.op("divi", [raised, right], left.type, span, signed=signed, rounding="zero")
    result.bounds = _ceil_bounds(left, right)
    return result


def _ceil_bounds(left: hir.Value, right: hir.Value) -> Bounds | None:
    dividend, divisor = bounds_of(left), bounds_of(right)
    if dividend is None or divisor is None or dividend[0] < 0 or divisor[0] < 0:
        return None
    return -(-dividend[0] // max(divisor[1], 1)), -(-dividend[1] // max(divisor[0], 1))
