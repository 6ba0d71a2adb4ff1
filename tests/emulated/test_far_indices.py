"""Tile indices whose first element lies beyond 32 bits: nothing is there, on either side."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import agree

BF16 = np.dtype(ml_dtypes.bfloat16)
TILES = 2**32 // 64
"""Tiles of 64 elements until a 32-bit coordinate comes round to 0."""
FAR = (1, 2, -1, -2, TILES // 2, TILES // 2 - 1, -TILES // 2, TILES - 1, 2**31 - 1, -(2**31))
WRAPPED = (TILES, -TILES, TILES // 4 * 3 + 1, -TILES + 1)


def line(length, first=1.0, kind=np.float32):
    return (np.arange(length) % 50 + first).astype(kind)


@pytest.mark.parametrize("option", ["", ", allow_tma=False"])
@pytest.mark.parametrize("length", [64, 50])
@pytest.mark.parametrize("index", [0, *FAR, *WRAPPED])
def test_a_scalar_index(device, option, length, index):
    source = f"""@kernel
def k[N](X: f32[N], Y: f32[N], Z: f32[64], s: i32):
    i = grid(1)
    store(Y, s, load(X, 0, 64){option})
    store(Z, 0, load(X, s, 64, pad=7.5{option}){option})
"""
    arrays = {"X": line(length), "Y": line(length, 100.0), "Z": np.zeros(64, np.float32)}
    found = agree(device, source, arrays, s=index)
    inside = index == 0
    np.testing.assert_array_equal(found["Y"], arrays["X"] if inside else arrays["Y"])
    assert (found["Z"] == 7.5).sum() == (64 - length if inside else 64)


@pytest.mark.parametrize("pad", ["0", "inf"])
def test_a_loop_over_far_tiles(device, pad):
    source = f"""@kernel
def k[N](X: f32[N], Y: f32[N], first: i32, step: i32):
    i = grid(1)
    total = zeros(64, f32)
    for r in range(4):
        total = total + load(X, first + r * step, 64, pad={pad})
    store(Y, 0, minimum(total, 1e6))
"""
    arrays = {"X": line(64), "Y": np.zeros(64, np.float32)}
    found = agree(device, source, arrays, first=0, step=TILES // 2)
    assert (found["Y"] == (arrays["X"] if pad == "0" else 1e6)).all()


def test_a_loop_to_a_far_bound(device):
    source = """@kernel
def k[N](X: f32[N], Y: f32[N], first: i32, last: i32):
    i = grid(1)
    for r in range(first, last):
        store(Y, r, load(X, r - first, 64))
"""
    arrays = {"X": line(64), "Y": line(64, 100.0)}
    agree(device, source, arrays, first=TILES - 1, last=TILES + 1)


def test_constant_indices(device):
    source = f"""@kernel
def k[N](X: f32[N], Y: f32[N], Z: f32[N]):
    i = grid(1)
    store(Y, {TILES}, load(X, 0, 64))
    store(Z, 0, load(X, {TILES}, 64) + load(X, {TILES // 2 - 1}, 64))
"""
    arrays = {"X": line(64), "Y": line(64, 100.0), "Z": line(64)}
    found = agree(device, source, arrays)
    assert not found["Z"].any()


@pytest.mark.parametrize("row", [0, 1, 2**25, 2**26, -(2**26), 2**30 + 1])
@pytest.mark.parametrize("column", [0, 2**24, 2**25 + 1, -1])
def test_rows_and_columns(device, row, column):
    source = """@kernel
def k[M, N](A: bf16[M, N], B: bf16[M, N], r: i32, c: i32):
    i = grid(1)
    store(B, (r, c), load(A, (r, c), (64, 128)))
"""
    shape = (70, 136)
    arrays = {"A": np.full(shape, 1, BF16), "B": np.full(shape, 3, BF16)}
    found = agree(device, source, arrays, r=row, c=column)
    assert (found["B"] == 1).any() == ((row, column) in ((0, 0), (1, 0)))


def test_an_index_computed_by_division(device):
    source = """@kernel
def k[N](X: f32[N], Y: f32[N], s: i32):
    i = grid(8)
    t = i * (s // 8)
    store(Y, t, load(X, t // 2, 64), allow_tma=False)
"""
    arrays = {"X": line(100), "Y": line(100, 100.0)}
    agree(device, source, arrays, s=2**28 * 7)


def test_uneven_tiles(device):
    source = """@kernel(any_tile_extents=True)
def k[M, N](A: f32[M, N], B: f32[M, N], s: i32):
    i = grid(1)
    store(B, (s, 0), load(A, (0, 0), (24, 32)), allow_tma=False)
"""
    arrays = {name: line(24 * 32, n * 50).reshape(24, 32) for n, name in enumerate("AB")}
    for index in (-(-(2**32) // 24), 2**32 // 24, -(2**32 // 24), 2**31 // 24, 2**31 // 24 + 1):
        found = agree(device, source, arrays, s=index)
        np.testing.assert_array_equal(found["B"], arrays["B"])
