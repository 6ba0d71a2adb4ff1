"""Builtins that check what a kernel assumes."""

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import BOOL
from tilec.frontend.semantics.values import AnyValue, Constant, NoneValue, TupleValue, describe
from tilec.support.diagnostics import SourceSpan


@builtin("assert_", ("bool",), "assert")
def assert_(call: Call, condition: Argument, message: Argument | None = None) -> AnyValue:
    """Check a condition, as the statement `assert` does.

    A constant is checked by the compiler, everything else by the running kernel. A tile must be
    true in each element; a scalar may be an integer, too.
    """
    check(call.ctx, condition.value, _message(call, message), condition.span)
    return NoneValue()


@builtin("static_assert")
def static_assert(call: Call, condition: Argument, message: Argument | None = None) -> AnyValue:
    """Check a condition at compile time; if it is false, the kernel does not compile."""
    value = condition.value
    if isinstance(value, hir.Value):
        text = f"the condition is only known at run time, found {describe(value)}"
        raise call.fail("T0403", text, condition.span, hint="write 'assert condition, message'")
    check(call.ctx, value, _message(call, message), condition.span)
    return NoneValue()


def _message(call: Call, message: Argument | None) -> str:
    return "" if message is None else assertion_message(call.ctx, message.value, message.span)


def check(ctx: Context, condition: AnyValue, message: str, span: SourceSpan) -> None:
    """Check a condition: at once where it is a constant, else in the running kernel.

    Args:
        ctx: The analysis.
        condition: A scalar, or a tile of bool of which every element must be true.
        message: What to say where it does not hold; may be empty.
        span: The condition.

    Raises:
        SemanticError: A constant condition does not hold (T0402), or it is no condition (T0312),
            such as a tuple of the condition and its message.
    """
    if isinstance(condition, hir.Value) and isinstance(condition.type, hir.TileType):
        if numeric.dtype_of(condition) is not BOOL:
            text = f"a condition on a tile must be a tile of bool, found {describe(condition)}"
            raise ctx.fail("T0312", text, span, hint="compare, for example 'x != 0'")
        ctx.record("assert", [condition], [], span, {"message": message})
        return
    if isinstance(condition, TupleValue):
        hint = "write 'assert condition, message', without parentheses around both"
        raise ctx.fail("T0312", "an assertion on a tuple is always true", span, hint=hint)
    truth = operators.truth(ctx, condition, span)
    if isinstance(truth, hir.Value):
        ctx.record("assert", [truth], [], span, {"message": message})
    elif not truth.value:
        raise ctx.fail("T0402", "assertion failed" + (f": {message}" if message else ""), span)


def assertion_message(ctx: Context, value: AnyValue, span: SourceSpan) -> str:
    """Return the message of an assertion.

    Raises:
        SemanticError: It is no compile-time value (T0403).
    """
    if isinstance(value, Constant):
        return str(value.value)
    text = f"the message of an assertion is a compile-time value, found {describe(value)}"
    raise ctx.fail("T0403", text, span, hint="print the value before the assertion")
