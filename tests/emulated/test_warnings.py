"""Products on the CUDA cores: the warning, and what changes it."""

import warnings

import numpy as np
import pytest

import tilec
from tests.support.gemm_source import gemm_source

SIZE = 64


@pytest.fixture
def product(device, tmp_path):
    """Return what multiplies two tiles of f32, given the options of `mma`."""

    def run(options=""):
        path = tmp_path / "product.tile"
        source = gemm_source(operands="f32", result="f32", rows=64, columns=64, depth=16)
        path.write_text(source.replace("acc)\n", f"acc{options})\n", 1))
        kernel = tilec.load(path).product
        arrays = [device.array((SIZE, SIZE), (SIZE, 1), "<f4") for _ in range(3)]
        for array in arrays[:2]:
            array.view(np.float32)[...] = 1.0
        for _ in range(2):
            kernel(*arrays)
        return arrays[2].view(np.float32)

    return run


def test_a_product_on_the_cuda_cores_warns_once(product):
    with pytest.warns(tilec.PerformanceWarning) as caught:
        result = product()
    assert (result == SIZE).all()
    (warning,) = caught
    text = str(warning.message)
    assert (
        "warning[T0541]: mma of 64 x 64 x 16, f32 and f32 into f32, runs on the CUDA cores" in text
    )
    assert "hint: write precision='tf32'" in text
    assert "acc = mma(" in text


def test_a_product_on_the_tensor_cores_does_not(product):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (product(", precision='tf32'") == SIZE).all()
