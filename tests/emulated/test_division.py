"""Integer division and float extrema at the ends: one result on the CPU reference and in PTX."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import agree, run_both

INTEGERS = {
    f"{sign}{bits}": np.dtype(f"{sign}{bits // 8}") for sign in "iu" for bits in (8, 32, 64)
}
RESULTS = ("x // y", "x % y", "cdiv(x, y)", "where(y != 0, x // y, 7)", "where(y == 0, 9, x % y)")
FLOATS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}


def body(results, kind, shape="128"):
    lines = [
        f"    store(C, ({n}, 0), cast({text}, {kind})[None, :])" for n, text in enumerate(results)
    ]
    return "\n".join(lines) + "\n"


def pairs(kind):
    limits = np.iinfo(INTEGERS[kind])
    few = {limits.min, limits.min + 1, limits.max - 1, limits.max, 0, 1, 2, 7}
    few |= {-1, -2, -7} if limits.min else {5}
    made = list(product(sorted(few), repeat=2))
    return [np.array([pair[place] for pair in made], INTEGERS[kind]) for place in (0, 1)]


@pytest.mark.parametrize("kind", INTEGERS)
def test_tiles(device, kind):
    x, y = pairs(kind)
    source = f"""@kernel
def k[N](A: {kind}[N], B: {kind}[N], C: {kind}[5, N]):
    i = grid(1)
    x, y = load(A, 0, 128), load(B, 0, 128)
{body(RESULTS, kind)}"""
    arrays = {"A": x, "B": y, "C": np.zeros((5, len(x)), x.dtype)}
    found = agree(device, source, arrays)["C"]
    exact = y != 0
    python = [int(a) // int(b) for a, b in zip(x[exact], y[exact], strict=True)]
    wrapped = np.array([n % 2 ** (8 * x.itemsize) for n in python], np.uint64).astype(x.dtype)
    np.testing.assert_array_equal(found[0][exact], wrapped)
    assert not found[:2, ~exact].any()
    assert (found[3:, ~exact] == [[7], [9]]).all()


ENDS = [("i32", -(2**31), -1), ("i8", -128, -1), ("i64", -(2**63), -1), ("i32", -(2**31), 0)]
ENDS += [("u32", 2**32 - 1, 0), ("i32", 7, 0), ("i32", -(2**31), 2)]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("full(128, {x}, {kind})", "full(128, {y}, {kind})"),
        ("cast({x}, {kind})", "cast({y}, {kind})"),
        ("s", "t"),
        ("s", "cast({y}, {kind})"),
        ("cast({x}, {kind})", "t"),
    ],
)
@pytest.mark.parametrize(("kind", "dividend", "divisor"), ENDS)
def test_constants_and_scalars(device, kind, dividend, divisor, x, y):
    values = {"kind": kind, "x": dividend, "y": divisor}
    wide = [
        f"broadcast_to({text}, 128)" if "full" in x else f"full(128, {text}, {kind})"
        for text in RESULTS
    ]
    source = f"""@kernel
def k[N](C: {kind}[5, N], s: {kind}, t: {kind}):
    i = grid(1)
    x = {x.format(**values)}
    y = {y.format(**values)}
{body(wide, kind)}"""
    made = {"C": np.ones((5, 100), INTEGERS[kind])}
    agree(device, source, made, s=dividend, t=divisor)


NUMBERS = ("nan", "1.0", "-inf", "inf", "-0.0", "0.0")


def bits(values):
    """Return the bits of floats, those of all NaN alike."""
    words = values.view(f"u{values.dtype.itemsize}").copy()
    words[np.isnan(values)] = 12345
    return words


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize(("form", "spread"), [("full(128, {}, {})", False), ("cast({}, {})", True)])
def test_extrema_of_constants(device, kind, form, spread):
    lines = []
    for n, (a, b) in enumerate(product(NUMBERS, repeat=2)):
        for m, name in enumerate(("maximum", "minimum")):
            value = (
                f"{name}({form.format(a, kind)}, {form.format(b, kind)}, propagate_nan={spread})"
            )
            if "cast" in form:
                value = f"full(128, {value}, {kind})"
            lines.append(f"    store(C, ({2 * n + m}, 0), ({value})[None, :])")
    text = "\n".join(lines)
    source = f"@kernel\ndef k[M, N](C: {kind}[M, N]):\n    i = grid(1)\n{text}\n"
    made = {"C": np.ones((72, 8), FLOATS[kind])}
    cpu, gpu = (bits(item.data()["C"]) for item in run_both(device, source, made))
    np.testing.assert_array_equal(cpu, gpu)
    count = (cpu == 12345).all(axis=1).sum()
    assert count == (2 * 11 if spread else 2)
