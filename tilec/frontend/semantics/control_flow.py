"""`if`, `for` and `while` over abstract values, as regions that pass variables on."""

from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric, operators, structure
from tilec.frontend.semantics.context import Binding, Context, Returned, SemanticError
from tilec.frontend.semantics.loop_bounds import loop_bounds
from tilec.frontend.semantics.loops import run_loop
from tilec.frontend.semantics.names import assigned_names
from tilec.frontend.semantics.not_yet import Usage, lacking, no_syntax
from tilec.frontend.semantics.numeric import I32
from tilec.frontend.semantics.signature import called_name
from tilec.frontend.semantics.values import (
    Constant,
    NoneValue,
    Unusable,
)
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import note

# If


def execute_if(
    ctx: Context, statement: ast.If, rest: Sequence[ast.Statement]
) -> tuple[bool, Returned | None]:
    """Run an `if`; `rest` are the statements that follow it in the same block.

    Returns:
        Whether `rest` was run too (a branch returns early, so `rest` moved into the branches),
        and what the function returns.
    """
    condition = operators.truth(ctx, ctx.evaluate(statement.condition), statement.condition.span)
    if isinstance(condition, Constant):
        chosen = statement.body if condition.value else statement.otherwise
        if _returns(chosen):
            return True, ctx.execute([*chosen, *rest])
        ctx.execute(chosen)
        return False, None
    if _returns(statement.body) or _returns(statement.otherwise):
        if ctx.frame.loop_depth:
            message = "'return' inside a loop is not supported"
            raise ctx.fail("T0317", message, _first_return(statement).span)
        return True, _branch_with_return(ctx, statement, condition, rest)
    _branch(ctx, statement, condition)
    return False, None


def _returns(block: Sequence[ast.Statement]) -> bool:
    """Tell whether a `return` stands in a block, outside of loops."""
    return any(
        isinstance(item, ast.Return)
        or (isinstance(item, ast.If) and (_returns(item.body) or _returns(item.otherwise)))
        for item in block
    )


def _first_return(statement: ast.Statement) -> ast.Statement:
    if isinstance(statement, ast.If):
        for item in (*statement.body, *statement.otherwise):
            if _returns([item]):
                return _first_return(item)
    return statement


def _run_branch(
    ctx: Context, block: hir.Block, body: Sequence[ast.Statement]
) -> tuple[Returned | None, dict[str, Binding]]:
    """Run one branch with its own copy of the variables."""
    outer = ctx.frame.variables
    ctx.frame.variables = dict(outer)
    try:
        with ctx.in_block(block):
            returned = ctx.execute(body)
        return returned, ctx.frame.variables
    finally:
        ctx.frame.variables = outer


def _branch_with_return(
    ctx: Context, statement: ast.If, condition: hir.Value, rest: Sequence[ast.Statement]
) -> Returned:
    """Run an `if` with an early return: what follows it moves into both branches."""
    blocks = (hir.Block(), hir.Block())
    ends = []
    for block, body in zip(blocks, (statement.body, statement.otherwise), strict=True):
        returned, _ = _run_branch(ctx, block, [*body, *rest])
        ends.append(returned or Returned(NoneValue(), statement.span))
    merged = structure.merge_branches(ctx, ends[0].value, ends[1].value, blocks, statement.span)
    if isinstance(merged, structure.Mismatch):
        name = ctx.frame.function.name
        message = f"'{name}' returns different kinds of values: {merged.text}"
        notes = [note("one return", ends[0].span), note("the other", ends[1].span)]
        raise ctx.fail("T0317", message, statement.span, notes=notes)
    results = ctx.record("if", [condition], merged.types, statement.span, None, blocks)
    for block, leaves in zip(blocks, merged.leaves, strict=True):
        block.yields = tuple(leaves)
    return Returned(merged.rebuild(results), ends[0].span)


def _branch(ctx: Context, statement: ast.If, condition: hir.Value) -> None:
    blocks = (hir.Block(), hir.Block())
    _, first = _run_branch(ctx, blocks[0], statement.body)
    _, second = _run_branch(ctx, blocks[1], statement.otherwise)
    names = assigned_names([statement])
    merged: dict[str, structure.Merged] = {}
    for name in names:
        outcome = _meet(ctx, name, (first.get(name), second.get(name)), blocks, statement)
        if isinstance(outcome, Unusable):
            ctx.bind(name, outcome, statement.span)
        elif outcome is not None:
            merged[name] = outcome
    kinds = [kind for item in merged.values() for kind in item.types]
    results = ctx.record("if", [condition], kinds, statement.span, None, blocks)
    for side, block in enumerate(blocks):
        block.yields = tuple(leaf for item in merged.values() for leaf in item.leaves[side])
    start = 0
    for name, item in merged.items():
        count = len(item.types)
        value = item.rebuild(results[start : start + count])
        ctx.bind(name, value, (first.get(name) or second[name]).span)
        start += count


def _meet(
    ctx: Context,
    name: str,
    bindings: tuple[Binding | None, Binding | None],
    blocks: tuple[hir.Block, hir.Block],
    statement: ast.If,
) -> structure.Merged | Unusable | None:
    """Return how a variable leaves an `if`; None when neither branch gave it a value."""
    first, second = bindings
    if first is None or second is None:
        known = first or second
        if known is None:
            return None
        if isinstance(known.value, Unusable):
            return known.value
        reason = "may have no value here: only one branch of the 'if' assigns it"
        return Unusable(reason, known.span)
    merged = structure.merge_branches(ctx, first.value, second.value, blocks, statement.span)
    if isinstance(merged, structure.Mismatch):
        reason = f"differs between the branches of the 'if': {merged.text}"
        return Unusable(reason, first.span, "T0309")
    if isinstance(merged.shape, Unusable):
        return merged.shape
    return merged


# Loops


def execute_for(ctx: Context, statement: ast.For) -> None:
    """Run `for i in range(...)`."""
    name = called_name(statement.iterable, ctx.frame.module)
    if name != "range" or not isinstance(statement.iterable, ast.Call):
        entry = lacking(Usage.FUNCTION, name or "") or no_syntax("iterable")
        raise ctx.fail_lacking(entry, name or "", statement.iterable.span)
    if len(statement.targets) != 1:
        span = statement.targets[1].span
        raise ctx.fail("T0314", "a loop over 'range' has one variable", span)
    counted = loop_bounds(ctx, statement.iterable)
    target = statement.targets[0]
    count = hir.Value(hir.ScalarType(I32), target.span, counted.count_bounds)
    body = hir.Block(arguments=(count,))

    def run_body() -> None:
        ctx.bind(target.id, counted.variable(ctx, count, target.span), target.span)
        ctx.execute(statement.body)

    loop = run_loop(ctx, statement, (target.id,), body, run_body)
    operands = [*counted.operands, *loop.initial]
    results = ctx.record("for", operands, loop.types, statement.span, None, (body,))
    loop.finish(results)


def execute_while(ctx: Context, statement: ast.While) -> None:
    """Run `while condition`."""
    before = hir.Block()
    after = hir.Block()
    condition: list[hir.Value] = []

    def run_condition() -> None:
        with ctx.in_block(before):
            value = ctx.evaluate(statement.condition)
            truth = operators.truth(ctx, value, statement.condition.span)
        if isinstance(truth, Constant):
            if truth.value:
                message = "this loop never ends: its condition is always true"
                raise ctx.fail("T0317", message, statement.condition.span)
            with ctx.in_block(before):
                truth = numeric.make_constant(
                    ctx, False, numeric.BOOL, (), statement.condition.span
                )
        condition[:] = [truth]

    def run_body() -> None:
        run_condition()
        ctx.execute(statement.body)

    def reset() -> None:
        before.operations.clear()
        before.arguments = ()

    loop = run_loop(ctx, statement, (), after, run_body, reset)
    if not condition:
        raise SemanticError(None)
    # Both regions see the carried values under the same names: the first one hands on its
    # arguments unchanged, so that one run of the body serves both.
    before.arguments = after.arguments
    before.yields = (condition[0], *before.arguments)
    results = ctx.record("while", loop.initial, loop.types, statement.span, None, (before, after))
    loop.finish(results)
