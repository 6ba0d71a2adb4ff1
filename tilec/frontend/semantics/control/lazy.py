"""Conditions whose second part is computed only where the first part asks for it."""

from collections.abc import Callable

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import BOOL
from tilec.frontend.semantics.values import Constant
from tilec.support.diagnostics import SourceSpan

_SPECULATABLE = frozenset(
    {
        "addi", "subi", "muli", "andi", "ori", "xori", "shli", "shri", "cmpi", "cmpf", "select",
        "constant", "addf", "subf", "mulf", "negf", "negi", "exti", "trunci", "itof", "ftof",
        "reinterpret", "maxi", "mini", "maxf", "minf", "absi", "absf",
    }
)  # fmt: skip
"""Operations that can run even where the source would not reach them."""


def combine(
    ctx: Context,
    operator: str,
    left: hir.Value,
    compute: Callable[[], Constant | hir.Value],
    span: SourceSpan,
) -> Constant | hir.Value:
    """Combine a run-time condition with one that is computed only where it decides.

    Args:
        ctx: The analysis.
        operator: `and` or `or`.
        left: The first condition, a scalar of bool.
        compute: Computes the second condition in the current block.
        span: The expression.
    """
    with ctx.in_block(hir.Block()) as block:
        right = compute()
    if isinstance(right, Constant) and not block.operations:
        return Constant(right.value, span) if right.value == (operator == "or") else left
    if all(item.name in _SPECULATABLE for item in block.operations):
        ctx.block.operations.extend(block.operations)
        second = as_bool(ctx, right, span)
        name = "andi" if operator == "and" else "ori"
        return ctx.op(name, [left, second], hir.ScalarType(BOOL), span)
    with ctx.in_block(block):
        block.yields = (as_bool(ctx, right, span),)
    with ctx.in_block(hir.Block()) as short:
        short.yields = (numeric.make_constant(ctx, operator == "or", BOOL, (), span),)
    regions = (block, short) if operator == "and" else (short, block)
    return ctx.record("if", [left], [hir.ScalarType(BOOL)], span, None, regions)[0]


def as_bool(ctx: Context, value: Constant | hir.Value, span: SourceSpan) -> hir.Value:
    """Return a condition as a run-time scalar of bool."""
    if isinstance(value, Constant):
        return numeric.make_constant(ctx, bool(value.value), BOOL, (), span)
    return value
