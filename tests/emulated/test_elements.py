"""Single elements on the emulator: gather, scatter, scalars, atomics, under several orders."""

import pytest

from tests.support.element_cases import CASES, ZEROED, load_kernels, runs
from tests.support.feature_cases import check_feature

SMALLEST = [run for run in runs() if run[1] != CASES[run[0]][0]]
RACING = ("locked_sum", "tickets", "flagged", "in_order", "histogram", "last_adds")


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts", "zeroed"), SMALLEST)
def test_elements(launch, kernels, name, sizes, layouts, zeroed):
    check_feature(launch, kernels[name], sizes, layouts, zeroed)


@pytest.mark.parametrize("name", RACING)
@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_warps_gives_the_same(launch, device, kernels, name, seed):
    device.seed, device.multiprocessors = seed, 1 + seed % 3
    check_feature(launch, kernels[name], CASES[name][-1], {}, ZEROED.get(name, "").split())
