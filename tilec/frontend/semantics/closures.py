"""Functions that are defined inside functions: `def` in a body, and `lambda`.

Such a function reads the variables of the function around it, with the values that they have when
it is called, as in Python.
"""

from tilec.frontend.semantics.context import Binding, Context, Frame, SemanticError
from tilec.frontend.semantics.names import assigned_names, expression_names
from tilec.frontend.semantics.values import AnyValue, FunctionValue
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan


def make_closure(ctx: Context, definition: ast.FunctionDef) -> FunctionValue:
    """Return a function that is defined in the current frame; defaults are evaluated here."""
    defaults = tuple(
        (item.name, ctx.evaluate(item.default))
        for item in definition.parameters
        if item.default is not None
    )
    ctx.frame.captured.update(expression_names(definition))
    return FunctionValue(definition, ctx.frame.module, ctx.frame, defaults)


def outer_binding(ctx: Context, name: str, span: SourceSpan) -> Binding | None:
    """Return a variable of the functions around the current one, innermost first; None without.

    Raises:
        SemanticError: The current function assigns the variable later, so it is its own (T0202).
    """
    frame = ctx.frame
    if frame.closure is None:
        return None
    if name in assigned_names(frame.function.body):
        raise used_before(ctx, name, span)
    around: Frame | None = frame.closure
    while around is not None:
        binding = around.variables.get(name)
        if binding is not None:
            return binding
        around = around.closure
    return None


def used_before(ctx: Context, name: str, span: SourceSpan) -> SemanticError:
    """Return the error for reading a variable that the current function assigns only later."""
    function = ctx.frame.function.name
    message = f"'{name}' is read before '{function}' assigns it"
    hint = f"'{function}' assigns '{name}', so a variable of that name around it is another one"
    return ctx.fail("T0202", message, span, hint=hint)


def default_of(function: FunctionValue, name: str) -> AnyValue | None:
    """Return the default value of a parameter that was evaluated with the definition, or None."""
    return dict(function.defaults).get(name)
