"""Tiles in the order of what they cost, on the emulator: every one that does something, once."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array
from tests.support.ragged import PATH, Ragged
from tilec.runtime.jit import load
from tilec.testing.check import Arguments

CASES = [
    Ragged(),
    Ragged(longer=500),
    Ragged("no_rounds"),
    Ragged("no_rounds", causal=False, heads=(3, 3)),
    Ragged(lengths=(300,), tile=(128, 64)),
    Ragged(lengths=(0, 0, 1), heads=(1, 1)),
    Ragged(lengths=(0, 0), heads=(1, 1)),
    Ragged(lengths=tuple(range(1, 90, 2)), heads=(1, 1)),
]


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


def arguments_of(case):
    rng = np.random.default_rng(0)
    given = {
        name: rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
        for name, shape in case.shapes.items()
    }
    given["O"][:] = 77.0
    arrays = {**given, "C": case.bounds}
    made = {name: host_array(name, values) for name, values in arrays.items()}
    return given, Arguments(made, {**case.scalars, **case.constants})


@pytest.mark.parametrize("multiprocessors", [1, 3, 7])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_tile_is_computed(device, launch, kernels, case, multiprocessors):
    device.multiprocessors = multiprocessors
    given, arguments = arguments_of(case)
    launch(getattr(kernels, case.kernel), arguments)
    found = arguments.data()["O"].astype(np.float64)
    exact = case.expected(given)
    largest = max(1.0, np.abs(exact).max(initial=0.0))
    np.testing.assert_allclose(found, exact, atol=2.0**-7 * largest, rtol=0)
