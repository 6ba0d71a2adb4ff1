"""Kernels written from the documentation alone, against NumPy."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.stranger_cases import BF16, CASES, PATH, parameters
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.mark.parametrize("name", parameters())
def test_stranger(torch, kernels, name):
    given, scalars, expected = CASES[name]()
    arrays = {key: on_gpu(torch, values) for key, values in given.items()}
    getattr(kernels, name)(**arrays, **scalars)
    for key, exact in expected.items():
        found = arrays[key].double().cpu().numpy()
        np.testing.assert_allclose(found, exact, atol=2.0**-7 * np.abs(exact).max(), rtol=0)


def on_gpu(torch, values):
    if values.dtype == BF16:
        return torch.from_numpy(values.view(np.int16)).cuda().view(torch.bfloat16)
    if values.dtype == ml_dtypes.float8_e4m3fn:
        return torch.from_numpy(values.view(np.uint8)).cuda().view(torch.float8_e4m3fn)
    return torch.from_numpy(values.copy()).cuda()
