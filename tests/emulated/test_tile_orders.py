"""Causal attention on the emulator, with its long and short tiles dealt out to several CTAs."""

import pytest

from tests.support.example_cases import EXAMPLES, check_example
from tilec.runtime.jit import load
from tilec.testing.check import Variant

PATH = next(path for path in EXAMPLES if path.stem == "attention")
SIZES = {"B": 2, "S": 330, "H": 2, "G": 1, "D": 64}


@pytest.fixture(scope="module")
def kernel():
    return load(PATH)["attention"]


@pytest.mark.parametrize("multiprocessors", [1, 5, 12])
def test_waves_of_any_size_cover_the_grid(device, launch, kernel, multiprocessors):
    device.multiprocessors = multiprocessors
    check_example(launch, kernel, PATH, Variant(SIZES))
