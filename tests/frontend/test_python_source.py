"""Kernels in Python files: the text is read back with the right lines, globals become values."""

# A kernel is Python by its syntax only: its annotations are shapes, its names the language's.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false

from __future__ import annotations

import functools
import math
from typing import Any, TypeVar

import pytest

from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.parser import parse_source
from tilec.frontend.syntax.python_source import parse_function, parse_python_kernel
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError
from tilec.support.dtypes import DTYPES

M, N, K = TypeVar("M"), TypeVar("N"), TypeVar("K")
BLOCK = 8
PAIR = (4, 2.5)
bf16 = DTYPES["bf16"]
f32 = DTYPES["f32"]
const = auto = None


class _Decorated:
    """Stands for what `@tilec.kernel` returns."""

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        raise NotImplementedError(arguments)


def kernel(function=None, **hints) -> Any:
    del hints
    return _Decorated(function) if function else _Decorated


function = kernel


@function
def scale(x, by=BLOCK):
    return x * by + PAIR[1]


@kernel
def double(A: bf16[M, N], B: f32[M, N], *, BM: const = BLOCK):
    """Docs."""
    m, n = grid(cdiv(M, BM), cdiv(N, 16))  # noqa: F821
    a = load(A, (m, n), (BM, 16))  # noqa: F821
    store(B, (m, n), scale(cast(a, f32)) * math.pi)  # noqa: F821


@kernel(stages=2)
def wrong(A: f32[M]):
    x = load(A, 0, 12)  # noqa: F821, F841


def _line_of(text: str) -> int:
    with open(__file__) as stream:
        return next(n for n, line in enumerate(stream, 1) if line.lstrip().startswith(text))


def test_text_keeps_its_lines():
    found = parse_python_kernel(double)
    assert found.name == "double"
    assert found.source.name == __file__
    line = _line_of("m, n = grid")
    assert (found.source.line(line) or "").lstrip().startswith("m, n = grid")


def test_globals_become_values():
    constants = parse_python_kernel(double).constants
    assert constants["BLOCK"] == BLOCK
    assert constants["f32"] is f32
    assert constants["math"] is math
    assert isinstance(constants["scale"], ast.Module)
    assert constants["scale"].globals["PAIR"] == PAIR
    assert "M" not in constants


def test_kernel_with_helper_analyses():
    found = parse_python_kernel(double)
    module = parse_source(found.source, found.constants)
    program = analyze_kernel(module, found.name, Specialization())
    assert program.metadata["constants"] == {"BM": BLOCK}
    assert [op.name for op in program.body.operations][-2:] == [
        "make_partition_view",
        "store_view_tko",
    ]


def test_decorators_are_not_read_from_the_text():
    @kernel(
        stages=len("abc"),
        target="sm_90a",
    )
    def decorated(A: f32[M]):
        x = load(A, 0, 4)  # noqa: F821, F841

    module = parse_function(decorated)
    program = analyze_kernel(module, None, Specialization())
    assert program.metadata["hints"] == {}
    assert program.body.operations[-1].span.line == _line_of("x = load(A, 0, 4)")


def test_kernel_of_the_public_interface_is_no_helper():
    import tilec

    @tilec.kernel
    def first(A: f32[M]):
        x = load(A, 0, 4)  # noqa: F821, F841

    @tilec.kernel
    def second(A: f32[M]):
        first(A)

    with pytest.raises(CompileError) as caught:
        analyze_kernel(parse_function(second), None, Specialization())
    assert caught.value.diagnostics[0].code == "T0209"


def test_errors_point_into_the_file():
    with pytest.raises(CompileError) as caught:
        analyze_kernel(parse_function(wrong), None, Specialization())
    (item,) = caught.value.diagnostics
    assert item.code == "T0303"
    assert item.span is not None
    assert (item.span.file, item.span.line) == (__file__, _line_of("x = load(A, 0, 12)"))
    assert "x = load(A, 0, 12)" in str(caught.value)


def test_errors_in_a_helper_show_its_line():
    with pytest.raises(CompileError) as caught:
        analyze_kernel(parse_function(calls_wrong_helper), None, Specialization())
    text = str(caught.value)
    assert "return x + zeros((3, 3))" in text
    assert "y = wrong_helper(A)" in text


@function
def wrong_helper(x):
    return x + zeros((3, 3))  # noqa: F821


@kernel
def calls_wrong_helper(A: f32[M]):
    y = wrong_helper(A)  # noqa: F841


def test_helper_outside_the_language_is_an_error_when_used():
    with pytest.raises(CompileError) as caught:
        analyze_kernel(parse_function(calls_foreign_helper), None, Specialization())
    (item,) = caught.value.diagnostics
    assert item.code == "T0112"
    assert "del x" in str(caught.value)
    assert "note: 'foreign_helper' is compiled because it is used here" in str(caught.value)
    assert "y = foreign_helper(A)" in str(caught.value)


@function
def foreign_helper(x):
    del x


@kernel
def calls_foreign_helper(A: f32[M]):
    y = foreign_helper(A)  # noqa: F841


def test_function_inside_a_function():
    width = 4

    @kernel
    def local(A: f32[M]):
        if width > 2:  # noqa: SIM108
            x = load(A, 0, (width,))  # noqa: F821
        else:
            x = unknown  # noqa: F821, F841

    found = parse_python_kernel(local)
    assert found.constants["width"] == 4
    module = parse_source(found.source, found.constants)
    program = analyze_kernel(module, None, Specialization())
    span = program.body.operations[-1].span
    assert (span.line, span.column) == (_line_of("x = load(A, 0, (width,))"), 17)


@pytest.mark.parametrize("source", ["def f(A):\n    pass\n"])
def test_function_from_exec_cannot_be_read_back(source):
    scope: dict = {}
    exec(source, scope)
    with pytest.raises(CompileError) as caught:
        parse_python_kernel(scope["f"])
    assert caught.value.diagnostics[0].code == "T0113"


def test_lambda_and_other_objects_are_refused():
    items: list[Any] = [lambda x: x, len, 3]
    for item in items:
        with pytest.raises(CompileError) as caught:
            parse_python_kernel(item)
        assert caught.value.diagnostics[0].code == "T0113"


def test_function_that_calls_itself():
    @kernel
    def again(A: f32[M]):
        x = helper_loop(A)  # noqa: F841

    with pytest.raises(CompileError) as caught:
        analyze_kernel(parse_function(again), None, Specialization())
    assert caught.value.diagnostics[0].code == "T0207"


@function
def helper_loop(x):
    return helper_loop(x)
