"""Two blocks of which one runs: an operation `if`, and what the variables are after it."""

from collections.abc import Callable, Sequence

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.context import Binding, Context
from tilec.frontend.semantics.control import jumps, structure
from tilec.frontend.semantics.names import HIDDEN, LEAVE, RESULT, RETURN, SKIP, assigned_names
from tilec.frontend.semantics.values import AnyValue, Constant, NoneValue, Unusable
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan, note
from tilec.support.fast_dataclasses import dataclass

_FLAGS = (SKIP, LEAVE, RETURN)


@dataclass(frozen=True, slots=True)
class _Side:
    """One branch after it was run: the variables at its end."""

    block: hir.Block
    variables: dict[str, Binding]

    def binding(self, name: str, span: SourceSpan) -> Binding | None:
        """Return a variable; a hidden flag that no jump has set is False."""
        found = self.variables.get(name)
        if found is None and name in _FLAGS:
            return Binding(Constant(False, span), span)
        return found


def branch(
    ctx: Context,
    condition: hir.Value,
    runs: tuple[Callable[[], None], Callable[[], None]],
    names: Sequence[str],
    span: SourceSpan,
) -> None:
    """Run two branches, and bind the variables that they assign.

    Args:
        ctx: The analysis.
        condition: Chooses the first branch where it is true.
        runs: Run the statements of each branch.
        names: Variables that the branches assign.
        span: The statement.

    Raises:
        SemanticError: The branches return different kinds of values (T0317).
    """
    sides = _run_side(ctx, runs[0]), _run_side(ctx, runs[1])
    merged: dict[str, structure.Merged] = {}
    for name in _wanted(ctx, sides, names):
        outcome = _meet(ctx, name, sides, span)
        if isinstance(outcome, Unusable):
            ctx.bind(name, outcome, span)
        elif outcome is not None:
            merged[name] = outcome
    kinds = [kind for item in merged.values() for kind in item.types]
    blocks = sides[0].block, sides[1].block
    results = ctx.record("if", [condition], kinds, span, None, blocks)
    for number, block in enumerate(blocks):
        block.yields = tuple(leaf for item in merged.values() for leaf in item.leaves[number])
    left = iter(results)
    for name, item in merged.items():
        value = item.rebuild([next(left) for _ in item.types])
        first = sides[0].binding(name, span) or sides[1].binding(name, span)
        ctx.bind(name, value, first.span if first is not None else span)
    if not ctx.frame.loop_depth and SKIP in ctx.frame.variables:
        ctx.bind(RETURN, ctx.frame.variables[SKIP].value, span)


def _wanted(ctx: Context, sides: tuple[_Side, _Side], names: Sequence[str]) -> list[str]:
    """Return the variables that the code after the branches may read."""
    results = [side.variables[RESULT].value for side in sides if RESULT in side.variables]
    if ctx.frame.is_tail and all(isinstance(item, NoneValue) for item in results):
        return []
    visible = [] if ctx.frame.is_tail else [name for name in names if name not in HIDDEN]
    # Outside loops SKIP and RETURN are one, and LEAVE has no meaning.
    return [*visible, *(HIDDEN if ctx.frame.loop_depth else (SKIP, RESULT))]


def guard(
    ctx: Context, skipped: hir.Value, rest: Sequence[ast.Statement], span: SourceSpan
) -> None:
    """Run `rest` where no jump skips it.

    Args:
        ctx: The analysis.
        skipped: Whether a jump skips it.
        rest: Statements.
        span: The statement that may have jumped.
    """

    def skip_rest() -> None:
        # Outside loops only a `return` skips anything.
        names = (SKIP,) if ctx.frame.loop_depth else (SKIP, RETURN)
        jumps.set_flags(ctx, True, names, span)

    def run_rest() -> None:
        jumps.clear(ctx, span)
        ctx.execute(rest)

    branch(ctx, skipped, (skip_rest, run_rest), assigned_names(rest), span)


def _run_side(ctx: Context, run: Callable[[], None]) -> _Side:
    """Run one branch with its own copy of the variables."""
    outer = ctx.frame.variables
    ctx.frame.variables = dict(outer)
    try:
        with ctx.in_block(hir.Block()) as block:
            run()
        return _Side(block, ctx.frame.variables)
    finally:
        ctx.frame.variables = outer


def _meet(
    ctx: Context, name: str, sides: tuple[_Side, _Side], span: SourceSpan
) -> structure.Merged | Unusable | None:
    """Return how a variable leaves the branches; None when it stays what it was."""
    dead = [jumps.is_dead(ctx, name, side.variables) for side in sides]
    if all(dead):
        return None
    first, second = (side.binding(name, span) for side in sides)
    blocks = sides[0].block, sides[1].block
    if any(dead):
        number = dead.index(True)
        ends = jumps.flag(sides[number].variables, RETURN) is True
        if ctx.frame.partial is not None and name != RESULT and not ends:
            ctx.frame.partial.add(name)
        return _meet_dead(ctx, name, (first, second), number, blocks, span)
    if first is None or second is None:
        known = first or second
        if known is None:
            return None
        if isinstance(known.value, Unusable):
            return known.value
        reason = "may have no value here: only one branch of the 'if' assigns it"
        # A `return` without a result has failed before.
        hint = "give '{}' a value before the 'if', or in both branches"
        return Unusable(reason, known.span, is_silent=name == RESULT, hint=hint)
    merged = structure.merge_branches(ctx, first.value, second.value, blocks, span)
    if not isinstance(merged, structure.Mismatch):
        return merged.shape if isinstance(merged.shape, Unusable) else merged
    if name == RESULT:
        name = ctx.frame.function.name
        message = f"'{name}' returns different kinds of values: {merged.text}"
        notes = [note("one return", first.span), note("the other", second.span)]
        raise ctx.fail("T0317", message, span, notes=notes)
    reason = f"differs between the branches of the 'if': {merged.text}"
    return Unusable(reason, first.span, "T0309")


def _meet_dead(
    ctx: Context,
    name: str,
    bindings: tuple[Binding | None, Binding | None],
    dead: int,
    blocks: tuple[hir.Block, hir.Block],
    span: SourceSpan,
) -> structure.Merged | Unusable | None:
    """Return how a variable leaves the branches where nothing reads that of branch `dead`."""
    live = bindings[1 - dead]
    if live is None:
        return None
    values: list[AnyValue | None] = [
        None if item is None or isinstance(item.value, Unusable) else item.value
        for item in bindings
    ]
    if isinstance(live.value, Unusable):
        return live.value
    merged = structure.merge_with_dead(ctx, (values[0], values[1]), dead, blocks, span)
    if not isinstance(merged, structure.Mismatch):
        return merged
    if name == RESULT:
        raise jumps.bad_result(ctx, live)
    reason = f"differs between the branches of the 'if': {merged.text}"
    return Unusable(reason, live.span, "T0309")
