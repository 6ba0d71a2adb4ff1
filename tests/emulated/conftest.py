"""Kernels that run on the emulator: `device` is one, `multiply` runs a product on it."""

from functools import partial

import numpy as np
import pytest

import tilec
from tests.support.emulated_gemm import Gemm, matrix
from tilec.runtime.cuda.current import set_driver
from tilec.support.environment import cache_directory
from tools.emulator.device import EmulatedDriver, launch_copies


@pytest.fixture(scope="module", autouse=True)
def kernel_cache(session_cache, request):
    """Keep the kernels of a file of tests in a folder, which the workers of a session share.

    A folder is searched for what is old whenever a kernel is stored, so each file has its own.
    """
    folder = cache_directory() / request.module.__name__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tilec.runtime.cache.cache_directory", lambda: folder)
        yield


@pytest.fixture(scope="module")
def device():
    """Stand in for the GPU. Kernels keep what they loaded on it, so it outlives one test."""
    made = EmulatedDriver()
    previous = set_driver(made)
    yield made
    set_driver(previous)


@pytest.fixture
def launch(device):
    """Return what runs a kernel on copies of its `Arguments` and copies them back."""
    return partial(launch_copies, device)


@pytest.fixture
def multiply(device):
    def run(case: Gemm, seed: int = 0) -> None:
        m, n, k = case.extents
        rng = np.random.default_rng(seed)
        left, right = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
        a = matrix(device, m, k, case.layout[0], left)
        b = matrix(device, k, n, case.layout[1], right)
        c = matrix(device, m, n, case.layout[2])
        device.seed, device.multiprocessors = seed, case.multiprocessors
        tile = dict(zip(("BM", "BN", "BK"), case.tile, strict=True))
        tilec.loads(case.source, "matmul.tile").matmul(a, b, c, **tile)
        want = left.astype(np.float32) @ right.astype(np.float32)
        np.testing.assert_allclose(c.view(np.float16), want, rtol=2e-3, atol=2e-3 * k**0.5)
        assert c.is_intact_around()

    return run
