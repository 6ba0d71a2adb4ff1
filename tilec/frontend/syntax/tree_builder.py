"""From lark's parse tree to the statements and functions of `tilec.frontend.syntax.ast`."""

from collections.abc import Callable, Sequence
from typing import Any

from lark import Token, Tree

from tilec.frontend.semantics.not_yet import no_syntax
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.expression_builder import ExpressionBuilder
from tilec.frontend.syntax.limits import MAX_NESTING
from tilec.support.diagnostics import SourceSpan


def join_spans(first: SourceSpan, last: SourceSpan) -> SourceSpan:
    """Return the range from the start of `first` to the end of `last`."""
    return SourceSpan(first.file, first.line, first.column, last.end_line, last.end_column)


class TreeBuilder(ExpressionBuilder):
    """Builds statements. Mistakes that the grammar lets through end up in `diagnostics`."""

    def __init__(self, file: str) -> None:
        """Remember the file name for the spans."""
        super().__init__(file)
        self._builders: dict[str, Callable[[Tree], list[ast.Statement]]] = {
            "simple_line": self._simple_line,
            "function": lambda tree: [self._function(tree)],
            "if_statement": lambda tree: [self._if(tree)],
            "for_statement": lambda tree: [self._for(tree)],
            "while_statement": lambda tree: [self._while(tree)],
        }
        self._simple_builders: dict[str, Callable[[Tree, SourceSpan], ast.Statement | None]] = {
            "expression_statement": self._expression_statement,
            "assignment": self._assignment,
            "augmented_assignment": self._augmented_assignment,
            "annotated_assignment": self._annotated_assignment,
            "return_statement": lambda tree, span: ast.Return(span, self._optional(tree, 0)),
            "assert_statement": self._assert,
            "pass_statement": lambda _, span: ast.Pass(span),
            "break_statement": lambda _, span: ast.Break(span),
            "continue_statement": lambda _, span: ast.Continue(span),
            "import_statement": self._misplaced_import,
            "import_from": self._misplaced_import,
        }

    def _optional(self, tree: Tree, index: int) -> ast.Expression | None:
        child = tree.children[index] if index < len(tree.children) else None
        return None if child is None else self.expression(child)

    # Blocks and simple statements

    def statements(self, trees: Sequence[Any]) -> tuple[ast.Statement, ...]:
        """Return the statements of a block or module, in order."""
        result: list[ast.Statement] = []
        for tree in trees:
            if isinstance(tree, Tree):
                result.extend(self._builders[tree.data](tree))
        return tuple(result)

    def _block(self, tree: Tree) -> tuple[ast.Statement, ...]:
        with self.nested(tree, "blocks"):
            return self.statements(tree.children)

    def _simple_line(self, tree: Tree) -> list[ast.Statement]:
        built = (self._simple(child) for child in tree.children if isinstance(child, Tree))
        return [statement for statement in built if statement is not None]

    def _simple(self, tree: Tree) -> ast.Statement | None:
        return self._simple_builders[tree.data](tree, self.span(tree))

    def _expression_statement(self, tree: Tree, span: SourceSpan) -> ast.Statement:
        return ast.ExpressionStatement(span, self.expression(tree.children[0]))

    def _assignment(self, tree: Tree, span: SourceSpan) -> ast.Statement:
        *targets, value = [self.expression(child) for child in tree.children]
        for target in targets:
            self._check_target(target)
        return ast.Assign(span, tuple(targets), value)

    def _check_target(self, target: ast.Expression) -> None:
        if isinstance(target, ast.Name):
            return
        if isinstance(target, ast.TupleExpression) and target.items:
            for item in target.items:
                self._check_target(item)
            return
        if isinstance(target, ast.Subscript):
            entry = no_syntax("subscript")
            self.fail("T0116", entry.message("subscript"), target.span, entry.hint)
            return
        self.fail("T0116", "only names and tuples of names can be assigned to", target.span)

    def _augmented_assignment(self, tree: Tree, span: SourceSpan) -> ast.Statement | None:
        target = self.expression(tree.children[0])
        operator = str(tree.children[1])[:-1]
        value = self.expression(tree.children[2])
        if not isinstance(target, ast.Name):
            self.fail("T0116", f"'{operator}=' needs a plain name on its left", target.span)
            return None
        return ast.AugmentedAssign(span, target, operator, value)

    def _annotated_assignment(self, tree: Tree, span: SourceSpan) -> ast.Statement | None:
        target = self.expression(tree.children[0])
        value = self._optional(tree, 2)
        if not isinstance(target, ast.Name) or value is None:
            self.fail("T0116", "an annotated variable needs a name and a value", span)
            return None
        return ast.Assign(span, (target,), value, self.expression(tree.children[1]))

    def _assert(self, tree: Tree, span: SourceSpan) -> ast.Statement:
        condition = self.expression(tree.children[0])
        return ast.Assert(span, condition, self._optional(tree, 1))

    def _misplaced_import(self, _: Tree, span: SourceSpan) -> None:
        self.fail("T0112", "imports belong at the top of the file", span)

    # Compound statements; their span is the header without the colon

    def _if(self, tree: Tree) -> ast.If:
        condition, body, *rest = tree.children
        clauses = [child for child in rest if child is not None]
        if len(clauses) > MAX_NESTING:
            raise self.too_deep(self.span(clauses[MAX_NESTING]), "branches of one 'if'")
        otherwise: tuple[ast.Statement, ...] = ()
        for clause in reversed(clauses):
            if clause.data == "else_clause":
                otherwise = self._block(clause.children[0])
            else:
                condition_tree, block = clause.children
                otherwise = (self._branch(clause, condition_tree, block, otherwise),)
        return self._branch(tree, condition, body, otherwise)

    def _branch(
        self, tree: Tree, condition: Any, body: Tree, otherwise: tuple[ast.Statement, ...]
    ) -> ast.If:
        test = self.expression(condition)
        return ast.If(join_spans(self.span(tree), test.span), test, self._block(body), otherwise)

    def _for(self, tree: Tree) -> ast.For:
        targets = tuple(ast.Name(self.span(item), str(item)) for item in tree.children[0].children)
        iterable = self.expression(tree.children[1])
        span = join_spans(self.span(tree), iterable.span)
        return ast.For(span, targets, iterable, self._block(tree.children[2]))

    def _while(self, tree: Tree) -> ast.While:
        condition = self.expression(tree.children[0])
        span = join_spans(self.span(tree), condition.span)
        return ast.While(span, condition, self._block(tree.children[1]))

    # Functions

    def _function(self, tree: Tree) -> ast.FunctionDef:
        decorators = [child for child in tree.children if _is(child, "decorator")]
        name, type_parameters, parameters, _, body = tree.children[len(decorators) :]
        statements = self._block(body)
        docstring, statements = _split_docstring(statements)
        return ast.FunctionDef(
            self.span(name),
            str(name),
            tuple(self._decorator(item.children[0]) for item in decorators),
            tuple(str(item.children[0]) for item in _children(type_parameters)),
            self._parameters(parameters),
            statements,
            docstring,
        )

    def _decorator(self, tree: Any) -> ast.Decorator:
        node = self.expression(tree)
        keywords: tuple[ast.Keyword, ...] = ()
        function = node
        if isinstance(node, ast.Call):
            function, keywords = node.function, node.keywords
            if node.arguments:
                self.fail("T0115", "decorator hints are written name=value", node.arguments[0].span)
        if isinstance(function, ast.Attribute):
            name = function.name
        else:
            name = function.id if isinstance(function, ast.Name) else ""
        if name not in ("kernel", "function"):
            self.fail("T0115", "unknown decorator", node.span, "use '@kernel' or '@function'")
        return ast.Decorator(node.span, name, function, keywords)

    def _parameters(self, tree: Tree | None) -> tuple[ast.Parameter, ...]:
        result: list[ast.Parameter] = []
        keyword_only = False
        for child in _children(tree):
            if child.data == "keyword_marker":
                keyword_only = True
                continue
            name = child.children[0]
            parameter = ast.Parameter(
                self.span(name),
                str(name),
                self._optional(child, 1),
                self._optional(child, 2),
                keyword_only,
            )
            result.append(parameter)
        return tuple(result)

    # Module level

    def imports(self, tree: Tree) -> list[ast.Import]:
        """Return the names that an import statement binds."""
        if tree.data == "import_statement":
            return [self._imported_module(item) for item in tree.children]
        module, *items = tree.children
        return [self._imported_name(module, item) for item in items]

    def _imported_module(self, tree: Tree) -> ast.Import:
        module, alias = tree.children
        dotted = _dotted(module)
        bound = str(alias) if alias is not None else dotted.partition(".")[0]
        span = self.span(module)
        return ast.Import(span, bound, dotted, span, has_alias=alias is not None)

    def _imported_name(self, module: Tree, tree: Tree) -> ast.Import:
        name, alias = tree.children
        bound = str(alias if alias is not None else name)
        place, dotted = self.span(module), _dotted(module)
        return ast.Import(self.span(name), bound, dotted, place, str(name), alias is not None)


def _is(child: Any, rule: str) -> bool:
    return isinstance(child, Tree) and child.data == rule


def _children(tree: Tree | None) -> list[Any]:
    return [] if tree is None else tree.children


def _dotted(tree: Tree) -> str:
    return ".".join(str(item) for item in tree.children if isinstance(item, Token))


def _split_docstring(
    body: tuple[ast.Statement, ...],
) -> tuple[str | None, tuple[ast.Statement, ...]]:
    first = body[0] if body else None
    if isinstance(first, ast.ExpressionStatement) and isinstance(first.value, ast.Literal):
        text = first.value.value
        if isinstance(text, str):
            return text, body[1:]
    return None, body
