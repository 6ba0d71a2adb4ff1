"""Quotients of f32: those that are only rounded, and elements of a thread that share a divisor."""

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


def check(found, exact):
    """Test whether all values are the same, zeros with their signs."""
    np.testing.assert_array_equal(found.astype(np.float64), exact.astype(np.float64))
    known = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(exact[known]))


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
        check(result.data()["Y"], exact)


ROWS = """@kernel
def k[M](X: f32[M, 128], D: f32[M], Y: f32[M, 128]):
    m = grid(cdiv(M, 8))
    store(Y, (m, 0), load(X, (m, 0), (8, 128)) / load(D, m, 8)[:, None])
"""
SPECIAL = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, 2.0**127, 2.0**-140, -(2.0**-126)]


@pytest.mark.parametrize("exponents", [0, 40, 140])
def test_elements_that_share_a_divisor(device, exponents):
    """Quotients of rows are rounded correctly, whatever the exponents of their elements are."""
    rng = np.random.default_rng(exponents)

    def numbers(*shape):
        scale = np.exp2(rng.integers(-exponents, min(exponents, 126) + 1, shape))
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    x, d = numbers(48, 128), np.abs(numbers(48))
    x[40:, 1] = 2.0**-100, 2.0**-101, 2.0**62, 2.0**63, 1.0, 1.0, 1.0, 1.0
    d[44:] = 2.0**-62, 2.0**-63, 2.0**24, 2.0**25
    x[1, 5], x[2, ::7], x[3], d[4], d[5:15] = 0.0, -0.0, 0.0, -2.5, SPECIAL
    x[16, :10], x[17:27] = SPECIAL, np.array(SPECIAL)[:, None]
    made = {"X": x, "D": d, "Y": np.full((48, 128), 77, np.float32)}
    with np.errstate(all="ignore"):
        exact = x / d[:, None]
    for result in run_both(device, ROWS, made):
        check(result.data()["Y"], exact)


SCALAR = """@kernel
def k[N](X: f32[N], Y: f32[N], d: f32):
    i = grid(cdiv(N, 1024))
    store(Y, i, load(X, i, 1024) / d)
"""


@pytest.mark.parametrize("divisor", [3.0, -3.0, 0.0, 2.0**-80])
def test_elements_with_a_scalar_divisor(device, divisor):
    x = np.random.default_rng(0).standard_normal(1024).astype(np.float32)
    x[:10] = SPECIAL
    made = {"X": x, "Y": np.full(1024, 77, np.float32)}
    with np.errstate(all="ignore"):
        exact = x / np.float32(divisor)
    for result in run_both(device, SCALAR, made, d=divisor):
        check(result.data()["Y"], exact)
