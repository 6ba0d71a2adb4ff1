"""Grid extents as text that the launcher evaluates.

An extent may use dims, scalar parameters, constants and variables that were computed from those
before the grid. The text uses Python's syntax with `cdiv`, `min` and `max`.
"""

from collections.abc import Sequence

from tilec.frontend import ast
from tilec.frontend.constant_evaluator import ceil_div, fold_binary
from tilec.frontend.semantics import hir
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.values import AnyValue, Constant
from tilec.frontend.signature import called_name

_OPERATORS = ("+", "-", "*", "//", "%")
_FUNCTIONS = ("cdiv", "min", "max")
_FOLD = {"cdiv": ceil_div, "min": min, "max": max}

Host = int | str
"""A known number, or the text of an expression."""


def to_host(ctx: Context, node: ast.Expression) -> str:
    """Return the host expression of one grid extent.

    Raises:
        SemanticError: The extent needs more than the host knows before the launch (T0316).
    """
    value = _convert(ctx, node, ctx.frame.function.body)
    if isinstance(value, int) and value <= 0:
        raise ctx.fail("T0316", f"grid: an extent must be positive, found {value}", node.span)
    return _strip(value)


def _strip(value: Host) -> str:
    text = str(value)
    if text.startswith("(") and text.endswith(")") and _closes_at_end(text):
        return text[1:-1]
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def _convert(ctx: Context, node: ast.Expression, before: Sequence[ast.Statement]) -> Host:
    if isinstance(node, ast.Name):
        return _name(ctx, node, before)
    if isinstance(node, ast.BinaryOperation) and node.operator in _OPERATORS:
        left = _convert(ctx, node.left, before)
        right = _convert(ctx, node.right, before)
        if isinstance(left, int) and isinstance(right, int):
            return fold_binary(node.operator, left, right, node.span)
        return f"({left} {node.operator} {right})"
    if isinstance(node, ast.Call) and called_name(node) in _FUNCTIONS and not node.keywords:
        name = called_name(node) or ""
        if len(node.arguments) < 2 or (name == "cdiv" and len(node.arguments) != 2):
            raise _not_host(ctx, node)
        values = [_convert(ctx, item, before) for item in node.arguments]
        known = [item for item in values if isinstance(item, int)]
        if len(known) == len(values):
            return _FOLD[name](*known)
        return f"{name}({', '.join(_strip(item) for item in values)})"
    if isinstance(node, ast.Literal | ast.Subscript | ast.UnaryOperation | ast.Conditional):
        return _evaluated(ctx, node)
    raise _not_host(ctx, node)


def _evaluated(ctx: Context, node: ast.Expression) -> Host:
    """Return a constant, or the name of a dim such as `A.shape[0]`."""
    with ctx.in_block(hir.Block()):
        value = ctx.evaluate(node)
    return _known(ctx, node, value)


def _known(ctx: Context, node: ast.Expression, value: AnyValue) -> Host:
    if isinstance(value, Constant) and isinstance(value.value, int):
        return int(value.value)
    if isinstance(value, hir.Value) and value in ctx.host_names:
        return ctx.host_names[value]
    raise _not_host(ctx, node)


def _name(ctx: Context, node: ast.Name, before: Sequence[ast.Statement]) -> Host:
    for position in range(len(before) - 1, -1, -1):
        statement = before[position]
        if isinstance(statement, ast.Assign) and called_name(statement.value) != "grid":
            found = _assigned(statement, node.id)
            if found is not None and _is_before_grid(ctx, statement):
                return _convert(ctx, found, before[:position])
    parameter = ctx.parameters.get(node.id)
    return _evaluated(ctx, node) if parameter is None else _known(ctx, node, parameter)


def _is_before_grid(ctx: Context, statement: ast.Statement) -> bool:
    for item in ctx.frame.function.body:
        if item is statement:
            return True
        if isinstance(item, ast.Assign | ast.ExpressionStatement) and (
            called_name(item.value) == "grid"
        ):
            return False
    return False


def _assigned(statement: ast.Assign, name: str) -> ast.Expression | None:
    """Return the expression that a statement assigns to `name`, if it does."""
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return statement.value
        if isinstance(target, ast.TupleExpression) and (
            isinstance(statement.value, ast.TupleExpression)
        ):
            for item, value in zip(target.items, statement.value.items, strict=False):
                if isinstance(item, ast.Name) and item.id == name:
                    return value
    return None


def _not_host(ctx: Context, node: ast.Expression) -> Exception:
    hint = "use dims, integer scalars, constants, '+ - * // %', 'cdiv', 'min' and 'max'"
    message = "grid: this extent cannot be computed before the launch"
    return ctx.fail("T0316", message, node.span, hint=hint)
