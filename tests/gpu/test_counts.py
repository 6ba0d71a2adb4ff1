"""Histograms on the GPU against the CPU reference."""

from functools import partial

import pytest

from tests.support.count_cases import CASES, ZEROED, load_kernels
from tests.support.feature_cases import check_feature
from tests.support.gpu_arrays import launch_on_gpu

pytestmark = pytest.mark.gpu
RUNS = [(name, sizes) for name, cases in CASES.items() for sizes in cases]


@pytest.mark.parametrize(("name", "sizes"), RUNS)
def test_counts(torch, name, sizes):
    kernel, zeroed = load_kernels()[name], ZEROED.get(name, "")
    check_feature(partial(launch_on_gpu, torch), kernel, sizes, {}, zeroed)
