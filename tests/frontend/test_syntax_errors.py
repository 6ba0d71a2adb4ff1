"""Each common slip of a writer has its own message, place and code."""

import pytest

from tilec.frontend.syntax.parser import kernels, parse_source
from tilec.support.diagnostics import CompileError, SourceFile

CASES = {
    "missing colon": ("def f(a)\n    x = 1\n", [("T0102", 1, 9, "expected ':'")]),
    "missing colon before comment": (
        "def f(a):\n    if a  # why\n        x = 1\n",
        [("T0102", 2, 9, "expected ':'")],
    ),
    "file ends after header": ("def f(a):\n", [("T0103", 1, 1, "but the file ends")]),
    "body not indented": ("def f(a):\nx = 1\n", [("T0103", 1, 1, "is not indented")]),
    "tab after spaces": ("def f(a):\n    x = 1\n\ty = 2\n", [("T0104", 3, 1, "tabs")]),
    "form feed": ("def f(a):\n\f    x = 1\n", [("T0104", 2, 1, "more than tabs and spaces")]),
    "tab and spaces in a line": ("def f(a):\n \tx = 1\n", [("T0104", 2, 1, "mixes")]),
    "unclosed bracket": ("def f(a):\n    x = g(a, (1, 2)\n", [("T0105", 2, 10, "never closed")]),
    "wrong closing bracket": (
        "def f(a):\n    x = g(a, (1, 2])\n",
        [("T0105", 2, 19, "expected ')' but found ']'")],
    ),
    "stray closing bracket": ("def f(a):\n    x = g(a))\n", [("T0106", 2, 13, "no opening")]),
    "NUL": ("def f(a):\n    x = \0\n", [("T0107", 2, 9, "U+0000")]),
    "empty": ("", [("T0108", 1, 1, "empty")]),
    "only comments": ("\n# hello\n\n", [("T0108", 1, 1, "empty")]),
    "indented too far": (
        "def f(a):\n    x = 1\n      y = 2\n",
        [("T0110", 3, 1, "no block opens above it")],
    ),
    "dedented to nowhere": (
        "def f(a):\n    if a:\n        x = 1\n      y = 2\n",
        [("T0110", 4, 1, "matches no block")],
    ),
    "unclosed string": ("def f(a):\n    x = 'abc\n", [("T0111", 2, 9, "never closed")]),
    "unclosed docstring": ('def f(a):\n    """abc\n    x = 1\n', [("T0111", 2, 5, "never")]),
    "bad number": ("def f(a):\n    x = 012\n", [("T0111", 2, 9, "bad literal")]),
    "class": ("class A:\n    x = 1\n", [("T0112", 1, 1, "tilec has no classes")]),
    "with": ("def f(a):\n    with a:\n        x = 1\n", [("T0112", 2, 5, "tilec has no 'with'")]),
    "lambda": ("def f(a):\n    x = lambda y\n", [("T0101", 2, 17, "':'")]),
    "import inside": ("def f(a):\n    import b\n", [("T0112", 2, 5, "top of the file")]),
    "loop outside": ("for i in range(3):\n    pass\n", [("T0112", 1, 1, "outside a function")]),
    "star argument": ("def f(a):\n    x = g(*a)\n", [("T0112", 2, 11, "tilec has no '*'")]),
    "decorator": ("@foo\ndef f(a):\n    x = 1\n", [("T0115", 1, 2, "unknown decorator")]),
    "subscript target": (
        "def f(a):\n    a[0] = 1\n",
        [("T0116", 2, 5, "to elements")],
    ),
    "call target": ("def f(a):\n    g(a) = 1\n", [("T0116", 2, 5, "assigned to")]),
    "augmented attribute": ("def f(a):\n    a.b += 1\n", [("T0116", 2, 5, "plain name")]),
    "assignment as condition": (
        "def f(a):\n    if a = 3:\n        x = 1\n",
        [("T0101", 2, 10, "unexpected '='")],
    ),
    "double ampersand": ("def f(a):\n    x = a && a\n", [("T0101", 2, 12, "unexpected '&&'")]),
    "exclamation mark": ("def f(a):\n    x = !a\n", [("T0101", 2, 9, "unexpected character '!'")]),
    "dictionary": ("def f(a):\n    x = {1: 2}\n", [("T0112", 2, 9, "dictionaries")]),
    "missing operator": ("def f(a):\n    x = a 3\n", [("T0101", 2, 11, "unexpected '3'")]),
    "missing operand": ("def f(a):\n    x = a +\n", [("T0101", 2, 12, "expected an expression")]),
    "else alone": ("def f(a):\n    else:\n        x = 1\n", [("T0101", 2, 5, "without an 'if'")]),
    "missing comma": ("def f(a b):\n    x = 1\n", [("T0101", 1, 9, "unexpected 'b'")]),
    "prose": ("hello world this\n", [("T0101", 1, 7, "unexpected 'world'")]),
    "keyword first": ("def f(a):\n    x = g(b=1, a)\n", [("T0101", 2, 16, "positional")]),
    "no-break space": ("def f(a):\n    x =\u00a01\n", [("T0101", 2, 8, "U+00A0 (NO-BREAK SPACE)")]),
    "zero-width space": (
        "def f(a):\n    x = a\u200b\n",
        [("T0101", 2, 10, "U+200B (ZERO WIDTH SPACE)")],
    ),
    "multiplication sign": ("def f(a):\n    x = a \u00d7 2\n", [("T0101", 2, 11, "'\u00d7'")]),
    "accented name": ("def f(\u00e4):\n    pass\n", [("T0101", 1, 7, "'\u00e4'")]),
    "increment": ("def f(a):\n    a++\n", [("T0101", 2, 8, "expected an expression")]),
    "joined lines": ("def f(a):\n    x = 1 \\\n    y = 2\n", [("T0101", 3, 5, "unexpected 'y'")]),
    "relative import": ("from .a import b\n", [("T0112", 1, 6, "relative imports")]),
    "parent import": ("from .. import b\n", [("T0112", 1, 6, "relative imports")]),
    "import of all names": ("from tilec.lib import *\n", [("T0112", 1, 23, "'import *'")]),
    "two functions": (
        "def f(a):\n    pass\ndef f(b):\n    pass\n",
        [("T0203", 3, 5, "defined twice")],
    ),
}


def _errors(text: str) -> list[tuple[str, int, int, str]]:
    with pytest.raises(CompileError) as caught:
        parse_source(SourceFile("t.tile", text))
    return [
        (item.code, item.span.line, item.span.column, item.message)
        for item in caught.value.diagnostics
        if item.span
    ]


@pytest.mark.parametrize("case", CASES)
def test_slip(case: str):
    text, expected = CASES[case]
    found = _errors(text)
    assert [item[:3] for item in found] == [item[:3] for item in expected]
    for (*_, message), (*_, part) in zip(found, expected, strict=True):
        assert part in message


def test_reports_several_errors_at_once():
    text = (
        "def f(a):\n    x = 1 +\n    if a = 3:\n        y = 3 4\n    z = (1 2)\n    return return\n"
    )
    assert [item[1] for item in _errors(text)] == [2, 3, 4, 5, 6]


def test_reports_structure_errors_together():
    text = "def f(a)\n    for i in range(3)\n        x = 1\nclass B:\n    pass\n"
    assert [item[:2] for item in _errors(text)] == [("T0102", 1), ("T0102", 2), ("T0112", 4)]


def test_stops_after_ten_syntax_errors():
    text = "def f(a):\n" + "    x = 1 +\n" * 30
    assert len(_errors(text)) == 10


def test_file_without_kernel():
    module = parse_source(SourceFile("t.tile", "def f(a):\n    pass\n"))
    with pytest.raises(CompileError) as caught:
        kernels(module)
    (item,) = caught.value.diagnostics
    assert item.code == "T0109"
    assert item.hint == "write '@kernel' above 'def f'"


def test_rendered_error_shows_line_and_caret():
    with pytest.raises(CompileError) as caught:
        parse_source(SourceFile("t.tile", "def f(a):\n\tif a = 3:\n\t\tpass\n"))
    assert str(caught.value).splitlines() == [
        "t.tile:2:7: error[T0101]: unexpected '='",
        "  \tif a = 3:",
        "  \t     ^",
        "  hint: compare with '=='",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x =\u00a01", "write a plain space"),
        ("x = 1\u200b", "remove it: it cannot be seen"),
        ("x = a \u00d7 2", "write '*'"),
        ("x = a \u2212 2", "write '-'"),
        ("x = a \u2265 2", "write '>='"),
        ("x = g(a\uff0c 2)", "write ','"),
        ("x = \u201cabc\u201d", "write '\"'"),
        ("x = \u2018abc\u2019", 'write "\'"'),
        ("\u00e4 = 2", "names are made of the letters A to Z, digits and '_'"),
        ("x = \u20ac", None),
        ("a++", "write 'a += 1'"),
        ("a--", "write 'a -= 1'"),
        ("x = 1 \\\n    y = 2", "the '\\' at the end of line 2 joins the two lines: remove it"),
    ],
)
def test_hints(text, hint):
    with pytest.raises(CompileError) as caught:
        parse_source(SourceFile("t.tile", f"def f(a):\n    {text}\n"))
    assert caught.value.diagnostics[0].hint == hint


def test_words_in_strings_and_comments_are_no_statements():
    text = 'def f(a):\n    """class with (lambda"""\n    x = "try: ["  # del (\n'
    assert parse_source(SourceFile("t.tile", text)).functions["f"].docstring
