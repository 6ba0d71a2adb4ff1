"""Single elements on the emulator: gather, scatter, scalars, atomics, under several orders."""

import pytest

from tests.support.element_cases import CASES, LAYOUTS, ZEROED, load_kernels
from tests.support.feature_cases import check_feature

SMALLEST = [
    (name, sizes, layouts) for name in CASES for sizes in CASES[name][1:] for layouts in LAYOUTS
]
RACING = ("locked_sum", "tickets", "flagged", "in_order", "histogram")


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts"), SMALLEST)
def test_elements(launch, kernels, name, sizes, layouts):
    check_feature(launch, kernels[name], sizes, layouts, ZEROED.get(name, "").split())


@pytest.mark.parametrize("name", RACING)
@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_warps_gives_the_same(launch, device, kernels, name, seed):
    device.seed, device.multiprocessors = seed, 1 + seed % 3
    check_feature(launch, kernels[name], CASES[name][-1], {}, ZEROED.get(name, "").split())
