"""Loops that run while the kernel is compiled: `for` over `static_range(...)` or a tuple.

The body is analysed once for each item, one after the other. So the loop variable is a constant,
and variables may change their types from one round to the next.
"""

from collections.abc import Callable, Iterable, Sequence

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.context import Binding, Context
from tilec.frontend.semantics.control import jumps
from tilec.frontend.semantics.control.branches import branch
from tilec.frontend.semantics.names import HIDDEN, LEAVE, SKIP, assigned_names
from tilec.frontend.semantics.values import AnyValue, Constant, TupleValue, Unusable, describe
from tilec.frontend.syntax import ast

Bind = Callable[[AnyValue], None]


def static_items(ctx: Context, call: ast.Call) -> Iterable[AnyValue]:
    """Return the constants of `static_range(...)`.

    Raises:
        SemanticError: Its arguments are no compile-time integers, or the step is 0.
    """
    if call.keywords or not 1 <= len(call.arguments) <= 3:
        message = f"static_range: takes one to three arguments, found {len(call.arguments)}"
        raise ctx.fail("T0310", message, call.span)
    bounds = [_static_bound(ctx, item) for item in call.arguments]
    if len(bounds) == 3 and not bounds[2]:
        raise ctx.fail("T0318", "static_range: the step must not be 0", call.arguments[2].span)
    return (Constant(value, call.span) for value in range(*bounds))


def _static_bound(ctx: Context, node: ast.Expression) -> int:
    value = ctx.evaluate(node)
    if isinstance(value, Constant) and isinstance(value.value, int):
        return int(value.value)
    message = f"static_range: bounds are compile-time integers, found {describe(value)}"
    hint = "use 'range' for bounds that the running kernel knows"
    raise ctx.fail("T0403", message, node.span, hint=hint)


def tuple_items(ctx: Context, node: ast.Expression) -> Sequence[AnyValue]:
    """Return the items of a tuple that a loop runs over.

    Raises:
        SemanticError: It is no tuple.
    """
    value = ctx.evaluate(node)
    if isinstance(value, TupleValue):
        return value.items
    known = "'range(...)', 'static_range(...)' or a tuple"
    message = f"a loop runs over {known}, found {describe(value)}"
    raise ctx.fail("T0318", message, node.span)


def run_unrolled(ctx: Context, statement: ast.For, items: Iterable[AnyValue], bind: Bind) -> None:
    """Run the body of a loop once for each item.

    Args:
        ctx: The analysis.
        statement: The loop.
        items: What it runs over.
        bind: Binds the loop variables to one item.
    """
    frame = ctx.frame
    kept = frame.loop_names, frame.is_tail, frame.partial
    frame.loop_depth += 1
    frame.is_tail = False
    may_jump = SKIP in assigned_names(statement.body)
    try:
        if may_jump:
            jumps.clear(ctx, statement.span)
        _run_rounds(ctx, statement, iter(items), bind)
    finally:
        frame.loop_depth -= 1
        frame.loop_names, frame.is_tail, frame.partial = kept
    if may_jump:
        jumps.after_loop(ctx, statement.span, only_returns=False)


def _run_rounds(ctx: Context, statement: ast.For, items: Iterable[AnyValue], bind: Bind) -> None:
    for item in items:
        ctx.spend("statements", statement.span)
        ctx.frame.loop_names, ctx.frame.partial = _usable(ctx), set()
        bind(item)
        ctx.execute(statement.body)
        _forget_partial(ctx)
        left = jumps.flag(ctx.frame.variables, LEAVE)
        if isinstance(left, hir.Value):
            _run_unless_left(ctx, statement, left, lambda: _run_rounds(ctx, statement, items, bind))
        if left is not False:
            return
        if jumps.skipped(ctx) is not False:
            jumps.clear(ctx, statement.span)


def _run_unless_left(
    ctx: Context, statement: ast.For, left: hir.Value, run_rest: Callable[[], None]
) -> None:
    """Run the rounds that follow one that may have left the loop."""
    ctx.frame.loop_names, ctx.frame.partial = _usable(ctx), set()

    def leave() -> None:
        jumps.set_flags(ctx, True, (SKIP, LEAVE), statement.span)

    def go_on() -> None:
        jumps.clear(ctx, statement.span)
        run_rest()

    names = assigned_names([statement])
    branch(ctx, left, (leave, go_on), names, statement.span)
    _forget_partial(ctx)


def _usable(ctx: Context) -> frozenset[str]:
    """Return the variables that have a value now."""
    return frozenset(
        name
        for name, item in ctx.frame.variables.items()
        if not isinstance(item.value, Unusable) and name not in HIDDEN
    )


def _forget_partial(ctx: Context) -> None:
    """Take the value from variables that have none where a jump skipped their assignment."""
    for name in ctx.frame.partial or ():
        binding = ctx.frame.variables.get(name)
        if binding is not None and not isinstance(binding.value, Unusable):
            reason = "may have no value here: a jump may skip its assignment"
            ctx.frame.variables[name] = Binding(Unusable(reason, binding.span), binding.span)
