"""Matrix multiply-accumulate."""

from functools import partial

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.support.numpy_types import NUMPY_BY_MLIR

BF16 = ml_dtypes.bfloat16


@pytest.mark.parametrize(
    ("operand", "accumulator"),
    [
        ("f16", "f16"),
        ("f16", "f32"),
        ("bf16", "f32"),
        ("f32", "f32"),
        ("f64", "f64"),
        ("f8E4M3FN", "f32"),
        ("f8E5M2", "f16"),
    ],
)
def test_float_products_are_accumulated_in_the_accumulator_type(tiles, operand, accumulator):
    generator = np.random.default_rng(0)
    lhs, rhs, acc = (
        generator.integers(-3, 4, shape).astype(NUMPY_BY_MLIR[kind])
        for shape, kind in (((8, 16), operand), ((16, 4), operand), ((8, 4), accumulator))
    )
    wide = [item.astype(np.float64) for item in (lhs, rhs, acc)]
    got = tiles(ct.MmaFOp.build, lhs, rhs, acc, shape=(8, 4), out=accumulator)
    np.testing.assert_array_equal(got.astype(np.float64), wide[0] @ wide[1] + wide[2])


def test_bf16_products_are_not_rounded_to_bf16(tiles):
    value = np.full((1, 2), 1 + 2**-7, BF16)
    zero = np.zeros((1, 1), np.float32)
    got = tiles(ct.MmaFOp.build, value, value.T.copy(), zero, shape=(1, 1), out="f32")
    assert float(got[0, 0]) == 2 * (1 + 2**-7) ** 2


@pytest.mark.parametrize(
    ("precision", "least", "most"),
    [(None, 0, 2**-22), ("tf32", 2**-12, 2**-9), ("tf32x3", 0, 2**-19), ("bf16x3", 0, 2**-15)],
)
def test_the_precision_decides_the_error(tiles, precision, least, most):
    lhs, rhs = (np.random.default_rng(seed).random((8, 8), np.float32) for seed in range(2))
    zero = np.zeros((8, 8), np.float32)
    build = partial(ct.MmaFOp.build, precision=precision)
    got = tiles(build, lhs, rhs, zero, shape=(8, 8), out="f32").astype(np.float64)
    exact = lhs.astype(np.float64) @ rhs.astype(np.float64)
    assert least <= np.abs(got / exact - 1).max() <= most


def test_tf32_products_ignore_the_last_bits(tiles):
    value = np.full((1, 1), 1 + 2**-10 + 2**-11, np.float32)
    zero = np.zeros((1, 1), np.float32)
    build = partial(ct.MmaFOp.build, precision="tf32")
    got = tiles(build, value, value, zero, shape=(1, 1), out="f32")
    assert float(got[0, 0]) == (1 + 2**-10) ** 2


def test_batched(tiles):
    lhs = np.arange(16, dtype=np.float32).reshape(2, 2, 4)
    rhs = np.arange(16, dtype=np.float32).reshape(2, 4, 2)
    acc = np.ones((2, 2, 2), np.float32)
    got = tiles(ct.MmaFOp.build, lhs, rhs, acc, shape=(2, 2, 2))
    np.testing.assert_array_equal(got, lhs @ rhs + acc)


@pytest.mark.parametrize("left", ["signed", "unsigned"])
@pytest.mark.parametrize("right", ["signed", "unsigned"])
def test_integers_of_either_sign_wrap(tiles, left, right):
    generator = np.random.default_rng(0)
    lhs = generator.integers(-128, 128, (4, 32)).astype(np.int8)
    rhs = generator.integers(-128, 128, (32, 4)).astype(np.int8)
    acc = np.full((4, 4), 2**31 - 1, np.int32)
    kinds = {"signed": np.int8, "unsigned": np.uint8}
    exact = lhs.view(kinds[left]).astype(np.int64) @ rhs.view(kinds[right]).astype(np.int64) + acc
    got = tiles(
        lambda a, b, c: ct.MmaIOp.build(a, b, c, signedness_lhs=left, signedness_rhs=right),
        lhs,
        rhs,
        acc,
        shape=(4, 4),
        out="i32",
    )
    np.testing.assert_array_equal(got, exact.astype(np.int32))
