"""Rounding against exact rational arithmetic."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilec.interpreter.rounding import (
    convert,
    exact_add,
    exact_div,
    exact_fma,
    exact_mul,
    exact_sqrt,
    flush_subnormals,
    round_exact,
)
from tilec.support.numpy_types import NUMPY_BY_MLIR

FORMATS = ("f16", "bf16", "f32", "f64")
MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")
PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53, "tf32": 11, "f8E4M3FN": 4}

moderate = st.floats(min_value=-1e4, max_value=1e4, allow_nan=False).filter(
    lambda value: value == 0 or abs(value) > 1e-3
)


@pytest.fixture(autouse=True)
def silent():
    """Overflow and NaN are results here, as in the interpreter's own loop."""
    with np.errstate(all="ignore"):
        yield


def round_fraction(exact: Fraction, precision: int, mode: str) -> Fraction:
    """Round a number of ordinary size to `precision` significant bits."""
    if exact == 0:
        return exact
    scale = Fraction(1)
    while abs(exact) * scale >= 2**precision:
        scale /= 2
    while abs(exact) * scale < 2 ** (precision - 1):
        scale *= 2
    scaled = exact * scale
    floor = scaled.__floor__()
    rounded = {
        "nearest_even": round(scaled),
        "zero": scaled.__trunc__(),
        "negative_inf": floor,
        "positive_inf": scaled.__ceil__(),
    }[mode]
    return Fraction(rounded) / scale


def as_format(value: float, name: str) -> float:
    return float(np.asarray(value).astype(NUMPY_BY_MLIR[name]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(a=moderate, b=moderate, c=moderate)
def test_arithmetic_is_correctly_rounded(name, mode, a, b, c):
    a, b, c = (as_format(value, name) for value in (a, b, c))
    x, y, z = (np.array(value) for value in (a, b, c))
    cases = {
        "add": (exact_add(x, y), Fraction(a) + Fraction(b)),
        "mul": (exact_mul(x, y), Fraction(a) * Fraction(b)),
        "fma": (exact_fma(x, y, z), Fraction(a) * Fraction(b) + Fraction(c)),
    }
    if b != 0:
        cases["div"] = (exact_div(x, y), Fraction(a) / Fraction(b))
    for label, (exact, want) in cases.items():
        if not 2**-10 < abs(want) < 60000:
            continue
        got = Fraction(float(round_exact(exact, name, mode)))
        assert got == round_fraction(want, PRECISION[name], mode), label


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None)
@given(a=st.floats(min_value=1e-3, max_value=6e4))
def test_sqrt_is_correctly_rounded(name, mode, a):
    a = as_format(a, name)
    got = Fraction(float(round_exact(exact_sqrt(np.array(a)), name, mode)))
    # 200 bits of the square root tell every rounding apart: no square root is a tie.
    bits = 200
    root = Fraction(math.isqrt(int(Fraction(a) * 4**bits)), 2**bits)
    if root**2 != Fraction(a):
        root += Fraction(1, 2 ** (bits + 1))
    assert got == round_fraction(root, PRECISION[name], mode)


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "tf32"])
@settings(max_examples=200, deadline=None)
@given(a=moderate)
def test_conversion_from_f64_rounds_once(name, a):
    got = Fraction(float(convert(np.float64(a), "f64", name)))
    assert got == round_fraction(Fraction(a), PRECISION[name], "nearest_even")


def test_conversion_does_not_round_twice():
    value = np.float64(1 + 2**-8 + 2**-40)
    assert float(convert(value, "f64", "bf16")) == 1 + 2**-7
    assert float(value.astype(ml_dtypes.bfloat16)) == 1, "ml_dtypes goes through f32"


def test_8_bit_floats_saturate_and_keep_nan():
    value = np.array([500, -1e9, np.inf, np.nan, 1.0625], np.float32)
    got = convert(value, "f32", "f8E4M3FN").astype(np.float32)
    np.testing.assert_array_equal(got, [448, -448, 448, np.nan, 1.0])


def test_directed_modes_stop_at_the_largest_number():
    big = np.array(1e300)
    exact = (big, np.array(0.0))
    assert float(round_exact(exact, "f32", "zero")) == np.finfo(np.float32).max
    assert float(round_exact(exact, "f32", "positive_inf")) == np.inf
    assert float(round_exact((-big, np.array(0.0)), "f32", "positive_inf")) == -np.finfo("f").max


def test_tiny_values_round_away_from_zero_when_asked():
    tiny = np.array(1e-300)
    assert float(round_exact((tiny, np.array(0.0)), "f32", "positive_inf")) == 2.0**-149
    assert float(round_exact((tiny, np.array(0.0)), "f32", "zero")) == 0


@pytest.mark.parametrize("name", ["f32", "bf16", "f64"])
def test_nan_and_infinity_pass_through(name):
    value = np.array([np.nan, np.inf, -np.inf])
    got = round_exact(exact_fma(value, np.ones(3), np.ones(3)), name)
    np.testing.assert_array_equal(got.astype(np.float64), value)


def test_flush_keeps_the_sign():
    value = np.array([1e-40, -1e-40, 1.0], np.float32)
    flushed = flush_subnormals(value)
    np.testing.assert_array_equal(flushed, [0, 0, 1])
    np.testing.assert_array_equal(np.signbit(flushed), [False, True, False])
