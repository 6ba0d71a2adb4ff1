"""Range checks and encoding of scalar arguments."""

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.runtime.args.scalars import ScalarError, convert_scalar, encode_scalar


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (3, "i32", 3),
        (-(2**31), "i32", -(2**31)),
        (True, "i32", 1),
        (np.int64(7), "i32", 7),
        (2**64 - 1, "u64", 2**64 - 1),
        (3, "f32", 3.0),
        (0.1, "f32", 0.1),
        (math.inf, "f16", math.inf),
        (np.float32(0.5), "f32", 0.5),
        (ml_dtypes.bfloat16(1.5), "bf16", 1.5),
        (True, "bool", True),
        (np.bool_(False), "bool", False),
    ],
)
def test_accepted(value, dtype, expected):
    result = convert_scalar(value, dtype)
    assert result == expected
    assert len(encode_scalar(result, dtype)) in (1, 2, 4, 8)


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (2**31, "i32", "outside of i32"),
        (-1, "u8", "outside of u8 (0 to 255)"),
        (1.0, "i32", "not an integer"),
        ("3", "i32", "not an integer"),
        (np.zeros(1, np.int32), "i32", "a ndarray, which is not an integer"),
        (1e300, "f32", "too large for f32"),
        (65520.0, "f16", "too large for f16"),
        (3.4e38, "bf16", "too large for bf16"),
        pytest.param(10**400, "f64", "too large", id="huge"),
        (1, "bool", "not a bool"),
        (None, "f32", "a NoneType, which is not a number"),
        (1j, "f32", "not a number"),
    ],
)
def test_rejected(value, dtype, text):
    with pytest.raises(ScalarError) as caught:
        convert_scalar(value, dtype)
    assert text in str(caught.value)


@given(st.floats(-(2.0**100), 2.0**100, width=32))
def test_bf16_rounds_to_nearest_even(value):
    expected = np.float32(value).astype(ml_dtypes.bfloat16).tobytes()
    assert encode_scalar(value, "bf16") == expected


def test_special_bf16_values():
    assert encode_scalar(math.inf, "bf16") == struct.pack("<H", 0x7F80)
    assert encode_scalar(-math.inf, "bf16") == struct.pack("<H", 0xFF80)
    assert encode_scalar(math.nan, "bf16") == struct.pack("<H", 0x7FC0)
