"""Kernels whose blocks are computed by several CTAs together, and what NumPy says."""

from typing import NamedTuple

import numpy as np

REDUCTIONS = (
    *("sum", "sum_bf16", "sum_f64", "sum_i64", "max", "max_u8", "min_f16", "any", "argmax"),
    *("farther", "last_of_all", "affine", "log_sum"),
    *("cumsum", "cumsum_back", "cumsum_i32", "cumprod", "cummax_bf16"),
    *("affines", "affines_back", "last", "first"),
)
"""Cases of `reduction_cases`: every element type that travels, several operands, fixed orders."""

LOOPS = """
@kernel(spread={spread}, worker_warps={warps}, any_tile_extents=True)
def combined[M, N](X: f32[M, N], W: f32[N], S: f32[M], T: f32[M], Y: f32[M, N],
                   BM: const = {rows}, BN: const = 1024):
    m = grid(cdiv(M, BM))
    total, top = zeros(BM, f32), full(BM, -inf, f32)
    for j in range(cdiv(N, BN)):
        x = load(X, (m, j), (BM, BN), pad=-inf)
        new = maximum(top, max(x, axis=1))
        total = total * exp(top - new) + sum(exp(x - new[:, None]), axis=1)
        top = new
    decayed = zeros(BM, f32)
    for j in range(cdiv(N, BN)):
        x = load(X, (m, j), (BM, BN))
        decayed = decayed * 0.5 + sum(x, axis=1)
        store(Y, (m, j), (x - top[:, None]) * load(W, j, BN)[None, :])
    store(S, m, top + log(total))
    store(T, m, decayed)
"""
"""Loops with two exchanges in a round and with one, and tiles that all CTAs hold."""


RUNNING = """
@kernel(spread={spread}, worker_warps={warps}, any_tile_extents=True)
def running[M, N](X: f32[M, N], Y: f32[M, N], BM: const = {rows}, BN: const = 1024):
    m = grid(cdiv(M, BM))
    before = zeros((BM, 1), f32)
    for j in range(cdiv(N, BN)):
        x = load(X, (m, j), (BM, BN))
        store(Y, (m, j), before + cumsum(x, axis=1))
        before += sum(x, axis=1, keepdims=True)
"""
"""A scan in a loop, next to a reduction."""


def running_arrays(shape, seed=0):
    """Return the arrays of `RUNNING`; the result is NaN."""
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return {"X": x, "Y": np.full_like(x, np.nan)}


def check_running(given, found):
    """Compare the result with NumPy."""
    expected = given["X"].astype(np.float64).cumsum(1)
    np.testing.assert_allclose(found["Y"], expected, rtol=1e-5, atol=1e-3)


LONG_SCAN = """
@kernel({plan})
def scanned[M](X: {t}[M, N], Y: {t}[M, N], N: const, BACK: const = 0):
    m = grid(M)
    store(Y, (m, 0), cumsum(load(X, (m, 0), (1, N)), axis=1, reverse=BACK == 1))
"""
"""Rows in one tile."""


class Spread(NamedTuple):
    """CTAs, warps of each, and rows of a tile."""

    spread: int
    warps: int
    rows: int


SPREADS = (
    Spread(2, 1, 1),
    Spread(4, 4, 1),
    Spread(8, 1, 1),
    Spread(2, 8, 1),
    Spread(4, 1, 3),
    Spread(16, 1, 1),
)
SHAPES = ((3, 1024), (4, 2600), (2, 2048))


WHOLE_ROWS = """
@kernel(spread={spread}, worker_warps={warps})
def running[M, N](X: f32[M, N], W: f32[N], Y: f32[M, N], S: f32[M, N],
                  BM: const = 16, BN: const = 256):
    m = grid(cdiv(M, BM))
    x = load(X, (m, 0), (BM, BN))
    y = cumsum(x, axis=1) * load(W, 0, BN)[None, :]
    store(S, (m, 0), sum(y, axis=0)[None, :])
    store(X, (m, 0), x - max(x, axis=1, keepdims=True))
    store(Y, (m, 0), y + load(X, (m, 0), (BM, BN)))
"""
"""CTAs that have whole rows each: scans along them, sums across, and tiles that are read again."""


def whole_rows_arrays(seed=0):
    """Return the arrays of `WHOLE_ROWS`, which has two blocks, one at the edge; results are NaN."""
    rng = np.random.default_rng(seed)
    x, w = (rng.standard_normal(extents).astype(np.float32) for extents in ((27, 250), 250))
    empty = np.full((27, 250), np.float32("nan"))
    return {"X": x, "W": w, "Y": empty, "S": empty.copy()}


def check_whole_rows(given, found):
    """Compare the results with NumPy."""
    x, w = given["X"].astype(np.float64), given["W"].astype(np.float64)
    running, rest = x.cumsum(1) * w, x - x.max(1, keepdims=True)
    sums = [running[:16].sum(0), running[16:].sum(0)]
    np.testing.assert_allclose(found["Y"], running + rest, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(found["X"], rest, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(found["S"][:2], sums, rtol=1e-4, atol=1e-3)


def loop_arrays(shape, seed=0):
    """Return the arrays of `LOOPS`; results are NaN."""
    rng = np.random.default_rng(seed)
    rows, columns = shape
    x, w = (rng.standard_normal(extents).astype(np.float32) for extents in (shape, columns))
    missing = np.float32("nan")
    return {
        "X": x,
        "W": w,
        "S": np.full(rows, missing),
        "T": np.full(rows, missing),
        "Y": np.full(shape, missing),
    }


def check_loops(given, found):
    """Compare the results with NumPy."""
    x, w = given["X"].astype(np.float64), given["W"].astype(np.float64)
    top = x.max(1, keepdims=True)
    np.testing.assert_allclose(found["S"], np.log(np.exp(x - top).sum(1)) + top[:, 0], rtol=1e-5)
    decayed = np.zeros(len(x))
    for first in range(0, x.shape[1], 1024):
        decayed = decayed * 0.5 + x[:, first : first + 1024].sum(1)
    np.testing.assert_allclose(found["T"], decayed, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(found["Y"], (x - top) * w, rtol=1e-5, atol=1e-5)
