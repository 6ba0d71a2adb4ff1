"""Kernels with assertions that fail for some arguments, for the CPU reference, emulator and GPU."""

SOURCE = """
@kernel
def checked[M, N](A: f32[M, N], C: f32[M, N], n: i32, rows: i32):
    i, j = grid(cdiv(M, 16), cdiv(N, 32))
    tile = load(A, (i, j), (16, 32))
    assert n < 9, "n is small"
    for k in range(n):
        assert tile < f32(k) + 50.0, "no element is large"
        tile = tile + 1.0
    if i > 0:
        assert_(i < rows, "few rows")
    store(C, (i, j), tile)


@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N], limit: f32):
    i, j = grid(cdiv(M, 128), cdiv(N, 128))
    acc = zeros((128, 128))
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (i, k), (128, 64)), load(B, (k, j), (64, 128)), acc)
    assert acc < limit, "sums are small"
    store(C, (i, j), cast(acc, bf16))
"""
SHAPE = (48, 64)
CASES = [
    ({"n": 3, "rows": 9}, None, ""),
    ({"n": 9, "rows": 9}, 6, "n is small"),
    ({"n": 5, "rows": 9, "large": (20, 40)}, 8, "checked: assertion failed in block (1, 1): no"),
    ({"n": 3, "rows": 2}, 11, "checked: assertion failed in block (2, "),
]
"""Scalars, with the place of an element of 60 if there is one; the line that fails; its message."""


def arrays(numpy, large=None):
    """Return A, with a large element at `large`, and C of NaNs."""
    first = numpy.arange(SHAPE[0] * SHAPE[1], dtype=numpy.float32).reshape(SHAPE) % 40
    if large is not None:
        first[large] = 60
    return {"A": first, "C": numpy.full(SHAPE, numpy.nan, numpy.float32)}


def check_failure(caught, line, message):
    """Compare the error that an assertion raised."""
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert (found.code, found.span.line) == ("T0578", line)
    assert message in found.message
    assert "assert" in str(caught.value)
