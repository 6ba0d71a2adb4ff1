"""Grid extents as text that the launcher evaluates.

An extent may use dims, scalar parameters, constants and variables that were computed from those
before the grid. The text uses Python's syntax with `cdiv`, `min` and `max`.
"""

from collections.abc import Sequence

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.constant_evaluator import ceil_div, fold_binary
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.signature import called_name
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_EXTENT_CHARACTERS
from tilec.support.diagnostics import CompileError

_OPERATORS = ("+", "-", "*", "//", "%")
_FUNCTIONS = ("cdiv", "min", "max")
_EVALUATED = (ast.Literal, ast.Attribute, ast.Subscript, ast.UnaryOperation, ast.Conditional)
"""Expressions that are evaluated as in the body; the host must know the value."""
_FOLD = {"cdiv": ceil_div, "min": min, "max": max}

Host = int | str
"""A known number, or the text of an expression."""


def to_host(ctx: Context, node: ast.Expression) -> str:
    """Return the host expression of one grid extent.

    Raises:
        SemanticError: The extent needs more than the host knows before the launch (T0316).
    """
    value = _Converter(ctx).convert(node, ctx.frame.function.body)
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


class _Converter:
    """Converts one extent; each variable once, however often it is mentioned."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.known: dict[tuple[str, int], Host] = {}

    def convert(self, node: ast.Expression, before: Sequence[ast.Statement]) -> Host:
        """Return an expression whose variables `before` assigns."""
        value = self._convert(node, before)
        if isinstance(value, str) and len(value) > MAX_EXTENT_CHARACTERS:
            message = (
                f"grid: this extent is longer than {MAX_EXTENT_CHARACTERS} characters, the limit,"
                " with its variables filled in"
            )
            hint = "compute it where the kernel is called, and pass it as a scalar"
            raise self.ctx.fail("T0316", message, node.span, hint=hint)
        return value

    def _convert(self, node: ast.Expression, before: Sequence[ast.Statement]) -> Host:
        if isinstance(node, ast.Name):
            key = node.id, len(before)
            if key not in self.known:
                self.known[key] = self._name(node, before)
            return self.known[key]
        if isinstance(node, ast.BinaryOperation) and node.operator in _OPERATORS:
            return self._chain(node, before)
        if isinstance(node, ast.Call):
            return self._call(node, before)
        if isinstance(node, _EVALUATED):
            return _evaluated(self.ctx, node)
        raise _not_host(self.ctx, node)

    def _chain(self, node: ast.BinaryOperation, before: Sequence[ast.Statement]) -> Host:
        links, first = ast.operator_chain(node)
        result = self.convert(first, before)
        for link in links:
            if link.operator not in _OPERATORS:
                raise _not_host(self.ctx, link)
            right = self.convert(link.right, before)
            if isinstance(result, int) and isinstance(right, int):
                result = _folded(self.ctx, link, result, right)
            else:
                result = f"({result} {link.operator} {right})"
        return result

    def _call(self, node: ast.Call, before: Sequence[ast.Statement]) -> Host:
        name = called_name(node, self.ctx.frame.module) or ""
        if node.keywords or name in self.ctx.frame.variables:
            raise _not_host(self.ctx, node)
        if name not in _FUNCTIONS:
            return self._constant(node, before)
        if len(node.arguments) < 2 or (name == "cdiv" and len(node.arguments) != 2):
            raise _not_host(self.ctx, node)
        values = [self.convert(item, before) for item in node.arguments]
        known = [item for item in values if isinstance(item, int)]
        if len(known) == len(values):
            if name == "cdiv" and not known[1]:
                raise self.ctx.fail("T0403", "cdiv: division by zero", node.span)
            return _FOLD[name](*known)
        return f"{name}({', '.join(_strip(item) for item in values)})"

    def _constant(self, node: ast.Call, before: Sequence[ast.Statement]) -> Host:
        """Return what a call of constants gives, such as `next_power_of_2(N)`."""
        plain = all(isinstance(item, (ast.Name, *_EVALUATED)) for item in node.arguments)
        found = [self.convert(item, before) for item in node.arguments if plain]
        if not found or not all(isinstance(item, int) for item in found):
            raise _not_host(self.ctx, node)
        return _evaluated(self.ctx, node)

    def _name(self, node: ast.Name, before: Sequence[ast.Statement]) -> Host:
        for position in range(len(before) - 1, -1, -1):
            statement = before[position]
            if isinstance(statement, ast.Assign) and not _is_grid(self.ctx, statement):
                found = _assigned(statement, node.id)
                if found is not None and _is_before_grid(self.ctx, statement):
                    return self.convert(found, before[:position])
        parameter = self.ctx.parameters.get(node.id)
        if parameter is None:
            return _evaluated(self.ctx, node)
        return _known(self.ctx, node, parameter)


def _folded(ctx: Context, node: ast.BinaryOperation, left: int, right: int) -> int:
    try:
        return fold_binary(node.operator, left, right, node.span)
    except CompileError as failure:
        raise ctx.fail("T0403", failure.diagnostics[0].message, node.span) from None


def _is_grid(ctx: Context, statement: ast.Assign | ast.ExpressionStatement) -> bool:
    return called_name(statement.value, ctx.frame.module) == "grid"


def _evaluated(ctx: Context, node: ast.Expression) -> Host:
    """Return a constant, or the name of a dim such as `A.shape[0]`."""
    with ctx.in_block(hir.Block()):
        value = ctx.evaluate(node)
    return _known(ctx, node, value)


def _known(ctx: Context, node: ast.Expression, value: AnyValue) -> Host:
    if isinstance(value, Constant):
        if isinstance(value.value, int):
            return int(value.value)
        message = f"grid: an extent is computed from integers, found {describe(value)}"
        raise ctx.fail("T0316", message, node.span)
    if isinstance(value, hir.Value) and value in ctx.host_names:
        return ctx.host_names[value]
    raise _not_host(ctx, node)


def _is_before_grid(ctx: Context, statement: ast.Statement) -> bool:
    for item in ctx.frame.function.body:
        if item is statement:
            return True
        if isinstance(item, ast.Assign | ast.ExpressionStatement) and _is_grid(ctx, item):
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
