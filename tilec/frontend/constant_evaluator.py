"""Python arithmetic on compile-time values: defaults, extents in annotations, module constants."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from tilec.diagnostics import CompileError, SourceSpan, error
from tilec.frontend import ast
from tilec.frontend.suggest import did_you_mean

_MAX_SHIFT = 128
_MAX_POWER = 1024

BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
UNARY: Mapping[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "not": operator.not_,
}
COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
CONSTANT_NAMES: Mapping[str, float] = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
"""Numbers that every source can use by name."""


def fold_binary(name: str, left: Any, right: Any, span: SourceSpan) -> Any:
    """Return `left name right` for two compile-time values.

    Raises:
        CompileError: Python cannot compute it, or the result would be absurdly large (T0403).
    """
    if name in ("<<", "**") and isinstance(right, int) and isinstance(left, int):
        limit = _MAX_SHIFT if name == "<<" else _MAX_POWER
        if right > limit:
            message = f"'{name} {right}' is too large for a compile-time integer"
            raise CompileError(error("T0403", message, span))
    try:
        return BINARY[name](left, right)
    except (ArithmeticError, TypeError, ValueError) as failure:
        message = f"cannot compute {left!r} {name} {right!r}: {failure}"
        raise CompileError(error("T0403", message, span)) from failure


def fold_unary(name: str, value: Any, span: SourceSpan) -> Any:
    """Return `name value` for a compile-time value.

    Raises:
        CompileError: Python cannot compute it (T0403).
    """
    try:
        return UNARY[name](value)
    except TypeError as failure:
        message = f"cannot compute {name} {value!r}: {failure}"
        raise CompileError(error("T0403", message, span)) from failure


def ceil_div(left: int, right: int) -> int:
    """Return the quotient rounded up."""
    return -(-left // right)


def evaluate_constant(node: ast.Expression, module: ast.Module, _depth: int = 0) -> Any:
    """Return the value of an expression of literals and module constants.

    Args:
        node: Expression.
        module: Provides module-level constants and values of the surrounding Python module.

    Returns:
        A number, bool, string, None or a tuple of them.

    Raises:
        CompileError: The expression uses something else (T0403) or an unknown name (T0201).
    """
    if isinstance(node, ast.Literal):
        return node.value
    if isinstance(node, ast.Name):
        return _constant_name(node, module, _depth)
    if isinstance(node, ast.TupleExpression):
        return tuple(evaluate_constant(item, module, _depth) for item in node.items)
    if isinstance(node, ast.UnaryOperation):
        value = evaluate_constant(node.operand, module, _depth)
        return fold_unary(node.operator, value, node.span)
    if isinstance(node, ast.BinaryOperation):
        left = evaluate_constant(node.left, module, _depth)
        right = evaluate_constant(node.right, module, _depth)
        return fold_binary(node.operator, left, right, node.span)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _constant_name(ast.Name(node.span, node.name), module, _depth)
    message = "this must be known at compile time: use literals and module constants"
    raise CompileError(error("T0403", message, node.span), [module.source])


def _constant_name(node: ast.Name, module: ast.Module, depth: int) -> Any:
    if node.id in module.constants:
        if depth > len(module.constants):
            message = f"module constant '{node.id}' is defined by itself"
            raise CompileError(error("T0403", message, node.span), [module.source])
        return evaluate_constant(module.constants[node.id], module, depth + 1)
    if node.id in module.globals:
        return module.globals[node.id]
    if node.id in CONSTANT_NAMES:
        return CONSTANT_NAMES[node.id]
    known = [*module.constants, *CONSTANT_NAMES]
    raise CompileError(
        error("T0201", f"unknown name '{node.id}'", node.span, hint=did_you_mean(node.id, known)),
        [module.source],
    )
