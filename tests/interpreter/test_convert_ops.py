"""Conversions between element types."""

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.support.numpy_types import NUMPY_BY_MLIR

BF16 = ml_dtypes.bfloat16
F8 = ml_dtypes.float8_e4m3fn
FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")


def convert(tiles, op, source, target, **options):
    return tiles(lambda tile: op.build(tile, tiles.element(target), **options), source, out=target)


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", FLOATS)
def test_float_to_float(tiles, source, target):
    if source == target:
        return
    values = np.array([0, -0.0, 1, -1.5, 0.3, 100, 1e-3, np.nan], np.float32)
    values = values.astype(NUMPY_BY_MLIR[source])
    want = values.astype(np.float32).astype(NUMPY_BY_MLIR[target]).astype(np.float64)
    got = convert(tiles, ct.FToFOp, values, target).astype(np.float64)
    np.testing.assert_array_equal(got, want)


def test_f64_to_bf16_rounds_once(tiles):
    values = np.array([1 + 2**-8 + 2**-40, 1 + 2**-8, 1 + 2**-8 - 2**-40])
    got = convert(tiles, ct.FToFOp, values, "bf16").astype(np.float64)
    np.testing.assert_array_equal(got, [1 + 2**-7, 1, 1])


def test_8_bit_floats_saturate(tiles):
    values = np.array([1e9, -1e9, np.inf, 449], np.float32)
    got = convert(tiles, ct.FToFOp, values, "f8E4M3FN").astype(np.float32)
    np.testing.assert_array_equal(got, [448, -448, 448, 448])


def test_f32_to_tf32_keeps_ten_bits_of_fraction(tiles):
    values = np.array([1 + 2**-11, 1 + 3 * 2**-11, -1 - 2**-11 - 2**-20, np.inf], np.float32)
    got = convert(tiles, ct.FToFOp, values, "tf32")
    np.testing.assert_array_equal(got, np.array([1, 1 + 2**-9, -1 - 2**-10, np.inf], np.float32))


@pytest.mark.parametrize("target", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_integer_to_float_rounds_once(tiles, dtype, signedness, target):
    info = np.iinfo(dtype)
    values = np.array([0, 1, -1, info.min, info.max, 77, info.max - 3, info.max // 5], dtype)
    integers = [
        int(v) for v in (values if signedness == "signed" else values.view(f"u{info.bits // 8}"))
    ]
    got = convert(tiles, ct.IToFOp, values, target, signedness=signedness)
    precision = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}[target]
    for number, result in zip(integers, got.astype(np.float64), strict=True):
        scale = 2 ** max(abs(number).bit_length() - precision, 0)
        whole, rest = divmod(abs(number), scale)
        up = 2 * rest > scale or (2 * rest == scale and whole % 2)
        want = float((whole + up) * scale) * (1 if number >= 0 else -1)
        if target == "f16" and abs(want) > 65504:
            want = np.copysign(np.inf, want)
        assert result == want


def test_the_large_neighbours_of_64_bit_integers(tiles):
    values = np.array([2**53 + 1, 2**63 - 1, -(2**53) - 1, 2**62 + 2**38 + 1], np.int64)
    got = convert(tiles, ct.IToFOp, values, "f32")
    np.testing.assert_array_equal(got.astype(np.float64), [2**53, 2**63, -(2**53), 2**62 + 2**39])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, BF16])
def test_float_to_integer_truncates_and_saturates(tiles, dtype):
    values = np.array([1.75, -1.75, 0.5, 1e20, -1e20, np.nan, np.inf, 300], dtype)
    signed = convert(tiles, ct.FToIOp, values, "i8")
    np.testing.assert_array_equal(signed, [1, -1, 0, 127, -128, 0, 127, 127])
    unsigned = convert(tiles, ct.FToIOp, values, "i8", signedness="unsigned").view(np.uint8)
    np.testing.assert_array_equal(unsigned, [1, 0, 0, 255, 0, 0, 255, 255])
    wide = convert(tiles, ct.FToIOp, values, "i64")
    np.testing.assert_array_equal(wide[3:5], [2**63 - 1, -(2**63)])


def test_widening_integers(tiles):
    values = np.array([1, -1, 127, -128], np.int8)
    np.testing.assert_array_equal(convert(tiles, ct.ExtIOp, values, "i32"), values)
    got = convert(tiles, ct.ExtIOp, values, "i32", signedness="unsigned")
    np.testing.assert_array_equal(got, values.view(np.uint8))
    flags = np.array([True, False])
    np.testing.assert_array_equal(convert(tiles, ct.ExtIOp, flags, "i32"), [-1, 0])
    got = convert(tiles, ct.ExtIOp, flags, "i32", signedness="unsigned")
    np.testing.assert_array_equal(got, [1, 0])


def test_narrowing_integers_drops_high_bits(tiles):
    values = np.array([256 + 5, -1, 128, 2], np.int32)
    np.testing.assert_array_equal(convert(tiles, ct.TruncIOp, values, "i8"), [5, -1, -128, 2])
    np.testing.assert_array_equal(
        convert(tiles, ct.TruncIOp, values, "i1"), [True, True, False, False]
    )


def test_bitcast(tiles):
    values = np.array([1.0, -2.0, np.inf, 0.0], np.float32)
    np.testing.assert_array_equal(
        convert(tiles, ct.BitcastOp, values, "i32"), values.view(np.int32)
    )
    halves = np.array([0x3F80, 0x4000], np.int16)
    np.testing.assert_array_equal(convert(tiles, ct.BitcastOp, halves, "bf16"), halves.view(BF16))


@pytest.mark.parametrize(("signedness", "want"), [("signed", [-1, 0]), ("unsigned", [1, 0])])
def test_boolean_to_float(tiles, signedness, want):
    flags = np.array([True, False])
    got = convert(tiles, ct.IToFOp, flags, "f32", signedness=signedness)
    np.testing.assert_array_equal(got, want)
