"""Python arithmetic on compile-time values: defaults, extents in annotations, module constants."""

import math
import operator
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.foreign_values import ForeignValue, LanguageName
from tilec.frontend.syntax.limits import MAX_INTEGER_BITS, MAX_NESTING, MAX_TUPLE_VALUES
from tilec.frontend.syntax.qualified import language_name, settle
from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error
from tilec.support.suggest import did_you_mean

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
    "~": lambda value: not value if isinstance(value, bool) else operator.invert(value),
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


_SHORTENED = reprlib.Repr()
_SHORTENED.maxlong = 80
_SHORTENED.maxstring = 60


def shown(value: Any) -> str:
    """Return a compile-time value for a message, long ones shortened."""
    return _SHORTENED.repr(value)


def fold_binary(name: str, left: Any, right: Any, span: SourceSpan) -> Any:
    """Return `left name right` for two compile-time values.

    Raises:
        CompileError: Python cannot compute it, or the result would be absurdly large (T0403).
    """
    if _bits_of_result(name, left, right) > MAX_INTEGER_BITS:
        message = (
            f"'{name}' gives an integer that is too large: the limit is {MAX_INTEGER_BITS} bits"
        )
        raise CompileError(error("T0403", message, span))
    try:
        result = BINARY[name](left, right)
    except (ArithmeticError, TypeError, ValueError) as failure:
        message = f"cannot compute {shown(left)} {name} {shown(right)}: {failure}"
        raise CompileError(error("T0403", message, span)) from failure
    problem = _problem(result, (left, right))
    if problem is not None:
        message = f"cannot compute {shown(left)} {name} {shown(right)}: {problem}"
        raise CompileError(error("T0403", message, span))
    return result


def _bits_of_result(name: str, left: Any, right: Any) -> int:
    """Return about how many bits the result has, where it is an integer that could be large."""
    if not isinstance(left, int) or not isinstance(right, int):
        return 0
    if name == "<<" and right > 0:
        return left.bit_length() + right if left else 0
    if name == "**" and right > 0:
        return (abs(left) - 1).bit_length() * right if abs(left) > 1 else 0
    if name == "*":
        return left.bit_length() + right.bit_length() - 1
    return max(left.bit_length(), right.bit_length())


def _problem(result: Any, operands: tuple[Any, Any]) -> str | None:
    """Return why a result is no compile-time value, or None."""
    if isinstance(result, int) and result.bit_length() > MAX_INTEGER_BITS:
        return f"the result is too large: the limit is {MAX_INTEGER_BITS} bits"
    if isinstance(result, complex):
        return "the result is not a real number"
    finite = all(not isinstance(item, float) or math.isfinite(item) for item in operands)
    if isinstance(result, float) and not math.isfinite(result) and finite:
        return "the result is beyond the largest f64"
    return None


def fold_unary(name: str, value: Any, span: SourceSpan) -> Any:
    """Return `name value` for a compile-time value.

    Raises:
        CompileError: Python cannot compute it (T0403).
    """
    try:
        return UNARY[name](value)
    except TypeError as failure:
        message = f"cannot compute {name} {shown(value)}: {failure}"
        raise CompileError(error("T0403", message, span)) from failure


def constant_extremum(
    name: str, values: Sequence[bool | float], *, propagate_nan: bool
) -> bool | float:
    """Return the largest (`max`) or smallest (`min`) number; a NaN loses, or wins where asked."""
    numbers = [item for item in values if item == item]
    if not numbers or (propagate_nan and len(numbers) < len(values)):
        return math.nan
    choose = max if name == "max" else min
    return choose(numbers, key=lambda item: (item, math.copysign(1, item)))


def ceil_div(left: int, right: int) -> int:
    """Return the quotient rounded up."""
    return -(-left // right)


def evaluate_constant(node: ast.Expression, module: ast.Module) -> Any:
    """Return the value of an expression of literals and module constants.

    Args:
        node: Expression.
        module: Provides module-level constants, imports and values of the surrounding Python
            module.

    Returns:
        A number, bool, string, None or a tuple of them.

    Raises:
        CompileError: The expression uses something else (T0403) or an unknown name (T0201).
    """
    return _Evaluator(module).value(node)


class _Evaluator:
    """Evaluates each module constant once."""

    def __init__(self, module: ast.Module, users: tuple[SourceFile, ...] = ()) -> None:
        self.module = module
        self.sources = [*users, module.source]
        self.known: dict[str, Any] = {}
        self.open: set[str] = set()
        self.sizes: dict[int, tuple[int, Any]] = {}

    def _fail(self, code: str, message: str, node: ast.Node, hint: str | None = None) -> Exception:
        return CompileError(error(code, message, node.span, hint=hint), self.sources)

    def value(self, node: ast.Expression) -> Any:
        """Return the value of an expression."""
        if isinstance(node, ast.Literal):
            return node.value
        settled, owner = settle(node, self.module)
        if owner is not self.module:
            return _Evaluator(owner, tuple(self.sources)).value(settled)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.TupleExpression):
            return self._tuple(tuple([self.value(item) for item in node.items]), node)
        if isinstance(node, ast.UnaryOperation):
            return fold_unary(node.operator, self.value(node.operand), node.span)
        if isinstance(node, ast.BinaryOperation):
            return self._chain(node)
        number = CONSTANT_NAMES.get(language_name(node, self.module) or "")
        if isinstance(node, ast.Attribute) and number is not None:
            return number
        message = "this must be known at compile time: use literals and module constants"
        raise self._fail("T0403", message, node)

    def _chain(self, node: ast.BinaryOperation) -> Any:
        links, first = ast.operator_chain(node)
        result = self.value(first)
        for link in links:
            right = self.value(link.right)
            if not _is_computable(link.operator, result) or not _is_computable(
                link.operator, right
            ):
                raise self._fail("T0403", f"'{link.operator}' needs numbers here", link)
            result = fold_binary(link.operator, result, right, link.span)
            if isinstance(result, tuple):
                self._tuple(result, link)
        return result

    def _tuple(self, value: tuple[Any, ...], node: ast.Node) -> tuple[Any, ...]:
        """Return a tuple, unless it has too many values, those of tuples in it included."""
        size = sum(self.sizes[id(item)][0] if isinstance(item, tuple) else 1 for item in value)
        if size > MAX_TUPLE_VALUES:
            message = f"this tuple has {size} values; the limit is {MAX_TUPLE_VALUES}"
            raise self._fail("T0212", message, node)
        self.sizes[id(value)] = size, value  # which keeps it, and its id
        return value

    def _name(self, node: ast.Name) -> Any:
        module = self.module
        if node.id in self.known:
            return self.known[node.id]
        if node.id in module.constants:
            if node.id in self.open:
                message = f"module constant '{node.id}' depends on itself"
                raise self._fail("T0403", message, node)
            if len(self.open) >= MAX_NESTING:
                message = f"module constants refer to each other more than {MAX_NESTING} deep"
                raise self._fail("T0207", message, node)
            self.open.add(node.id)
            self.known[node.id] = self.value(module.constants[node.id])
            self.open.discard(node.id)
            return self.known[node.id]
        if node.id in module.globals:
            return self._python_value(node)
        if node.id in CONSTANT_NAMES:
            return CONSTANT_NAMES[node.id]
        hint = did_you_mean(node.id, [*module.constants, *CONSTANT_NAMES])
        raise self._fail("T0201", f"unknown name '{node.id}'", node, hint)

    def _python_tuple(self, value: tuple[Any, ...]) -> int:
        """Note the sizes of a tuple of Python, which `python_source` has limited."""
        items = (self._python_tuple(item) if isinstance(item, tuple) else 1 for item in value)
        self.sizes[id(value)] = sum(items), value
        return self.sizes[id(value)][0]

    def _python_value(self, node: ast.Name) -> Any:
        value = self.module.globals[node.id]
        if isinstance(value, ForeignValue):
            raise self._fail("T0215", value.message(node.id), node, value.hint)
        if isinstance(value, tuple):
            self._python_tuple(value)
        if isinstance(value, LanguageName) and value.name in CONSTANT_NAMES:
            return CONSTANT_NAMES[value.name]
        return value


def _is_computable(name: str, value: Any) -> bool:
    """Tell whether an operator takes a value: numbers, and tuples that are joined."""
    return isinstance(value, bool | int | float) or (name == "+" and isinstance(value, tuple))
