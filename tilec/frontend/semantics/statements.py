"""Execution of statements over abstract values; one wrong statement does not hide the next."""

from collections.abc import Callable, Sequence
from typing import Any

from tilec.frontend.semantics import hir, host_expression
from tilec.frontend.semantics.annotations import annotated
from tilec.frontend.semantics.builtins.checks import assertion_message, check
from tilec.frontend.semantics.builtins.shape import MAX_BLOCKS, block_coordinates
from tilec.frontend.semantics.closures import make_closure
from tilec.frontend.semantics.context import Context, GridInfo, SemanticError
from tilec.frontend.semantics.control import control_flow, jumps, structure
from tilec.frontend.semantics.control.branches import guard
from tilec.frontend.semantics.names import HIDDEN, LEAVE, SKIP, assigned_names
from tilec.frontend.semantics.product_operator import combine
from tilec.frontend.semantics.signature import called_name, grid_statement
from tilec.frontend.semantics.values import (
    AnyValue,
    Constant,
    NoneValue,
    TupleValue,
    Unusable,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import CompileError, SourceSpan, note

_NOTHING = Unusable("has no value", None, is_silent=True)
"""What has no value because of a mistake that was reported."""


def execute(ctx: Context, statements: Sequence[ast.Statement]) -> None:
    """Run statements in order; `jumps` tells where control goes after them."""
    frame = ctx.frame
    is_tail = frame.is_tail
    try:
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            frame.is_tail = is_tail and not rest
            if _execute_one(ctx, statement, rest, is_tail=is_tail):
                return
            skipped = jumps.skipped(ctx)
            if isinstance(skipped, hir.Value) and rest:
                frame.is_tail = is_tail
                guard(ctx, skipped, rest, statement.span)
            if skipped is not False:
                return
    finally:
        frame.is_tail = is_tail


def _execute_one(
    ctx: Context, statement: ast.Statement, rest: Sequence[ast.Statement], *, is_tail: bool
) -> bool:
    """Run one statement; return whether that ran `rest`, too."""
    ctx.spend("statements", statement.span)
    try:
        if isinstance(statement, ast.If):
            return control_flow.execute_if(ctx, statement, rest, is_tail=is_tail)
        _EXECUTORS[type(statement)](ctx, statement)
    except (SemanticError, CompileError) as failure:
        ctx.report(failure)
        _poison(ctx, statement)
        if ctx.frame.call_span is not None and _is_false_assertion(failure):
            # The rest of a helper relies on what it asserts: its errors would hide this one.
            jumps.record_return(ctx, _NOTHING, statement.span)
    return False


def _is_false_assertion(failure: SemanticError | CompileError) -> bool:
    found = failure.diagnostic if isinstance(failure, SemanticError) else None
    return found is not None and found.code == "T0402"


def _poison(ctx: Context, statement: ast.Statement) -> None:
    """Make what a failed statement would have assigned silently unusable."""
    for name in assigned_names([statement]):
        if name not in HIDDEN:
            ctx.bind(name, _NOTHING, statement.span)


def _return(ctx: Context, statement: ast.Return) -> None:
    value: AnyValue = _NOTHING
    try:
        value = _returned_value(ctx, statement)
    finally:
        jumps.record_return(ctx, value, statement.span)


def _returned_value(ctx: Context, statement: ast.Return) -> AnyValue:
    if statement.value is None:
        return NoneValue()
    if ctx.frame.call_span is None:
        message = "a kernel returns no value"
        hint = "write results with 'store'"
        raise ctx.fail("T0317", message, statement.value.span, hint=hint)
    return ctx.evaluate(statement.value)


# Assignment


def _assign(ctx: Context, statement: ast.Assign) -> None:
    if _calls_grid(ctx, statement.value):
        _grid(ctx, statement, statement.value)
        return
    value = ctx.evaluate(statement.value)
    if isinstance(value, NoneValue):
        message = "this call has no result to assign"
        raise ctx.fail("T0311", message, statement.value.span)
    first = statement.targets[0]
    if statement.annotation is not None and isinstance(first, ast.Name):
        value = annotated(ctx, first.id, statement.annotation, value, statement.value.span)
    for target in statement.targets:
        assign_target(ctx, target, value, statement.value.span)


def assign_target(ctx: Context, target: ast.Expression, value: AnyValue, span: SourceSpan) -> None:
    """Bind a name, or unpack a tuple into several."""
    if isinstance(target, ast.Name):
        ctx.bind(target.id, value, target.span)
        return
    if not isinstance(target, ast.TupleExpression):
        raise ctx.fail("T0116", "only names can be assigned to", target.span)
    if not isinstance(value, TupleValue):
        notes = [note("the value comes from here", span)]
        message = f"cannot unpack {describe(value)} into {len(target.items)} names"
        raise ctx.fail("T0314", message, target.span, notes=notes)
    if len(value.items) != len(target.items):
        message = f"cannot unpack {describe(value)} into {len(target.items)} names"
        raise ctx.fail("T0314", message, target.span, notes=[note("the value", span)])
    for item, part in zip(target.items, value.items, strict=True):
        assign_target(ctx, item, part, span)


def _augmented_assign(ctx: Context, statement: ast.AugmentedAssign) -> None:
    current = ctx.evaluate(statement.target)
    result = combine(ctx, statement.operator, current, statement.value, statement.span)
    ctx.bind(statement.target.id, result, statement.target.span)


def _expression(ctx: Context, statement: ast.ExpressionStatement) -> None:
    if _calls_grid(ctx, statement.value):
        _grid(ctx, statement, statement.value)
        return
    value = ctx.evaluate(statement.value)
    is_text = isinstance(value, Constant) and (isinstance(value.value, str) or value.value is ...)
    if isinstance(value, NoneValue) or is_text or isinstance(statement.value, ast.Call):
        return
    message = "this expression has no effect"
    raise ctx.fail("T0320", message, statement.span, hint="assign it to a name or remove it")


# Grid


def _calls_grid(ctx: Context, node: ast.Expression) -> bool:
    name = called_name(node, ctx.frame.module)
    return name == "grid" and "grid" not in ctx.frame.variables


def _grid(ctx: Context, statement: ast.Statement, call: ast.Expression) -> None:
    assert isinstance(call, ast.Call)
    _check_grid_place(ctx, statement, call)
    count = len(call.arguments)
    if call.keywords or not 1 <= count <= 3:
        message = f"grid: takes one to three extents, found {count}"
        hint = "join axes: 'ab = grid(A * B)', then 'a, b = ab // B, ab % B'" if count > 3 else None
        raise ctx.fail("T0316", message, call.span, hint=hint)
    extents = tuple(host_expression.to_host(ctx, item) for item in call.arguments)
    ctx.grid = GridInfo(extents, call.span)
    if not isinstance(statement, ast.Assign):
        return
    coordinates = block_coordinates(ctx, "get_tile_block_id", call.span)[:count]
    for coordinate, extent in zip(coordinates, call.arguments, strict=True):
        coordinate.bounds = (0, _highest_coordinate(ctx, extent))
    value: AnyValue = coordinates[0] if count == 1 else TupleValue(coordinates)
    for target in statement.targets:
        is_tuple = isinstance(target, ast.TupleExpression)
        one = TupleValue(coordinates) if is_tuple and count == 1 else value
        assign_target(ctx, target, one, call.span)


def _highest_coordinate(ctx: Context, extent: ast.Expression) -> int:
    """Return the highest coordinate that a grid of this extent has for all arguments.

    The launcher computes an extent in integers of any size. Where the kernel could not, because a
    number does not fit its types, the only bound is that of all grids.
    """
    highest = MAX_BLOCKS
    try:
        with ctx.in_block(hir.Block()):
            value = ctx.evaluate(extent)
    except SemanticError:
        return highest - 1
    if isinstance(value, Constant) and isinstance(value.value, int):
        highest = min(highest, value.value)
    elif isinstance(value, hir.Value) and value.bounds is not None:
        highest = min(highest, value.bounds[1])
    return max(highest - 1, 0)


def _check_grid_place(ctx: Context, statement: ast.Statement, call: ast.Call) -> None:
    hint = "write 'm, n = grid(...)' once, first in the kernel after scalar assignments"
    if ctx.frame.call_span is not None:
        raise ctx.fail("T0316", "grid: not allowed in a helper", call.span, hint=hint)
    kernel = ctx.frame.function
    first = grid_statement(kernel, ctx.frame.module)
    if first is None:
        message = "grid: must be a statement of the kernel itself"
        raise ctx.fail("T0316", message, call.span, hint=hint)
    if statement is not first:
        notes = [note("the first grid", first.span)]
        raise ctx.fail("T0316", "grid: a kernel has one grid", call.span, notes=notes)
    for earlier in kernel.body[: kernel.body.index(statement)]:
        if not _may_precede_grid(ctx, earlier):
            notes = [note("this statement comes before it", earlier.span)]
            raise ctx.fail("T0316", "grid: must come first", call.span, hint=hint, notes=notes)


def _may_precede_grid(ctx: Context, statement: ast.Statement) -> bool:
    """Tell whether a statement only computes scalars."""
    if isinstance(statement, ast.ExpressionStatement):
        return called_name(statement.value, ctx.frame.module) == "static_assert"
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.Assert | ast.Pass | ast.FunctionDef)
    bindings = (ctx.frame.variables.get(name) for name in assigned_names([statement]))
    return not any(
        isinstance(leaf, hir.Value) and not isinstance(leaf.type, hir.ScalarType)
        for binding in bindings
        if binding is not None
        for leaf in structure.flatten(binding.value)
    )


# Other statements


def _assert(ctx: Context, statement: ast.Assert) -> None:
    message = ""
    if statement.message is not None:
        value = ctx.evaluate(statement.message)
        message = assertion_message(ctx, value, statement.message.span)
    condition = ctx.evaluate(statement.condition)
    check(ctx, condition, message, statement.condition.span)


def _for(ctx: Context, statement: ast.For) -> None:
    control_flow.execute_for(ctx, statement, assign_target)


def _while(ctx: Context, statement: ast.While) -> None:
    control_flow.execute_while(ctx, statement)


def _pass(_: Context, __: ast.Pass) -> None:
    """Do nothing."""


def _jump(ctx: Context, statement: ast.Break | ast.Continue) -> None:
    is_break = isinstance(statement, ast.Break)
    if not ctx.frame.loop_depth:
        word = "break" if is_break else "continue"
        raise ctx.fail("T0317", f"'{word}' outside a loop", statement.span)
    jumps.jump(ctx, (SKIP, LEAVE) if is_break else (SKIP,), statement.span)


def _function(ctx: Context, statement: ast.FunctionDef) -> None:
    if statement.is_kernel:
        message = "a kernel cannot be defined inside a function"
        hint = "move it to the top of the file"
        raise ctx.fail("T0318", message, statement.span, hint=hint)
    ctx.bind(statement.name, make_closure(ctx, statement), statement.span)


_EXECUTORS: dict[type, Callable[[Context, Any], None]] = {
    ast.Assign: _assign,
    ast.AugmentedAssign: _augmented_assign,
    ast.ExpressionStatement: _expression,
    ast.Assert: _assert,
    ast.For: _for,
    ast.While: _while,
    ast.Pass: _pass,
    ast.Break: _jump,
    ast.Continue: _jump,
    ast.Return: _return,
    ast.FunctionDef: _function,
}
