"""Evaluates the host expressions of an artifact: grid extents, preconditions, workspace sizes.

The text comes from a package file, so it is not trusted: it is parsed with `ast` and only the
node types below run. A name is looked up in the environment as it is written, and so is a dotted
form such as `A.shape[1]` or `A.strides[0]`. Kernels compute grid extents again, in 64 bits, so no
step may need more.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Number = int | float | bool

_BITS = 64
"""Width of the integers that kernels compute the same expressions with."""


class ExpressionError(Exception):
    """The text is not a host expression, or a name or an operation in it has no value."""


def ceil_div(dividend: Number, divisor: Number) -> Number:
    """Return the quotient rounded up, `cdiv` of the language."""
    return -(-dividend // divisor)


_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, tuple[Callable[..., Number], int]] = {
    "cdiv": (ceil_div, 2),
    "min": (min, 2),
    "max": (max, 2),
}
"""Callable names and the least number of arguments each takes (`cdiv` takes exactly two)."""


def evaluate(expression: str, environment: Mapping[str, Number]) -> Number:
    """Return the value of `expression`.

    Args:
        expression: Python syntax restricted to integers, names, `A.shape[i]`, `A.strides[i]`,
            `+ - * // %`, comparisons, `and`/`or`/`not`, `cdiv`, `min` and `max`.
        environment: Values by name; dotted forms are keys as well (`"A.shape[1]"`).

    Raises:
        ExpressionError: The text has other syntax, an unknown name or one that is no number,
            divides by zero, or needs integers of more than 64 bits.
    """
    try:
        return _value(_parse(expression), environment)
    except ZeroDivisionError:
        raise ExpressionError(f"division by zero in '{expression}'") from None
    except RecursionError:
        raise ExpressionError("the host expression is nested too deeply") from None


def names_in(expression: str) -> frozenset[str]:
    """Return the names that `expression` reads, dotted forms included.

    Raises:
        ExpressionError: The text is not an expression.
    """
    found: set[str] = set()
    pending: list[ast.expr] = [_parse(expression)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name | ast.Subscript):
            found.add(_dotted(node))
        else:
            children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
            pending.extend(child for child in children if isinstance(child, ast.expr))
    return frozenset(found)


@lru_cache(maxsize=512)
def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"'{expression}' is not a host expression") from None


def _dotted(node: ast.expr) -> str:
    """Return `name` or `array.attribute[index]` as it is spelled in the environment."""
    if isinstance(node, ast.Name):
        return node.id
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and isinstance(node.slice, ast.Constant)
        and type(node.slice.value) is int
    ):
        return f"{node.value.value.id}.{node.value.attr}[{node.slice.value}]"
    raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in a host expression")


def _value(node: ast.expr, environment: Mapping[str, Number]) -> Number:
    value = _unlimited(node, environment)
    if isinstance(value, int) and not -(1 << (_BITS - 1)) <= value < 1 << (_BITS - 1):
        text = ast.unparse(node)
        raise ExpressionError(f"'{text}' is {value}, which needs more than {_BITS} bits")
    return value


def _unlimited(node: ast.expr, environment: Mapping[str, Number]) -> Number:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return node.value
    if isinstance(node, ast.Name | ast.Subscript):
        name = _dotted(node)
        if name not in environment:
            raise ExpressionError(f"'{name}' has no value")
        return _number(name, environment[name])
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, environment), _value(node.right, environment)
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, environment))
    if isinstance(node, ast.BoolOp):
        values = (bool(_value(item, environment)) for item in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.Compare):
        return _compare(node, environment)
    if isinstance(node, ast.Call):
        return _call(node, environment)
    raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in a host expression")


def _number(name: str, value: Any) -> Number:
    """Return a value of the environment; constants of a damaged package may be text or null."""
    if value is None or isinstance(value, str):
        raise ExpressionError(f"'{name}' is {value!r}, which is no number")
    return value


def _compare(node: ast.Compare, environment: Mapping[str, Number]) -> bool:
    left = _value(node.left, environment)
    for op, operand in zip(node.ops, node.comparators, strict=True):
        right = _value(operand, environment)
        if type(op) not in _COMPARE:
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in a host expression")
        if not _COMPARE[type(op)](left, right):
            return False
        left = right
    return True


def _call(node: ast.Call, environment: Mapping[str, Number]) -> Number:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in _FUNCTIONS or node.keywords:
        raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in a host expression")
    function, least = _FUNCTIONS[name]
    arguments = [_value(item, environment) for item in node.args]
    if len(arguments) < least or (name == "cdiv" and len(arguments) != least):
        raise ExpressionError(f"'{ast.unparse(node)}' has the wrong number of arguments")
    return function(*arguments)
