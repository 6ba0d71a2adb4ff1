"""Arithmetic that rounds in another direction, against exact fractions."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tilec.interpreter.rounding import exact_add, exact_fma, exact_mul, round_exact

INF, NAN = float("inf"), float("nan")
RANDOM = np.random.default_rng(3)
EDGES = [0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 2.0**-149, -(2.0**-149), 2.0**-126, -(2.0**-126),
         1e-40, 3.4e38, -3.4e38, 1 + 2.0**-23, -1 - 2.0**-23, INF, -INF, NAN]  # fmt: skip
PAIRS = np.array([(a, b) for a in EDGES for b in EDGES], np.float32)
NEAR = RANDOM.standard_normal((350, 2)) * 2.0 ** RANDOM.integers(-30, 30, (350, 2))
X, Y = np.concatenate([PAIRS, NEAR.astype(np.float32)]).T[:, :512].copy()
Z = RANDOM.permutation(X)
MODES = {"rz": "zero", "rm": "negative_inf", "rp": "positive_inf", "rn": "nearest_even"}
NAMES = {np.float32: "f32", np.float16: "f16", ml_dtypes.bfloat16: "bf16"}


def computed(run_kernel, expression, kind=np.float32):
    name = NAMES[kind]
    text = (
        f"@kernel\ndef f(A: {name}[512], B: {name}[512], C: {name}[512], R: {name}[512]):\n"
        "    i = grid(1)\n    a, b, c = load(A, 0, 512), load(B, 0, 512), load(C, 0, 512)\n"
        f"    store(R, 0, {expression})\n"
    )
    result = np.zeros(512, kind)
    with np.errstate(all="ignore"):
        arrays = [item.astype(kind) for item in (X, Y, Z)]
    run_kernel(text, dict(zip("ABCR", (*arrays, result), strict=True)), {})
    return result, *(item.astype(np.float64) for item in arrays)


def check(found, expected, signed=True):
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))
    counted = ~np.isnan(expected) & (signed | (expected != 0))
    assert (np.signbit(found) == np.signbit(expected))[counted].all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", NAMES, ids=NAMES.values())
def test_sums_and_products(run_kernel, kind, mode):
    with np.errstate(all="ignore"):
        for expression, exact in (
            ("add(a, b, rounding='{}')", lambda a, b, c: exact_add(a, b)),
            ("sub(a, b, rounding='{}')", lambda a, b, c: exact_add(a, -b)),
            ("mul(a, b, rounding='{}')", lambda a, b, c: exact_mul(a, b)),
            ("fma(a, b, c, rounding='{}')", exact_fma),
        ):
            found, *values = computed(run_kernel, expression.format(mode), kind)
            expected = round_exact(exact(*values), NAMES[kind], MODES[mode])
            check(found, expected, signed=mode != "rm" or expression.startswith("mul"))


@pytest.mark.parametrize(("mode", "sign"), [("rz", 1), ("rm", -1), ("rp", 1), ("rn", 1)])
def test_the_sign_of_an_exact_zero(run_kernel, mode, sign):
    """IEEE 754-2019, 6.3: of numbers of both signs it is -0 only where results round down."""
    for expression, zeros in (
        ("sub(a, a, rounding='{}')", sign),
        ("add(a * 0.0, -0.0 * a, rounding='{}')", sign),
        ("fma(a, 0.0, 0.0 * a, rounding='{}')", None),
    ):
        found, a, *_ = computed(run_kernel, expression.format(mode))
        wanted = np.sign(a) if zeros is None else np.full(512, zeros)
        counted = np.isfinite(a) & (a != 0)
        assert (found[counted] == 0).all()
        assert (np.copysign(1, found[counted]) == wanted[counted]).all()


@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
def test_quotients_and_roots(run_kernel, mode):
    """A result is the exact one or its neighbour on the right side; none is nearer."""
    for expression, error in (
        (
            "truediv(a, b, rounding='{}')",
            lambda r, a, b: (Fraction(a) - r * Fraction(b)) * _sign(b),
        ),
        ("sqrt(abs(a), rounding='{}')", lambda r, a, b: abs(Fraction(a)) - r * r),
    ):
        found, a, b, _ = computed(run_kernel, expression.format(mode))
        checked = 0
        for result, left, right in zip(found, a, b, strict=True):
            if not np.isfinite([result, left, right]).all():
                continue
            exact = error(Fraction(float(result)), left, right)
            down = mode == "rm" or (mode == "rz" and not np.signbit(result))
            assert exact >= 0 if down else exact <= 0
            with np.errstate(all="ignore"):
                away = np.nextafter(result, np.float32(INF if down else -INF))
            if np.isfinite(away):
                beyond = error(Fraction(float(away)), left, right)
                assert exact == 0 or (beyond < 0 if down else beyond > 0)
            checked += 1
        assert checked > 300


def _sign(value):
    return -1 if value < 0 else 1


def test_subnormal_numbers_become_zeros(run_kernel):
    tiny = np.finfo(np.float32).tiny
    flushed = [np.where(abs(x) < tiny, np.copysign(0, x), x).astype(np.float32) for x in (X, Y)]
    with np.errstate(all="ignore"):
        expected = flushed[0] * flushed[1]
    expected = np.where(abs(expected) < tiny, np.copysign(0, expected), expected)
    found, *_ = computed(run_kernel, "mul(a, b, flush_to_zero=True)")
    check(found, expected)
    with np.errstate(all="ignore"):
        assert ((found != X * Y) & np.isfinite(found)).any()


def test_a_fast_quotient_flushes_subnormal_numbers(run_kernel):
    tiny = np.finfo(np.float32).tiny
    found, *_ = computed(run_kernel, "truediv(a, b, rounding='full', flush_to_zero=True)")
    assert not ((found != 0) & (abs(found) < tiny)).any()
    usual, *_ = computed(run_kernel, "truediv(a, b, rounding='full')")
    assert ((usual != 0) & (abs(usual) < tiny)).any()


def test_fast_quotients_and_names_of_operators(run_kernel):
    for expression, function in (
        ("truediv(a, b, rounding='full')", np.divide),
        ("truediv(a, b)", np.divide),
        ("add(a, b)", np.add),
        ("sub(a, b)", np.subtract),
        ("mul(a, b)", np.multiply),
    ):
        with np.errstate(all="ignore"):
            expected = function(X, Y)
        check(computed(run_kernel, expression)[0], expected)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("x = add(A, 1.0)", "T0311", "'+': expected a number or a tile"),
        ("x = add(zeros(8, f64), 1.0, rounding='rz')", "T0306", "add: rounding is for f16, bf16"),
        (
            "x = mul(zeros(8, f16), 1.0, flush_to_zero=True)",
            "T0306",
            "mul: flush_to_zero is for f32",
        ),
        ("x = sqrt(zeros(8), rounding='full')", "T0310", "sqrt: rounding must be 'rn', 'rz'"),
        (
            "x = truediv(zeros(8, f16), 3, rounding='full')",
            "T0306",
            "truediv: rounding 'full' is for",
        ),
    ],
)
def test_mistake(frontend, body, code, message):
    found = frontend.error(body)
    assert found[0] == code
    assert found[2].startswith(message)
