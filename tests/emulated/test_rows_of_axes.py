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
    remarks = [item.message for item in kernel.compile(X=x, W=w, Y=y).remarks]
    assert not any("registers: " in message for message in remarks), remarks
