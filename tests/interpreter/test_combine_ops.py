"""Reductions and scans on the CPU reference: NaN, types of results, axes and order."""

import numpy as np
import pytest

import tilec
from tilec.dialects.common.combine_ops import SOURCES
from tilec.frontend.semantics.combining import MAX_TILES

NAN = np.float32("nan")


@pytest.fixture
def compute(tmp_path):
    def run(expression, x, dtype, shape, result):
        """Return what a kernel computes from the tile `x`."""
        extents, zeros = ", ".join(map(str, shape)), ", ".join("0" for _ in shape)
        path = tmp_path / "kernel.tile"
        path.write_text(
            "@function\ndef left(a, b):\n    return a\n\n\n"
            "@function\ndef affine(a0, b0, a1, b1):\n    return a0 * a1, b0 * a1 + b1\n\n\n"
            "@kernel(any_tile_extents=True)\n"
            f"def k(X: {dtype}[{', '.join(map(str, x.shape))}], Y: {result}[{extents}]):\n"
            f"    p = grid(1)\n    x = load(X, ({'0, ' * x.ndim}), {x.shape})\n"
            f"    store(Y, ({zeros},), {expression})\n"
        )
        y = np.full(shape, 77).astype(
            {"f32": np.float32, "i32": np.int32, "u32": np.uint32}[result]
        )
        tilec.load(path).k(x, y)
        return y

    return run


ROW = np.array([[1, NAN, 3, -2], [NAN, NAN, NAN, NAN]], np.float32)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("max(x, axis=1)", [3, NAN]),
        ("x.min(1)", [-2, NAN]),
        ("x.max(1, propagate_nan=True)", [NAN, NAN]),
        ("min(x, axis=-1, propagate_nan=True)", [NAN, NAN]),
        ("sum(where(x == x, x, 0.0), 1)", [2, 0]),
    ],
)
def test_a_nan_loses_unless_it_shall_spread(compute, expression, expected):
    np.testing.assert_array_equal(compute(expression, ROW, "f32", (2,), "f32"), expected)


@pytest.mark.parametrize(
    ("expression", "expected"), [("argmax(x, 1)", [2, 0]), ("x.argmin(1)", [3, 0])]
)
def test_the_index_of_an_extremum_is_no_nan_if_there_is_a_number(compute, expression, expected):
    np.testing.assert_array_equal(compute(expression, ROW, "f32", (2,), "i32"), expected)


def test_of_equal_elements_the_first_one_counts(compute):
    x = np.array([[2, 7, 7], [0.0, -0.0, -1]], np.float32)
    np.testing.assert_array_equal(compute("argmax(x, 1)", x, "f32", (2,), "i32"), [1, 0])


@pytest.mark.parametrize(("dtype", "result"), [("i8", "i32"), ("u8", "u32"), ("bool", "i32")])
def test_sums_of_small_integers_have_32_bits(compute, dtype, result):
    kind = {"i8": np.int8, "u8": np.uint8, "bool": np.bool_}[dtype]
    x = np.full((2, 300), 1 if dtype == "bool" else 100).astype(kind)
    expected = x.sum(1, dtype=np.int64)
    np.testing.assert_array_equal(compute("sum(x, 1)", x, dtype, (2,), result), expected)


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("full(1, sum(x))", (1,)),
        ("sum(x, (0, 2))", (3,)),
        ("sum(x, (0, -1), keepdims=True)", (1, 3, 1)),
        ("sum(x, keepdims=True)", (1, 1, 1)),
        ("sum(x, None, keepdims=True)", (1, 1, 1)),
    ],
)
def test_axes(compute, expression, shape):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    axes = (0, 2) if 3 in shape else (0, 1, 2)
    np.testing.assert_array_equal(
        compute(expression, x, "i32", shape, "i32"), x.sum(axes).reshape(shape)
    )


def test_elements_are_combined_in_their_order(compute):
    x = np.arange(20, dtype=np.int32).reshape(4, 5)
    np.testing.assert_array_equal(compute("reduce(x, 1, left, 0)", x, "i32", (4,), "i32"), x[:, 0])
    found = compute("scan(x, 1, left, 0, reverse=True)", x, "i32", (4, 5), "i32")
    np.testing.assert_array_equal(found, np.repeat(x[:, 4:], 5, axis=1))


@pytest.mark.parametrize("function", ["affine", "lambda p, q: affine(p[0], p[1], q[0], q[1])"])
def test_tuples_of_tiles_are_scanned_together(compute, function):
    """y[n] = 2 * y[n - 1] + x[n], as a scan of affine functions."""
    x = np.arange(1, 7, dtype=np.int32)
    twos = "broadcast_to(cast(2, i32), (6,))"
    found = compute(f"scan(({twos}, x), 0, {function}, (1, 0))[1]", x, "i32", (6,), "i32")
    expected = [1]
    for item in x[1:]:
        expected.append(2 * expected[-1] + int(item))
    np.testing.assert_array_equal(found, expected)


def test_the_operations_have_a_field_for_every_tile():
    assert len(SOURCES) == MAX_TILES
