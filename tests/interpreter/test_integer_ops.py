"""Integer operations of cuda_tile."""

import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct

SIGNED = (np.int8, np.int16, np.int32, np.int64)


def pairs(dtype):
    """Return every pair of interesting numbers of a type."""
    info = np.iinfo(dtype)
    values = np.array([info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 3, 7, info.max - 1, info.max])
    return [grid.astype(dtype) for grid in np.meshgrid(values, values)]


def exact(function, lhs, rhs, dtype):
    """Apply `function` to Python integers and take the result modulo the width."""
    bits = np.dtype(dtype).itemsize * 8
    results = [
        function(int(a), int(b)) % (1 << bits) for a, b in zip(lhs.flat, rhs.flat, strict=True)
    ]
    return np.array(results, f"u{bits // 8}").view(dtype).reshape(lhs.shape)


def truncated(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return 0 if b == 0 else a - b * truncated(a, b)


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize(
    ("op", "function"),
    [
        (ct.AddIOp, lambda a, b: a + b),
        (ct.SubIOp, lambda a, b: a - b),
        (ct.MulIOp, lambda a, b: a * b),
        (ct.AndIOp, lambda a, b: a & b),
        (ct.OrIOp, lambda a, b: a | b),
        (ct.XOrIOp, lambda a, b: a ^ b),
        (ct.DivIOp, truncated),
        (ct.RemIOp, remainder),
        (ct.MaxIOp, max),
        (ct.MinIOp, min),
    ],
)
def test_signed_operations_wrap(tiles, op, function, dtype):
    lhs, rhs = pairs(dtype)
    np.testing.assert_array_equal(tiles(op.build, lhs, rhs), exact(function, lhs, rhs, dtype))


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize(
    ("op", "function"),
    [(ct.DivIOp, truncated), (ct.RemIOp, remainder), (ct.MaxIOp, max), (ct.MinIOp, min)],
)
def test_unsigned_operations(tiles, op, function, dtype):
    lhs, rhs = pairs(dtype)
    unsigned = f"u{np.dtype(dtype).itemsize}"
    got = tiles(lambda a, b: op.build(a, b, signedness="unsigned"), lhs, rhs)
    want = exact(function, lhs.view(unsigned), rhs.view(unsigned), dtype)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", SIGNED)
def test_high_half_of_the_product(tiles, dtype):
    lhs, rhs = pairs(dtype)
    bits = np.dtype(dtype).itemsize * 8
    unsigned = f"u{bits // 8}"
    want = exact(lambda a, b: a * b >> bits, lhs.view(unsigned), rhs.view(unsigned), dtype)
    np.testing.assert_array_equal(tiles(ct.MulhiIOp.build, lhs, rhs), want)


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize(
    ("rounding", "function"),
    [
        ("negative_inf", lambda a, b: a // b if b else 0),
        ("positive_inf", lambda a, b: -(-a // b) if b else 0),
    ],
)
def test_division_in_every_direction(tiles, rounding, function, dtype):
    lhs, rhs = pairs(dtype)
    got = tiles(lambda a, b: ct.DivIOp.build(a, b, rounding=rounding), lhs, rhs)
    np.testing.assert_array_equal(got, exact(function, lhs, rhs, dtype))


def test_unsigned_division_rounded_up(tiles):
    lhs, rhs = pairs(np.int32)
    got = tiles(
        lambda a, b: ct.DivIOp.build(a, b, signedness="unsigned", rounding="positive_inf"), lhs, rhs
    )
    want = exact(lambda a, b: -(-a // b) if b else 0, lhs.view("u4"), rhs.view("u4"), np.int32)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", SIGNED)
def test_shifts(tiles, dtype):
    bits = np.dtype(dtype).itemsize * 8
    amounts = np.array([0, 1, 3, bits - 1, bits, bits + 1, -1], dtype)
    values, shifts = np.meshgrid(np.array([-5, -1, 0, 1, 77, np.iinfo(dtype).min], dtype), amounts)
    unsigned = f"u{bits // 8}"
    counts = shifts.view(unsigned)

    def limited(shift):
        return lambda a, b: shift(a, min(b, 2 * bits))

    left = exact(limited(lambda a, b: a << b), values, counts, dtype)
    np.testing.assert_array_equal(tiles(ct.ShLIOp.build, values, shifts), left)
    right = exact(limited(lambda a, b: a >> b), values, counts, dtype)
    np.testing.assert_array_equal(tiles(ct.ShRIOp.build, values, shifts), right)
    logical = exact(limited(lambda a, b: a >> b), values.view(unsigned), counts, dtype)
    got = tiles(lambda a, b: ct.ShRIOp.build(a, b, signedness="unsigned"), values, shifts)
    np.testing.assert_array_equal(got, logical)


@pytest.mark.parametrize("dtype", SIGNED)
def test_unary_operations_wrap(tiles, dtype):
    values = pairs(dtype)[0][0]
    want = exact(lambda a, _: abs(a), values, values, dtype)
    np.testing.assert_array_equal(tiles(ct.AbsIOp.build, values), want)
    want = exact(lambda a, _: -a, values, values, dtype)
    np.testing.assert_array_equal(tiles(ct.NegIOp.build, values), want)


def test_booleans_count_modulo_two(tiles):
    lhs, rhs = (grid.astype(bool) for grid in np.meshgrid([0, 1], [0, 1]))
    np.testing.assert_array_equal(tiles(ct.AddIOp.build, lhs, rhs), lhs ^ rhs)
    np.testing.assert_array_equal(tiles(ct.SubIOp.build, lhs, rhs), lhs ^ rhs)
    np.testing.assert_array_equal(tiles(ct.MulIOp.build, lhs, rhs), lhs & rhs)
    np.testing.assert_array_equal(tiles(ct.XOrIOp.build, lhs, rhs), lhs ^ rhs)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("predicate", ["equal", "less_than", "greater_than_or_equal"])
def test_comparison(tiles, predicate, signedness):
    lhs, rhs = pairs(np.int16)
    kind = np.int16 if signedness == "signed" else np.uint16
    compare = {"equal": np.equal, "less_than": np.less, "greater_than_or_equal": np.greater_equal}
    want = compare[predicate](lhs.view(kind), rhs.view(kind))
    got = tiles(
        lambda a, b: ct.CmpIOp.build(predicate, a, b, signedness=signedness), lhs, rhs, out="i1"
    )
    np.testing.assert_array_equal(got, want)
