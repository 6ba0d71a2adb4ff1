"""The meaning of programs: what they compute on the CPU reference, against Python and NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilec.request.specialization import ArraySpec, Specialization

HEADER = "@kernel\ndef f[N](A: {dtype}[N], OUT: {out}[N], p: i32, q: i32, s: f32):\n"
BODY = "    i = grid(cdiv(N, 16))\n    a = load(A, i, 16)\n"


def program(lines, dtype="i32", out=None):
    body = "".join(f"    {line}\n" for line in lines.strip().split("\n"))
    return HEADER.format(dtype=dtype, out=out or dtype) + BODY + body


def compute(run_kernel, lines, data, p=0, q=0, s=0.0, dtype="i32", out=None, out_dtype=None):
    result = np.zeros_like(data, dtype=out_dtype)
    run_kernel(program(lines, dtype, out), {"A": data, "OUT": result}, {"p": p, "q": q, "s": s})
    return result


NUMBERS = np.array([-17, -16, -9, -8, -7, -1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17], np.int32)


def _wrapped(numbers):
    """Return integers as an i8 holds them."""
    return numbers.astype(np.int8).astype(np.int32)


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 8, -1, -2, -3, -8])
def test_integer_division_rounds_down(run_kernel, divisor):
    for text, expected in (("//", NUMBERS // divisor), ("%", NUMBERS % divisor)):
        for right in (f"({divisor})", "p"):
            found = compute(run_kernel, f"store(OUT, i, a {text} {right})", NUMBERS, p=divisor)
            np.testing.assert_array_equal(found, expected, err_msg=f"a {text} {right}")


@pytest.mark.parametrize("divisor", [1, 2, 7, 100, 127, -1, -3, -128])
@pytest.mark.parametrize("dtype", ["i8", "u8", "i32", "u32"])
def test_quotient_is_rounded_up_without_overflow(run_kernel, dtype, divisor):
    kind = np.dtype(dtype.replace("i", "int").replace("u", "uint"))
    limits = np.iinfo(kind)
    if divisor < limits.min:
        return
    data = np.r_[limits.min + np.arange(1, 9), limits.max - np.arange(8)].astype(kind)
    expected = [-(-int(item) // divisor) for item in data]
    for right in (f"({divisor})", f"full(16, {divisor}, {dtype})"):
        found = compute(run_kernel, f"store(OUT, i, cdiv(a, {right}))", data, dtype=dtype)
        assert found.tolist() == expected, right


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(-(2**20), 2**20), st.integers(-1000, 1000).filter(bool))
def test_scalar_division_is_that_of_python(run_kernel, p, q):
    lines = (
        "x = where(arange(16) == 0, p // q, 0)\n"
        "y = where(arange(16) == 1, p % q, 0)\n"
        "z = where(arange(16) == 2, cdiv(p, q), 0)\n"
        "w = where(arange(16) == 3, (p - q) // 7 + (p * 3) % 5 + cdiv(q, 4), 0)\n"
        "store(OUT, i, x + y + z + w)"
    )
    found = compute(run_kernel, lines, NUMBERS, p=p, q=q)
    expected = [p // q, p % q, -(-p // q), (p - q) // 7 + (p * 3) % 5 - (-q // 4)]
    assert found[:4].tolist() == expected


@pytest.mark.parametrize("divisor", [2.5, -2.5])
def test_float_division_rounds_down(run_kernel, divisor):
    data = np.linspace(-10, 10, 16, dtype=np.float32)
    for text, expected in (("//", data // divisor), ("%", data % divisor)):
        found = compute(run_kernel, f"store(OUT, i, a {text} s)", data, s=divisor, dtype="f32")
        np.testing.assert_allclose(found, expected.astype(np.float32), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + 2 * p", lambda a, p: a + 2 * p),
        ("-a - (~p)", lambda a, p: -a - ~p),
        ("a << 2 >> 1", lambda a, p: a << 2 >> 1),
        ("a & 6 | p ^ 3", lambda a, p: a & 6 | p ^ 3),
        ("a ** 3", lambda a, p: a**3),
        ("abs(a)", lambda a, p: np.abs(a)),
        ("maximum(a, p)", lambda a, p: np.maximum(a, p)),
        ("min(a, p, 2)", lambda a, p: np.minimum(np.minimum(a, p), 2)),
        ("where(a > p, a, p)", lambda a, p: np.where(a > p, a, p)),
        (
            "where((a > 0) & (a < 9) | ~(a != -1), 1, 0)",
            lambda a, p: (a > 0) & (a < 9) | (a == -1),
        ),
        ("cast(a, i8) + i8(1)", lambda a, p: a.astype(np.int8) + 1),
        ("cast(cast(a, u32) // 1, i32) // 3", lambda a, p: a // 3),
        ("cast(arange(16, i8) * 12 // 5, i32)", lambda a, p: _wrapped(np.arange(16) * 12) // 5),
        ("cast(cast(a, u8), i32)", lambda a, p: a.astype(np.uint8).astype(np.int32)),
        ("cast(a / 4 * 4.0, i32)", lambda a, p: a),
        ("cast(cast(a, bool), i32)", lambda a, p: a != 0),
        ("arange(16) + i * 16", lambda a, p: np.arange(16)),
        ("cat((extract(a, 1, 8), extract(a, 0, 8)), 0)", lambda a, p: np.roll(a, 8)),
        ("reshape(reshape(a, (4, -1)).T, (16,))", lambda a, p: a.reshape(4, 4).T.reshape(16)),
        ("a if p > 3 else -a", lambda a, p: a if p > 3 else -a),
        ("a + (1 if p > 3 and p < 9 else 2)", lambda a, p: a + (1 if 3 < p < 9 else 2)),
        ("full(16, p) + broadcast_to(q, (16,))", lambda a, p: np.full(16, p)),
        (
            "reshape(permute(reshape(a, (2, 4, 2)), (2, 0, 1)), (16,))",
            lambda a, p: a.reshape(2, 4, 2).transpose(2, 0, 1).reshape(16),
        ),
    ],
)
def test_integer_expressions(run_kernel, expression, expected):
    for p in (5, -4):
        found = compute(run_kernel, f"store(OUT, i, cast({expression}, i32))", NUMBERS, p=p)
        np.testing.assert_array_equal(found, np.asarray(expected(NUMBERS, p)).astype(np.int32))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("exp(a)", np.exp),
        (
            "exp(a, rounding='approx') + tanh(a, rounding='full') * tanh(s, rounding='approx')"
            " + log(2.0 + a * a, rounding='approx')",
            lambda a: np.exp(a) + np.tanh(a) * np.tanh(0.5) + np.log(2 + a * a),
        ),
        ("exp2(a)", np.exp2),
        ("log(abs(a) + 1)", lambda a: np.log(np.abs(a) + 1)),
        ("log2(abs(a) + 1)", lambda a: np.log2(np.abs(a) + 1)),
        ("sqrt(abs(a))", lambda a: np.sqrt(np.abs(a))),
        ("rsqrt(abs(a) + 1)", lambda a: 1 / np.sqrt(np.abs(a) + 1)),
        (
            "sin(a) + cos(a) * tan(a / 4) - tanh(a)",
            lambda a: np.sin(a) + np.cos(a) * np.tan(a / 4) - np.tanh(a),
        ),
        ("floor(a) + ceil(a)", lambda a: np.floor(a) + np.ceil(a)),
        ("fma(a, 2, s)", lambda a: a * 2 + 0.5),
        ("a ** 2 / (1 + s)", lambda a: a**2 / 1.5),
        ("abs(a) ** 0.5", lambda a: np.abs(a) ** 0.5),
        ("where(a != a, 0, a)", lambda a: a),
        ("minimum(maximum(a, -1), s)", lambda a: np.clip(a, -1, 0.5)),
        (
            "a * exp(s) + sqrt(s) - max(s, 2) + s ** 2",
            lambda a: a * np.exp(0.5) + np.sqrt(0.5) - 2 + 0.25,
        ),
        ("a + (s // 0.3) + (s % 0.3)", lambda a: a + 0.5 // 0.3 + 0.5 % 0.3),
        ("cast(cast(a, f16), f32)", lambda a: a.astype(np.float16)),
    ],
)
def test_float_expressions(run_kernel, expression, expected):
    data = np.linspace(-3, 3, 16, dtype=np.float32)
    found = compute(run_kernel, f"store(OUT, i, {expression})", data, s=0.5, dtype="f32")
    np.testing.assert_allclose(found, expected(data).astype(np.float32), rtol=2e-6, atol=2e-6)


def test_nan_loses_unless_asked(run_kernel):
    data = np.full(16, np.nan, np.float32)
    lost = compute(run_kernel, "store(OUT, i, maximum(a, 1.0))", data, dtype="f32")
    kept = compute(
        run_kernel, "store(OUT, i, maximum(a, 1.0, propagate_nan=True))", data, dtype="f32"
    )
    assert (lost == 1).all()
    assert np.isnan(kept).all()


PROGRAMS = {
    "sum by loop": (
        "x = 0\nfor k in range(p):\n    x = x + k * q\nstore(OUT, i, a + x)",
        lambda a, p, q: a + sum(range(max(p, 0))) * q,
    ),
    "range with step": (
        "x = 0\nfor k in range(2, p, 3):\n    x += k\nstore(OUT, i, a + x)",
        lambda a, p, q: a + sum(range(2, p, 3)),
    ),
    "nested": (
        "x = 0\n"
        "for k in range(p):\n"
        "    for j in range(k):\n"
        "        if j > q:\n"
        "            x += j\n"
        "        else:\n"
        "            x -= 1\n"
        "store(OUT, i, a + x)",
        lambda a, p, q: a + sum(j if j > q else -1 for k in range(p) for j in range(k)),
    ),
    "while": (
        "x = p\nsteps = 0\nwhile x > 1:\n    x = x // 2\n    steps += 1\nstore(OUT, i, a + steps)",
        lambda a, p, q: a + max(p, 1).bit_length() - 1,
    ),
    "early return": (
        "if p > 6:\n    store(OUT, i, a)\n    return\nstore(OUT, i, a + q)",
        lambda a, p, q: a if p > 6 else a + q,
    ),
    "branches": (
        "if p > 6:\n"
        "    x = a\n"
        "    y = 1\n"
        "elif p > 4:\n"
        "    x = a * 2\n"
        "    y = q\n"
        "else:\n"
        "    x = -a\n"
        "    y = 3\n"
        "store(OUT, i, x + y)",
        lambda a, p, q: a + 1 if p > 6 else a * 2 + q if p > 4 else -a + 3,
    ),
    "swap in a loop": (
        "x, y = 0, 1\nfor k in range(p):\n    x, y = y, x + y\nstore(OUT, i, a + x)",
        lambda a, p, q: a + [0, 1, 1, 2, 3, 5, 8, 13, 21, 34][p],
    ),
    "lazy and": (
        "x = 7\nif q != 0 and p // q > 1:\n    x = 9\nstore(OUT, i, a + x)",
        lambda a, p, q: a + (9 if q != 0 and p // q > 1 else 7),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_control_flow(run_kernel, name):
    lines, expected = PROGRAMS[name]
    for p, q in ((0, 2), (5, 0), (9, 3)):
        found = compute(run_kernel, lines, NUMBERS, p=p, q=q)
        np.testing.assert_array_equal(found, expected(NUMBERS, p, q), err_msg=f"p={p} q={q}")


def test_helper_with_early_return(run_kernel):
    header = "@function\ndef g(x, k):\n    if k > 2:\n        return x * k\n    return x + 1\n"
    for p in (1, 5):
        result = np.zeros_like(NUMBERS)
        text = header + program("store(OUT, i, g(a, p))")
        run_kernel(text, {"A": NUMBERS, "OUT": result}, {"p": p, "q": 0, "s": 0.0})
        np.testing.assert_array_equal(result, NUMBERS * p if p > 2 else NUMBERS + 1)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("pad", [0.0, 1.5, float("-inf")])
def test_padding_fills_what_lies_outside(run_kernel, pad, before):
    text = (
        "@kernel\ndef f[M, N](A: f32[M, N], OUT: f32[24, 24], p: const, before: const):\n"
        "    m, n = grid(3, 3)\n"
        "    store(OUT, (m, n), load(A, (m - before, n - before), (8, 8), pad=p))\n"
    )
    data = np.arange(13 * 9, dtype=np.float32).reshape(13, 9)
    result = np.zeros((24, 24), np.float32)
    specialization = Specialization(constants={"p": pad, "before": before})
    run_kernel(text, {"A": data, "OUT": result}, specialization=specialization)
    expected = np.full((24, 24), pad, np.float32)
    expected[8 * before :, 8 * before :][:13, :9] = data
    np.testing.assert_array_equal(result, expected)


def test_dim_map_swaps_the_axes(run_kernel):
    text = (
        "@kernel\ndef f[M, N](A: f32[M, N], OUT: f32[N, M]):\n"
        "    i, j = grid(cdiv(N, 8), cdiv(M, 4))\n"
        "    v = make_partition_view(A, tile=(8, 4), dim_map=[1, 0])\n"
        "    store(OUT, (i, j), load(v, (i, j)))\n"
    )
    data = np.arange(12 * 16, dtype=np.float32).reshape(12, 16)
    result = np.zeros((16, 12), np.float32)
    run_kernel(text, {"A": data, "OUT": result})
    np.testing.assert_array_equal(result, data.T)


def test_strides_of_zero_and_below(run_kernel):
    text = (
        "@kernel\n"
        "def f[N](A: f32[N], B: f32[N], OUT: f32[N]):\n"
        "    i = grid(cdiv(N, 8))\n"
        "    store(OUT, i, load(A, i, 8) + load(B, i, 8))\n"
    )
    data = np.arange(8, dtype=np.float32)
    arrays = {
        "A": np.broadcast_to(np.float32(3), (8,)),
        "B": data[::-1],
        "OUT": np.zeros_like(data),
    }
    spec = Specialization(
        arrays={
            "A": ArraySpec("f32", (0,), alignment=1),
            "B": ArraySpec("f32", (-1,), alignment=1),
            "OUT": ArraySpec("f32", (1,)),
        }
    )
    run_kernel(text, arrays, specialization=spec)
    np.testing.assert_array_equal(arrays["OUT"], 3 + data[::-1])


def test_grid_from_the_caller(run_kernel):
    text = (
        "@kernel\n"
        "def f[N](OUT: i32[N]):\n"
        "    i = block_id(0)\n"
        "    store(OUT, i, full(4, i * 10 + num_blocks(0)))\n"
    )
    result = np.zeros(12, np.int32)
    run_kernel(text, {"OUT": result}, grid=(3,))
    assert result[::4].tolist() == [3, 13, 23]


def test_three_coordinates(run_kernel):
    text = (
        "@kernel\ndef f[A, B, C](OUT: i32[A, B, C]):\n    x, y, z = grid(A, B, C)\n"
        "    store(OUT, (x, y, z), full((1, 1, 1), x * 100 + y * 10 + z))\n"
    )
    result = np.zeros((2, 3, 4), np.int32)
    run_kernel(text, {"OUT": result})
    expected = np.fromfunction(lambda x, y, z: x * 100 + y * 10 + z, (2, 3, 4), dtype=np.int32)
    np.testing.assert_array_equal(result, expected)


def test_members_of_tuples(run_kernel):
    lines = """
inside = a in (-8, 2, p)
outside = (q not in (1, 2), 3 in (), p in (5, q + 7), "x" in ("x", "y"))
kept = where(inside, a, 0)
store(OUT, i, kept if outside[0] and not outside[1] and outside[2] and outside[3] else a)
"""
    found = compute(run_kernel, lines, NUMBERS, p=16, q=9)
    np.testing.assert_array_equal(found, np.where(np.isin(NUMBERS, (-8, 2, 16)), NUMBERS, 0))


def test_what_is_none(run_kernel):
    lines = """
def scaled(x, scale=None):
    return x if scale is None else x * scale
assert (None is None) and a is not None
store(OUT, i, scaled(a) + scaled(a, 2))
"""
    np.testing.assert_array_equal(compute(run_kernel, lines, NUMBERS), 3 * NUMBERS)


PRODUCTS = """\
@kernel
def f(A: f32[32, 16], B: f32[16, 32], C: f32[32, 32]):
    i = grid(1)
    a, b = load(A, (0, 0), (32, 16)), load(B, (0, 0), (16, 32))
    store(C, (0, 0), {})
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a @ b", lambda a, b: a @ b),
        ("matmul(a, b, precision='tf32x3')", lambda a, b: a @ b),
        ("1.0 + a @ b - a @ b * 2.0", lambda a, b: 1 - a @ b),
        ("a @ b @ (a @ b)", lambda a, b: a @ b @ (a @ b)),
        ("ones((32, 32)) + (a * 2.0) @ b", lambda a, b: 1 + 2 * (a @ b)),
        ("cast(cast(a, f16) @ cast(b, f16) + a @ b, f32)", lambda a, b: 2 * (a @ b)),
    ],
)
def test_products(run_kernel, value, expected):
    a = np.arange(512, dtype=np.float32).reshape(32, 16) % 7 - 3
    b = np.arange(512, dtype=np.float32).reshape(16, 32) % 5 - 2
    result = np.empty((32, 32), np.float32)
    run_kernel(PRODUCTS.format(value), {"A": a, "B": b, "C": result})
    np.testing.assert_array_equal(result, expected(a, b))
