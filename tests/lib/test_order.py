"""Sorting along an axis of a tile, against NumPy: all element types, ties, NaN, and axes."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest

import tilec

KERNELS = tilec.loads(
    """
from tilec.lib import argsort, sort, topk

@kernel
def orders[M, N](
    X: T[M, N], S: T[M, N], D: T[M, N], A: i32[M, N], Z: i32[M, N], N: const, *, T: dtype = f32,
):
    m = grid(1)
    x = load(X, (m, 0), (8, N))
    store(S, (m, 0), sort(x))
    store(D, (m, 0), sort(x, descending=True))
    store(A, (m, 0), argsort(x))
    store(Z, (m, 0), argsort(x, axis=1, descending=True))

@kernel
def tops[M, N](
    X: T[M, N], V: T[M, K], I: i32[M, K], N: const, K: const, largest: const = 1,
    *, T: dtype = f32,
):
    m = grid(1)
    values, places = topk(load(X, (m, 0), (8, N)), K, largest=largest)
    store(V, (m, 0), values)
    store(I, (m, 0), places)

@kernel
def planes(X: f32[4, 8, 2], S: f32[4, 8, 2], P: f32[4, 8, 2], V: f32[2, 8, 2], I: i32[2, 8, 2]):
    m = grid(1)
    x = load(X, (m, 0, 0), (4, 8, 2))
    store(S, (m, 0, 0), sort(x, axis=1))
    store(P, (m, 0, 0), sort(x, axis=0, descending=True))
    values, places = topk(x, 2, axis=0)
    store(V, (m, 0, 0), values)
    store(I, (m, 0, 0), places)
"""
)
TYPES = (
    *(np.float32, np.float16, np.float64, ml_dtypes.bfloat16, np.int8, np.int16, np.int32),
    *(np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_),
)
RANDOM = np.random.default_rng(11)


def numbers(dtype, columns):
    """Return eight rows with equal elements, the extreme ones and, where there are, NaN."""
    if dtype is np.bool_:
        return RANDOM.integers(0, 2, (8, columns)).astype(dtype)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        x = RANDOM.integers(-4 if limits.min else 0, 5, (8, columns)).astype(dtype)
        x[0, 0], x[1, -1] = limits.min, limits.max
        return x
    x = RANDOM.integers(-4, 5, (8, columns)).astype(dtype) / dtype(2)
    x[0, 0], x[1, -1], x[2, 0] = -np.inf, np.inf, np.nan
    return x


def places(x, sign):
    """Return the stable order of every row: ascending for 1, descending for -1; NaN is largest."""
    exact = [[float(v) if x.dtype.kind != "u" else int(v) for v in row] for row in x.tolist()]
    exact = [[np.inf if v != v else v for v in row] for row in exact]
    is_nan = x != x
    keys = [
        [(sign * bool(is_nan[r, c]), sign * v, c) for c, v in enumerate(row)]
        for r, row in enumerate(exact)
    ]
    return np.array([sorted(range(len(row)), key=row.__getitem__) for row in keys])


def check_equal(found, expected):
    """Compare numbers; NumPy does not know a NaN of bfloat16."""
    wide = np.float32 if found.dtype == ml_dtypes.bfloat16 else found.dtype
    np.testing.assert_array_equal(found.astype(wide), expected.astype(wide))


@pytest.mark.parametrize(("dtype", "columns"), [*product(TYPES, (1, 2, 32))])
def test_orders(dtype, columns):
    x = numbers(dtype, columns)
    ascending, descending = np.empty_like(x), np.empty_like(x)
    first, last = np.empty(x.shape, np.int32), np.empty(x.shape, np.int32)
    KERNELS.orders(x, ascending, descending, first, last)
    for sign, found, order in ((1, ascending, first), (-1, descending, last)):
        expected = places(x, sign)
        np.testing.assert_array_equal(order, expected)
        check_equal(found, np.take_along_axis(x, expected, axis=1))


@pytest.mark.parametrize(("dtype", "k"), [*product((np.float32, np.int8, np.float64), (1, 4, 32))])
@pytest.mark.parametrize("largest", [0, 1])
def test_topk(dtype, k, largest):
    x = numbers(dtype, 32)
    values, found = np.empty((8, k), dtype), np.empty((8, k), np.int32)
    KERNELS.tops(x, values, found, largest=largest)
    expected = places(x, -1 if largest else 1)[:, :k]
    np.testing.assert_array_equal(found, expected)
    check_equal(values, np.take_along_axis(x, expected, axis=1))


@pytest.mark.parametrize(("value", "largest"), [(2**31 - 1, 0), (-(2**31), 1), (7, 1)])
def test_equal_elements_keep_their_order(value, largest):
    """The extreme elements are those that nothing comes after."""
    x = np.full((8, 32), value, np.int32)
    values, found = np.empty((8, 4), np.int32), np.empty((8, 4), np.int32)
    KERNELS.tops(x, values, found, largest=largest)
    assert (values == value).all()
    assert (found == np.arange(4)).all()


def test_other_axes():
    x = RANDOM.standard_normal((4, 8, 2)).astype(np.float32)
    by_one, by_zero = np.empty_like(x), np.empty_like(x)
    values, found = np.empty((2, 8, 2), np.float32), np.empty((2, 8, 2), np.int32)
    KERNELS.planes(x, by_one, by_zero, values, found)
    np.testing.assert_array_equal(by_one, np.sort(x, axis=1))
    np.testing.assert_array_equal(by_zero, np.sort(x, axis=0)[::-1])
    np.testing.assert_array_equal(values, np.sort(x, axis=0)[:1:-1])
    np.testing.assert_array_equal(found, np.argsort(-x, axis=0, kind="stable")[:2])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("sort(load(A, (0, 0), (8, 64)), axis=2)", "axis 2 is none of the 2 axes of the tile"),
        ("argsort(load(A, (0, 0), (8, 64)), axis=-3)", "axis -3 is none of the 2 axes of the tile"),
        ("topk(load(A, (0, 0), (8, 64)), 128)[0]", "k is 128, and the axis has 64 elements"),
        ("topk(load(A, (0, 0), (8, 64)), 0)[0]", "k is 0, and must be a power of two; take 1"),
        ("sort(cast(load(A, (0, 0), (8, 64)), f8e4m3))", "have no order; cast them to f16"),
        ("topk(load(A, (0, 0), (8, 64)), 3)[0]", "take 4, and leave out the last ones"),
    ],
)
def test_errors(value, text):
    source = "from tilec.lib import argsort, sort, topk\n@kernel\n"
    source += f"def f(A: f32[8, 64], B: f32[8, 64]):\n    store(B, (0, 0), {value})\n"
    with pytest.raises(tilec.CompileError) as caught:
        tilec.loads(source).f(np.zeros((8, 64), np.float32), np.zeros((8, 64), np.float32))
    assert text in str(caught.value)
