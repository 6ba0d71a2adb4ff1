"""What the grammar accepts and the syntax tree it gives."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilec.frontend.syntax import ast
from tilec.frontend.syntax.parser import kernels, parse_source
from tilec.support.diagnostics import CompileError, SourceFile


def parse(text: str) -> ast.Module:
    return parse_source(SourceFile("t.tile", text))


def expression(text: str) -> ast.Expression:
    statement = parse(f"def f():\n    x = {text}\n").functions["f"].body[0]
    assert isinstance(statement, ast.Assign)
    return statement.value


def spell(node: ast.Expression | None) -> str:
    """Return an expression with every grouping spelled out."""
    return "" if node is None else SPELLINGS[type(node)](node)


def join(nodes, separator: str = ", ") -> str:
    return separator.join(spell(item) for item in nodes)


def spell_comparison(node: ast.Comparison) -> str:
    rest = zip(node.operators, node.operands[1:], strict=True)
    tail = "".join(f" {operator} {spell(value)}" for operator, value in rest)
    return f"({spell(node.operands[0])}{tail})"


def spell_call(node: ast.Call) -> str:
    words = [spell(item) for item in node.arguments]
    words += [f"{item.name}={spell(item.value)}" for item in node.keywords]
    return f"{spell(node.function)}({', '.join(words)})"


def spell_conditional(node: ast.Conditional) -> str:
    return f"({spell(node.value)} if {spell(node.condition)} else {spell(node.otherwise)})"


SPELLINGS: dict[type, Callable[[Any], str]] = {
    ast.Name: lambda node: node.id,
    ast.Literal: lambda node: repr(node.value),
    ast.BinaryOperation: lambda node: f"({spell(node.left)} {node.operator} {spell(node.right)})",
    ast.UnaryOperation: lambda node: f"({node.operator} {spell(node.operand)})",
    ast.BooleanOperation: lambda node: f"({join(node.operands, f' {node.operator} ')})",
    ast.Comparison: spell_comparison,
    ast.Conditional: spell_conditional,
    ast.TupleExpression: lambda node: f"[{join(node.items)}]",
    ast.Attribute: lambda node: f"{spell(node.value)}.{node.name}",
    ast.Call: spell_call,
    ast.Subscript: lambda node: f"{spell(node.value)}[{join(node.items)}]",
    ast.Slice: lambda node: f"{spell(node.start)}:{spell(node.stop)}",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("-a ** -b", "(- (a ** (- b)))"),
        ("a // b % c @ d", "(((a // b) % c) @ d)"),
        ("a << 2 + 1 & b | c ^ d", "(((a << (2 + 1)) & b) | (c ^ d))"),
        ("a < b <= c != d", "(a < b <= c != d)"),
        ("not a and b or c and not d", "(((not a) and b) or (c and (not d)))"),
        ("a if b else c if d else e", "(a if b else (c if d else e))"),
        ("a.b.c(1, x=2)[0]", "a.b.c(1, x=2)[0]"),
        ("(a)", "a"),
        ("()", "[]"),
        ("(a,)", "[a]"),
        ("a, b", "[a, b]"),
        ("[a, (b, c)]", "[a, [b, c]]"),
        ("[(a, b)]", "[[a, b]]"),
        ("x[:, None]", "x[:, None]"),
        ("x[..., 1:2]", "x[Ellipsis, 1:2]"),
        ("x[(a, b)]", "x[a, b]"),
        ("a is not b", "(a is not b)"),
        ("a not in b", "(a not in b)"),
        ("~a + +b", "((~ a) + (+ b))"),
        ("0x1F + 0b11 + 1_000 + 1e-3 + .5 + 2.", "(((((31 + 3) + 1000) + 0.001) + 0.5) + 2.0)"),
        ("'a' \"b\"", "'ab'"),
    ],
)
def test_expression_groups_as_in_python(text: str, expected: str):
    assert spell(expression(text)) == expected


def test_span_of_a_parenthesized_tuple_holds_the_parentheses():
    value = expression("g(a, (1, 2))")
    assert isinstance(value, ast.Call)
    span = value.arguments[1].span
    assert (span.line, span.column, span.end_column) == (2, 14, 20)


def test_spans_count_rows_of_multi_line_brackets():
    module = parse("def f():\n    x = g(\n        a,  # first\n        b\n    )\n    y = 1\n")
    first, second = module.functions["f"].body
    assert (first.span.line, first.span.end_line) == (2, 5)
    assert second.span.line == 6


def test_function_parts():
    module = parse(
        "@tilec.kernel(stages=4, cluster=(2, 1))\n"
        "def f[M, N](A: bf16[M, N], n: i32, BM: const = auto, *, T: dtype = f32):\n"
        "    '''Say what it does.'''\n"
        "    pass\n"
    )
    (kernel,) = kernels(module)
    assert kernel.type_parameters == ("M", "N")
    assert [item.name for item in kernel.parameters] == ["A", "n", "BM", "T"]
    assert [item.keyword_only for item in kernel.parameters] == [False, False, False, True]
    assert kernel.docstring == "Say what it does."
    assert [item.name for item in kernel.decorators[0].hints] == ["stages", "cluster"]
    assert isinstance(kernel.body[0], ast.Pass)


def test_elif_nests():
    module = parse(
        "def f(a):\n"
        "    if a:\n"
        "        x = 1\n"
        "    elif b:\n"
        "        x = 2\n"
        "    else:\n"
        "        x = 3\n"
    )
    (statement,) = module.functions["f"].body
    assert isinstance(statement, ast.If)
    (inner,) = statement.otherwise
    assert isinstance(inner, ast.If)
    assert len(inner.otherwise) == 1
    assert (inner.span.line, inner.span.column, inner.span.end_column) == (4, 5, 11)


def test_module_level():
    module = parse(
        "import tilec\nimport tilec.language as tl\nfrom tilec import load as ld, store\n"
        "'''Docs.'''\nSIZE = 4\nA = B = 2\ndef f(a):\n    pass\n"
    )
    assert module.aliases == {
        "tilec": "tilec",
        "tl": "tilec.language",
        "ld": "tilec.load",
        "store": "tilec.store",
    }
    assert list(module.constants) == ["SIZE", "A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a): pass",
        "def f(a): x = 1; y = 2;\n",
        "def f(\n    a,\n    b,\n):\n    pass\n",
        "def f(a):\r\n    x = 1\r\n    if x:\r\n        y = 2\r\n",
        "def f(a):\n\n    # comment\n  # odd comment\n    x = 1\n\n\n    y = 2\n# end",
        "def f(a):\n    x = 1 + \\\n        2\n",
        "def f(a):\n\tx = 1\n\tif x:\n\t\ty = 2\n",
        "def f(a) -> None:\n    x: f32 = 1\n",
        "def f(a):\n    for (i) in range(3):\n        x = i\n",
        "def f(a):\n    a += 1\n    a //= 2\n    a <<= 1\n",
        "\n\n\ndef f(a):\n    pass\n\n\n",
    ],
)
def test_accepts(text: str):
    assert "f" in parse(text).functions


def test_source_that_is_indented_as_a_whole():
    module = parse(
        "\n\n    @kernel\n    def f(a):\n        x = 1\n        if x:\n            y = 2\n"
    )
    assert module.functions["f"].span.column == 9


_NAMES = st.sampled_from(["a", "b", "load", "x1", "_t"])
_ATOMS = st.one_of(
    _NAMES,
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e6).map(repr),
    st.just("None"),
    st.just("'text'"),
)
_OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(_OPERATORS),
            inner,
        ).map(lambda parts: "({} {} {})".format(*parts)),
        st.tuples(inner, st.sampled_from(["<", "==", "and", "or", "is not"]), inner).map(
            lambda parts: "({} {} {})".format(*parts)
        ),
        inner.map(lambda item: f"(-{item})"),
        inner.map(lambda item: f"f({item}, k={item})"),
        inner.map(lambda item: f"({item})[:, {item}]"),
        st.tuples(inner, inner, inner).map(lambda parts: "({} if {} else {})".format(*parts)),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(_EXPRESSIONS)
def test_spelled_out_expressions_parse_to_themselves(text: str):
    once = spell(expression(text))
    assert spell(expression(once.replace("Ellipsis", "..."))) == once


@settings(deadline=None)
@given(st.text(alphabet="abdefilnorstuwy019 ()[]:,.=+-*/<>@\n\t#'\"\\", max_size=60))
def test_any_text_parses_or_gives_diagnostics_with_places(text: str):
    source = SourceFile("t.tile", text)
    try:
        parse_source(source)
    except CompileError as failure:
        lines = text.count("\n") + 1
        for item in failure.diagnostics:
            assert item.span is not None
            assert 1 <= item.span.line <= lines + 1
            assert item.code.startswith(("T01", "T02"))
