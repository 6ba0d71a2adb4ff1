"""Assertions of the running kernel on a real device: the place, and a context that goes on."""

import numpy as np
import pytest

import tilec
from tests.support.assertion_cases import CASES, SOURCE, arrays, check_failure

pytestmark = pytest.mark.gpu


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    return tilec.load(path)


@pytest.mark.parametrize(("given", "line", "message"), CASES)
def test_an_assertion_says_where_it_failed(torch, kernels, given, line, message):
    scalars = dict(given)
    made = arrays(np, scalars.pop("large", None))
    made = {name: torch.from_numpy(item).cuda() for name, item in made.items()}
    if line is not None:
        with pytest.raises(tilec.KernelAssertionError) as caught:
            kernels.checked(**made, **scalars)
        check_failure(caught, line, message)
    else:
        kernels.checked(**made, **scalars)
    torch.cuda.synchronize()
    # The kernel runs to its end, whether or not an assertion failed.
    assert torch.equal(made["C"], made["A"] + scalars["n"])


def test_a_product_may_be_checked(torch, kernels):
    a = torch.ones(512, 256, device="cuda").bfloat16()
    b = torch.ones(256, 512, device="cuda").bfloat16()
    c = torch.zeros(512, 512, device="cuda").bfloat16()
    kernels.product(a, b, c, 257.0)
    assert (c == 256).all()
    with pytest.raises(tilec.KernelAssertionError):
        kernels.product(a, b, c, 256.0)
    kernels.product(a, b, c, 257.0)
