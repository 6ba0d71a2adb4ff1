"""Reductions and scans: one kernel for each case, what NumPy says, and how close it has to be.

Every kernel loads one tile of `X`, writes what it computes to `Y`, and is `reduced(x)` of the case.
Those that pick an element add up a tile in which a comparison of `{index}`, the index along the
axis, leaves one element of each row.
"""

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

HELPERS = """
@function
def farther(a, b):
    return where(abs(b) > abs(a), b, a)

@function
def second(a, b):
    return b

@function
def merged(m0, s0, m1, s1):
    m = maximum(m0, m1)
    return m, s0 * exp(m0 - m) + s1 * exp(m1 - m)
"""
SHAPES = ((1, 4096), (64, 128), (256, 8), (4, 16, 32), (2, 2), (128,), (8, 1))
ODD_SHAPES = ((3, 96), (48, 40), (5, 7, 24))


class Case(NamedTuple):
    """One kernel.

    Attributes:
        expression: What is computed of the tile `x`; `{axis}` stands for an axis, `{index}` for a
            tile of the indices along it, and `{best}` for the index of the largest element.
        numpy: The same of an array and an axis.
        dtype: Element type of `X`.
        result: Element type of `Y`.
        error: Largest relative error; 0 compares bits.
        values: What `X` is made of; random numbers of its type where there are none.
    """

    expression: str
    numpy: Any
    dtype: str = "f32"
    result: str = "f32"
    error: float = 0.0
    values: tuple[int, ...] = ()


def _farther(x, axis):
    place = np.expand_dims(np.abs(x).argmax(axis), axis)
    return np.take_along_axis(x, place, axis).squeeze(axis)


def _affines(x, axis):
    """Fold rows with `found * row + 1`, and return what is found up to each of them.

    Of -1 and 1 each row counts, and nothing overflows.
    """
    found = [np.zeros_like(x.take(0, axis))]
    for row in np.moveaxis(x, axis, 0):
        found.append(found[-1] * row + 1)
    return np.stack(found[1:], axis)


def _affine(x, axis):
    return _affines(x, axis).take(-1, axis)


def _running_top(x, axis):
    return np.maximum.accumulate(x.astype(np.float32), axis).astype(x.dtype)


def _log_sum(x, axis):
    top = x.max(axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis)) + top.squeeze(axis)


def _beyond(x, axis):
    """Return the elements at twice the index of the largest one, less 3; 0 outside."""
    place = np.expand_dims(2 * x.argmax(axis) - 3, axis)
    inside = (place >= 0) & (place < x.shape[axis])
    found = np.take_along_axis(x, np.where(inside, place, 0), axis)
    return np.where(inside, found, 0).squeeze(axis)


def _reciprocal_zero(x, axis):
    """Return infinities of the sign of a sum of zeros: -0 if it is one, and the only one."""
    zeros = (x * np.float32(-0.0)).take(0, axis)
    with np.errstate(divide="ignore"):
        return 1 / (zeros if x.shape[axis] == 1 else np.zeros_like(zeros))


def _positive_top(x, axis):
    return np.maximum(x.max(axis), 0)


CASES = {
    "sum": Case("sum(x, {axis})", lambda x, a: x.sum(a), error=2e-6),
    "sum_kept": Case(
        "x.sum({axis}, keepdims=True)", lambda x, a: x.sum(a, keepdims=True), error=2e-6
    ),
    "sum_bf16": Case(
        "sum(x, {axis})", lambda x, a: x.astype(np.float32).sum(a), "bf16", "bf16", 8e-3
    ),
    "sum_f64": Case("sum(x, {axis})", lambda x, a: x.sum(a), "f64", "f64", 1e-14),
    "sum_i8": Case("sum(x, {axis})", lambda x, a: x.sum(a, dtype=np.int32), "i8", "i32"),
    "sum_i64": Case("sum(x, {axis})", lambda x, a: x.sum(a), "i64", "i64"),
    "prod": Case(
        "prod(x * 0.25 + 1.0, {axis})", lambda x, a: (x * np.float32(0.25) + 1).prod(a), error=1e-3
    ),
    "max": Case("max(x, axis={axis})", lambda x, a: x.max(a)),
    "min_f16": Case("x.min({axis})", lambda x, a: x.min(a), "f16", "f16"),
    "max_u8": Case("x.max({axis})", lambda x, a: x.max(a), "u8", "u8"),
    "argmax": Case("argmax(x, {axis})", lambda x, a: x.argmax(a), "f32", "i32"),
    "argmin_i32": Case("x.argmin({axis})", lambda x, a: x.argmin(a), "i32", "i32"),
    "pick": Case("sum(where({index} == {best}, x, 0.0), {axis})", lambda x, a: x.max(a)),
    "pick_i64": Case(
        "sum(where({best} == {index}, x, 0), {axis})", lambda x, a: x.max(a), "i64", "i64"
    ),
    "pick_f64": Case(
        "sum(where({index} == {best}, x, 0.0), {axis})", lambda x, a: x.max(a), "f64", "f64"
    ),
    "pick_beyond": Case("sum(where({index} - 7 == 2 * {best} - 10, x, 0.0), {axis})", _beyond),
    "pick_both": Case("sum(where(({index} == {best}) & (x > 0.0), x, 0.0), {axis})", _positive_top),
    "pick_line": Case(
        "sum(where({index} == max(argmax(x, {axis})), x, 0.0), {axis})",
        lambda x, a: x.take(x.argmax(a).max(), a),
    ),
    "pick_zero": Case(
        "1.0 / sum(where({index} == {best}, x * -0.0, 0.0), {axis})", _reciprocal_zero
    ),
    "any": Case("cast(any(x > 2.0, {axis}), i32)", lambda x, a: (x > 2).any(a), "f32", "i32"),
    "all": Case("cast((x > -2.0).all({axis}), i32)", lambda x, a: (x > -2).all(a), "f32", "i32"),
    "lambda": Case("reduce(x, {axis}, lambda a, b: maximum(a, b), -inf)", lambda x, a: x.max(a)),
    "nested": Case("nested(x, {axis})", lambda x, a: (2 * x).sum(a), error=2e-6),
    "farther": Case("reduce(x, {axis}, farther, 0)", _farther),
    "last_of_all": Case("reduce(x, {axis}, second, 0)", lambda x, a: x.take(-1, a)),
    "affine": Case("affine(x, {axis})", _affine, "i32", "i32", values=(-1, 1)),
    "log_sum": Case("log_sum(x, {axis})", _log_sum, error=2e-6),
    "cumsum": Case("cumsum(x, {axis})", lambda x, a: x.cumsum(a), error=1e-5),
    "cumsum_back": Case(
        "cumsum(x, {axis}, reverse=True)",
        lambda x, a: np.flip(np.flip(x, a).cumsum(a), a),
        error=1e-5,
    ),
    "cumsum_i32": Case("x.cumsum({axis})", lambda x, a: x.cumsum(a, dtype=np.int32), "i32", "i32"),
    "cumprod": Case(
        "cumprod(x * 0.1 + 1.0, {axis})",
        lambda x, a: (x * np.float32(0.1) + 1).cumprod(a),
        error=1e-3,
    ),
    "cumsum_f64": Case("cumsum(x, {axis})", lambda x, a: x.cumsum(a), "f64", "f64", 1e-13),
    "cummax_bf16": Case(
        "scan(x, {axis}, lambda a, b: maximum(a, b), -inf)", _running_top, "bf16", "bf16"
    ),
    "affines": Case("affines(x, {axis})", _affines, "i32", "i32", values=(-1, 1)),
    "affines_back": Case(
        "affines(x, {axis}, True)",
        lambda x, a: np.flip(_affines(np.flip(x, a), a), a),
        "i32",
        "i32",
        values=(-1, 1),
    ),
    "last": Case("scan(x, {axis}, second, 0)", lambda x, a: x),
    "first": Case("scan(x, {axis}, second, 0, reverse=True)", lambda x, a: x),
}
EXTRA = """
@function
def log_sum(x, axis):
    m, s = reduce((x, ones(x.shape, f32)), axis, merged, (-1e30, 0.0))
    return m + log(s)

@function
def composed(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1

@function
def affine(x, axis):
    return reduce((x, ones(x.shape, i32)), axis, composed, (1, 0))[1]

@function
def affines(x, axis, reverse=False):
    return scan((x, ones(x.shape, i32)), axis, composed, (1, 0), reverse=reverse)[1]

@function
def nested(x, axis):
    two = 2.0
    def add(a, b, factor=1.0):
        return a + b * factor
    def twice(tile):
        return tile * two
    return reduce(twice(x), axis, add, 0)
"""
_NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "u8": np.uint8,
    "i32": np.int32,
    "i64": np.int64,
}


def source(case, shape, axis):
    """Return a `.tile` file with the kernel of a case."""
    x = np.zeros(shape, _NUMPY[case.dtype])
    result = np.shape(case.numpy(x, axis)) or (1,)
    places = ", ".join(":" if place == axis else "None" for place in range(len(shape)))
    expression = case.expression.format(
        axis=axis,
        index=f"arange({shape[axis]})[{places}]",
        best=f"argmax(x, {axis}, keepdims=True)",
    )
    scalar = len(shape) == 1 and len(np.shape(case.numpy(x, axis))) == 0
    value = f"full(1, {expression})" if scalar else expression
    extents = ", ".join(map(str, shape))
    zeros = ", ".join("0" for _ in shape)
    index = ", ".join("0" for _ in result)
    return f"""{HELPERS}{EXTRA}
@kernel(any_tile_extents=True)
def k(X: {case.dtype}[{extents}], Y: {case.result}[{", ".join(map(str, result))}]):
    p = grid(1)
    x = load(X, ({zeros},), ({extents},))
    store(Y, ({index},), {value})
"""


def arrays(case, shape, axis, seed=0):
    """Return `X` with random values, and `Y` with poison."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(_NUMPY[case.dtype])
    if case.values:
        x = random.choice(case.values, shape).astype(dtype)
    elif dtype.kind in "iu":
        low = -100 if dtype.kind == "i" else 0
        x = random.integers(low, 100, shape).astype(dtype)
    else:
        x = random.standard_normal(shape).astype(dtype)
    result = np.shape(case.numpy(x, axis)) or (1,)
    return {"X": x, "Y": np.full(result, 99).astype(_NUMPY[case.result])}


def check(case, x, y, axis):
    """Compare what a kernel wrote with NumPy."""
    expected = np.asarray(case.numpy(x, axis)).reshape(y.shape)
    if not case.error:
        np.testing.assert_array_equal(y, expected.astype(y.dtype))
        return
    scale = np.maximum(1, np.abs(expected.astype(np.float64)))
    length = np.sqrt(x.shape[axis])
    error = np.abs(y.astype(np.float64) - expected.astype(np.float64)) / scale
    assert error.max() <= case.error * length


def runs(
    complete=(
        "sum",
        "argmax",
        "pick",
        "pick_beyond",
        "cumsum",
        "cumsum_back",
        "farther",
        "affine",
        "log_sum",
    ),
):
    """Yield (name, shape, axis): all shapes for the cases in `complete`, two for the others."""
    for name in CASES:
        for shape in (*SHAPES, *ODD_SHAPES) if name in complete else ((64, 128), (1, 2048)):
            for axis in range(len(shape)):
                yield name, shape, axis
