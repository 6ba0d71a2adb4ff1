"""Histograms on the emulator, under several orders of the warps."""

import pytest

from tests.support.count_cases import CASES, ZEROED, load_kernels
from tests.support.feature_cases import check_feature


@pytest.mark.parametrize("name", CASES)
def test_counts(launch, device, name):
    device.seed, device.multiprocessors = len(name), 2
    check_feature(launch, load_kernels()[name], CASES[name][-1], {}, ZEROED.get(name, ""))
