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


PAIRS = """
@kernel
def pairs[N](X: {kind}[N], A: {kind}[N], B: {kind}[N], C: {kind}[N], D: {kind}[N]):
    n = grid(cdiv(N, 64))
    at = n * 64 + arange(64)
    x = load(X, n, (64,))
    atomic_max(A, at, x)
    atomic_min(B, at, x)
    scatter(C, at, atomic_max(C, at, x))
    scatter(D, at, atomic_min(D, at, x, mask=at % 3 > 0))
"""
NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1e-40, -1e-40, np.inf, -np.inf, np.nan, -np.nan)


@pytest.mark.parametrize(("kind", "type_"), [("f32", np.float32), ("f64", np.float64)])
def test_floats_of_any_sign_are_compared_bit_by_bit_as_on_the_cpu(device, kind, type_):
    size = np.dtype(type_).itemsize
    bits = np.dtype(f"i{size}")
    old, new = (np.ravel(item).astype(type_) for item in np.meshgrid(NUMBERS, NUMBERS))
    kernel = tilec.loads(PAIRS.format(kind=kind)).pairs
    on_cpu = [np.array(item) for item in (new, old, old, old, old)]
    kernel(*on_cpu)
    on_gpu = [device.array((old.size,), (1,), f"<f{size}") for _ in on_cpu]
    for array, values in zip(on_gpu, (new, old, old, old, old), strict=True):
        array.view(type_)[...] = values
    kernel(*on_gpu)
    for found, expected in zip(on_gpu, on_cpu, strict=True):
        np.testing.assert_array_equal(found.view(bits), expected.view(bits))
    known = ~np.isnan(old)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(on_cpu[1][known], np.maximum(new, old)[known])
        np.testing.assert_array_equal(on_cpu[2][known], np.minimum(new, old)[known])
    np.testing.assert_array_equal(on_cpu[3].view(bits), old.view(bits))
