"""Products whose B operand threads compute from what is loaded, on the GPU."""

from functools import partial

import pytest

from tests.support.gpu_arrays import launch_on_gpu
from tests.support.weight_cases import CASES, run

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("case", CASES, ids=str)
def test_computed_weights(torch, tmp_path, case):
    assert case.instruction in run(case, partial(launch_on_gpu, torch), tmp_path)
