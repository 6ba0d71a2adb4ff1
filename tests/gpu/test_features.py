"""Kernels that exercise the language on the GPU against the CPU reference."""

from functools import partial

import pytest

from tests.support.feature_cases import check_feature, load_kernels, runs
from tests.support.gpu_arrays import launch_on_gpu

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts"), list(runs()))
def test_feature(torch, kernels, name, sizes, layouts):
    check_feature(partial(launch_on_gpu, torch), kernels[name], sizes, layouts)
