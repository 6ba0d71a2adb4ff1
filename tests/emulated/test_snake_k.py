"""Tiles whose k-tiles are visited backwards, on the emulator: bit by bit."""

import numpy as np
import pytest

import tilec
from tests.support.gemm_source import gemm_source

SOURCE = gemm_source(hints="snake_k={snake}", operands="f16", result="f32", rows=64, columns=64)
TILES, DEPTH = 4, 512


@pytest.fixture
def multiply(device, tmp_path):
    """Return what multiplies on as many SMs; tile t is rows 64 t to 64 t + 63 of the result."""

    def run(left, right, *, snake: bool, multiprocessors: int):
        path = tmp_path / f"product{snake}.tile"
        path.write_text(SOURCE.format(snake=snake))
        device.multiprocessors = multiprocessors
        a, b = (device.array(x.shape, (x.shape[1], 1), "<f2") for x in (left, right))
        a.view(np.float16)[...], b.view(np.float16)[...] = left, right
        c = device.array((len(left), 64), (64, 1), "<f4")
        tilec.load(path).product(a, b, c)
        return c.view(np.float32).copy().reshape(TILES, 64, 64)

    return run


@pytest.mark.parametrize("multiprocessors", [1, 2, 4])
def test_every_second_wave_is_the_sum_from_the_other_end(multiply, multiprocessors):
    rng = np.random.default_rng(multiprocessors)
    left = rng.standard_normal((TILES * 64, DEPTH)).astype(np.float16)
    right = rng.standard_normal((DEPTH, 64)).astype(np.float16)
    turned = np.arange(DEPTH).reshape(-1, 64)[::-1].ravel()
    forwards = multiply(left, right, snake=False, multiprocessors=multiprocessors)
    backwards = multiply(
        left[:, turned], right[turned], snake=False, multiprocessors=multiprocessors
    )
    found = multiply(left, right, snake=True, multiprocessors=multiprocessors)
    for tile in range(TILES):
        odd = tile // multiprocessors % 2 == 1
        same, other = (backwards, forwards) if odd else (forwards, backwards)
        assert np.array_equal(found[tile], same[tile])
        assert not np.array_equal(found[tile], other[tile])
