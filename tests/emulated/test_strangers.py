"""Kernels written from the documentation alone, on the emulator, against NumPy."""

import numpy as np
import pytest

from tests.support.both_devices import host_array
from tests.support.stranger_cases import CASES, PATH, moe_gather, parameters
from tilec.runtime.jit import load
from tilec.testing.check import Arguments
from tilec.testing.host_arrays import HostArray

LIMIT = 2.0**-7
"""Error of a result in bf16, relative to its largest element."""


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.mark.parametrize("name", parameters())
def test_stranger(launch, kernels, name):
    given, scalars, expected = CASES[name]()
    made = {key: host_array(key, values) for key, values in given.items()}
    check(launch, getattr(kernels, name), Arguments(made, scalars), expected)


def test_gathered_rows_that_end_in_the_middle_of_an_access(launch, kernels):
    """Rows begin at multiples of 16 bytes, but have 203 elements."""
    given, scalars, expected = moe_gather(203)
    made = {key: host_array(key, values) for key, values in given.items()}
    for key in ("X", "W"):
        shape, pitch = given[key].shape, 208
        memory = np.full((*shape[:-1], pitch), 77, given[key].dtype)
        memory[..., : shape[-1]] = given[key]
        strides = (pitch, 1) if len(shape) == 2 else (shape[1] * pitch, pitch, 1)
        made[key] = HostArray(key, "bf16", memory.reshape(-1), 0, shape, strides)
    check(launch, kernels.moe_gather, Arguments(made, scalars), expected)


def check(launch, kernel, arguments, expected):
    before = {name: array.memory.copy() for name, array in arguments.arrays.items()}
    launch(kernel, arguments)
    for name, exact in expected.items():
        found = arguments.data()[name].astype(np.float64)
        np.testing.assert_allclose(found, exact, atol=LIMIT * np.abs(exact).max(), rtol=0)
        assert arguments.arrays[name].stray_writes(before[name]) == 0
