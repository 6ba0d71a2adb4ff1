"""Loads of rows that begin anywhere: by aligned vectors, which are shifted into place."""

import numpy as np
import pytest

import tilec
from tests.support.emulated_gemm import ROOT

PRODUCT = ROOT / "examples/matmul.tile"
EXPONENTIALS = """
@kernel
def exponentials[N, L](X: f16[N, L], Y: f32[1, L], BN: const = 64, BL: const = 64):
    x = load(X, (0, 0), (BN, BL), pad=-inf)
    ones = cast(zeros((64, BN), f32) + 1.0, f16)
    store(Y, (0, 0), mma(ones, cast(exp2(cast(x, f32)), f16), zeros((64, BL), f32)))
"""
BYTES = """
@kernel
def bytes_product[M, N, L](X: i8[M, N], W: i8[N, L], Y: i32[M, L], BL: const = 64):
    acc = zeros((64, BL), i32)
    for k in range(cdiv(N, 64)):
        acc = mma(load(X, (0, k), (64, 64)), load(W, (k, 0), (64, BL)), acc)
    store(Y, (0, 0), acc)
"""
ROW_SUMS = """
@kernel
def row_sums[M, N](X: f16[M, N], Y: f32[M], BN: const = 1024):
    m = grid(M)
    total = zeros((1, 1), f32)
    for j in range(cdiv(N, BN)):
        total += sum(cast(load(X, (m, j), (1, BN)), f32), axis=1, keepdims=True)
    store(Y, m, reshape(total, (1,)))
"""


def odd_matrix(device, values, first, typestr="<f2"):
    """Return a matrix without room between rows, `first` elements after an aligned address."""
    made = device.array(values.shape, (values.shape[1], 1), typestr, first)
    made.view(values.dtype)[...] = values
    return made


@pytest.mark.parametrize("first", range(8))
@pytest.mark.parametrize(("m", "n", "k"), [(37, 53, 71), (64, 65, 129), (1, 3, 5)])
def test_odd_pitches(device, first, m, n, k):
    """Rows end inside of vectors; the first and the last vector hold memory of nobody."""
    rng = np.random.default_rng(first)
    left, right = (rng.standard_normal(s).astype(np.float16) for s in ((m, k), (k, n)))
    a, b = odd_matrix(device, left, first), odd_matrix(device, right, 7 - first)
    c = odd_matrix(device, np.zeros((m, n), np.float16), first)
    tilec.load(PRODUCT).matmul(a, b, c, BM=64, BN=64, BK=64, T="f16")
    want = left.astype(np.float32) @ right.astype(np.float32)
    np.testing.assert_allclose(c.view(np.float16), want, rtol=2e-3, atol=2e-2)
    assert c.is_intact_around()


def test_padding_with_infinity(device, tmp_path):
    """Elements outside of the array are what the source says."""
    path, (n, width) = tmp_path / "padded.tile", (13, 41)
    path.write_text(EXPONENTIALS)
    x = odd_matrix(device, np.ones((n, width), np.float16), 3)
    y = device.array((1, width), (width, 1), "<f4")
    tilec.load(path).exponentials[1](x, y)
    np.testing.assert_array_equal(y.view(np.float32), np.full((1, width), 2.0 * n))


def test_bytes(device, tmp_path):
    """Runs of sixteen bytes are shifted, too."""
    path, (m, n, width) = tmp_path / "bytes.tile", (13, 101, 41)
    path.write_text(BYTES)
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 9, shape).astype(np.int8) for shape in ((m, n), (n, width)))
    arrays = [odd_matrix(device, item, 3, "|i1") for item in (x, w)]
    y = device.array((m, width), (width, 1), "<i4")
    tilec.load(path).bytes_product[1](*arrays, y)
    np.testing.assert_array_equal(y.view(np.int32), x.astype(np.int32) @ w.astype(np.int32))


@pytest.mark.parametrize("width", [1, 7, 8, 250, 1025, 2047])
def test_aligned_rows_of_any_length(device, tmp_path, width):
    """A run that the end of a row cuts is one vector, and TMA does not move such rows."""
    path, (m, pitch) = tmp_path / "rows.tile", (3, 2048)
    path.write_text(ROW_SUMS)
    rng = np.random.default_rng(width)
    x = device.array((m, width), (pitch, 1), "<f2")
    values = rng.integers(-9, 9, (m, width)).astype(np.float16)
    x.view(np.float16)[...] = values
    y = device.array((m,), (1,), "<f4")
    kernel = tilec.load(path).row_sums
    kernel(x, y)
    np.testing.assert_array_equal(y.view(np.float32), values.astype(np.float32).sum(axis=1))
    if width % 8:
        ptx = kernel.compile(x, y).ptx
        assert "ld.global.v4.b32" in ptx
        assert "shf.r" not in ptx
        assert "cp.async.bulk" not in ptx


@pytest.mark.parametrize(
    ("width", "tile", "warps"), [(5001, 5120, 4), (641, 1280, 4), (4097, 4352, 8)]
)
@pytest.mark.parametrize("first", [0, 3])
def test_a_block_has_the_warps_whose_threads_load_runs(device, first, width, tile, warps):
    """40 elements a thread are five runs, 10 are none, and so are 17 and 34."""
    source = ROW_SUMS.replace("@kernel", "@kernel(any_tile_extents=True)")
    values = np.random.default_rng(width).integers(-9, 9, (3, width)).astype(np.float16)
    x, y = odd_matrix(device, values, first), device.array((3,), (1,), "<f4")
    kernel = tilec.loads(source).row_sums
    kernel(x, y, BN=tile)
    np.testing.assert_array_equal(y.view(np.float32), values.astype(np.float32).sum(axis=1))
    made = kernel.compile(x, y, BN=tile)
    assert made.plan["consumer_warps"] == warps
    assert ("ld.global.v4.b32" in made.ptx) == (tile == 5120)
