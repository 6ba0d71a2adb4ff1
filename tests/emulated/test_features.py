"""Kernels that exercise the language on the emulator, at their smallest and oddest sizes."""

import pytest

from tests.support.feature_cases import (
    CASES,
    PRODUCT_TYPES,
    REGISTER_OPERANDS,
    check_feature,
    load_kernels,
    runs,
)

_PRODUCTS = {**PRODUCT_TYPES, **REGISTER_OPERANDS}
RUNS = [
    pytest.param(name, sizes, layouts, id=f"{name}-{'-'.join(layouts.values()) or 'row'}")
    for name, sizes, layouts in runs()
    if sizes == CASES[name][-1] and (name not in _PRODUCTS or not layouts)
]
"""The layouts of products of all types run on the GPU only: each takes the emulator a second."""


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
