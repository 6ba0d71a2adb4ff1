"""Conversions of the emulator, on numbers for which two roundings give another result than one."""

import ml_dtypes
import numpy as np
import pytest

from tools.emulator.scalar import convert

BETWEEN = 2**63 + 2**55
"""Half-way between two numbers of bf16; the one below is even."""


@pytest.mark.parametrize(
    ("number", "dtype", "expected"),
    [
        (BETWEEN, np.uint64, 2**63),
        (BETWEEN + 1, np.uint64, 2**63 + 2**56),  # f32 and f64 round it to BETWEEN
        (BETWEEN - 1, np.uint64, 2**63),
        (-(2**62) - 2**54 - 1, np.int64, -(2**62) - 2**55),
        (2**30 + 2**22 + 1, np.int32, 2**30 + 2**23),
        (3, np.int32, 3),
        (0, np.uint64, 0),
    ],
)
def test_integers_are_rounded_to_bf16_once(number, dtype, expected):
    (found,) = convert(np.array([number], dtype), "bf16", ("rn",))
    assert found.dtype == ml_dtypes.bfloat16
    assert int(float(found)) == expected
