"""Functions, conversions and parts of tiles on the CPU reference: what NumPy computes."""

import math

import ml_dtypes
import numpy as np
import pytest

INF, NAN = float("inf"), float("nan")
EDGES = [
    *(0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7),
    *(-3.7, INF, -INF, NAN, 1e-30, -1e-30, 1e30, 100.25),
]
X = np.array(EDGES, np.float32)


def single(function):
    """Return a function of `X` in f64, rounded once."""
    with np.errstate(all="ignore"):
        return function(X.astype(np.float64)).astype(np.float32)


def compute(run_kernel, expression, dtype="f32", x=X, kinds=("f32", np.float32)):
    """Return what an expression of `x` gives, of the type `dtype`."""
    text = (
        f"@kernel\ndef f(A: {kinds[0]}[N], B: {dtype}[M], n: i32):\n    i = grid(1)\n"
        f"    x = load(A, 0, {len(x)})\n    y = {expression}\n    store(B, 0, y)\n"
    )
    types = {
        "f32": np.float32, "i32": np.int32, "i8": np.int8, "u8": np.uint8, "f16": np.float16,
        "bf16": ml_dtypes.bfloat16, "bool": np.bool_, "u32": np.uint32, "i16": np.int16,
        "i64": np.int64, "f64": np.float64,
    }  # fmt: skip
    found = np.zeros(8 * len(x), types[dtype])
    run_kernel(text, {"A": x.astype(kinds[1]), "B": found}, {"n": 1})
    return found


@pytest.mark.parametrize(
    ("expression", "dtype", "expected"),
    [
        ("isnan(x)", "bool", np.isnan(X)),
        ("isinf(x)", "bool", np.isinf(X)),
        ("isinf(cast(x, f16))", "bool", np.abs(X) > 65504),
        ("round(x)", "f32", np.rint(X)),
        ("trunc(x)", "f32", np.trunc(X)),
        ("sinh(x)", "f32", single(np.sinh)),
        ("cosh(x)", "f32", single(np.cosh)),
        ("asin(x)", "f32", single(np.arcsin)),
        ("acos(x)", "f32", single(np.arccos)),
        ("atan(x)", "f32", single(np.arctan)),
        ("log1p(x)", "f32", single(np.log1p)),
        ("expm1(x)", "f32", single(np.expm1)),
        ("popcount(bitcast(x, i32))", "i32", np.bitwise_count(X.view(np.uint32))),
        ("clz(bitcast(x, u32) >> 9)", "u32", [32 - int(v >> 9).bit_length() for v in X.view("u4")]),
        ("clz(zeros(8, i16)) + popcount(zeros(8, i16) - 1)", "i16", [32] * 8),
        ("clz(cast(n, i64) << cast(arange(8), i64))", "i64", 63 - np.arange(8)),
        ("full(8, popcount(n + 6) + clz(n), i32)", "i32", [34] * 8),
        ("erf(x)", "f32", np.array([math.erf(v) for v in X], np.float32)),
        ("atan2(x, 2.0)", "f32", single(lambda x: np.arctan2(x, 2.0))),
        ("pow(x, 2)", "f32", single(np.square)),
        ("bitcast(x, i32)", "i32", X.view(np.int32)),
        ("bitcast(bitcast(x, u32) ^ (u32(1) << 31), f32)", "f32", -X),
        ("flip(x)", "f32", X[::-1]),
        ("x.flip(0).extract(0, 4)", "f32", X[::-1][:4]),
        ("pack_to_bytes(x)", "u8", X.view(np.uint8)),
        ("unpack_from_bytes(pack_to_bytes(x), i16)", "i16", X.view(np.int16)),
        ("unpack_from_bytes(bitcast(pack_to_bytes(x), i8), f32)", "f32", X),
        ("pack_to_bytes(cast(x, f64))", "u8", X.astype(np.float64).view(np.uint8)),
        ("arange(8).reduce(0, lambda a, b: maximum(a, b), -1) + zeros(2, i32)", "i32", [7, 7]),
        ("arange(8).scan(0, lambda a, b: a + b, 0)", "i32", np.arange(8).cumsum()),
        ("cumsum(arange(8), reverse=True)", "i32", np.arange(8)[::-1].cumsum()[::-1]),
        ("cumprod(arange(8) + 1)", "i32", (np.arange(8) + 1).cumprod()),
        ("cat((x, x, flip(x, 0), x + 1), 0)", "f32", np.concatenate([X, X, X[::-1], X + 1])),
        ("cat((x, full(8, 1.0), full(8, 2.0)), 0)", "f32", np.concatenate([X, [1] * 8, [2] * 8])),
        (
            "insert(x, n, full(4, 9.0))",
            "f32",
            np.concatenate([X[:4], np.full(4, 9, np.float32), X[8:]]),
        ),
    ],
)
def test_function(run_kernel, expression, dtype, expected):
    found = compute(run_kernel, expression, dtype)[: len(expected)]
    np.testing.assert_array_equal(found, expected)
    if dtype == "f32":
        signs = np.signbit(found) == np.signbit(expected)
        assert (signs | np.isnan(expected)).all()


def test_planes(run_kernel):
    text = (
        "@kernel\ndef f(A: i32[4, 8], B: i32[4, 8], C: i32[4, 8], n: i32):\n    i = grid(1)\n"
        "    x = load(A, (0, 0), (4, 8))\n    store(B, (0, 0), flip(x))\n"
        "    store(C, (0, 0), insert(flip(x, -1), (n, 1), full((2, 4), 7)))\n"
    )
    a = np.arange(32, dtype=np.int32).reshape(4, 8)
    b, c = np.zeros_like(a), np.zeros_like(a)
    run_kernel(text, {"A": a, "B": b, "C": c}, {"n": 1})
    np.testing.assert_array_equal(b, a[::-1, ::-1])
    expected = a[:, ::-1].copy()
    expected[2:4, 4:8] = 7
    np.testing.assert_array_equal(c, expected)


WIDE = np.array(
    [0.0, -0.0, 1.0, -1.0, 1.0004, -1.0004, 65503.9, 65519.9, 65520.0, -65520.0, 1e30, -1e30, INF,
     -INF, 1e-8, -1e-8, 6e-8, -6e-8, 3.0e-5, -3.0e-5, 2.1, -2.1, 3e38, -3.4e38, 1e-40, -1e-40,
     0.1, -0.1, 0.3, -0.3, 1.00390625, NAN],
    np.float32,
)  # fmt: skip


def neighbours(kind):
    """Return every finite number of a 16-bit float, with both infinities, in f64."""
    with np.errstate(all="ignore"):
        every = np.arange(2**16, dtype=np.uint16).view(kind).astype(np.float64)
    return np.unique(every[~np.isnan(every)])


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(("dtype", "kind"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_rounding_to_narrow_floats(run_kernel, mode, dtype, kind):
    found = compute(run_kernel, f"cast(x, {dtype}, rounding='{mode}')", dtype, WIDE)
    found = found[: len(WIDE)].astype(np.float64)
    numbers = neighbours(kind)
    for value, result in zip(WIDE.astype(np.float64), found, strict=True):
        if np.isnan(value):
            assert np.isnan(result)
            continue
        below = numbers[numbers <= value].max()
        above = numbers[numbers >= value].min()
        with np.errstate(all="ignore"):
            nearest = float(np.float32(value).astype(kind))
        toward_zero = below if value > 0 else above
        expected = {"rn": nearest, "rm": below, "rp": above, "rz": toward_zero}[mode]
        assert result == expected, (value, result, expected)


@pytest.mark.parametrize(
    ("mode", "function"),
    [("rn", np.rint), ("rz", np.trunc), ("rm", np.floor), ("rp", np.ceil)],
)
def test_rounding_to_integers(run_kernel, mode, function):
    x = np.array([0.5, 1.5, -0.5, -1.5, 2.7, -2.7, 3.0, 0.0], np.float32)
    found = compute(run_kernel, f"cast(x, i32, rounding='{mode}')", "i32", x)[:8]
    np.testing.assert_array_equal(found, function(x).astype(np.int32))


@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "i32", "u32", "i64"])
def test_saturation_of_floats(run_kernel, dtype):
    x = np.array([NAN, INF, -INF, 1e30, -1e30, 127.5, 128.0, -128.9, 255.9, 256.0, -1.0, 3.0,
                  2147483520.0, 2147483648.0, 4294967040.0, 32767.5], np.float32)  # fmt: skip
    found = compute(run_kernel, f"cast(x, {dtype}, saturate=True)", dtype, x)[: len(x)]
    limits = np.iinfo(str(found.dtype))
    expected = [
        0 if np.isnan(v) else limits.max if v >= limits.max else limits.min if v <= limits.min
        else int(v) for v in x
    ]  # fmt: skip
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [("i32", "i8"), ("i32", "u8"), ("u32", "i16"), ("i8", "u32"), ("u8", "i8")],
)
def test_saturation_of_integers(run_kernel, source, target):
    kind = {"i32": np.int32, "u32": np.uint32, "i8": np.int8, "u8": np.uint8}[source]
    limits = np.iinfo(kind)
    x = np.array([limits.min, limits.max, 0, 1, 5, 100, limits.max // 2, 77])
    found = compute(run_kernel, f"cast(x, {target}, saturate=True)", target, x, (source, kind))[:8]
    into = np.iinfo(str(found.dtype))
    assert found.tolist() == [min(max(int(v), into.min), into.max) for v in x]


@pytest.mark.parametrize("dtype", ["f16", "f64"])
def test_saturation_to_floats(run_kernel, dtype):
    found = compute(run_kernel, f"cast(x, {dtype}, saturate=True)", dtype, WIDE)[: len(WIDE)]
    limits = np.finfo(found.dtype)
    expected = np.clip(WIDE.astype(np.float64), limits.min, limits.max).astype(found.dtype)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("x = bitcast(alpha, f16)", "T0306", "bitcast: the bits of f32 are not those of a f16"),
        ("x = bitcast(n > 3, i8)", "T0306", "bitcast: the bits of bool are not those of a i8"),
        ("x = cast(alpha, i32, rounding='up')", "T0310", "cast: rounding must be 'rn', 'rz', 'rm'"),
        ("x = cast(n, f32, rounding='rz')", "T0306", "cast: rounding modes are for floats"),
        (
            "x = cast(zeros((4, 4)), f8e4m3, saturate=True)",
            "T0306",
            "cast: rounding modes and saturation do not exist for f8e4m3",
        ),
        ("x = cat((zeros(4),), 0)", "T0311", "cat: expected a tuple of two or more tiles"),
        ("x = cat((zeros(4), zeros(4), zeros(8), zeros(4)), 0)", "T0303", "cat: tile 20"),
        ("x = insert(zeros(8), 2, zeros(4))", "T0319", "insert: index 2 is outside 0 to 1"),
        ("x = insert(zeros(8), 0, zeros((2, 2)))", "T0301", "insert: the tile has 1 axes"),
        ("x = insert(zeros(8), 0, zeros(4, f16))", "T0306", "insert: tile and part have different"),
        ("x = flip(zeros(8), 1)", "T0301", "flip: axis 1 is outside a tile of rank 1"),
        ("x = flip(zeros((4, 4)), (0, 0))", "T0301", "flip: expected every axis once"),
        ("x = pack_to_bytes(zeros(8) > 1.0)", "T0306", "pack_to_bytes: bool has no bytes of its"),
        ("x = unpack_from_bytes(zeros(8), f32)", "T0306", "unpack_from_bytes: expected"),
        ("x = unpack_from_bytes(zeros(2, u8), f32)", "T0313", "unpack_from_bytes: 2 bytes"),
        ("x = cumsum(zeros((4, 4)))", "T0310", "cumsum: argument 'axis' is missing: the tile"),
        ("x = isnan(A)", "T0311", "isnan: expected a number or a tile"),
    ],
)
def test_mistake(frontend, body, code, message):
    found = frontend.error(body)
    assert found[0] == code
    assert found[2].startswith(message)
