"""Builtins that check what a kernel assumes."""

from tilec.frontend.semantics import hir, operators
from tilec.frontend.semantics.builtin_table import Argument, Call, builtin
from tilec.frontend.semantics.values import AnyValue, Constant, NoneValue, describe


@builtin("static_assert")
def static_assert(call: Call, condition: Argument, message: Argument | None = None) -> AnyValue:
    """Check a condition while the kernel is compiled."""
    value = condition.value
    if isinstance(value, hir.Value):
        text = f"the condition is only known at run time, found {describe(value)}"
        raise call.fail("T0403", text, condition.span, hint="write 'assert condition, message'")
    truth = operators.truth(call.ctx, value, condition.span)
    if not isinstance(truth, Constant) or not truth.value:
        text = "assertion failed" + shown_message(call, message)
        raise call.ctx.fail("T0402", text, condition.span)
    return NoneValue()


def shown_message(call: Call, message: Argument | None) -> str:
    """Return the message of an assertion, after a colon; empty without one.

    Raises:
        SemanticError: It is no compile-time value (T0403).
    """
    if message is None:
        return ""
    if isinstance(message.value, Constant):
        return f": {message.value.value}"
    text = f"the message must be known at compile time, found {describe(message.value)}"
    raise call.fail("T0403", text, message.span)
