"""Operands that threads copy to shared memory by `cp.async`, against NumPy."""

import numpy as np
import pytest

from tests.support.copied_cases import BF16, CASES, LIMIT, PATH, gathered_rows, one_row
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.mark.parametrize("name", CASES)
def test_product(torch, kernels, name):
    check(torch, kernels, *CASES[name]())


@pytest.mark.parametrize("repeat", range(20))
def test_many_rounds(torch, kernels, repeat):
    """The slots are filled often, in tiles that follow each other in a CTA."""
    check(torch, kernels, *gathered_rows(4104 + 64 * repeat, BN=256))


def test_one_row_of_odd_pitch(torch, kernels):
    """Rows outside of the array are zeros, and no address is misaligned."""
    kernel, given, constants, exact = one_row(136)
    arrays = {key: on_gpu(torch, values) for key, values in given.items()}
    arrays["X"] = arrays["X"].as_strided((1, 136), (137, 1))
    getattr(kernels, kernel)(**arrays, **constants)
    found = arrays["Y"].double().cpu().numpy()
    np.testing.assert_allclose(found, exact, atol=LIMIT * np.abs(exact).max(), rtol=0)


def check(torch, kernels, kernel, given, constants, exact):
    arrays = {key: on_gpu(torch, values) for key, values in given.items()}
    getattr(kernels, kernel)(**arrays, **constants)
    found = arrays["Y"].double().cpu().numpy()
    np.testing.assert_allclose(found, exact, atol=LIMIT * np.abs(exact).max(), rtol=0)


def on_gpu(torch, values):
    if values.dtype == BF16:
        return torch.from_numpy(values.view(np.int16)).cuda().view(torch.bfloat16)
    return torch.from_numpy(values.copy()).cuda()
