"""Reductions and scans of every kind on the CPU reference and on the emulator, against NumPy."""

import pytest

from tests.support.both_devices import run_both
from tests.support.reduction_cases import CASES, arrays, check, runs, source


@pytest.mark.parametrize(
    ("name", "shape", "axis"), list(runs(complete=("sum", "pick", "pick_beyond", "pick_zero")))
)
def test_reduction(device, name, shape, axis):
    case = CASES[name]
    given = arrays(case, shape, axis)
    for found in run_both(device, source(case, shape, axis), given):
        check(case, given["X"], found.data()["Y"], axis)
