"""Single elements on the emulator: gather, scatter, scalars, atomics, under several orders."""

import numpy as np
import pytest

import tilec
from tests.support.element_cases import CASES, ZEROED, load_kernels, runs
from tests.support.feature_cases import check_feature

SMALLEST = [run for run in runs() if run[1] != CASES[run[0]][0]]
RACING = ("locked_sum", "tickets", "flagged", "in_order", "histogram", "last_adds")


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts", "zeroed"), SMALLEST)
def test_elements(launch, kernels, name, sizes, layouts, zeroed):
    check_feature(launch, kernels[name], sizes, layouts, zeroed)


@pytest.mark.parametrize("name", RACING)
@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_warps_gives_the_same(launch, device, kernels, name, seed):
    device.seed, device.multiprocessors = seed, 1 + seed % 3
    check_feature(launch, kernels[name], CASES[name][-1], {}, ZEROED.get(name, "").split())


GATHERED_ROWS = """
@kernel
def rows[M, N](X: f16[M, 64], Y: f16[1, N, 64], first: i32):
    n = grid(cdiv(N, 32))
    at = n * 32 + arange(32) + first
    x = gather(X, (at[:, None], arange(64)[None, :]), pad=7.0)
    store(Y, (0, n, 0), reshape(x + f16(1), (1, 32, 64)))
"""


def test_wide_vectors_hold_gathered_rows_or_the_padding(device, tmp_path):
    """No array is accessed in the shape of the tile, so that its layout follows from the gather."""
    path = tmp_path / "rows.tile"
    path.write_text(GATHERED_ROWS)
    values = np.random.default_rng(0).standard_normal((40, 64)).astype(np.float16)
    x, y = device.array((40, 64), (64, 1), "<f2"), device.array((1, 64, 64), (4096, 64, 1), "<f2")
    x.view(np.float16)[...] = values
    kernel = tilec.load(path).rows
    kernel(x, y, -5)
    want = np.full((64, 64), 8, np.float16)
    want[5:45] = values + np.float16(1)
    np.testing.assert_array_equal(y.view(np.float16)[0], want)
    assert "@p ld.global.v4.b32" in kernel.compile(x, y, -5).ptx
