"""Products of few rows, whose transpose wgmma computes, on the emulator."""

import pytest

from tests.support.swapped_cases import CASES, run


@pytest.mark.parametrize(("seed", "case"), list(enumerate(CASES)), ids=str)
def test_products_of_few_rows(device, launch, tmp_path, seed, case):
    device.seed, device.multiprocessors = seed, 4
    assert f"wgmma.mma_async.sync.aligned.m64n{case.tile[0]}k16" in run(case, launch, tmp_path)
