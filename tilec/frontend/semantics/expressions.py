"""Evaluation of expressions."""

from collections.abc import Callable
from typing import Any

from tilec.frontend.semantics import attributes, calls, closures, hir, numeric, operators
from tilec.frontend.semantics.builtins import printing
from tilec.frontend.semantics.context import Context, SemanticError
from tilec.frontend.semantics.control import lazy, structure
from tilec.frontend.semantics.global_names import (
    foreign_name,
    global_value,
    namespace_member,
    unimported_member,
    unknown_name,
)
from tilec.frontend.semantics.product_operator import combine
from tilec.frontend.semantics.values import (
    AnyValue,
    Constant,
    NamespaceValue,
    TupleValue,
    Unusable,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.qualified import LANGUAGE_MODULES
from tilec.support.diagnostics import SourceSpan, note


def evaluate(ctx: Context, node: ast.Expression) -> AnyValue:
    """Return the value of an expression; operations go to the current block.

    Raises:
        SemanticError: The expression is wrong.
    """
    return _EVALUATORS[type(node)](ctx, node)


def _literal(_: Context, node: ast.Literal) -> AnyValue:
    return Constant(node.value, node.span)


def _tuple(ctx: Context, node: ast.TupleExpression) -> AnyValue:
    items = tuple([evaluate(ctx, item) for item in node.items])
    return operators.checked_tuple(ctx, TupleValue(items), node.span)


# Names


def _name(ctx: Context, node: ast.Name) -> AnyValue:
    binding = ctx.frame.variables.get(node.id) or closures.outer_binding(ctx, node.id, node.span)
    if binding is not None:
        if isinstance(binding.value, Unusable):
            raise unusable(ctx, node.id, binding.value, node.span)
        return binding.value
    value = global_value(ctx, node.id, node.span)
    if value is not None:
        return value
    raise unknown_name(ctx, node)


def unusable(ctx: Context, name: str, value: Unusable, span: SourceSpan) -> SemanticError:
    """Return the error for reading a variable that has no usable value here."""
    if value.is_silent:
        return SemanticError(None)
    notes = [] if value.span is None else [note(f"'{name}' is assigned here", value.span)]
    hint = value.hint.format(name) or None
    return ctx.fail(value.code, f"'{name}' {value.reason}", span, notes=notes, hint=hint)


# Operators


def _binary(ctx: Context, node: ast.BinaryOperation) -> AnyValue:
    links, first = ast.operator_chain(node)
    result = evaluate(ctx, first)
    for link in links:
        result = combine(ctx, link.operator, result, link.right, link.span)
    return result


def _unary(ctx: Context, node: ast.UnaryOperation) -> AnyValue:
    return operators.unary(ctx, node.operator, evaluate(ctx, node.operand), node.span)


def _comparison(ctx: Context, node: ast.Comparison) -> AnyValue:
    values = [evaluate(ctx, item) for item in node.operands]
    if len(values) > 2 and any(numeric.is_tile(item) for item in values):
        hint = "write '(a < b) & (b < c)'"
        raise ctx.fail("T0312", "tiles cannot be compared in a chain", node.span, hint=hint)
    result: AnyValue | None = None
    for operator, left, right in zip(node.operators, values[:-1], values[1:], strict=True):
        part = operators.compare(ctx, operator, left, right, node.span)
        result = part if result is None else _conjunction(ctx, result, part, node.span)
    assert result is not None
    return result


def _conjunction(ctx: Context, left: AnyValue, right: AnyValue, span: SourceSpan) -> AnyValue:
    if isinstance(left, Constant):
        return right if left.value else left
    if isinstance(right, Constant):
        return left if right.value else right
    return operators.binary(ctx, "&", left, right, span)


def _boolean(ctx: Context, node: ast.BooleanOperation) -> AnyValue:
    """Evaluate `and` and `or` from left to right, stopping where Python would."""
    stops_at = node.operator == "or"
    result = operators.truth(ctx, evaluate(ctx, node.operands[0]), node.operands[0].span)
    for operand in node.operands[1:]:
        if isinstance(result, Constant):
            if result.value == stops_at:
                return result
            result = operators.truth(ctx, evaluate(ctx, operand), operand.span)
        else:
            result = _lazy(ctx, node, result, operand)
    return result


def _lazy(
    ctx: Context, node: ast.BooleanOperation, left: hir.Value, operand: ast.Expression
) -> Constant | hir.Value:
    """Combine a run-time condition with the next operand."""
    return lazy.combine(
        ctx,
        node.operator,
        left,
        lambda: operators.truth(ctx, evaluate(ctx, operand), operand.span),
        node.span,
    )


def _conditional(ctx: Context, node: ast.Conditional) -> AnyValue:
    condition = operators.truth(ctx, evaluate(ctx, node.condition), node.condition.span)
    if isinstance(condition, Constant):
        return evaluate(ctx, node.value if condition.value else node.otherwise)
    blocks = (hir.Block(), hir.Block())
    values = []
    for block, branch in zip(blocks, (node.value, node.otherwise), strict=True):
        with ctx.in_block(block):
            values.append(evaluate(ctx, branch))
    merged = structure.merge_branches(ctx, values[0], values[1], blocks, node.span)
    if isinstance(merged, structure.Mismatch):
        message = f"the two results differ: {merged.text}"
        raise ctx.fail("T0309", message, node.span)
    results = ctx.record("if", [condition], merged.types, node.span, None, blocks)
    for block, leaves in zip(blocks, merged.leaves, strict=True):
        block.yields = tuple(leaves)
    return merged.rebuild(results)


# Attributes, subscripts, calls


def _attribute(ctx: Context, node: ast.Attribute) -> AnyValue:
    try:
        value = evaluate(ctx, node.value)
    except SemanticError as failure:
        raise unimported_member(ctx, node) or failure from None
    if isinstance(value, NamespaceValue):
        return namespace_member(ctx, value, node)
    return attributes.attribute(ctx, value, node)


def _subscript(ctx: Context, node: ast.Subscript) -> AnyValue:
    return attributes.subscript(ctx, evaluate(ctx, node.value), node)


def _slice(ctx: Context, node: ast.Slice) -> AnyValue:
    raise ctx.fail("T0318", "a slice is only allowed in the index of a tile", node.span)


def _lambda(ctx: Context, node: ast.Lambda) -> AnyValue:
    return closures.make_closure(ctx, node.definition)


def _call(ctx: Context, node: ast.Call) -> AnyValue:
    function = evaluate(ctx, node.function)
    if isinstance(function, NamespaceValue) and function.members is not None:
        message = f"{describe(function)} cannot be called"
        raise ctx.fail("T0209", message, node.function.span)
    if isinstance(function, NamespaceValue) and function.name not in LANGUAGE_MODULES:
        raise foreign_name(ctx, function.name, node.function.span)
    if isinstance(function, Constant | TupleValue | hir.Value):
        message = f"{describe(function)} cannot be called"
        raise ctx.fail("T0209", message, node.function.span)
    return calls.call(ctx, function, node)


_EVALUATORS: dict[type, Callable[[Context, Any], AnyValue]] = {
    ast.Literal: _literal,
    ast.FormattedString: printing.formatted,
    ast.TupleExpression: _tuple,
    ast.Name: _name,
    ast.BinaryOperation: _binary,
    ast.UnaryOperation: _unary,
    ast.Comparison: _comparison,
    ast.BooleanOperation: _boolean,
    ast.Conditional: _conditional,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.Lambda: _lambda,
}
