"""Where control goes: `break`, `continue` and `return` as state.

The typed program has structured control flow only, so a jump is state: hidden variables, which
branches merge and loops carry as they do with all others. What follows a statement that may jump
runs only where it did not jump.
"""

from collections.abc import Mapping

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.context import Binding, Context, SemanticError
from tilec.frontend.semantics.names import LEAVE, RESULT, RETURN, SKIP
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.support.diagnostics import SourceSpan

Flag = bool | hir.Value
"""A hidden variable: known while the kernel is compiled, or a `bool` of the running kernel."""


def flag(variables: Mapping[str, Binding], name: str) -> Flag:
    """Return the hidden variable `name`; False where no jump has set it."""
    binding = variables.get(name)
    if binding is None:
        return False
    if isinstance(binding.value, hir.Value):
        return binding.value
    return isinstance(binding.value, Constant) and bool(binding.value.value)


def skipped(ctx: Context) -> Flag:
    """Return whether what follows in this block is skipped."""
    return flag(ctx.frame.variables, SKIP)


def set_flags(ctx: Context, value: bool, names: tuple[str, ...], span: SourceSpan) -> None:
    """Set hidden variables to a value that is known while the kernel is compiled."""
    for name in names:
        ctx.bind(name, Constant(value, span), span)


def clear(ctx: Context, span: SourceSpan) -> None:
    """Say that control comes here without a jump."""
    set_flags(ctx, False, (SKIP, LEAVE, RETURN), span)


def jump(ctx: Context, names: tuple[str, ...], span: SourceSpan) -> None:
    """Record a jump that sets the hidden variables `names`."""
    if not ctx.frame.loop_depth:
        names = tuple(name for name in names if name != LEAVE)
    set_flags(ctx, True, names, span)


def record_return(ctx: Context, value: AnyValue, span: SourceSpan) -> None:
    """Record that the function returns `value`."""
    jump(ctx, (SKIP, LEAVE, RETURN), span)
    ctx.bind(RESULT, value, span)


def bad_result(ctx: Context, found: Binding) -> SemanticError:
    """Return the error for a `return` on some ways only, of what cannot be chosen at run time."""
    message = (
        "a 'return' that depends on a run-time condition gives numbers, tiles and tuples of them,"
        f" found {describe(found.value)}"
    )
    return ctx.fail("T0317", message, found.span)


def after_loop(ctx: Context, span: SourceSpan, *, only_returns: bool) -> None:
    """Set the state after a loop whose hidden variables are bound.

    Args:
        ctx: The analysis.
        span: The loop.
        only_returns: The loop ends by `return` only.
    """
    if only_returns:
        jump(ctx, (SKIP, LEAVE, RETURN), span)
        return
    returned = ctx.frame.variables.get(RETURN)
    value = Constant(False, span) if returned is None else returned.value
    ctx.bind(SKIP, value, span)
    # The flag of this loop must not be taken for that of another one.
    ctx.bind(LEAVE, value if ctx.frame.loop_depth else Constant(False, span), span)


def is_dead(ctx: Context, name: str, variables: Mapping[str, Binding]) -> bool:
    """Tell whether nothing reads variable `name` any more after control came to the end of a block.

    Args:
        ctx: The analysis.
        name: A variable, or a hidden one.
        variables: The variables at the end of the block.
    """
    returned = flag(variables, RETURN)
    if name == RESULT:
        return returned is False
    if name in (SKIP, LEAVE, RETURN) or flag(variables, SKIP) is not True:
        return False
    if returned is True:
        return True
    outlives = ctx.frame.partial is not None and name in variables
    return not outlives and name not in ctx.frame.loop_names
