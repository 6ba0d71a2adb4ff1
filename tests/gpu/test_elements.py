"""Single elements on the GPU against the CPU reference: gather, scatter, scalars, atomics."""

from functools import partial

import pytest

from tests.support.element_cases import CASES, LAYOUTS, ZEROED, load_kernels
from tests.support.feature_cases import check_feature
from tests.support.gpu_arrays import launch_on_gpu

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.mark.parametrize("layouts", LAYOUTS)
@pytest.mark.parametrize(("name", "sizes"), [(n, size) for n in CASES for size in CASES[n]])
def test_elements(torch, kernels, name, sizes, layouts):
    launch = partial(launch_on_gpu, torch)
    check_feature(launch, kernels[name], sizes, layouts, ZEROED.get(name, "").split())
