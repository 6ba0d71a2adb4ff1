"""Which variables a loop carries, and what they are inside and after it."""

from collections.abc import Callable, Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Binding, Context, SemanticError
from tilec.frontend.semantics.control import jumps, structure
from tilec.frontend.semantics.names import (
    HIDDEN,
    LEAVE,
    RESULT,
    RETURN,
    SKIP,
    assigned_names,
    exposed_names,
    expression_names,
)
from tilec.frontend.semantics.values import AnyValue, Constant, NoneValue, Unusable, describe
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan, note
from tilec.support.fast_dataclasses import dataclass, field

_MAX_ATTEMPTS = 8
LoopStatement = ast.For | ast.While


@dataclass(slots=True)
class _Variable:
    """One carried variable.

    Attributes:
        name: Its name.
        outer: What it is before the loop.
        carried: The values that the loop carries for it.
        arguments: What they are in the body.
        end_span: Where the body assigned it last.
        instead: What it is after the loop, if not the results of the loop.
    """

    name: str
    outer: Binding
    carried: structure.Carried
    arguments: tuple[hir.Value, ...] = ()
    end_span: SourceSpan | None = None
    instead: AnyValue | None = None


@dataclass(slots=True)
class Loop:
    """A loop whose body was run: what goes in, and how the variables come out."""

    ctx: Context
    statement: LoopStatement
    variables: list[_Variable] = field(default_factory=list)
    after: dict[str, AnyValue] = field(default_factory=dict)

    @property
    def initial(self) -> list[hir.Value]:
        """Values that enter the loop."""
        return [leaf for item in self.variables for leaf in item.carried.initial]

    @property
    def types(self) -> list[hir.Type]:
        """Types of the carried values."""
        return [kind for item in self.variables for kind in item.carried.types]

    def finish(self, results: Sequence[hir.Value]) -> None:
        """Bind the variables to the results of the loop."""
        for name, value in self.after.items():
            self.ctx.bind(name, value, self.statement.span)
        start = 0
        for item in self.variables:
            count = len(item.carried.initial)
            value = item.instead
            if value is None:
                value = structure.fill(item.carried.shape, results[start : start + count])
            self.ctx.bind(item.name, value, item.end_span or item.outer.span)
            start += count


@dataclass(slots=True)
class _Plan:
    """What one attempt at the body assumes; each failed attempt corrects it.

    Attributes:
        dropped: Variables that are not carried, and what they are instead.
        result: What a `return` in the body gave; None before one was seen.
        dtypes: Types of numbers of the source, by variable.
    """

    dropped: dict[str, Unusable] = field(default_factory=dict)
    result: AnyValue | None = None
    dtypes: dict[str, list[hir.Type | None]] = field(default_factory=dict)


def run_loop(
    ctx: Context,
    statement: LoopStatement,
    targets: tuple[str, ...],
    body: hir.Block,
    run_body: Callable[[], None],
    reset: Callable[[], None] | None = None,
) -> Loop:
    """Run the body of a loop until the types of the carried variables are stable.

    Args:
        ctx: The analysis.
        statement: The loop.
        targets: Names that the loop itself assigns.
        body: Block for the body; its own arguments (the loop variable) are there already.
        run_body: Runs the body in the current frame.
        reset: Undoes what `run_body` recorded outside `body`.
    """
    own = body.arguments
    plan = _Plan()
    for _ in range(_MAX_ATTEMPTS):
        mark = len(ctx.diagnostics), len(ctx.block.operations)
        body.operations.clear()
        body.arguments = own
        if reset is not None:
            reset()
        loop = _attempt(ctx, statement, targets, body, run_body, plan)
        if loop is not None:
            return loop
        del ctx.diagnostics[mark[0] :]
        del ctx.block.operations[mark[1] :]
    message = "the types of this loop's variables change in every round"
    hint = "convert each variable back to its type before the loop, with 'cast' or 'reshape'"
    raise ctx.fail("T0308", message, statement.span, hint=hint)


def _attempt(
    ctx: Context,
    statement: LoopStatement,
    targets: tuple[str, ...],
    body: hir.Block,
    run_body: Callable[[], None],
    plan: _Plan,
) -> Loop | None:
    """Run the body once; return None when `plan` was corrected and the body must run again."""
    loop, outer = Loop(ctx, statement), ctx.frame.variables
    inner = dict(outer)
    # Every round starts without a jump, so nothing carries SKIP.
    own = (*targets, SKIP)
    assigned = [name for name in assigned_names(statement.body) if name not in own]
    for name in assigned:
        _open_variable(ctx, loop, name, inner, plan)
    body.arguments = (
        *body.arguments,
        *(argument for item in loop.variables for argument in item.arguments),
    )
    frame = ctx.frame
    kept = frame.loop_names, frame.is_tail, frame.partial
    frame.variables = inner
    frame.loop_depth += 1
    frame.loop_names = frozenset(set(outer) - set(plan.dropped))
    frame.is_tail, frame.partial = False, None
    try:
        with ctx.in_block(body):
            run_body()
            yields = _close_variables(ctx, loop, inner, plan)
    finally:
        frame.variables = outer
        frame.loop_depth -= 1
        frame.loop_names, frame.is_tail, frame.partial = kept
    if yields is None:
        return None
    body.yields = tuple(yields)
    _check_uncarried(ctx, loop, assigned, inner, outer)
    _forget_inner(loop, [*assigned, *targets], inner, outer, plan)
    return loop


def _open_variable(
    ctx: Context, loop: Loop, name: str, inner: dict[str, Binding], plan: _Plan
) -> None:
    if name == RESULT:
        _open_result(ctx, loop, inner, plan)
        return
    binding = inner.get(name)
    if binding is None or isinstance(binding.value, Unusable):
        return
    if name in plan.dropped:
        inner[name] = Binding(plan.dropped[name], binding.span)
        return
    carried = structure.open_carried(
        ctx, binding.value, loop.statement.span, plan.dtypes.get(name, ())
    )
    if carried is not None:
        inner[name] = _carry(loop, name, binding, carried)


def _carry(loop: Loop, name: str, binding: Binding, carried: structure.Carried) -> Binding:
    """Add a carried variable, and return what it is in the body."""
    variable = _Variable(name, binding, carried)
    variable.arguments = tuple(hir.Value(item.type, binding.span) for item in carried.initial)
    loop.variables.append(variable)
    return Binding(structure.fill(carried.shape, variable.arguments), binding.span)


def _open_result(ctx: Context, loop: Loop, inner: dict[str, Binding], plan: _Plan) -> None:
    """Carry what a `return` in the body gives, once its types are known."""
    inner.pop(RESULT, None)
    if plan.result is None:
        return
    span = loop.statement.span
    start = structure.placeholders(ctx, plan.result, span)
    carried = structure.open_carried(ctx, start, span)
    assert carried is not None
    inner[RESULT] = _carry(loop, RESULT, Binding(start, span), carried)


def _find_result(ctx: Context, loop: Loop, inner: dict[str, Binding], plan: _Plan) -> bool:
    """Note what a `return` in the body gave; return whether the loop has to carry it anew."""
    binding = inner.get(RESULT)
    if plan.result is not None or binding is None:
        return False
    if isinstance(binding.value, NoneValue | Unusable):
        loop.after[RESULT] = binding.value
        return False
    with ctx.in_block(hir.Block()):
        carried = structure.open_carried(ctx, binding.value, binding.span)
    if carried is None:
        raise jumps.bad_result(ctx, binding)
    plan.result = binding.value
    return True


def _close_variables(
    ctx: Context, loop: Loop, inner: dict[str, Binding], plan: _Plan
) -> list[hir.Value] | None:
    """Return what the body passes on, or None when `plan` changed."""
    yields: list[hir.Value] = []
    changed = _find_result(ctx, loop, inner, plan)
    for item in loop.variables:
        binding = inner[item.name]
        item.end_span = binding.span
        # A jump may stand in a branch that the compiler leaves out: then nothing sets its flag.
        if item.name in (LEAVE, RETURN) and jumps.flag(inner, item.name) is False:
            item.instead = Constant(False, loop.statement.span)
        if isinstance(binding.value, Unusable) and binding.value.is_silent:
            yields.extend(item.arguments)
            continue
        problem = _close(ctx, item, binding, yields)
        if problem is None:
            continue
        if not _correct(ctx, loop, item, binding, problem, plan):
            ctx.report(_unstable(ctx, item, binding, problem))
            item.instead = Unusable("has no value", None, is_silent=True)
            yields.extend(item.arguments)
        else:
            changed = True
    return None if changed else yields


def _close(ctx: Context, item: _Variable, binding: Binding, yields: list[hir.Value]) -> str | None:
    """Append the final values of one variable, or return why they do not fit."""
    value = binding.value
    text = f"{describe(item.outer.value)} before the loop but {describe(value)} at its end"
    if isinstance(value, Unusable):
        return value.reason
    if not structure.same_structure(item.carried.shape, value):
        return text
    leaves: list[hir.Value] = []
    for kind, leaf in zip(item.carried.types, structure.flatten(value), strict=True):
        if isinstance(leaf, Constant) and structure.adapts(leaf, kind):
            leaves.append(structure.adapt(ctx, leaf, kind, binding.span))
        elif isinstance(leaf, hir.Value) and leaf.type == kind:
            leaves.append(leaf)
        else:
            return text
    yields.extend(leaves)
    return None


def _correct(
    ctx: Context, loop: Loop, item: _Variable, binding: Binding, problem: str, plan: _Plan
) -> bool:
    """Change the plan so that the variable fits; return False when that is impossible."""
    if item.name == RESULT:
        plan.result = binding.value
        return True
    if item.name not in plan.dtypes and _retype(item, binding.value, plan):
        return True
    if item.name in _exposed(loop.statement, ctx.frame.captured):
        return False
    reason = f"changes in the loop: it is {problem}"
    plan.dropped[item.name] = Unusable(reason, binding.span, "T0308")
    return True


def _exposed(statement: LoopStatement, captured: set[str]) -> set[str]:
    """Return the variables that an iteration may read from the one before.

    Args:
        statement: The loop.
        captured: Names that functions defined around it mention: a call may read them.
    """
    exposed = exposed_names(statement.body)
    if isinstance(statement, ast.While):
        exposed |= set(expression_names(statement.condition))
    return exposed | captured


def _check_uncarried(
    ctx: Context,
    loop: Loop,
    assigned: Sequence[str],
    inner: dict[str, Binding],
    outer: dict[str, Binding],
) -> None:
    """Report what the loop changes and reads but cannot carry: arrays, views, types."""
    carried = {item.name for item in loop.variables}
    for name in assigned:
        before, after = outer.get(name), inner.get(name)
        if name in carried or before is None or after is None or before.value == after.value:
            continue
        if isinstance(before.value, Unusable) or isinstance(after.value, Unusable):
            continue
        if name in _exposed(loop.statement, ctx.frame.captured):
            message = f"'{name}' is {describe(before.value)} and cannot change in a loop"
            notes = [note("before the loop", before.span)]
            ctx.report(ctx.fail("T0308", message, after.span, notes=notes))


def _retype(item: _Variable, value: AnyValue, plan: _Plan) -> bool:
    """Give numbers of the source the type that the loop turns them into."""
    if not structure.same_structure(item.carried.shape, value):
        return False
    dtypes: list[hir.Type | None] = []
    leaves = structure.flatten(value)
    for weak, kind, leaf in zip(item.carried.weak, item.carried.types, leaves, strict=True):
        target = leaf.type if isinstance(leaf, hir.Value) else None
        if isinstance(leaf, Constant) and numeric.is_number(leaf):
            target = hir.ScalarType(numeric.weak_dtype(leaf.value))
        fits = weak is not None and target is not None and structure.adapts(weak, target)
        dtypes.append(target if fits and target != kind else None)
    if not any(dtypes):
        return False
    plan.dtypes[item.name] = dtypes
    return True


def _unstable(ctx: Context, item: _Variable, binding: Binding, problem: str) -> SemanticError:
    hint = None
    weak = item.carried.weak[0] if len(item.carried.weak) == 1 else None
    value = binding.value
    if weak is not None and isinstance(value, hir.Value) and isinstance(value.type, hir.TileType):
        shape = ", ".join(str(int(extent)) for extent in value.type.shape)
        comma = "," if len(value.type.shape) == 1 else ""
        dtype = value.type.dtype.name
        hint = f"start with 'full(({shape}{comma}), {weak.value}, {dtype})'"
    elif isinstance(value, hir.Value) and isinstance(item.outer.value, hir.Value):
        before, after = item.outer.value, value
        if numeric.shape_of(before) == numeric.shape_of(after):
            hint = f"convert it back: 'cast(..., {numeric.dtype_of(before).name})'"
    message = f"'{item.name}' changes its type in the loop: it is {problem}"
    notes = [note("before the loop", item.outer.span)]
    return ctx.fail("T0308", message, binding.span, hint=hint, notes=notes)


def _forget_inner(
    loop: Loop,
    names: Sequence[str],
    inner: dict[str, Binding],
    outer: dict[str, Binding],
    plan: _Plan,
) -> None:
    """Say what variables that the loop does not carry are after it."""
    carried = {item.name for item in loop.variables}
    for name in names:
        binding = inner.get(name)
        if name in carried or binding is None or name in HIDDEN:
            continue
        if name in plan.dropped:
            loop.after[name] = plan.dropped[name]
        elif isinstance(binding.value, Unusable):
            loop.after[name] = binding.value
        elif name in outer and binding is outer[name]:
            continue
        else:
            reason = "has no value after the loop: only the loop's body assigns it"
            loop.after[name] = Unusable(reason, binding.span)
