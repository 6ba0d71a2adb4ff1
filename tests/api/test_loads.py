"""Kernels from a string, and `allow_spills` in every place that makes kernels."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import numpy as np
import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.language import cdiv, f32, grid, load, store

N = TypeVar("N")
pytestmark = [pytest.mark.usefixtures("gpu"), pytest.mark.spills]

DOUBLE = """
    @kernel
    def double[N](A: f32[N], B: f32[N]):
        i = grid(cdiv(N, 64))
        store(B, i, load(A, i, 64) * 2)
"""
SPILLS = """
@kernel(worker_warps=1)
def spills[N](A: f32[N], B: f32[N], C: f32[N]):
    i = grid(cdiv(N, 8192))
    a = load(A, i, 8192)
    b = load(B, i, 8192)
    store(C, i, a * b + a / b)
"""


@tilec.kernel(allow_spills=True, worker_warps=1)
def spills(A: f32[N], B: f32[N], C: f32[N]):
    i = grid(cdiv(N, 8192))
    a = load(A, i, 8192)
    b = load(B, i, 8192)
    store(C, i, a * b + a / b)


def vectors():
    return [FakeArray((8192,), pointer=number << 20) for number in (1, 2, 3)]


def spilled(kernel):
    return kernel.artifact.kernels[0].spill_bytes


def test_a_kernel_from_a_string():
    module = tilec.loads(DOUBLE)
    source, result = np.arange(64, dtype=np.float32), np.empty(64, np.float32)
    module.double(source, result)
    np.testing.assert_array_equal(result, source * 2)
    assert repr(module) == "<tilec module <string>: double>"


def test_messages_quote_the_string():
    text = DOUBLE.replace("load(A", "laod(A")
    kernel = tilec.loads(text, name="doubling").double
    with pytest.raises(tilec.CompileError) as caught:
        kernel.compile(np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert str(caught.value).splitlines()[:3] == [
        "doubling:5:21: error[T0201]: unknown name 'laod'",
        "          store(B, i, laod(A, i, 64) * 2)",
        "                      ^^^^",
    ]


def test_mistakes_of_the_string_are_found_at_once():
    with pytest.raises(tilec.CompileError, match=r"<string>:1:1: error\[T0108\]"):
        tilec.loads("")
    with pytest.raises(tilec.CompileError, match=r"<string>:3:\d+: error\[T0102\]"):
        tilec.loads(DOUBLE.replace("):", ")"))
    arguments: list[Any] = [b"text", None]
    for text in arguments:
        with pytest.raises(tilec.LaunchError, match=r"tilec\.loads: text is a \w+, expected a str"):
            tilec.loads(text)


def test_spills_warn_unless_allowed_and_are_errors_where_forbidden():
    """The cache keeps the warning, and keeps apart what was compiled with another answer."""
    for _ in range(2):
        with pytest.warns(tilec.PerformanceWarning) as warned:
            assert spilled(tilec.loads(SPILLS).spills.compile(*vectors())) > 0
        (text,) = (str(item.message) for item in warned)
        assert "<string>:3:1: warning[T0608]: kernel 'spills' needs more than its" in text
        assert "  def spills[N](" in text
        assert "allow_spills=True in Python" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        allowed = tilec.loads(SPILLS, allow_spills=True).spills.compile(*vectors())
    assert spilled(allowed) > 0
    assert [str(item.severity) for item in allowed.remarks if item.code == "T0608"] == [
        "Severity.REMARK"
    ]
    with pytest.raises(tilec.CompileError, match=r"<string>:3:1: error\[T0608\]"):
        tilec.loads(SPILLS, allow_spills=False).spills.compile(*vectors())


def test_ahead_of_time_spills_warn_once():
    with pytest.warns(tilec.PerformanceWarning, match="T0608") as warned:
        package = tilec.compile(SPILLS)
    assert len(warned) == 1
    assert spilled(package.spills.variants[0]) > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda path: tilec.load(path, allow_spills=True).spills.compile(*vectors()),
        lambda path: spills.compile(*vectors()),
        lambda path: tilec.compile(SPILLS, allow_spills=True).spills.variants[0],
        lambda path: tilec.compile(spills).spills.variants[0],
    ],
    ids=["load", "decorator", "compile", "compile a kernel"],
)
def test_every_way_to_a_kernel_can_allow_spills(make, tmp_path):
    path = tmp_path / "spills.tile"
    path.write_text(SPILLS)
    assert spilled(make(path)) > 0


def test_ahead_of_time_a_kernel_that_allows_spills_can_be_made_strict():
    with pytest.raises(tilec.CompileError, match="T0608"):
        tilec.compile(spills, allow_spills=False)


def test_a_python_file_is_imported_not_loaded(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text("import tilec\n")
    with pytest.raises(tilec.LaunchError) as caught:
        tilec.load(path)
    assert "tilec.load takes a .tile file, got" in str(caught.value)
    assert "import a Python file" in str(caught.value)
