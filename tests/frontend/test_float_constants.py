"""Numbers of the source that a float type cannot hold, and NaN among constants."""

import math

import numpy as np
import pytest

from tilec.frontend.semantics.constant_evaluator import constant_extremum
from tilec.support.dtypes import DTYPES, largest_float, overflows
from tilec.support.numpy_types import NUMPY_BY_NAME


@pytest.mark.parametrize(
    "body",
    [
        "x = load(H, (0, 0), (4, 4)) + 70000",
        "x = alpha + 1e39",
        "x = cast(1e39, f32)",
        "x = f16(65520)",
        "x = full((4, 4), 1e39, bf16)",
        "x = full((4, 4), 500, f8e4m3)",
        "x = full((4, 4), inf, f8e4m3)",
        "x = sqrt(1e39)",
        "x = maximum(alpha, 1e39)",
        "x = load(A, (0, 0), (4, 4), pad=1e39)",
        "x = 1e39\nif n > 0:\n    x = alpha\ny = x",
        "y = 2 ** 70\nx = max(n, y)",
    ],
)
def test_a_number_that_does_not_fit(frontend, body):
    code, _, message = frontend.error(body)
    assert code == "T0306"
    assert "does not fit" in message or "has no infinity" in message


@pytest.mark.parametrize(
    "body",
    [
        "x = load(H, (0, 0), (4, 4)) + 65519",
        "x = alpha + inf",
        "x = alpha * nan",
        "x = f64(1e39)",
        "x = f32(3.4028235e38)",
        "x = full((4, 4), 448, f8e4m3)",
        "x = full((4, 4), inf, f8e5m2)",
    ],
)
def test_numbers_that_fit(frontend, body):
    assert frontend.kernel(body).name == "f"


@pytest.mark.parametrize("body", ["x = 1e308 * 10", "x = 1e308 + 1e308", "x = 2.0 ** 5000"])
def test_constants_beyond_f64(frontend, body):
    assert frontend.error(body)[0] == "T0403"


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"])
def test_limits_are_those_of_numpy(name):
    """The largest number fits, and so does what is rounded to it, but nothing more."""
    dtype, array_type = DTYPES[name], NUMPY_BY_NAME[name]
    largest = largest_float(dtype)
    assert not overflows(largest, dtype)
    assert np.isfinite(np.float64(largest).astype(array_type).astype(np.float64))
    for value in (largest * (1 + 2.0**-k) for k in range(1, 14) if name != "f64"):
        with np.errstate(over="ignore"):
            rounded = np.float64(value).astype(array_type).astype(np.float64)
        assert overflows(value, dtype) == (not np.isfinite(rounded)), value


@pytest.mark.parametrize(
    ("call", "want"),
    [
        ("maximum(nan, 1.0)", 1.0),
        ("maximum(1.0, nan)", 1.0),
        ("minimum(nan, 1.0)", 1.0),
        ("max(nan, 1.0, 3.0)", 3.0),
        ("min(2.0, nan)", 2.0),
        ("maximum(nan, nan)", math.nan),
        ("maximum(nan, 1.0, propagate_nan=True)", math.nan),
        ("minimum(1.0, nan, propagate_nan=True)", math.nan),
    ],
)
def test_nan_among_constants(run_kernel, call, want):
    """Constants follow the rule of tiles."""
    out = np.zeros((2, 8), np.float32)
    text = "@kernel\ndef f[M, N](C: f32[M, N]):\n    i = grid(1)\n"
    text += f"    store(C, (0, 0), full((1, 8), {call}, f32))\n"
    text += "    store(C, (1, 0), full((1, 8), {}, f32))\n".format(
        call.replace("1.0", "f32(1.0)").replace("2.0", "f32(2.0)").replace("nan,", "f32(nan),")
    )
    run_kernel(text, {"C": out})
    np.testing.assert_array_equal(out, np.full((2, 8), want, np.float32))


def test_zeros_among_constants():
    assert math.copysign(1, constant_extremum("max", [-0.0, 0.0], propagate_nan=False)) == 1
    assert math.copysign(1, constant_extremum("min", [0.0, -0.0], propagate_nan=False)) == -1
