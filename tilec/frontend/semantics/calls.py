"""Calls: builtins, element types, and helper functions, which are inlined."""

from collections.abc import Sequence

from tilec.frontend.semantics import numeric
from tilec.frontend.semantics.annotations import check_parameter
from tilec.frontend.semantics.builtins.table import Argument, Call, call_builtin
from tilec.frontend.semantics.closures import default_of
from tilec.frontend.semantics.context import Binding, Context, Frame
from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.semantics.values import (
    AnyValue,
    BuiltinValue,
    DTypeValue,
    FunctionValue,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_CALL_DEPTH
from tilec.support.diagnostics import SourceSpan, note
from tilec.support.suggest import did_you_mean


def call(ctx: Context, function: AnyValue, node: ast.Call) -> AnyValue:
    """Return the result of a call."""
    if isinstance(function, BuiltinValue):
        return call_builtin(ctx, function, node)
    if isinstance(function, DTypeValue):
        return _call_dtype(ctx, function, node)
    if isinstance(function, FunctionValue):
        return _call_function(ctx, function, node)
    raise ctx.fail("T0209", f"{describe(function)} cannot be called", node.function.span)


def _call_dtype(ctx: Context, function: DTypeValue, node: ast.Call) -> AnyValue:
    name = function.dtype.name
    site = Call(ctx, name, node.span)
    if len(node.arguments) != 1 or node.keywords:
        raise site.fail("T0310", "a type is called with one value")
    argument = Argument(ctx.evaluate(node.arguments[0]), node.arguments[0].span)
    return numeric.convert(ctx, site.number(argument), function.dtype, node.span)


def _call_function(ctx: Context, function: FunctionValue, node: ast.Call) -> AnyValue:
    definition = function.definition
    if definition.is_kernel:
        message = f"'{definition.name}' is a kernel and cannot be called from a kernel"
        hint = "put the shared code into a '@function' helper"
        raise ctx.fail("T0209", message, node.span, hint=hint)
    frame = _inlined_frame(ctx, function, node.span)
    _bind_arguments(ctx, frame, function, node)
    return ctx.run_function(ctx, frame)


def call_with_values(
    ctx: Context, function: FunctionValue, arguments: Sequence[Argument], span: SourceSpan
) -> AnyValue:
    """Return the result of a helper for values, which are bound to its parameters in order.

    Args:
        ctx: The analysis.
        function: The helper; the parameters without a value have defaults.
        arguments: The values.
        span: The call.
    """
    frame = _inlined_frame(ctx, function, span)
    parameters = function.definition.parameters
    for item, argument in zip(parameters, arguments, strict=False):
        check_parameter(ctx, item, frame.module, argument.value, argument.span)
        frame.variables[item.name] = Binding(argument.value, argument.span)
    for item in parameters[len(arguments) :]:
        if item.default is not None:
            _bind_default(ctx, frame, function, item.name, item.default)
    return ctx.run_function(ctx, frame)


def _inlined_frame(ctx: Context, function: FunctionValue, span: SourceSpan) -> Frame:
    """Return the frame of one more inlined call, without variables."""
    definition = function.definition
    _check_recursion(ctx, definition, span)
    ctx.spend("inlined calls", span)
    return Frame(
        definition,
        function.module,
        call_span=span,
        caller=ctx.frame,
        closure=function.closure,
    )


def _check_recursion(ctx: Context, definition: ast.FunctionDef, span: SourceSpan) -> None:
    depth = 0
    frame: Frame | None = ctx.frame
    through_argument = False
    while frame is not None:
        if frame.function is definition and not through_argument:
            message = f"'{definition.name}' calls itself"
            notes = [note(f"'{definition.name}' is defined here", definition.span)]
            hint = "helpers are inlined: write a loop"
            raise ctx.fail("T0207", message, span, hint=hint, notes=notes)
        # A helper may call a function that it is given, which may call that helper again.
        through_argument = through_argument or frame.closure is not None
        frame = frame.caller
        depth += 1
    if depth > MAX_CALL_DEPTH:
        raise ctx.fail("T0207", f"calls are nested more than {MAX_CALL_DEPTH} deep", span)


def _bind_arguments(ctx: Context, frame: Frame, function: FunctionValue, node: ast.Call) -> None:
    """Evaluate the arguments in the caller and bind them in `frame`."""
    definition = function.definition
    declared = note(f"'{definition.name}' is defined here", definition.span)
    slots = [item for item in definition.parameters if not item.keyword_only]
    if len(node.arguments) > len(slots):
        message = f"'{definition.name}' takes {len(slots)} arguments, found {len(node.arguments)}"
        raise ctx.fail("T0310", message, node.arguments[len(slots)].span, notes=[declared])
    given: dict[str, ast.Expression] = {
        slot.name: value for slot, value in zip(slots, node.arguments, strict=False)
    }
    names = [item.name for item in definition.parameters]
    for keyword in node.keywords:
        if keyword.name not in names:
            message = f"'{definition.name}' has no parameter '{keyword.name}'"
            entry = lacking(Usage.ARGUMENT, keyword.name)
            hint = did_you_mean(keyword.name, names) or (entry.hint if entry else None)
            raise ctx.fail("T0310", message, keyword.span, hint=hint, notes=[declared])
        if keyword.name in given:
            message = f"parameter '{keyword.name}' is given twice"
            raise ctx.fail("T0310", message, keyword.span, notes=[declared])
        given[keyword.name] = keyword.value
    for name, expression in given.items():
        frame.variables[name] = Binding(ctx.evaluate(expression), expression.span)
    for item in definition.parameters:
        if item.name in given:
            span = given[item.name].span
            check_parameter(ctx, item, frame.module, frame.variables[item.name].value, span)
            continue
        if item.default is None:
            message = f"'{definition.name}': argument '{item.name}' is missing"
            raise ctx.fail("T0310", message, node.span, notes=[declared])
        _bind_default(ctx, frame, function, item.name, item.default)


def _bind_default(
    ctx: Context, frame: Frame, function: FunctionValue, name: str, expression: ast.Expression
) -> None:
    value = default_of(function, name)
    if value is None:
        value = _default(ctx, frame, expression)
    frame.variables[name] = Binding(value, expression.span)


def _default(ctx: Context, frame: Frame, expression: ast.Expression) -> AnyValue:
    """Evaluate a default value where the helper is defined."""
    outer = ctx.frame
    ctx.frame = Frame(frame.function, frame.module, call_span=frame.call_span, caller=outer)
    try:
        return ctx.evaluate(expression)
    finally:
        ctx.frame = outer
