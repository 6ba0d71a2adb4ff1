"""Helpers and constants in other Python modules, and numbers of NumPy."""

# A kernel is Python by its syntax only.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportCallIssue=false

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import tests.support.helper_library
import tests.support.helper_library as lib
import tilec
from tests.support.helper_library import activations
from tests.support.helper_library.activations import relu as r
from tilec.language import cdiv, const, f32, grid, load, store

M = TypeVar("M")
SCALE = np.float32(2.5)
COUNT = np.int64(3)
FLAG = np.bool_(True)
PAIR = (np.float64(0.5), (np.int32(4), 1))
RANK_0 = np.array(3)
LONG = np.longdouble(1)

SOURCE = np.arange(-8, 8, dtype=np.float32)


def run(kernel):
    result = np.empty(16, np.float32)
    kernel(SOURCE, result)
    return result


def failure(kernel):
    with pytest.raises(tilec.CompileError) as caught:
        run(kernel)
    return caught.value


@tilec.kernel
def by_alias(A: f32[M], B: f32[M], BM: const = lib.UNIT):
    i = grid(cdiv(M, lib.UNIT))
    x: lib.REAL[lib.UNIT] = load(A, i, BM)
    store(B, i, lib.scaled(x) + lib.STEP + lib.plain(x))


@tilec.kernel
def by_names(A: f32[M], B: lib.REAL[M]):
    i = grid(cdiv(M, 16))
    y = activations.shifted(load(A, i, 16)) * activations.OFFSET
    store(B, i, y + r(load(A, i, 16)))


@tilec.kernel
def by_full_name(A: f32[M], B: f32[M]):
    i = grid(cdiv(M, 16))
    store(B, i, tests.support.helper_library.activations.relu(load(A, i, 16)))


@tilec.kernel
def with_numpy_numbers(A: f32[M], B: f32[M]):
    i = grid(cdiv(M, PAIR[1][0] * 4))
    if FLAG:
        store(B, i, load(A, i, 16) * SCALE + COUNT + PAIR[0])


def test_helpers_and_constants_by_an_alias():
    np.testing.assert_array_equal(run(by_alias), SOURCE * 2.5 + 2.5 + SOURCE + 1)


def test_helpers_by_imported_names():
    relu = np.maximum(SOURCE, 0)
    np.testing.assert_array_equal(run(by_names), (relu + 0.5) * 0.5 + relu)


def test_a_helper_by_its_full_name():
    np.testing.assert_array_equal(run(by_full_name), np.maximum(SOURCE, 0))


def test_scalars_of_numpy_are_numbers(monkeypatch):
    np.testing.assert_array_equal(run(with_numpy_numbers), SOURCE * 2.5 + 3.5)
    monkeypatch.setitem(globals(), "SCALE", np.float32(4))
    np.testing.assert_array_equal(run(with_numpy_numbers), SOURCE * 4 + 3.5)


def test_a_scalar_of_numpy_in_an_enclosing_function():
    factor = np.int32(3)

    @tilec.kernel
    def scaled(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, load(A, i, 16) * factor)

    np.testing.assert_array_equal(run(scaled), SOURCE * 3)


def test_an_equal_scalar_of_numpy_changes_nothing(monkeypatch):
    run(with_numpy_numbers)
    variants = with_numpy_numbers.variants
    monkeypatch.setitem(globals(), "SCALE", np.float32(2.5))
    assert with_numpy_numbers.variants is variants
    monkeypatch.setitem(globals(), "SCALE", np.float64(2.5))
    assert with_numpy_numbers.variants is not variants


@pytest.mark.parametrize(
    ("owner", "name", "value", "expected"),
    [
        (lib, "STEP", 4, SOURCE * 4 + 4 + SOURCE + 1),
        (lib, "scaled", r, np.maximum(SOURCE, 0) + 2.5 + SOURCE + 1),
        (lib, "plain", activations.shifted, SOURCE * 2.5 + 3 + np.maximum(SOURCE, 0)),
    ],
)
def test_a_member_that_changes(monkeypatch, owner, name, value, expected):
    run(by_alias)
    monkeypatch.setattr(owner, name, value)
    np.testing.assert_array_equal(run(by_alias), expected)


def test_members_of_inner_modules_that_change(monkeypatch):
    run(by_full_name)
    monkeypatch.setattr(activations, "relu", lib.plain)
    np.testing.assert_array_equal(run(by_full_name), SOURCE + 1)
    monkeypatch.setattr(lib, "activations", lib)
    assert "has no 'relu'" in str(failure(by_full_name))


def test_a_misspelled_member_until_it_exists(monkeypatch):
    @tilec.kernel
    def misspelled(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, lib.scalde(load(A, i, 16)))

    error = failure(misspelled)
    (item,) = error.diagnostics
    assert item.code == "T0206"
    assert item.message == "the module 'tests.support.helper_library' has no 'scalde'"
    assert item.hint == "did you mean 'scaled'?"
    assert "lib.scalde(load(A, i, 16))" in str(error)
    monkeypatch.setattr(lib, "scalde", lib.scaled, raising=False)
    np.testing.assert_array_equal(run(misspelled), SOURCE * 2.5)


def test_a_member_that_its_module_cannot_import():
    @tilec.kernel
    def of_a_part(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, lib.absent.f(load(A, i, 16)))

    (item,) = failure(of_a_part).diagnostics
    assert item.message == "the module 'tests.support.helper_library' has no 'absent'"


def test_mistakes_in_a_helper_of_another_module_show_its_line():
    @tilec.kernel
    def wrong(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, activations.wrong(load(A, i, 16)))

    text = str(failure(wrong))
    assert "activations.py:27:22: error[T0303]" in text
    assert "return x + zeros((3,))" in text
    assert "activations.wrong(load(A, i, 16))" in text


def test_members_that_a_kernel_cannot_use():
    @tilec.kernel
    def of_a_list(A: f32[M], B: f32[M]):
        i = grid(1)
        store(B, i, load(A, i, 16) * lib.SIZES[0])

    @tilec.kernel
    def of_a_kernel(A: f32[M], B: f32[M]):
        activations.kernel(A)

    @tilec.kernel
    def of_a_module(A: f32[M], B: f32[M]):
        x = lib.activations(3)  # noqa: F841

    @tilec.kernel
    def of_numpy(A: f32[M], B: f32[M]):
        x = lib.np.maximum(1.0, 2.0)  # noqa: F841

    for kernel, code, part in (
        (of_a_list, "T0215", "'SIZES' is a list"),
        (of_a_kernel, "T0209", "'kernel' is a kernel"),
        (of_a_module, "T0209", "cannot be called"),
        (of_numpy, "T0214", "'numpy.maximum' is not part of tilec"),
    ):
        (item,) = failure(kernel).diagnostics
        assert (item.code, part in item.message) == (code, True), item.message


@pytest.mark.parametrize("name", ["RANK_0", "LONG"])
def test_other_values_of_numpy_say_what_they_are(monkeypatch, name):
    monkeypatch.setitem(globals(), "SCALE", globals()[name])
    (item,) = failure(with_numpy_numbers).diagnostics
    assert item.code == "T0215"
    assert f"a numpy.{type(globals()[name]).__name__}" in item.message
