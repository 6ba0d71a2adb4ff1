"""Kernels that exercise the language on the emulator, at their smallest and oddest sizes."""

import pytest

from tests.support.feature_cases import (
    CASES,
    PRODUCT_TYPES,
    REGISTER_OPERANDS,
    check_feature,
    layouts_of,
    load_kernels,
)

_PRODUCTS = {**PRODUCT_TYPES, **REGISTER_OPERANDS}


def emulated_runs():
    """Yield for each kernel its smallest size with one of its layouts, not the same for all.

    All sizes, and all layouts, run on the GPU. Products of all types have the first layout here,
    because others take the emulator a second.
    """
    for number, (name, sizes) in enumerate(CASES.items()):
        layouts = layouts_of(name)
        yield name, sizes[-1], layouts[0 if name in PRODUCT_TYPES else number % len(layouts)]


RUNS = [
    pytest.param(name, sizes, layouts, id=f"{name}-{'-'.join(layouts.values()) or 'row'}")
    for name, sizes, layouts in emulated_runs()
]


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts"), RUNS)
def test_feature(launch, kernels, name, sizes, layouts):
    check_feature(launch, kernels[name], sizes, layouts)


@pytest.mark.parametrize("seed", range(3))
def test_teams_have_scratch_areas_of_their_own(launch, device, kernels, seed):
    device.seed, device.multiprocessors = seed, 1
    check_feature(launch, kernels["mma_symmetric"], {"M": 256, "N": 256, "K": 128}, {})
