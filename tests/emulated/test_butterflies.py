"""Tiles that are cut and joined again in registers, and masks that change in each round."""

import numpy as np
import pytest

from tests.support.both_devices import run_both

HADAMARD = """@kernel
def k[M](X: f32[M, {n}], Y: f32[M, {n}]):
    m = grid(cdiv(M, {rows}))
    x = load(X, (m, 0), ({rows}, {n}))
    for s in static_range({stages}):
        h = 1 << s
        y = x.reshape(({rows}, {n} // (2 * h), 2, h))
        a = extract(y, (0, 0, 0, 0), ({rows}, {n} // (2 * h), 1, h))
        b = extract(y, (0, 0, 1, 0), ({rows}, {n} // (2 * h), 1, h))
        x = cat((a + b, a - b), 2).reshape(({rows}, {n}))
    store(Y, (m, 0), x)
"""
INVERSE = """@kernel
def k[M](X: f32[M, {n}, {n}], Y: f32[M, {n}, {n}]):
    m = grid(cdiv(M, {rows}))
    i = arange({n})
    a = load(X, (m, 0, 0), ({rows}, {n}, {n}))
    y = broadcast_to(cast(i[:, None] == i[None, :], f32)[None, :, :], ({rows}, {n}, {n}))
    for k in range({n}):
        row, column = (i == k)[None, :, None], (i == k)[None, None, :]
        chosen = sum(where(row, a, 0.0), axis=1, keepdims=True)
        other = sum(where(row, y, 0.0), axis=1, keepdims=True)
        pivot = sum(where(column, chosen, 0.0), axis=2, keepdims=True)
        chosen, other = chosen / pivot, other / pivot
        factor = sum(where(column, a, 0.0), axis=2, keepdims=True)
        a = where(row, chosen, a - factor * chosen)
        y = where(row, other, y - factor * other)
    store(Y, (m, 0, 0), y)
"""


@pytest.mark.parametrize(("n", "rows"), [(2, 1), (64, 1), (256, 2), (1024, 4)])
def test_hadamard(device, n, rows):
    x = np.random.default_rng(n).integers(-8, 8, (5, n)).astype(np.float32)
    source = HADAMARD.format(n=n, rows=rows, stages=n.bit_length() - 1)
    results = run_both(device, source, {"X": x, "Y": np.zeros_like(x)})
    signs = np.ones((1, 1))
    while len(signs) < n:
        signs = np.block([[signs, signs], [signs, -signs]])
    for result in results:
        np.testing.assert_array_equal(result.data()["Y"], x @ signs)


@pytest.mark.parametrize(("n", "rows"), [(16, 1), (32, 1), (8, 4)])
def test_inverse(device, n, rows):
    x = np.random.default_rng(n).standard_normal((4, n, n)) + 8 * np.eye(n)
    made = {"X": x.astype(np.float32), "Y": np.zeros((4, n, n), np.float32)}
    for result in run_both(device, INVERSE.format(n=n, rows=rows), made):
        np.testing.assert_allclose(result.data()["Y"], np.linalg.inv(x), rtol=0, atol=1e-5)
