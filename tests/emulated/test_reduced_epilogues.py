"""Epilogues in slices whose rows are also reduced: of each slice, and then of all of them."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import run_both

ROWS, COLUMNS, DEPTH = 100, 72, 80
SOURCE = """
@kernel(slice_columns={slices})
def k(A: bf16[M, K], B: bf16[N, K], R: bf16[M, N], C: bf16[M, N], T: f32[M, _], S: f32[M, _]):
    m, n = grid(cdiv(M, 128), cdiv(N, 64))
    acc = zeros((128, 64), f32)
    for i in range(cdiv(K, 64)):
        acc = mma(load(A, (m, i), (128, 64)), load(B, (n, i), (64, 64)).T, acc)
    y = exp2(acc) * 0.5 - load(R, (m, n), (128, 64)).astype(f32)
    store(C, (m, n), y.astype(bf16))
    store(T, (m, n), max(abs(y), axis=1, keepdims=True))
    store(S, (m, n), sum(y * y - 1.0, axis=1, keepdims=True))
"""


@pytest.mark.parametrize("slices", [16, 32])
def test_rows_of_slices_are_reduced(device, slices):
    random = np.random.default_rng(0)
    a, b, r = (
        (random.standard_normal(shape) / 4).astype(ml_dtypes.bfloat16)
        for shape in ((ROWS, DEPTH), (COLUMNS, DEPTH), (ROWS, COLUMNS))
    )
    wide = np.zeros((ROWS, 128))
    wide[:, :COLUMNS] = a.astype(np.float64) @ b.astype(np.float64).T
    y = 2.0**wide * 0.5
    y[:, :COLUMNS] -= r.astype(np.float64)
    tiles = y.reshape(ROWS, 2, 64)
    poison = {"C": np.full((ROWS, COLUMNS), np.nan, ml_dtypes.bfloat16)}
    poison |= {name: np.full((ROWS, 2), np.nan, np.float32) for name in "TS"}
    for found in run_both(device, SOURCE.format(slices=slices), {"A": a, "B": b, "R": r, **poison}):
        data = found.data()
        np.testing.assert_allclose(data["C"].astype(np.float64), y[:, :COLUMNS], 0.01, 0.01)
        np.testing.assert_allclose(data["T"], np.abs(tiles).max(2), 1e-4)
        np.testing.assert_allclose(data["S"], (tiles**2 - 1.0).sum(2), 1e-3, 1e-3)
