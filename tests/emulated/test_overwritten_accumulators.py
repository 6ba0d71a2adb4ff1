"""Accumulators that the first product of a loop overwrites: what they held before never shows."""

import numpy as np
import pytest

import tilec
from tests.support.emulated_gemm import matrix

SOURCE = """@kernel({plan})
def product(A: f16[M, K], B: f16[K, N], C: f32[M, N], first: i32, last: i32):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range({bounds}):
        acc = mma(load(A, (m, k), (64, 64)), load(B, (k, n), (64, 64)), acc)
    store(C, (m, n), acc)
"""
PLANS = [
    "mma_pending=0",
    "mma_pending=1",
    "specialize=False",
    "persistent=False",
    "pingpong=True",
    "pingpong=True, mma_pending=0",
    "cluster=(2, 1)",
    "split_k=2",
    "split_k=3, mma_pending=1",
]
UNEVEN_PLANS = [plan for plan in PLANS if not plan.startswith(("pingpong", "split_k"))]
"""Those for kernels whose tiles differ in their number of k-tiles."""
RANGES = [(0, 3), (0, 0), (1, 3), (2, 1), (1, 2)]
"""Of k-tiles, launch by launch."""
TILE = 64
EXTENTS = (256, 128, 192)
"""M, N and K: eight tiles of three k-tiles, all of them for one CTA or one cluster."""


@pytest.fixture
def operands():
    m, n, k = EXTENTS
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))


@pytest.fixture
def run(device, tmp_path):
    """Return what runs a kernel with a plan on two operands and returns the result."""
    path = tmp_path / "product.tile"

    def multiply(plan, bounds, left, right, *scalars):
        path.write_text(SOURCE.format(plan=plan, bounds=bounds))
        (m, k), (_, n) = left.shape, right.shape
        c = device.array((m, n), (n, 1), "<f4")
        a, b = matrix(device, m, k, values=left), matrix(device, k, n, values=right)
        device.seed, device.multiprocessors = 0, 1
        tilec.load(path).product(a, b, c, *scalars)
        return c.view(np.float32).copy()

    return multiply


@pytest.mark.parametrize("plan", PLANS)
def test_a_range_without_k_tiles_gives_zeros(run, operands, plan):
    left, right = operands
    for first, last in RANGES:
        part = slice(first * TILE, max(first, last) * TILE)
        want = left[:, part].astype(np.float32) @ right[part].astype(np.float32)
        found = run(plan, "first, last", left, right, first, last)
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-3)
        assert found.any() == (first < last)


@pytest.mark.parametrize("plan", UNEVEN_PLANS)
def test_nothing_is_left_of_the_tile_before(run, operands, plan):
    """Tiles with k-tiles and without take turns like the fields of a chessboard; some are NaN."""
    left, right = operands
    left[TILE : 2 * TILE] = np.nan
    bounds = "(m + n) % 2 * first, (m + n) % 2 * last"
    found = run(plan, bounds, left, right, 1, 3)
    want = left[:, TILE:].astype(np.float32) @ right[TILE:].astype(np.float32)
    for m, n in np.ndindex(4, 2):
        tile = np.s_[m * TILE : (m + 1) * TILE, n * TILE : (n + 1) * TILE]
        expected = want[tile] if (m + n) % 2 else np.zeros((TILE, TILE), np.float32)
        np.testing.assert_allclose(found[tile], expected, rtol=1e-4, atol=1e-3)
