"""Reductions and scans of every kind on the GPU, against NumPy."""

from functools import partial

import pytest

import tilec
from tests.support.both_devices import host_array
from tests.support.gpu_arrays import launch_on_gpu
from tests.support.reduction_cases import CASES, arrays, check, runs, source
from tilec.testing.check import Arguments

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("name", "shape", "axis"), list(runs()))
def test_reduction(torch, tmp_path, name, shape, axis):
    case = CASES[name]
    path = tmp_path / "kernel.tile"
    path.write_text(source(case, shape, axis))
    (kernel,) = tilec.load(path)
    given = arrays(case, shape, axis, seed=1)
    arguments = Arguments({key: host_array(key, item) for key, item in given.items()}, {})
    partial(launch_on_gpu, torch)(kernel, arguments)
    check(case, given["X"], arguments.data()["Y"], axis)
