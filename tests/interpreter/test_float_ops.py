"""Floating-point operations of cuda_tile."""

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct

BF16 = ml_dtypes.bfloat16
TYPES = (np.float16, BF16, np.float32, np.float64)
SPECIAL = np.array([0.0, -0.0, 1.5, -2.25, np.nan, np.inf, -np.inf, 1e-3], np.float32)

BINARY = {
    ct.AddFOp: np.add,
    ct.SubFOp: np.subtract,
    ct.MulFOp: np.multiply,
    ct.DivFOp: np.divide,
    ct.RemFOp: np.fmod,
    ct.PowOp: np.power,
}
UNARY = {
    ct.NegFOp: np.negative,
    ct.AbsFOp: np.abs,
    ct.CeilOp: np.ceil,
    ct.FloorOp: np.floor,
    ct.SqrtOp: np.sqrt,
    ct.RsqrtOp: lambda x: 1 / np.sqrt(x),
    ct.ExpOp: np.exp,
    ct.Exp2Op: np.exp2,
    ct.LogOp: np.log,
    ct.Log2Op: np.log2,
    ct.SinOp: np.sin,
    ct.CosOp: np.cos,
    ct.TanOp: np.tan,
    ct.TanHOp: np.tanh,
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", BINARY)
def test_binary_operations_round_once(tiles, op, dtype):
    generator = np.random.default_rng(1)
    lhs = np.abs(generator.standard_normal(64)).astype(dtype)
    rhs = generator.standard_normal(64).astype(dtype)
    want = BINARY[op](lhs.astype(np.float64), rhs.astype(np.float64))
    want = (want if dtype is np.float64 else want.astype(np.float32)).astype(dtype)
    np.testing.assert_array_equal(tiles(op.build, lhs, rhs), want)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", UNARY)
def test_unary_operations(tiles, op, dtype):
    source = np.linspace(0.25, 3.0, 64).astype(dtype)
    with np.errstate(all="ignore"):
        want = UNARY[op](source.astype(np.float64)).astype(dtype)
    got = tiles(op.build, source).astype(np.float64)
    unit = float(ml_dtypes.finfo(dtype).eps)
    np.testing.assert_allclose(got, want.astype(np.float64), rtol=unit, atol=0)


def test_f32_functions_are_evaluated_in_f64(tiles):
    source = np.linspace(-3, 3, 512, dtype=np.float32)
    want = np.exp(source.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(tiles(ct.ExpOp.build, source), want)


@pytest.mark.parametrize(
    ("rounding", "want"),
    [
        ("nearest_even", 1.0),
        ("zero", 1.0),
        ("negative_inf", 1.0),
        ("positive_inf", 1.0 + 2.0**-23),
    ],
)
def test_addition_in_every_rounding_mode(tiles, rounding, want):
    one, tiny = np.full(4, 1, np.float32), np.full(4, 2.0**-30, np.float32)
    got = tiles(lambda a, b: ct.AddFOp.build(a, b, rounding=rounding), one, tiny)
    np.testing.assert_array_equal(got, np.full(4, want, np.float32))
    negative = tiles(lambda a, b: ct.SubFOp.build(a, b, rounding=rounding), -one, tiny)
    mirrored = {"negative_inf": 1.0 + 2.0**-23, "positive_inf": 1.0}.get(rounding, 1.0)
    np.testing.assert_array_equal(negative, np.full(4, -mirrored, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, BF16, np.float16])
def test_fma_rounds_once(tiles, dtype):
    unit = float(ml_dtypes.finfo(dtype).eps)
    value = np.full(2, 1 + unit, dtype)
    got = tiles(ct.FmaOp.build, value, value, -np.full(2, 1 + 2 * unit, dtype))
    np.testing.assert_array_equal(got.astype(np.float64), np.full(2, unit**2))


def test_flush_to_zero(tiles):
    tiny = np.full(2, 1e-39, np.float32)
    one = np.full(2, 1, np.float32)
    flushed = tiles(lambda a, b: ct.MulFOp.build(a, b, flush_to_zero=True), tiny, one)
    np.testing.assert_array_equal(flushed, np.zeros(2, np.float32))
    np.testing.assert_array_equal(tiles(ct.MulFOp.build, tiny, one), tiny)


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32, np.float64])
def test_maximum_and_minimum_treat_nan_and_zeros_as_ieee(tiles, dtype):
    lhs, rhs = np.meshgrid(SPECIAL, SPECIAL)
    lhs, rhs = lhs.astype(dtype), rhs.astype(dtype)
    largest = tiles(ct.MaxFOp.build, lhs, rhs).astype(np.float32)
    smallest = tiles(ct.MinFOp.build, lhs, rhs).astype(np.float32)
    left, right = lhs.astype(np.float32), rhs.astype(np.float32)
    np.testing.assert_array_equal(largest, np.fmax(left, right))
    np.testing.assert_array_equal(smallest, np.fmin(left, right))
    both_zero = (lhs == 0) & (rhs == 0)
    negative = np.signbit(lhs.astype(np.float32)), np.signbit(rhs.astype(np.float32))
    np.testing.assert_array_equal(
        np.signbit(largest)[both_zero], (negative[0] & negative[1])[both_zero]
    )
    np.testing.assert_array_equal(
        np.signbit(smallest)[both_zero], (negative[0] | negative[1])[both_zero]
    )
    strict = tiles(lambda a, b: ct.MaxFOp.build(a, b, propagate_nan=True), lhs, rhs)
    np.testing.assert_array_equal(
        np.isnan(strict.astype(np.float32)), np.isnan(lhs) | np.isnan(rhs)
    )
    strict = tiles(lambda a, b: ct.MinFOp.build(a, b, propagate_nan=True), lhs, rhs)
    np.testing.assert_array_equal(
        np.isnan(strict.astype(np.float32)), np.isnan(lhs) | np.isnan(rhs)
    )


@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
@pytest.mark.parametrize("predicate", ["equal", "not_equal", "less_than", "greater_than_or_equal"])
def test_comparison_with_nan(tiles, predicate, ordering):
    lhs, rhs = np.meshgrid(SPECIAL, SPECIAL)
    compare = {
        "equal": np.equal,
        "not_equal": np.not_equal,
        "less_than": np.less,
        "greater_than_or_equal": np.greater_equal,
    }[predicate]
    nan = np.isnan(lhs) | np.isnan(rhs)
    want = np.where(nan, ordering == "unordered", compare(lhs, rhs))
    got = tiles(
        lambda a, b: ct.CmpFOp.build(predicate, a, b, ordering=ordering), lhs, rhs, out="i1"
    )
    np.testing.assert_array_equal(got, want)


def test_select(tiles):
    condition = np.array([True, False, True, False])
    lhs, rhs = np.arange(4, dtype=BF16), -np.arange(4, dtype=BF16)
    got = tiles(ct.SelectOp.build, condition, lhs, rhs, out="bf16")
    np.testing.assert_array_equal(got, np.where(condition, lhs, rhs))
