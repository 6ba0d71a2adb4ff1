"""Stores to what was loaded, under several orders of warps and copies."""

import pytest

from tests.support.feature_cases import CASES, ORDER, check_feature, load_kernels

SEEDS = range(6)


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("seed", SEEDS)
def test_stores_come_after_the_loads_before_them(launch, device, kernels, name, seed):
    device.seed, device.multiprocessors = seed, 1 + seed % 3
    check_feature(launch, kernels[name], CASES[name][1], {})
