"""Loops whose rounds the CTAs of a cluster share, on the CPU reference and on the emulator."""

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.both_devices import host_array, run_both
from tilec.testing.check import Arguments
from tools.emulator.device import launch_copies

COLUMNS = """@kernel({plan})
def columns(X: bf16[M, N], W: f32[M], S: f32[N], T: f32[N], L: i32[N], D: i32[M, N]):
    n = grid(cdiv(N, 32))
    total = zeros((64, 32), f32)
    least = full((64, 32), 1000, i32)
    weighted = zeros((64, 32), f32)
    for i in range(cdiv(M, 64)):
        x = cast(load(X, (i, n), (64, 32)), f32)
        total += x
        weighted += x * load(W, i, 64)[:, None]
        least = minimum(least, load(D, (i, n), (64, 32)))
    store(S, n, sum(total, axis=0))
    store(T, n, sum(weighted, axis=0))
    store(L, n, min(least, axis=0))
"""


def columns_arrays(rows, columns):
    rng = np.random.default_rng(rows)
    return {
        "X": rng.standard_normal((rows, columns)).astype(ml_dtypes.bfloat16),
        "W": rng.standard_normal(rows).astype(np.float32),
        "S": np.full(columns, np.nan, np.float32),
        "T": np.full(columns, np.nan, np.float32),
        "L": np.full(columns, -1, np.int32),
        "D": rng.integers(1, 1000, (rows, columns)).astype(np.int32),
    }


def check_columns(given, found):
    x, w = given["X"].astype(np.float64), given["W"].astype(np.float64)
    np.testing.assert_allclose(found["S"], x.sum(0), atol=1e-3)
    np.testing.assert_allclose(found["T"], (x * w[:, None]).sum(0), atol=1e-3)
    rows = len(x)
    least = given["D"].min(0) if rows % 64 == 0 else np.minimum(given["D"].min(0), 0)
    np.testing.assert_array_equal(found["L"], least)


@pytest.mark.parametrize("rows", [64, 192, 1000])
@pytest.mark.parametrize("plan", ["share_rounds=True, spread=4", "share_rounds=True, spread=2", ""])
def test_ctas_share_the_rounds_of_a_loop(device, plan, rows):
    given = columns_arrays(rows, 64)
    for found in run_both(device, COLUMNS.format(plan=plan), given):
        check_columns(given, found.data())


SUMS = """@kernel
def sums[M](X: f32[M, N], S: f32[N], N: const):
    n = grid(cdiv(N, 64))
    total = zeros((256, 64), f32)
    for i in range(cdiv(M, 256)):
        total += load(X, (i, n), (256, 64))
    store(S, n, sum(total, axis=0))
"""


def test_launches_of_one_kernel_share_rounds_or_not(device):
    """With 4 rounds of 64 KB on, CTAs share them; one launch follows the other."""
    kernel = tilec.loads(SUMS).sums
    rng = np.random.default_rng(0)
    for rows, shared in ((700, False), (1100, True), (300, False)):
        x = rng.standard_normal((rows, 48)).astype(np.float32)
        given = Arguments({"X": host_array("X", x), "S": host_array("S", x[0])}, {"N": 48})
        launch_copies(device, kernel, given)
        found = given.data()
        np.testing.assert_allclose(found["S"], x.sum(0, dtype=np.float64), atol=1e-3)
        assert kernel.compile(**found, N=48).plan["share_rounds"] == shared


@pytest.mark.parametrize(("rows", "columns"), [(500, 35), (64, 62), (1000, 34)])
def test_threads_that_load_share_rounds(device, rows, columns):
    """Rows of such lengths begin anywhere, so TMA loads none of the tiles."""
    given = columns_arrays(rows, columns)
    for found in run_both(device, COLUMNS.format(plan="share_rounds=True, spread=8"), given):
        check_columns(given, found.data())
