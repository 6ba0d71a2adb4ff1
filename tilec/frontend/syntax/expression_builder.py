"""From lark's parse tree to the expressions of `tilec.frontend.syntax.ast`."""

import ast as python_ast
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

from lark import Token, Tree

from tilec.frontend.syntax import ast
from tilec.frontend.syntax.format_strings import FormatError, split_format
from tilec.frontend.syntax.grammar_cache import parse_expression
from tilec.frontend.syntax.limits import MAX_INTEGER_BITS, MAX_NESTING
from tilec.support.diagnostics import Diagnostic, SourceSpan, error

_WORD_OPERATORS = {
    "in_operator": "in",
    "not_in_operator": "not in",
    "is_operator": "is",
    "is_not_operator": "is not",
}
_CONSTANTS = {"true": True, "false": False, "none": None, "ellipsis": ...}


class NestingError(Exception):
    """Ends the building of a tree: it is nested too deeply. Carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """Keep the diagnostic."""
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class ExpressionBuilder:
    """Builds expressions. Mistakes that the grammar lets through end up in `diagnostics`."""

    def __init__(self, file: str) -> None:
        """Remember the file name for the spans."""
        self.file = file
        self.diagnostics: list[Diagnostic] = []
        self._depth = 0

    def fail(self, code: str, message: str, span: SourceSpan, hint: str | None = None) -> None:
        """Record an error."""
        self.diagnostics.append(error(code, message, span, hint=hint))

    def span(self, item: Any) -> SourceSpan:
        """Return the range of a token or tree."""
        place = item if isinstance(item, Token) else item.meta
        line, column = place.line or 1, place.column or 1
        return SourceSpan(
            self.file, line, column, place.end_line or line, place.end_column or column + 1
        )

    def expression(self, tree: Any) -> ast.Expression:
        """Return the expression of a parse tree."""
        rule = tree.data
        if rule in _CONSTANTS:
            return ast.Literal(self.span(tree), _CONSTANTS[rule])
        with self.nested(tree, "expressions"):
            return getattr(self, f"_build_{rule}")(tree, self.span(tree))

    @contextmanager
    def nested(self, tree: Any, what: str) -> Iterator[None]:
        """Count `what` inside each other while the context is open.

        Raises:
            NestingError: There are too many.
        """
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self.too_deep(self.span(tree), what)
        try:
            yield
        finally:
            self._depth -= 1

    def too_deep(self, span: SourceSpan, what: str) -> NestingError:
        """Return the error that `what` is nested too deeply at `span`."""
        message = f"{what} are nested more than {MAX_NESTING} deep here, which is the limit"
        hint = "assign parts of it to variables, or move them into a '@function' helper"
        return NestingError(error("T0207", message, span, hint=hint))

    def _all(self, children: list[Any]) -> tuple[ast.Expression, ...]:
        return tuple(self.expression(child) for child in children)

    def _build_name(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        return ast.Name(span, str(tree.children[0]))

    def _build_number(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        value = self._literal(str(tree.children[0]), span)
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            message = f"this integer has {value.bit_length()} bits; the limit is {MAX_INTEGER_BITS}"
            self.fail("T0111", message, span)
        elif isinstance(value, float) and not isfinite(value):
            hint = "write 'inf' for infinity"
            self.fail("T0111", "this number is beyond the largest f64", span, hint)
        return ast.Literal(span, value)

    def _build_string(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        parts: list[str | ast.FormatField] = []
        for token in tree.children:
            if isinstance(token, Token) and token.type == "FORMAT_STRING":
                parts += self._format_parts(token)
            else:
                parts.append(self._literal(str(token), span))
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return ast.Literal(span, "".join(texts))
        return ast.FormattedString(span, tuple(parts))

    def _format_parts(self, token: Token) -> list[str | ast.FormatField]:
        """Return the texts and fields of an f-string."""
        parts: list[str | ast.FormatField] = []
        try:
            found = split_format(str(token))
        except FormatError as failure:
            self.fail("T0111", str(failure), self._inside(token, failure.offset, 1))
            return [""]
        for item in found:
            if isinstance(item, str):
                parts.append(item)
                continue
            if item.is_shown:
                parts.append(f"{item.text}=")
            place = self._inside(token, item.offset, len(item.text))
            tree = parse_expression(item.text, place)
            if tree is None:
                self.fail("T0111", "this field of an f-string is no expression", place)
            else:
                parts.append(ast.FormatField(place, self.expression(tree), item.spec))
        return parts

    def _inside(self, token: Token, offset: int, length: int) -> SourceSpan:
        """Return the range of some characters of a token."""
        before = str(token)[:offset]
        start = self.span(token)
        row = start.line + before.count("\n")
        column = start.column + offset if row == start.line else offset - before.rfind("\n")
        return SourceSpan(self.file, row, column, row, column + length)

    def _literal(self, text: str, span: SourceSpan) -> Any:
        try:
            return python_ast.literal_eval(text)
        except (SyntaxError, ValueError) as failure:
            reason = failure.msg if isinstance(failure, SyntaxError) else str(failure)
            self.fail("T0111", f"bad literal: {reason}", span)
            return 0

    def _build_parenthesized(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        inner = self.expression(tree.children[0])
        if isinstance(inner, ast.TupleExpression):
            return ast.TupleExpression(span, inner.items)
        return inner

    def _build_bare_tuple(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        return ast.TupleExpression(span, self._all(tree.children))

    def _build_empty_tuple(self, _: Tree, span: SourceSpan) -> ast.Expression:
        return ast.TupleExpression(span, ())

    def _build_list(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        inner = self.expression(tree.children[0])
        is_tuple = tree.children[0].data == "bare_tuple"
        items = inner.items if is_tuple and isinstance(inner, ast.TupleExpression) else (inner,)
        return ast.TupleExpression(span, items)

    def _build_conditional(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        value, condition, otherwise = self._all(tree.children)
        return ast.Conditional(span, condition, value, otherwise)

    def _build_lambda_function(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        listed, value = tree.children
        parameters: list[ast.Parameter] = []
        keyword_only = False
        for item in listed.children if listed is not None else ():
            if item.data == "keyword_marker":
                keyword_only = True
                continue
            name, default = item.children
            start = None if default is None else self.expression(default)
            parameters.append(ast.Parameter(self.span(name), str(name), None, start, keyword_only))
        body = self.expression(value)
        returned = ast.Return(body.span, body)
        definition = ast.FunctionDef(span, "lambda", (), (), tuple(parameters), (returned,), None)
        return ast.Lambda(span, definition)

    def _build_or_operation(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        return ast.BooleanOperation(span, "or", self._all(tree.children))

    def _build_and_operation(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        return ast.BooleanOperation(span, "and", self._all(tree.children))

    def _build_not_operation(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        return ast.UnaryOperation(span, "not", self.expression(tree.children[0]))

    def _build_comparison(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        operators = tuple(_comparison_name(item) for item in tree.children[1::2])
        return ast.Comparison(span, operators, self._all(tree.children[0::2]))

    def _build_binary(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        links: list[tuple[Tree, SourceSpan]] = [(tree, span)]
        while links[-1][0].children[0].data == tree.data:  # a chain is built link by link
            inner = links[-1][0].children[0]
            links.append((inner, self.span(inner)))
        result = self.expression(links[-1][0].children[0])
        for link, place in reversed(links):
            _, operator, right = link.children
            result = ast.BinaryOperation(place, str(operator), result, self.expression(right))
        return result

    def _build_unary(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        operator, operand = tree.children
        return ast.UnaryOperation(span, str(operator), self.expression(operand))

    def _build_attribute(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        value, name = tree.children
        return ast.Attribute(span, self.expression(value), str(name), self.span(name))

    def _build_call(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        function, arguments = tree.children
        positional: list[ast.Expression] = []
        keywords: list[ast.Keyword] = []
        for item in arguments.children if arguments is not None else ():
            if item.data == "keyword_argument":
                name, value = item.children
                keywords.append(ast.Keyword(self.span(item), str(name), self.expression(value)))
            elif keywords:
                self.fail(
                    "T0101", "a positional argument follows a keyword argument", self.span(item)
                )
            else:
                positional.append(self.expression(item))
        return ast.Call(span, self.expression(function), tuple(positional), tuple(keywords))

    def _build_subscript(self, tree: Tree, span: SourceSpan) -> ast.Expression:
        value, subscripts = tree.children
        items = tuple(
            self._slice(item) if item.data == "slice" else self.expression(item)
            for item in subscripts.children
        )
        is_tuple = subscripts.data == "subscript_tuple"
        if not is_tuple and isinstance(items[0], ast.TupleExpression):
            items, is_tuple = items[0].items, True
        return ast.Subscript(span, self.expression(value), items, is_tuple)

    def _slice(self, tree: Tree) -> ast.Expression:
        parts = [None if child is None else self.expression(child) for child in tree.children]
        start, stop, step = (*parts, None, None, None)[:3]
        return ast.Slice(self.span(tree), start, stop, step)


def _comparison_name(tree: Tree) -> str:
    return _WORD_OPERATORS.get(tree.data) or str(tree.children[0])
