"""Quotients of f32 that are only rounded: `div.full.f32` on the device, exact on the reference."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import run_both

SOURCE = """@kernel
def k[N](X: f32[N], D: f32[N], Y: {kind}[N]):
    i = grid(cdiv(N, 64))
    store(Y, i, cast(load(X, i, 64) / load(D, i, 64), {kind}))
"""
KINDS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_infinities_and_nan(device, kind):
    values = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, 2.0**127]
    dividends, divisors = (
        np.repeat(values, 8).astype(np.float32),
        np.tile(values, 8).astype(np.float32),
    )
    made = {"X": dividends, "D": divisors, "Y": np.full(64, 77).astype(KINDS[kind])}
    expected, found = run_both(device, SOURCE.format(kind=kind), made)
    with np.errstate(all="ignore"):
        exact = (dividends / divisors).astype(KINDS[kind])
    for result in (expected, found):
        y = result.data()["Y"]
        np.testing.assert_array_equal(y.astype(np.float64), exact.astype(np.float64))
        signed = ~np.isnan(exact)
        np.testing.assert_array_equal(np.signbit(y[signed]), np.signbit(exact[signed]))
