"""Scores with several factors of any sign and size, and sums of scaled tiles, against f64."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array, run_both
from tests.support.user_attention import attend
from tilec.runtime.jit import loads
from tilec.testing.check import Arguments

SOURCE = """
@kernel
def scored[H, N, D](
    Q: bf16[H, N, D], K: bf16[H, N, D], V: bf16[H, N, D], Out: bf16[H, N, D],
    scale: f32, cap: f32, CAPPED: const = 0, CAUSAL: const = 1,
):
    m, h = grid(cdiv(N, 64), H)
    rows = m * 64 + arange(64)[:, None]
    q = load(Q, (h, m, 0), (1, 64, 64)).reshape((64, 64))
    top = full((64, 1), -1.0e30, f32)
    total = zeros((64, 1), f32)
    acc = zeros((64, 64), f32)
    for n in range(m + 1 if CAUSAL else cdiv(N, 64)):
        k = load(K, (h, n, 0), (1, 64, 64)).reshape((64, 64))
        v = load(V, (h, n, 0), (1, 64, 64)).reshape((64, 64))
        scores = q @ k.T * scale
        if CAPPED:
            scores = tanh(scores / cap, rounding='approx') * cap
        scores = scores * 1.44269504
        if CAUSAL:
            scores = where(n * 64 + arange(64)[None, :] <= rows, scores, -inf)
        new = maximum(top, max(scores, axis=1, keepdims=True))
        weights = exp2(scores - new)
        fade = exp2(top - new)
        total = total * fade + sum(weights, axis=1, keepdims=True)
        acc = acc * fade + cast(weights, bf16) @ v
        top = new
    store(Out, (h, m, 0), cast(acc / total, bf16).reshape((1, 64, 64)))
"""
LENGTH, DEPTH = 128, 64


@pytest.fixture(scope="module")
def kernel():
    return loads(SOURCE).scored


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    ("scale", "cap"),
    [
        *((scale, None) for scale in (0.2, -0.2, 0.0, 2.0**-22, 2.0**21)),
        *((scale, cap) for scale, cap in ((0.2, 2.0), (-0.2, 2.0), (0.2, -2.0), (0.2, 2.0**21))),
    ],
)
def test_results(launch, kernel, scale, cap, causal):
    rng = np.random.default_rng(0)
    shape = (1, LENGTH, DEPTH)
    given = {name: rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for name in "QKV"}
    if scale > 1.0:
        given["Q"] = (given["Q"].astype(np.float64) / scale).astype(ml_dtypes.bfloat16)
    made = {name: host_array(name, values) for name, values in given.items()}
    made["Out"] = host_array("Out", np.full(shape, 77.0).astype(ml_dtypes.bfloat16))
    constants = {"CAPPED": int(cap is not None), "CAUSAL": int(causal)}
    arguments = Arguments(made, {"scale": scale, "cap": cap or 1.0, **constants})
    launch(kernel, arguments)
    scaled = {name: values.astype(np.float64)[None] for name, values in given.items()}
    scaled["Q"] = scaled["Q"] * (scale * DEPTH**0.5)
    exact = attend(scaled, causal, 0, cap=np.inf if cap is None else cap)[0][0]
    found = arguments.data()["Out"].astype(np.float64)
    np.testing.assert_allclose(found, exact, atol=2.0**-7 * max(1.0, np.abs(exact).max()), rtol=0)


CANCELLING = """
@kernel
def differences[M](X: f32[M, 64], Y: f32[M, 64], Out: f32[M, 64], factor: f32):
    m = grid(cdiv(M, 64))
    x, y = load(X, (m, 0), (64, 64)), load(Y, (m, 0), (64, 64))
    store(Out, (m, 0), tanh((x * 0.5 - y * 0.5) * factor, rounding='approx'))
"""


def test_exact_terms_that_cancel(device):
    """Halves of nearly equal numbers have an exact difference, which a large factor shows."""
    rng = np.random.default_rng(0)
    x = (1 + rng.random((63, 64))).astype(np.float32)
    y = (x + rng.integers(-3, 4, x.shape) * 2.0**-23).astype(np.float32)
    factor = float(np.float32(2.7e6))
    exact = np.tanh((x.astype(np.float64) - y) / 2 * factor)
    given = {"X": x, "Y": y, "Out": np.full(x.shape, 77.0, np.float32)}
    for arguments in run_both(device, CANCELLING, given, factor=factor):
        np.testing.assert_allclose(arguments.data()["Out"], exact, rtol=2.0**-11, atol=0)
