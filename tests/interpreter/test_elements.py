"""Single elements on the CPU reference, against NumPy."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.element_cases import load_kernels

LANGUAGE_PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.fixture
def compiled(tmp_path):
    """Return what makes a kernel of its text."""

    def make(text):
        path = tmp_path / "kernel.tile"
        path.write_text(text)
        return next(iter(tilec.load(path)))

    return make


def test_gather_gives_the_padding_outside(kernels):
    indices = RNG.integers(-20, 60, 300).astype(np.int32)
    table = RNG.standard_normal((33, 8)).astype(np.float32)
    found, chosen = np.zeros(300, np.float32), np.zeros(300, np.float32)
    kernels["gathered"](indices, table, found, chosen)
    inside = (indices >= 0) & (indices < 33)
    safe = np.where(inside, indices, 0)
    np.testing.assert_array_equal(found, np.where(inside, table[safe, safe % 8], -1))
    want = np.where(indices % 2 == 0, table[indices % 16, 3], np.inf)
    np.testing.assert_array_equal(chosen, want)


def test_scatter_drops_what_is_outside(kernels):
    values = RNG.standard_normal(200).astype(np.float32)
    out = np.full((150, 4), 9, np.float32)
    kernels["scattered"](np.zeros(200, np.int32), values, out)
    want = np.full((150, 4), 9, np.float32)
    at = np.arange(150)
    at = at[at % 3 != 0]
    want[at, at % 4] = values[at]
    np.testing.assert_array_equal(out, want)


def test_atomic_operations_combine(kernels):
    x = RNG.integers(-9, 9, 64).astype(np.int32)
    signed, unsigned = np.zeros(64, np.int32), np.full(64, 7, np.uint32)
    wide, largest = np.full(64, 3, np.int64), np.zeros(64, np.uint64)
    kernels["extremes"](x, signed, unsigned, wide, largest)
    groups = x.reshape(8, 8)
    np.testing.assert_array_equal(signed[:8], np.maximum(groups.max(0), 0))
    as_unsigned = np.minimum(groups.astype(np.uint32).min(0), 7)
    np.testing.assert_array_equal(unsigned[:8], as_unsigned)
    np.testing.assert_array_equal(wide[:8], np.minimum(groups.min(0), 3))
    wide_unsigned = groups.astype(np.int64).astype(np.uint64).max(0)
    np.testing.assert_array_equal(largest[:8], wide_unsigned)
    np.testing.assert_array_equal(largest[8:], 0)


def test_floats_are_compared_by_their_bits(kernels):
    x, old = RNG.standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    largest, least = np.full(64, -1, np.float32), np.zeros(64, np.float32)
    wide, wider = np.full(64, 3.0), np.full(64, -0.0)
    kernels["float_extremes"](x, largest, least, wide, wider, old)
    groups = x.reshape(8, 8)
    np.testing.assert_array_equal(largest[:8], np.maximum(groups.max(0), -1))
    np.testing.assert_array_equal(largest[8:], np.maximum(x[:56], -1))
    np.testing.assert_array_equal(least[:8], np.minimum(groups.min(0), 0))
    np.testing.assert_array_equal(wide[:8], np.minimum(groups.astype(np.float64).min(0), 3))
    np.testing.assert_array_equal(wider[:8], np.maximum(groups.astype(np.float64).max(0), -0.0))
    np.testing.assert_array_equal(old, np.where(np.arange(64) < 56, -1, 0))


def test_atomic_operations_give_what_was_there(kernels):
    x, a = np.arange(64, dtype=np.int32), np.arange(64, dtype=np.int32) * 3
    f, y = np.full(64, 0.5, np.float32), np.zeros(64, np.float32)
    kernels["exchanged"](x, a, f, y)
    np.testing.assert_array_equal(y, np.arange(64) * 3 + 0.5)
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(f, x)


def test_compare_and_swap_compares_bits(kernels):
    a, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    f = np.where(np.arange(64) % 2 == 0, 0.0, -0.0).astype(np.float32)
    kernels["compared"](a, f, y)
    even = np.arange(64) % 2 == 0
    np.testing.assert_array_equal(y, np.arange(64))
    np.testing.assert_array_equal(a, np.where(even, 77, np.arange(64)))
    np.testing.assert_array_equal(f, np.where(even, 5, 0))


def test_old_values_count_up(compiled):
    text = """
@kernel
def k[N](C: i32[1], Y: i32[N]):
    n = grid(cdiv(N, 8))
    store(Y, n, atomic_add(C, zeros((8,), i32), 2, mask=arange(8) < 6))
"""
    counter, seen = np.zeros(1, np.int32), np.full(16, -1, np.int32)
    compiled(text)(counter, seen)
    assert counter[0] == 24
    np.testing.assert_array_equal(seen, [0, 2, 4, 6, 8, 10, 0, 0, 12, 14, 16, 18, 20, 22, 0, 0])


def test_a_lock_protects_a_sum(kernels):
    x, total = RNG.integers(0, 9, (9, 32)).astype(np.float32), np.zeros((2, 32), np.float32)
    lock = np.zeros(2, np.int32)
    kernels["locked_sum"](x, lock, total)
    np.testing.assert_array_equal(total[0], x.sum(0))
    assert not lock.any()


def test_tiles_start_at_any_element(compiled):
    text = """
@kernel
def k[M, N](X: i32[M, N], Y: i32[M, N]):
    n = grid(1)
    x = load(X, offset=(-1, 2), shape=(4, 8), pad=5)
    store(Y, x, offset=(1, -3))
"""
    x = np.arange(30, dtype=np.int32).reshape(5, 6)
    y = np.full((5, 6), -1, np.int32)
    compiled(text)(x, y)
    tile = np.full((4, 8), 5, np.int32)
    tile[1:, :4] = x[:3, 2:]
    want = np.full((5, 6), -1, np.int32)
    want[1:, :5] = tile[:, 3:]
    np.testing.assert_array_equal(y, want)


def test_scalars_decide_loops_and_branches(compiled):
    text = """
@kernel
def k[N, M](T: i32[N], X: i64[N, M], Y: i64[N]):
    n = grid(N)
    total = i64(0)
    for i in range(T[n]):
        total = total + X[n, i]
    if X[n, 0] < 3:
        total = -total
    store(Y, n, total)
"""
    counts = np.array([0, 2, 9, 3], np.int32)
    x = RNG.integers(0, 6, (4, 3))
    y = np.zeros(4, np.int64)
    compiled(text)(counts, x, y)
    sums = [row[: max(count, 0)].sum() for row, count in zip(x, counts, strict=True)]
    np.testing.assert_array_equal(y, np.where(x[:, 0] < 3, -np.array(sums), sums))


def test_an_index_that_is_not_checked_must_be_in_range(compiled):
    text = """
@kernel
def k[N](X: f32[N], Y: f32[N]):
    n = grid(1)
    scatter(Y, arange(4), gather(X, arange(4) * 3, check_bounds=False))
"""
    kernel = compiled(text)
    y = np.zeros(10, np.float32)
    kernel(np.arange(10, dtype=np.float32), y)
    np.testing.assert_array_equal(y[:4], [0, 3, 6, 9])
    with pytest.raises(tilec.OutOfRangeError, match="index 9 along axis 0 is outside") as caught:
        kernel(np.zeros(9, np.float32), np.zeros(9, np.float32))
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert (found.code, found.span.line, found.span.column) == ("T0577", 5, 27)


def test_the_example_of_the_language_page(compiled):
    (text,) = re.findall(r"```python\n(# embedding\.tile.*?)```", LANGUAGE_PAGE.read_text(), re.S)
    indices = RNG.integers(-2, 12, 40)
    table = RNG.standard_normal((10, 100)).astype(ml_dtypes.bfloat16)
    out = np.zeros((40, 100), ml_dtypes.bfloat16)
    compiled(text)(indices, table, out)
    inside = (indices >= 0) & (indices < 10)
    want = np.where(inside[:, None], table[np.where(inside, indices, 0)], 0)
    np.testing.assert_array_equal(out, want.astype(ml_dtypes.bfloat16))
