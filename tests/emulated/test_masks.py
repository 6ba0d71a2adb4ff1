"""Masks that are computed only for some tiles, on the CPU reference and on the emulator."""

import numpy as np
import pytest

from tests.support.both_devices import run_both
from tests.support.mask_cases import CASES, arrays, expected, runs, source


@pytest.mark.parametrize(("name", "size", "window", "rounds"), list(runs(complete=False)))
def test_mask(device, name, size, window, rounds):
    case, given = CASES[name], arrays(*size)
    found = run_both(device, source(case), given, W=window, rounds=rounds)
    for computed in found:
        wanted = expected(case, given, window, rounds)
        np.testing.assert_array_equal(computed.data()["T"], wanted)
