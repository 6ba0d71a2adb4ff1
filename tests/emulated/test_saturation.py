"""Conversions to 8-bit floats on the emulator: constants and data saturate alike."""

import numpy as np
import pytest

import tilec
from tilec.testing.check import Arguments, make_array

CONSTANTS = """
@kernel
def constants(A: f8e4m3[8, 16], B: f8e5m2[8, 16]):
    i = grid(1)
    store(A, (0, 0), cast(full((1, 16), 100, u16) ** 2, f8e4m3))
    store(A, (1, 0), cast(full((1, 16), -100, i64) * full((1, 16), 100, i64), f8e4m3))
    store(A, (2, 0), cast(rsqrt(full((1, 16), 0.0, f64)), f8e4m3))
    store(A, (3, 0), cast(sqrt(full((1, 16), -1.0, f32)), f8e4m3))
    store(B, (0, 0), cast(full((1, 16), 300, u32) * full((1, 16), 300, u32), f8e5m2))
    store(B, (1, 0), cast(-rsqrt(full((1, 16), 0.0, f32)), f8e5m2))
    infinite = full((1, 16), 300.0, f16) * full((1, 16), 300.0, f16)
    store(B, (2, 0), cast(cast(infinite, bf16), f8e5m2))
    store(B, (3, 0), cast(full((1, 16), 3, i32) + full((1, 16), 4, i32), f8e5m2))
"""
DATA = """
@kernel
def data(X: f32[1, 16], A: f8e4m3[1, 16], B: f8e5m2[1, 16]):
    i = grid(1)
    x = load(X, (0, 0), (1, 16))
    store(A, (0, 0), cast(x, f8e4m3))
    store(B, (0, 0), cast(x, f8e5m2))
"""


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "saturation.tile"
    path.write_text(CONSTANTS + DATA)
    return tilec.load(path)


def outputs(rows):
    return {
        name: make_array(name, dtype, (rows, 16))
        for name, dtype in (("A", "f8e4m3"), ("B", "f8e5m2"))
    }


def test_constants(launch, kernels):
    arguments = Arguments(outputs(8), {})
    launch(kernels.constants, arguments)
    found = {name: array[:4, 0].astype(float) for name, array in arguments.data().items()}
    np.testing.assert_array_equal(found["A"], [448, -448, 448, np.nan])
    np.testing.assert_array_equal(found["B"], [57344, -57344, 57344, 7])


def test_data(launch, kernels):
    x = [0, 464, 465, -1e6, np.inf, -np.inf, np.nan, 61439, 61440, -57344, 1e30, 1, 2, 3, 4, 5]
    source = make_array("X", "f32", (1, 16))
    source.data[...] = x
    arguments = Arguments({"X": source, **outputs(1)}, {})
    launch(kernels.data, arguments)
    for name, largest in (("A", 448), ("B", 57344)):
        found = arguments.data()[name][0]
        expected = np.clip(x, -largest, largest).astype(found.dtype)
        np.testing.assert_array_equal(found.astype(float), expected.astype(float))
