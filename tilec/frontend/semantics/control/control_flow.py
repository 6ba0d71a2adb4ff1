"""`if`, `for` and `while` over abstract values, as regions that pass variables on."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.context import Context, SemanticError
from tilec.frontend.semantics.control import jumps, lazy
from tilec.frontend.semantics.control.branches import branch
from tilec.frontend.semantics.control.loop_bounds import CountedLoop, loop_bounds
from tilec.frontend.semantics.control.loops import run_loop
from tilec.frontend.semantics.control.unrolled_loops import run_unrolled, static_items, tuple_items
from tilec.frontend.semantics.names import (
    LEAVE,
    SKIP,
    always_jumps,
    assigned_names,
)
from tilec.frontend.semantics.numeric import BOOL, I32
from tilec.frontend.semantics.signature import called_name
from tilec.frontend.semantics.values import AnyValue, Constant
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan

Assign = Callable[..., Any]
"""`statements.assign_target`."""

# If


def execute_if(
    ctx: Context, statement: ast.If, rest: Sequence[ast.Statement], *, is_tail: bool
) -> bool:
    """Run an `if`.

    Args:
        ctx: The analysis.
        statement: The `if`.
        rest: The statements that follow it in the same block.
        is_tail: Whether the function ends after `rest`.

    Returns:
        Whether `rest` was run, too: where one branch jumps, it moves into the other one.
    """
    condition = operators.truth(ctx, ctx.evaluate(statement.condition), statement.condition.span)
    if isinstance(condition, Constant):
        chosen = statement.body if condition.value else statement.otherwise
        if not _may_jump(chosen):
            ctx.execute(chosen)
            return False
        ctx.frame.is_tail = is_tail
        ctx.execute([*chosen, *rest])
        return True
    bodies: list[Sequence[ast.Statement]] = [statement.body, statement.otherwise]
    jumping = [always_jumps(body) for body in bodies]
    moves = any(jumping)
    if moves:
        ctx.frame.is_tail = is_tail
    if moves and not all(jumping):
        bodies[jumping.index(False)] = [*bodies[jumping.index(False)], *rest]
    first, second = bodies
    names = assigned_names([*first, *second])
    runs = (lambda: ctx.execute(first), lambda: ctx.execute(second))
    branch(ctx, condition, runs, names, statement.span)
    return moves


def _may_jump(block: Sequence[ast.Statement]) -> bool:
    return SKIP in assigned_names(block)


# Loops


def execute_for(ctx: Context, statement: ast.For, assign: Assign) -> None:
    """Run a `for` over `range(...)`, `static_range(...)` or a tuple.

    Args:
        ctx: The analysis.
        statement: The loop.
        assign: Assigns a value to a name or to a tuple of names; the place is for messages.
    """
    iterable = statement.iterable
    name = called_name(iterable, ctx.frame.module)
    if isinstance(iterable, ast.Call) and name == "range":
        _execute_counted(ctx, statement, iterable)
        return
    items: Iterable[AnyValue]
    if isinstance(iterable, ast.Call) and name == "static_range":
        items = static_items(ctx, iterable)
    else:
        items = tuple_items(ctx, iterable)
    names = statement.targets
    target = names[0] if len(names) == 1 else ast.TupleExpression(names[0].span, names)
    bind = partial(assign, ctx, target, span=iterable.span)
    run_unrolled(ctx, statement, items, bind)


def _execute_counted(ctx: Context, statement: ast.For, iterable: ast.Call) -> None:
    """Run `for i in range(...)`."""
    if len(statement.targets) != 1:
        span = statement.targets[1].span
        raise ctx.fail("T0314", "a loop over 'range' has one variable", span)
    counted = loop_bounds(ctx, iterable)
    target = statement.targets[0]
    count = hir.Value(hir.ScalarType(I32), target.span, counted.count_bounds)
    if _may_leave(statement):
        _for_that_may_end_early(ctx, statement, counted, count)
        return
    body = hir.Block(arguments=(count,))

    def run_body() -> None:
        _start_round(ctx, statement)
        ctx.bind(target.id, counted.variable(ctx, count, target.span), target.span)
        ctx.execute(statement.body)

    loop = run_loop(ctx, statement, (target.id,), body, run_body)
    operands = [*counted.operands, *loop.initial]
    results = ctx.record("for", operands, loop.types, statement.span, None, (body,))
    loop.finish(results)


def _may_leave(statement: ast.For | ast.While) -> bool:
    """Tell whether the body has a `break` of this loop, or a `return`."""
    return LEAVE in assigned_names(statement.body)


def _start_round(ctx: Context, statement: ast.For | ast.While) -> None:
    if _may_jump(statement.body):
        jumps.clear(ctx, statement.span)


def _for_that_may_end_early(
    ctx: Context, statement: ast.For, counted: CountedLoop, count: hir.Value
) -> None:
    """Run a `for` with a `break` or `return`, as a `while` that counts."""
    target = statement.targets[0]
    _, upper, step = counted.operands
    before = hir.Block()
    after = hir.Block(arguments=(count,))
    goes_on: list[hir.Value] = []
    following: list[hir.Value] = []

    def is_below() -> hir.Value:
        kind = hir.ScalarType(BOOL)
        attributes = {"predicate": "less_than", "signed": True}
        return ctx.op("cmpi", [count, upper], kind, statement.span, **attributes)

    def run_body() -> None:
        goes_on[:] = [_unless_left(ctx, before, is_below, statement.span)]
        _start_round(ctx, statement)
        ctx.bind(target.id, counted.variable(ctx, count, target.span), target.span)
        ctx.execute(statement.body)
        following[:] = [ctx.op("addi", [count, step], count.type, statement.span)]

    jumps.clear(ctx, statement.span)
    loop = run_loop(ctx, statement, (target.id,), after, run_body, before.operations.clear)
    before.arguments = after.arguments
    before.yields = (goes_on[0], *before.arguments)
    after.yields = (following[0], *after.yields)
    operands = [counted.operands[0], *loop.initial]
    kinds = [count.type, *loop.types]
    results = ctx.record("while", operands, kinds, statement.span, None, (before, after))
    loop.finish(results[1:])
    jumps.after_loop(ctx, statement.span, only_returns=False)


def _unless_left(
    ctx: Context, before: hir.Block, condition: Callable[[], hir.Value], span: SourceSpan
) -> hir.Value:
    """Return, computed in `before`, whether a loop goes on: no jump left it, and `condition`."""
    left = jumps.flag(ctx.frame.variables, LEAVE)
    with ctx.in_block(before):
        if not isinstance(left, hir.Value):
            return condition()
        true = numeric.make_constant(ctx, True, BOOL, (), span)
        stays = ctx.op("xori", [left, true], hir.ScalarType(BOOL), span)
        return lazy.as_bool(ctx, lazy.combine(ctx, "and", stays, condition, span), span)


def execute_while(ctx: Context, statement: ast.While) -> None:
    """Run `while condition`."""
    before = hir.Block()
    after = hir.Block()
    goes_on: list[hir.Value] = []
    endless: list[bool] = []

    def condition() -> hir.Value:
        value = ctx.evaluate(statement.condition)
        truth = operators.truth(ctx, value, statement.condition.span)
        endless[:] = [isinstance(truth, Constant) and bool(truth.value)]
        return lazy.as_bool(ctx, truth, statement.condition.span)

    def run_body() -> None:
        goes_on[:] = [_unless_left(ctx, before, condition, statement.condition.span)]
        if endless[0] and not _may_leave(statement):
            message = "this loop never ends: its condition is always true"
            raise ctx.fail("T0317", message, statement.condition.span)
        _start_round(ctx, statement)
        ctx.execute(statement.body)

    def reset() -> None:
        before.operations.clear()
        before.arguments = ()

    if _may_leave(statement):
        jumps.clear(ctx, statement.span)
    loop = run_loop(ctx, statement, (), after, run_body, reset)
    if not goes_on:
        raise SemanticError(None)
    # Both regions see the carried values under the same names: the first one hands on its
    # arguments unchanged, so that one run of the body serves both.
    before.arguments = after.arguments
    before.yields = (goes_on[0], *before.arguments)
    results = ctx.record("while", loop.initial, loop.types, statement.span, None, (before, after))
    loop.finish(results)
    if _may_leave(statement):
        only_returns = endless[0] and not _breaks(statement.body)
        jumps.after_loop(ctx, statement.span, only_returns=only_returns)


def _breaks(body: Sequence[ast.Statement]) -> bool:
    """Tell whether a `break` of the loop around `body` stands in it."""
    return any(
        isinstance(item, ast.Break)
        or (isinstance(item, ast.If) and (_breaks(item.body) or _breaks(item.otherwise)))
        for item in body
    )
