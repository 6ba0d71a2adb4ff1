"""Which variables statements assign and read."""

from collections.abc import Iterable, Iterator, Sequence

from tilec.frontend.syntax import ast

SKIP = "<skip>"
"""Hidden variable: the rest of the iteration is skipped, or outside loops that of the function."""
LEAVE = "<leave>"
"""Hidden variable: the innermost loop ends."""
RETURN = "<return>"
"""Hidden variable: the function ends."""
RESULT = "<result>"
"""Hidden variable: what the function returns."""
HIDDEN = (SKIP, LEAVE, RETURN, RESULT)
"""What `break`, `continue` and `return` assign; no source can spell these names."""
_JUMPS: dict[type, tuple[str, ...]] = {
    ast.Continue: (SKIP,),
    ast.Break: (SKIP, LEAVE),
    ast.Return: HIDDEN,
}


def _target_names(target: ast.Expression) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.TupleExpression):
        for item in target.items:
            yield from _target_names(item)


def _assigned(statement: ast.Statement) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _target_names(target)
    elif isinstance(statement, ast.AugmentedAssign):
        yield statement.target.id
    elif isinstance(statement, ast.For):
        for target in statement.targets:
            yield target.id
        yield from _assigned_by_loop(statement.body)
    elif isinstance(statement, ast.While):
        yield from _assigned_by_loop(statement.body)
    elif isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif type(statement) in _JUMPS:
        yield from _JUMPS[type(statement)]
    elif isinstance(statement, ast.If):
        yield from assigned_names(statement.body)
        yield from assigned_names(statement.otherwise)


def _assigned_by_loop(body: Sequence[ast.Statement]) -> Iterator[str]:
    """Yield what a loop assigns: `break` and `continue` end with it, a `return` does not."""
    names = assigned_names(body)
    yield from (name for name in names if name not in HIDDEN)
    if RETURN in names:
        yield from HIDDEN


def always_jumps(statements: Sequence[ast.Statement]) -> bool:
    """Tell whether control never comes to the end of a block, whatever its conditions are."""
    return any(
        type(item) in _JUMPS
        or (isinstance(item, ast.If) and always_jumps(item.body) and always_jumps(item.otherwise))
        for item in statements
    )


def assigned_names(statements: Iterable[ast.Statement]) -> list[str]:
    """Return the names that statements assign, without repetition, in source order."""
    return list(dict.fromkeys(name for item in statements for name in _assigned(item)))


def expression_names(node: ast.Node | None) -> Iterator[str]:
    """Yield every name that an expression mentions."""
    pending = [node]
    while pending:
        found = pending.pop()
        if isinstance(found, ast.Name):
            yield found.id
        elif found is not None:
            pending.extend(_children(found))


def _children(node: ast.Node) -> Iterator[ast.Node]:
    for slot in type(node).__dataclass_fields__:
        value = getattr(node, slot)
        if isinstance(value, ast.Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, ast.Node))


def exposed_names(statements: Sequence[ast.Statement]) -> set[str]:
    """Return the names that statements may read before they assign them."""
    exposed: set[str] = set()
    _expose(statements, set(), exposed)
    return exposed


def _expose(statements: Sequence[ast.Statement], defined: set[str], exposed: set[str]) -> None:
    """Add what is read before it is in `defined`; grow `defined` by what is surely assigned."""
    for statement in statements:
        if isinstance(statement, ast.If):
            exposed.update(set(expression_names(statement.condition)) - defined)
            first, second = set(defined), set(defined)
            _expose(statement.body, first, exposed)
            _expose(statement.otherwise, second, exposed)
            if always_jumps(statement.body):
                first = second
            elif always_jumps(statement.otherwise):
                second = first
            defined |= first & second
        elif isinstance(statement, ast.For):
            exposed.update(set(expression_names(statement.iterable)) - defined)
            inner = defined | {target.id for target in statement.targets}
            _expose(statement.body, inner, exposed)
        elif isinstance(statement, ast.While):
            exposed.update(set(expression_names(statement.condition)) - defined)
            _expose(statement.body, set(defined), exposed)
        elif isinstance(statement, ast.Assign):
            exposed.update(set(expression_names(statement.value)) - defined)
            defined.update(_assigned(statement))
        else:
            exposed.update(set(expression_names(statement)) - defined)
            defined.update(_assigned(statement))
