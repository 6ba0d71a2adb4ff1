"""`exp2` near the smallest numbers: what flushes on the device flushes on the CPU reference."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import run_both

SOURCE = """@kernel
def k[N](X: {kind}[N], Y: {kind}[N], s: f32):
    i = grid(cdiv(N, 64))
    store(Y, i, {value})
"""
TINY = float(np.finfo(np.float32).tiny)


@pytest.mark.parametrize(
    ("kind", "value", "flushes"),
    [
        ("f32", "exp2(load(X, i, 64))", False),
        ("f32", "exp2(load(X, i, 64), flush_to_zero=True)", True),
        ("f32", "exp2(cast(cast(load(X, i, 64), bf16), f32) * 1.0)", True),
        ("f32", "exp2(cast(cast(load(X, i, 64), bf16), f32), flush_to_zero=False)", False),
        ("f32", "zeros(64) + exp2(s - 128.0, flush_to_zero=True)", True),
        ("f32", "zeros(64) + exp2(s - 128.0)", False),
        ("bf16", "exp2(load(X, i, 64))", True),
    ],
)
def test_small_results(device, kind, value, flushes):
    dtype = np.dtype(ml_dtypes.bfloat16) if kind == "bf16" else np.dtype(np.float32)
    made = {"X": np.arange(-140, -76).astype(dtype), "Y": np.ones(64, dtype)}
    source = SOURCE.format(kind=kind, value=value)
    for found in run_both(device, source, made, s=0.0):
        y = found.data()["Y"].astype(np.float64)
        small = y[y < TINY]
        assert len(small)
        assert not small.any() if flushes else small.any()
        exponents = -128.0 if "s - 128" in value else np.arange(-140.0, -76)
        np.testing.assert_allclose(y, np.exp2(exponents), rtol=1e-6, atol=TINY)


def test_halves_have_no_number_that_is_flushed(device):
    made = {"X": np.arange(-48, 16).astype(np.float16), "Y": np.ones(64, np.float16)}
    source = SOURCE.format(kind="f16", value="exp2(load(X, i, 64))")
    for found in run_both(device, source, made, s=0.0):
        np.testing.assert_array_equal(found.data()["Y"], np.exp2(made["X"]))
