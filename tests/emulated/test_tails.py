"""Ends of blocks that run some vectors at a time, on the CPU reference and on the emulator."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import run_both

NORM = """@kernel(stream_tail=1, worker_warps={warps}, spread={spread})
def norm[M, N](X: {t}[M, N], W: {t}[N], B: {t}[N], Y: {t}[M, N]):
    m = grid(M)
    x = cast(load(X, (m, 0), (1, {extent})), f32)
    inside = arange({extent})[None, :] < N
    mean = sum(x, axis=1, keepdims=True) / N
    d = where(inside, x - mean, 0.0)
    scale = rsqrt(sum(d * d, axis=1, keepdims=True) / N + 1e-5)
    w, b = cast(load(W, 0, {extent}), f32), cast(load(B, 0, {extent}), f32)
    store(Y, (m, 0), cast(d * scale * w[None, :] + b[None, :], {t}))
"""
IN_PLACE = """@kernel(stream_tail=1)
def reversed_in_place[N](X: f32[N]):
    i = grid(1)
    x = load(X, 0, 1024) + load(X, 1, 1024)
    store(X, 0, flip(x, 0))
    store(X, 1, x + load(X, 0, 1024))
"""
IN_A_LOOP = """@kernel(stream_tail=1)
def centred[M, N](X: bf16[M, N], W: f32[N]):
    m = grid(M)
    for j in range(cdiv(N, 512)):
        x = cast(load(X, (m, j), (1, 512)), f32)
        total = sum(x, axis=1, keepdims=True)
        store(X, (m, j), cast(x * load(W, j, 512)[None, :] + total, bf16))
"""


@pytest.mark.parametrize("columns", [1000, 1001, 2048])
@pytest.mark.parametrize(("spread", "warps"), [(1, 4), (2, 4), (1, 1)])
@pytest.mark.parametrize("kind", ["bf16", "f32"])
def test_norm(device, kind, spread, warps, columns):
    random = np.random.default_rng(columns + spread)
    dtype = ml_dtypes.bfloat16 if kind == "bf16" else np.float32
    x, w, b = (
        random.standard_normal(shape).astype(dtype) for shape in ((3, columns), columns, columns)
    )
    given = {"X": x, "W": w, "B": b, "Y": np.full_like(x, np.nan)}
    text = NORM.format(t=kind, warps=warps, spread=spread, extent=2048)
    wide = x.astype(np.float64)
    d = wide - wide.mean(1, keepdims=True)
    expected = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * w.astype(float) + b.astype(
        float
    )
    for found in run_both(device, text, given):
        got = found.data()["Y"].astype(np.float64)
        np.testing.assert_allclose(got, expected, rtol=2**-8, atol=2**-8)


def test_loads_that_a_store_must_follow_come_first(device):
    x = np.arange(2048, dtype=np.float32)
    total = x[:1024] + x[1024:]
    for found in run_both(device, IN_PLACE, {"X": x}):
        expected = np.concatenate([total[::-1], total + total[::-1]])
        np.testing.assert_array_equal(found.data()["X"], expected)


@pytest.mark.parametrize("columns", [1536, 1537])
def test_stores_in_a_loop_that_orders_them(device, columns):
    random = np.random.default_rng(columns)
    x = random.integers(-4, 5, (2, columns)).astype(ml_dtypes.bfloat16)
    w = random.integers(-2, 3, columns).astype(np.float32)
    wide, parts = x.astype(np.float32), range(0, columns, 512)
    totals = [wide[:, at : at + 512].sum(1, keepdims=True) for at in parts]
    pieces = [
        wide[:, at : at + 512] * w[at : at + 512] + total
        for at, total in zip(parts, totals, strict=True)
    ]
    expected = np.concatenate(pieces, axis=1).astype(ml_dtypes.bfloat16)
    for found in run_both(device, IN_A_LOOP, {"X": x, "W": w}):
        np.testing.assert_array_equal(found.data()["X"], expected)
