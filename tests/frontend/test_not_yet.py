"""The table of what tilec lacks: every entry is an error that names it, every replacement works."""

from typing import Any

import pytest

import tilec
from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.semantics.builtins.table import BUILTINS, METHODS
from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.semantics.not_yet import PAGE, TABLE, Lacking, Usage, lacking, no_syntax
from tilec.frontend.syntax.parser import parse_source
from tilec.plan.overrides import PLAN_FIELDS
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile
from tilec.support.dtypes import DTYPES

HEADER = """\
@kernel
def f[M](A: f32[M], C: f32[M, M], n: i32):
    i = grid(cdiv(M, 16))
    x = load(A, i, 16)
    a = load(C, (i, 0), (16, 16))
    b = load(C, (0, i), (16, 16))
    acc = zeros((16, 16))
"""
LINE = HEADER.count("\n") + 1


def analyze(body: str, header: str = HEADER) -> None:
    text = header + "".join(f"    {line}\n" for line in body.splitlines())
    analyze_kernel(parse_source(SourceFile("t.tile", text)), None, Specialization())


def failures(body: str, header: str = HEADER) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileError) as caught:
        analyze(body, header)
    return caught.value.diagnostics


def failure(body: str, header: str = HEADER) -> Diagnostic:
    (item,) = failures(body, header)
    return item


def names(usage: Usage) -> list[str]:
    return [name for entry in TABLE if entry.usage is usage for name in entry.names]


def cases(usage: Usage) -> pytest.MarkDecorator:
    """Return the mark that runs a test for every name of a part of the table."""
    found = [
        pytest.param(entry, name, id=name)
        for entry in TABLE
        if entry.usage is usage
        for name in entry.names
    ]
    return pytest.mark.parametrize(("entry", "name"), found)


def check(item: Diagnostic, code: str, entry: Lacking, name: str) -> None:
    assert item.code == code
    assert entry.message(name) in item.message
    assert item.hint == entry.hint
    assert PAGE in entry.hint
    assert item.span is not None


@cases(Usage.FUNCTION)
def test_functions(entry, name):
    found = failures(f"y = {name}(x)\ny = tl.{name}(x)\ny = x.{name}()")
    assert len(found) == 3
    for item in found:
        check(item, "T0318", entry, name)


@cases(Usage.ARGUMENT)
def test_arguments(entry, name):
    calls = ("load(A, i, 16, {}=0)", "store(A, i, x, {}=0)", "mma(a, b, acc, {}=0)")
    found = failures("\n".join(f"y = {call.format(name)}" for call in calls))
    assert len(found) == 3
    for item in found:
        check(item, "T0310", entry, name)


@cases(Usage.HINT)
def test_hints_of_kernels(entry, name):
    item = failure("pass", HEADER.replace("@kernel", f"@kernel({name}=4)"))
    check(item, "T0420", entry, name)
    hints: dict[str, Any] = {name: 4}
    with pytest.raises(tilec.CompileError) as caught:
        tilec.kernel(**hints)(lambda A: None)
    assert caught.value.diagnostics[0].message == entry.message(name)


@cases(Usage.MODULE)
def test_prefixes_that_are_not_imported(entry, name):
    check(failure(f"y = {name}.other(x)"), "T0318", entry, name)


def test_functions_of_imported_libraries():
    item = failure("y = tl.dot(a, b)", "import triton.language as tl\n" + HEADER)
    assert (item.code, item.message) == ("T0214", "'triton.language.dot' is not part of tilec")
    assert "write 'mma(a, b, acc)'" in (item.hint or "")


@pytest.mark.parametrize("entry", [item for item in TABLE if item.usage is Usage.SYNTAX])
def test_syntax(entry):
    item = failure(entry.example)
    name = next(name for name in entry.names if item.message == entry.message(name))
    check(item, item.code, entry, name)
    assert item.code in ("T0112", "T0116", "T0318")


@pytest.mark.parametrize(
    ("body", "name", "column"),
    [
        ("y = max(1, *x)", "*", 16),
        ("y = *x, 1", "*", 9),
        ("y = max(1, **x)", "**", 16),
        ("def g(y, *z):\n    return y", "*", 14),
        ("y = sum(k for k in (1, 2))", "comprehension", 15),
        ("raise x", "raise", 5),
        ("async def g():\n    pass", "async", 5),
        ("y = x is not n", "is", 9),
    ],
)
def test_other_ways_to_write_it(body, name, column):
    with pytest.raises(CompileError) as caught:
        analyze(body)
    item = caught.value.diagnostics[0]
    assert item.message == no_syntax(name).message(name)
    assert item.span is not None
    assert item.span.column == column


@pytest.mark.parametrize(
    "body",
    [
        "match = 3\ny = match + 1",
        "y = 2 ** -1 * -n",
        "y = (2 * n, 2 ** 3)",
        "z = x[:, None]",
        "y = 4; y *= 2; y **= 2",
        "t = (1, 2)\nfor k in range(t[0] *\n    3): y = k",
    ],
)
def test_what_only_looks_like_it(body):
    analyze(body)


@pytest.mark.parametrize("entry", [item for item in TABLE if item.write])
def test_replacements_compile(entry):
    if entry.write.startswith("@"):
        analyze("y = 1", HEADER.replace("@kernel", entry.write))
        return
    is_statement = entry.write.startswith(("for ", "assert ", "print(", "store("))
    analyze(entry.write if is_statement else f"y = {entry.write}")


def test_nothing_in_the_table_exists():
    known = {*BUILTINS, *METHODS, *DTYPES, *CONSTANT_NAMES, "shape", "ndim", "strides", "T"}
    assert [name for name in names(Usage.FUNCTION) if name in known] == []
    assert [name for name in names(Usage.HINT) if name in PLAN_FIELDS] == []


def test_every_entry_says_what_to_do_and_stands_once():
    assert all(entry.instead and not entry.instead.endswith(".") for entry in TABLE)
    keys = [(entry.usage, name) for entry in TABLE for name in entry.names]
    assert len(keys) == len(set(keys))
    assert lacking(Usage.FUNCTION, "load") is None
