"""Values that a kernel takes from its Python module: it follows them when they change."""

# A kernel is Python by its syntax only.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import tilec
from tilec.language import cdiv, const, f32, grid, load, store

M = TypeVar("M")
SCALE = 3
UNIT = 16
PAIR = (1, 2.0)


def act(x):
    return x * SCALE


def double(x):
    return x * 2


@pytest.fixture
def restored(monkeypatch):
    """Return a function that sets a global of this module until the test ends."""
    return lambda name, value: monkeypatch.setitem(globals(), name, value)


def _make():
    @tilec.kernel
    def scaled(A: f32[M], B: f32[M], BM: const = UNIT):
        i = grid(cdiv(M, BM))
        store(B, i, act(load(A, i, BM)) + PAIR[0])

    return scaled


def _run(kernel):
    source, result = np.arange(16, dtype=np.float32), np.empty(16, np.float32)
    kernel(source, result)
    return result


def test_a_number_that_changes(restored):
    kernel = _make()
    for scale in (3, 4, 4.5, 3):
        restored("SCALE", scale)
        np.testing.assert_array_equal(_run(kernel), np.arange(16) * scale + 1)


def test_an_equal_number_changes_nothing(restored):
    restored("SCALE", 1000)
    kernel = _make()
    _run(kernel)
    variants = kernel.variants
    restored("SCALE", int("1000"))
    restored("PAIR", (1, 2.0))
    assert kernel.variants is variants
    restored("SCALE", 1000.0)
    assert kernel.variants is not variants


def test_a_helper_and_a_tuple_that_change(restored):
    kernel = _make()
    _run(kernel)
    restored("act", double)
    restored("PAIR", (5, 2.0))
    np.testing.assert_array_equal(_run(kernel), np.arange(16) * 2 + 5)


def test_a_default_that_changes(restored):
    kernel = _make()
    assert kernel.signature.find("BM").default == 16
    restored("UNIT", 8)
    assert kernel.signature.find("BM").default == 8
    np.testing.assert_array_equal(_run(kernel), np.arange(16) * 3 + 1)


def test_a_variable_of_an_enclosing_function():
    factor = 2

    @tilec.kernel
    def scaled(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, load(A, i, 16) * factor)

    np.testing.assert_array_equal(_run(scaled), np.arange(16) * 2)
    factor = 5
    np.testing.assert_array_equal(_run(scaled), np.arange(16) * 5)


def test_what_is_compiled_has_the_value_of_the_call(restored):
    kernel = _make()
    arrays = np.zeros(16, np.float32), np.zeros(16, np.float32)
    first = kernel.compile(*arrays).ir("cuda_tile")
    restored("SCALE", 7)
    second = kernel.compile(*arrays).ir("cuda_tile")
    assert "7.000000e+00" in second
    assert "7.000000e+00" not in first


def test_a_global_that_is_gone(restored, monkeypatch):
    kernel = _make()
    _run(kernel)
    monkeypatch.delitem(globals(), "PAIR")
    with pytest.raises(tilec.CompileError) as caught:
        _run(kernel)
    assert caught.value.diagnostics[0].code == "T0201"
