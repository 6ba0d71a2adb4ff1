"""Masks that are computed only for some tiles, on the GPU, against NumPy."""

import numpy as np
import pytest

import tilec
from tests.support.both_devices import host_array
from tests.support.gpu_arrays import launch_on_gpu
from tests.support.mask_cases import CASES, arrays, expected, runs, source
from tilec.testing.check import Arguments

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("name", "size", "window", "rounds"), list(runs()))
def test_mask(torch, tmp_path, name, size, window, rounds):
    path = tmp_path / "kernel.tile"
    path.write_text(source(CASES[name]))
    (kernel,) = tilec.load(path)
    given = arrays(*size)
    scalars = {"W": window, "rounds": rounds}
    arguments = Arguments({key: host_array(key, item) for key, item in given.items()}, scalars)
    launch_on_gpu(torch, kernel, arguments)
    wanted = expected(CASES[name], given, window, rounds)
    np.testing.assert_array_equal(arguments.data()["T"], wanted)
