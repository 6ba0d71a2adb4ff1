"""Single elements on the GPU against the CPU reference: gather, scatter, scalars, atomics."""

from functools import partial

import pytest

from tests.support.element_cases import load_kernels, runs
from tests.support.feature_cases import check_feature
from tests.support.gpu_arrays import launch_on_gpu

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize(("name", "sizes", "layouts", "zeroed"), list(runs()))
def test_elements(torch, kernels, name, sizes, layouts, zeroed):
    check_feature(partial(launch_on_gpu, torch), kernels[name], sizes, layouts, zeroed)
