"""Reductions and scans of the accumulators of wgmma, mma.sync and the CUDA cores."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import run_both

NUMPY = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
}
COLUMNS, DEPTH = 32, 32
SOURCE = """@kernel
def k(A: {dtype}[{m}, {k}], B: {dtype}[{n}, {k}], R: {acc}[{m}], C: {acc}[{n}], S: {acc}[{m}, {n}]):
    p = grid(1)
    b = load(B, (0, 0), ({n}, {k})).T
    d = mma(load(A, (0, 0), ({m}, {k})), b, zeros(({m}, {n}), {acc}))
    store(R, (0,), sum(d, axis=1))
    store(C, (0,), max(d, axis=0))
    store(S, (0, 0), cumsum(d, axis=1))
"""


@pytest.mark.filterwarnings("ignore::tilec.PerformanceWarning")
@pytest.mark.parametrize("rows", [16, 32, 64, 128])
@pytest.mark.parametrize(
    ("dtype", "acc"),
    [("bf16", "f32"), ("f16", "f16"), ("i8", "i32"), ("f64", "f64"), ("f32", "f32")],
)
def test_accumulators_are_reduced(device, dtype, acc, rows):
    random = np.random.default_rng(0)
    a, b = (random.integers(-1, 2, (extent, DEPTH)) for extent in (rows, COLUMNS))
    product = a @ b.T
    expected = {
        "R": product.sum(axis=1),
        "C": product.max(axis=0),
        "S": product.cumsum(axis=1),
    }
    poison = {name: np.full(want.shape, 99, NUMPY[acc]) for name, want in expected.items()}
    given = {"A": a.astype(NUMPY[dtype]), "B": b.astype(NUMPY[dtype]), **poison}
    source = SOURCE.format(dtype=dtype, acc=acc, m=rows, n=COLUMNS, k=DEPTH)
    for found in run_both(device, source, given):
        for name, want in expected.items():
            np.testing.assert_array_equal(found.data()[name], want)
