"""Assertions of the running kernel, on the CPU reference and on the emulator."""

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.assertion_cases import CASES, SOURCE, arrays, check_failure
from tests.support.both_devices import host_array
from tilec.testing.check import Arguments
from tools.emulator.device import launch_copies


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    return tilec.load(path)


def arguments(given):
    scalars = dict(given)
    made = arrays(np, scalars.pop("large", None))
    return Arguments({name: host_array(name, item) for name, item in made.items()}, scalars)


@pytest.mark.parametrize("where", ["cpu", "emulator"])
@pytest.mark.parametrize(("given", "line", "message"), CASES)
def test_an_assertion_says_where_it_failed(device, kernels, where, given, line, message):
    made = arguments(given)

    def run():
        if where == "cpu":
            kernels.checked(**made.data(), **made.scalars)
        else:
            launch_copies(device, kernels.checked, made)

    if line is None:
        run()
        np.testing.assert_array_equal(made.data()["C"], made.data()["A"] + 3)
        return
    with pytest.raises(tilec.KernelAssertionError) as caught:
        run()
    check_failure(caught, line, message)


def test_a_kernel_can_be_launched_again(device, kernels):
    made = arguments({"n": 3, "rows": 1})
    with pytest.raises(AssertionError):
        launch_copies(device, kernels.checked, made)
    again = arguments({"n": 2, "rows": 9})
    launch_copies(device, kernels.checked, again)
    np.testing.assert_array_equal(again.data()["C"], again.data()["A"] + 2)


@pytest.mark.parametrize("plan", [{}, {"persistent": 1}, {"cluster": (2, 1)}])
def test_a_product_may_be_checked(device, tmp_path, plan):
    path = tmp_path / "product.tile"
    path.write_text(SOURCE)
    kernel = tilec.Kernel(tilec.load(path).product.text, "product", plan)
    one = np.ones((256, 128), ml_dtypes.bfloat16)
    other, out = np.ones((128, 256), one.dtype), np.zeros((256, 256), one.dtype)
    for limit in (129.0, 128.0):
        made = Arguments(
            {n: host_array(n, a) for n, a in (("A", one), ("B", other), ("C", out))},
            {"limit": limit},
        )
        if limit == 129.0:
            launch_copies(device, kernel, made)
            assert (made.data()["C"] == 128).all()
            continue
        with pytest.raises(tilec.KernelAssertionError) as caught:
            launch_copies(device, kernel, made)
        check_failure(caught, 21, "sums are small")
