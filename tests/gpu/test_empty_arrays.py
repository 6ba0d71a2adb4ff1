"""Arrays without elements, on the GPU: the other ones are written."""

import pytest

import tilec
from tests.support.empty_cases import CASES, FILE
from tests.support.gpu_arrays import POISON, launch_on_gpu

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", CASES)
def test_empty_arrays(torch, name):
    arguments = CASES[name].arguments()
    launch_on_gpu(torch, getattr(tilec.load(FILE), name), arguments)
    CASES[name].check(arguments)


@pytest.mark.parametrize("name", CASES)
def test_packages_take_empty_arrays(torch, name):
    arguments = CASES[name].arguments()
    launch_on_gpu(torch, tilec.compile(FILE, kernel=name)[name], arguments)
    CASES[name].check(arguments)


def test_an_empty_tensor_of_torch_has_no_address(torch):
    a = torch.empty(70, 0, dtype=torch.float16, device="cuda")
    c = torch.full((70, 90), POISON, device="cuda")
    assert a.data_ptr() == 0
    for _ in range(3):
        tilec.load(FILE).product(a, a.new_empty(0, 90), c)
    assert not c.any()
