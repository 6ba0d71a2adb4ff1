"""Products whose B operand threads compute from what is loaded, on the emulator."""

import pytest

from tests.support.weight_cases import CASES, run


@pytest.mark.parametrize(("seed", "case"), list(enumerate(CASES)), ids=str)
def test_computed_weights(device, launch, tmp_path, seed, case):
    device.seed, device.multiprocessors = seed, 4
    assert case.instruction in run(case, launch, tmp_path)
