"""Operands whose rows are several axes of a loaded tile, which TMA puts where wgmma reads them."""

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.both_devices import run_both

SOURCE = """
@kernel({hints})
def product[P, Q, R, S, N, K](
    X: T[P, Q, K], W: T[R, S, N], Y: f32[P, Q, N],
    BP: const = {bp}, BQ: const = {bq}, BR: const = 2, BS: const = {bs}, BN: const = 64,
    *, T: dtype,
):
    p, q, n = grid(cdiv(P, BP), cdiv(Q, BQ), cdiv(N, BN))
    acc = zeros((BP * BQ, BN), f32)
    for k in range(cdiv(R, BR) * cdiv(S, BS)):
        r, s = k // cdiv(S, BS), k % cdiv(S, BS)
        x = load(X, (p, q, k), (BP, BQ, BR * BS)).reshape((BP * BQ, BR * BS))
        w = load(W, (r, s, n), (BR, BS, BN)).reshape((BR * BS, BN))
        acc = mma(x, w, acc)
    store(Y, (p, q, n), acc.reshape((BP, BQ, BN)))
"""


def _product(device, hints, tile, dtype):
    """Multiply rows of two axes by a matrix whose rows are two axes, too."""
    bp, bq, bs = tile
    text = SOURCE.format(hints=hints, bp=bp, bq=bq, bs=bs)
    rng = np.random.default_rng(bp + bq)
    p, q, r, s, n = 2 * bp - 1, bq + 3, 4, 2 * bs, 72
    x = rng.standard_normal((p, q, r * s)).astype(dtype)
    # The k-tiles of X are (r, s) blocks one after the other; so are those of W.
    w = rng.standard_normal((r, s, n)).astype(dtype)
    blocks = w.reshape(r // 2, 2, s // bs, bs, n).transpose(0, 2, 1, 3, 4).reshape(r * s, n)
    y = np.full((p, q, n), np.nan, np.float32)
    expected, found = run_both(device, text, {"X": x, "W": w, "Y": y})
    exact = x.astype(np.float32) @ blocks.astype(np.float32)
    for made in (expected, found):
        np.testing.assert_allclose(made.data()["Y"], exact, rtol=1e-4, atol=1e-3)
    return text, x, w, y


@pytest.mark.parametrize(
    ("hints", "tile", "dtype"),
    [
        ("", (8, 16, 32), np.float16),
        ("", (16, 8, 64), ml_dtypes.bfloat16),
        ("", (4, 16, 16), ml_dtypes.bfloat16),
        ("cluster=(2, 1)", (8, 16, 32), np.float16),
        ("cluster=(1, 2)", (8, 16, 32), np.float16),
        ("specialize=0, stages=1", (2, 64, 32), np.float16),
        ("consumers=1, stages=2", (64, 2, 32), np.float16),
    ],
)
def test_rows_of_two_axes(device, hints, tile, dtype):
    text, x, w, y = _product(device, hints, tile, dtype)
    (kernel,) = tilec.loads(text, "kernel.tile")
    assert not _about_operands(kernel, {"X": x, "W": w, "Y": y})


TRANSPOSED = """
@kernel
def scores[M, P, Q, K](A: i8[M, K], X: i8[P, Q, K], C: i32[M, P, Q]):
    m, p = grid(cdiv(M, 64), cdiv(P, 4))
    acc = zeros((64, 64), i32)
    for k in range(cdiv(K, 64)):
        x = load(X, (p, 0, k), (4, 16, 64)).reshape((64, 64))
        acc = mma(load(A, (m, k), (64, 64)), x.T, acc)
    store(C, (m, p, 0), acc.reshape((64, 4, 16)))
"""
GRADIENT = """
@kernel
def gradient[P, Q, M, N](X: f16[P, Q, M], DY: f16[P, Q, N], DW: f32[M, N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 64))
    acc = zeros((128, 64), f32)
    for p in range(cdiv(P, 4) * cdiv(Q, 8)):
        i, j = p // cdiv(Q, 8), p % cdiv(Q, 8)
        x = load(X, (i, j, m), (4, 8, 128)).reshape((32, 128))
        dy = load(DY, (i, j, n), (4, 8, 64)).reshape((32, 64))
        acc = mma(x.T, dy, acc)
    store(DW, (m, n), acc)
"""


def test_the_transpose_of_rows_of_two_axes(device):
    """Only an operand that lies with K contiguous can be one of 8-bit numbers."""
    rng = np.random.default_rng(0)
    a, x = (rng.integers(-9, 9, shape).astype(np.int8) for shape in ((70, 144), (6, 13, 144)))
    arrays = {"A": a, "X": x, "C": np.zeros((70, 6, 13), np.int32)}
    exact = np.einsum("mk,pqk->mpq", a.astype(np.int32), x.astype(np.int32))
    for made in run_both(device, TRANSPOSED, arrays):
        np.testing.assert_array_equal(made.data()["C"], exact)
    (kernel,) = tilec.loads(TRANSPOSED, "kernel.tile")
    assert not _about_operands(kernel, arrays)


def test_rows_of_two_axes_are_steps_of_k(device):
    rng = np.random.default_rng(1)
    x, dy = (rng.standard_normal((6, 13, extent)).astype(np.float16) for extent in (136, 72))
    arrays = {"X": x, "DY": dy, "DW": np.zeros((136, 72), np.float32)}
    exact = np.einsum("pqm,pqn->mn", x.astype(np.float32), dy.astype(np.float32))
    for made in run_both(device, GRADIENT, arrays):
        np.testing.assert_allclose(made.data()["DW"], exact, rtol=1e-4, atol=1e-3)
    (kernel,) = tilec.loads(GRADIENT, "kernel.tile")
    assert not _about_operands(kernel, arrays)


def _about_operands(kernel, arrays):
    return [item for item in kernel.compile(**arrays).remarks if item.code == "T0437"]
