"""Which variables statements assign and read."""

from collections.abc import Iterable, Iterator, Sequence

from tilec.frontend.syntax import ast


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
        yield from assigned_names(statement.body)
    elif isinstance(statement, ast.While):
        yield from assigned_names(statement.body)
    elif isinstance(statement, ast.If):
        yield from assigned_names(statement.body)
        yield from assigned_names(statement.otherwise)


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
