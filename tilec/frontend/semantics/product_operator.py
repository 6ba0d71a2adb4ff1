"""The operator `@`: a product of two tiles.

`acc + a @ b` is `mma(a, b, acc)` where `acc` can be the accumulator: the product is then added by
the tensor cores. Anywhere else the product starts from zeros.
"""

from tilec.frontend.semantics import operators
from tilec.frontend.semantics.builtins.products import can_accumulate, matmul, mma
from tilec.frontend.semantics.builtins.table import Argument, Call
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.values import AnyValue
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan


def combine(
    ctx: Context, operator: str, left: AnyValue, right: ast.Expression, span: SourceSpan
) -> AnyValue:
    """Evaluate the right operand of a binary operator and return `left operator right`.

    Args:
        ctx: The analysis.
        operator: The operator, for example `+`.
        left: The value of the left operand.
        right: The right operand.
        span: The whole expression.
    """
    call = Call(ctx, "'@'", span)
    if operator == "@":
        return matmul(call, Argument(left, span), Argument(ctx.evaluate(right), right.span))
    if operator != "+" or not isinstance(right, ast.BinaryOperation) or right.operator != "@":
        return operators.binary(ctx, operator, left, ctx.evaluate(right), span)
    factors = [Argument(ctx.evaluate(item), item.span) for item in (right.left, right.right)]
    if can_accumulate(left, *factors):
        return mma(call, *factors, Argument(left, span))
    product = matmul(Call(ctx, "'@'", right.span), *factors)
    return operators.binary(ctx, operator, left, product, span)
