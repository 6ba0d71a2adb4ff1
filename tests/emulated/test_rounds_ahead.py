"""Loops that load the tiles of the next round ahead, on the CPU reference and on the emulator."""

import numpy as np
import pytest

import tilec
from tests.support.both_devices import run_both

BLOCKS = 3
ROWS = """@kernel
def rows[M](X: f32[M, 64], D: f32[M, 64], Y: f32[M, 64], T: f32[64]):
    first = grid(min(M, {blocks}))
    total = zeros((1, 64), f32)
    for m in range(first, M, {blocks}):
        x, d = load(X, (m, 0), (1, 64)), load(D, (m, 0), (1, 64))
        scale = sum(x * d, axis=1, keepdims=True)
        store(Y, (m, 0), cumsum(x, axis=1) * scale)
        total += d * scale
    atomic_add(T, arange(64), total.reshape((64,)), memory_order="relaxed")
"""
CHAINED = """@kernel
def chained[M](X: f32[M, 64]):
    m = grid(1)
    for i in range(1, M):
        x = load(X, (i - 1, 0), (1, 64))
        y = load(X, (i, 0), (1, 64))
        store(X, (i, 0), y + max(x, axis=1, keepdims=True))
"""


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 20])
def test_each_round_has_its_own_tiles(device, rows):
    rng = np.random.default_rng(rows)
    x, d = (rng.standard_normal((rows, 64)).astype(np.float32) for _ in range(2))
    given = {"X": x, "D": d, "Y": np.full_like(x, np.nan), "T": np.zeros(64, np.float32)}
    scale = (x.astype(np.float64) * d).sum(1, keepdims=True)
    for found in run_both(device, ROWS.format(blocks=BLOCKS), given):
        data = found.data()
        np.testing.assert_allclose(data["Y"], np.cumsum(x, 1) * scale, atol=1e-3)
        np.testing.assert_allclose(data["T"], (d * scale).sum(0), atol=1e-3)


def test_tiles_that_an_earlier_round_stores_are_loaded_after_it(device):
    x = np.random.default_rng(0).standard_normal((7, 64)).astype(np.float32)
    expected = x.astype(np.float64)
    for i in range(1, 7):
        expected[i] += expected[i - 1].max()
    for found in run_both(device, CHAINED, {"X": x}):
        np.testing.assert_allclose(found.data()["X"], expected, atol=1e-4)


@pytest.mark.parametrize(("blocks", "ahead"), [("264", True), ("792", True), ("793", False)])
def test_blocks_that_are_few_load_ahead(blocks, ahead):
    kernel = tilec.loads(ROWS.format(blocks=blocks)).rows
    x, d, y = (np.zeros((1000, 64), np.float32) for _ in range(3))
    made = kernel.compile(X=x, D=d, Y=y, T=np.zeros(64, np.float32))
    assert made.plan.get("load_rounds", False) is ahead
    in_place = kernel.compile(X=x, D=x, Y=x, T=np.zeros(64, np.float32))
    assert not in_place.plan.get("load_rounds", False)
