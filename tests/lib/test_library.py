"""The standard library against NumPy, from `.tile` files and from Python; how it is imported."""

# A kernel is Python by its syntax only.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false

from __future__ import annotations

import math
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pytest

import tilec
import tilec.lib
import tilec.lib as library
from tilec.frontend.syntax.parser import parse_source
from tilec.language import arange, f32, grid, load, store, u8, u32
from tilec.lib import FILES, FOLDER, gelu, layer_norm
from tilec.lib import softmax as weights
from tilec.support.sources import read_source_file

N = TypeVar("N")
RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((8, 64)).astype(np.float32)
HELPERS = {
    *("widened", "as_given"),
    *("bits_type", "width_of", "is_float", "is_unsigned", "to_keys", "from_keys"),
    *("precedes", "exchanged", "merged", "sorted_runs", "lesser", "least_halves", "least"),
    *("axis_of", "as_rows", "from_rows", "keys_of_rows", "with_places", "split_places"),
}
"""Functions of the library that only its own functions call."""
HEADER = (
    "@kernel\ndef f(A: f32[8, 64], B: f32[8, 64], W: f32[64], S: f32[8, 64]):\n    g = grid(1)\n"
)


def call(value, imports, x=X, w=X[0], s=X):
    """Return the value of an expression of `a`, `w` and `s`, as the CPU reference computes it."""
    loads = (
        "    a, s = load(A, (0, 0), (8, 64)), load(S, (0, 0), (8, 64))\n    w = load(W, 0, 64)\n"
    )
    text = imports + HEADER + loads + f"    store(B, (0, 0), {value})\n"
    result = np.empty((8, 64), np.float32)
    tilec.loads(text).f(x, result, w, s)
    return result


def normalized(x, columns):
    part = x[:, :columns].astype(np.float64)
    mean, scale = part.mean(1, keepdims=True), np.sqrt(part.var(1, keepdims=True) + 1e-5)
    return np.where(np.arange(x.shape[1]) < columns, (x - mean) / scale, 0)


def erf(x):
    return np.vectorize(math.erf)(x.astype(np.float64))


WIDE = X.astype(np.float64)
EXPECTED = {
    "sigmoid(a)": 1 / (1 + np.exp(-WIDE)),
    "silu(a)": WIDE / (1 + np.exp(-WIDE)),
    "gelu(a)": WIDE / 2 * (1 + erf(WIDE / math.sqrt(2))),
    "gelu_tanh(a)": WIDE / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (WIDE + 0.044715 * WIDE**3))),
    "softmax(a)": np.exp(WIDE) / np.exp(WIDE).sum(1, keepdims=True),
    "softmax(a, 0)": np.exp(WIDE) / np.exp(WIDE).sum(0, keepdims=True),
    "layer_norm(a, w, w)": normalized(X, 64) * X[0] + X[0],
    "layer_norm(a, w, w, columns=48)": normalized(X, 48) * X[0] + X[0],
    "rms_norm(a, w)": WIDE / np.sqrt((WIDE**2).mean(1, keepdims=True) + 1e-5) * X[0],
    "rms_norm(a, w, eps=1.0, columns=48)": WIDE
    / np.sqrt((WIDE[:, :48] ** 2).mean(1, keepdims=True) + 1)
    * X[0],
    "rope(a, s, cos(s), sin(s))[0]": WIDE * np.cos(WIDE) - WIDE * np.sin(WIDE),
    "rope(a, s, cos(s), sin(s))[1]": WIDE * np.cos(WIDE) + WIDE * np.sin(WIDE),
}


@pytest.mark.parametrize("value", EXPECTED)
def test_functions(value):
    name = value.partition("(")[0]
    found = call(value, f"from tilec.lib import {name}\n")
    np.testing.assert_allclose(found, EXPECTED[value], rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("from tilec.lib import softmax as weights\n", "weights(a)"),
        ("import tilec.lib as lib\n", "lib.softmax(a)"),
        ("from tilec import lib\n", "lib.softmax(a)"),
        ("import tilec.lib\n", "tilec.lib.softmax(a)"),
        ("import tilec as tl\n", "tl.lib.softmax(a)"),
        ("", "tilec.lib.softmax(a)"),
    ],
)
def test_ways_to_import(imports, value):
    np.testing.assert_allclose(call(value, imports), EXPECTED["softmax(a)"], rtol=2e-6)


@pytest.mark.parametrize(
    ("imports", "value", "code", "text"),
    [
        ("from tilec.lib import softmox\n", "a", "T0201", "did you mean 'softmax'?"),
        ("import tilec.lib as lib\n", "lib.softmox(a)", "T0206", "did you mean 'softmax'?"),
        ("", "softmax(a)", "T0201", "write 'from tilec.lib import softmax'"),
        ("import tilec as tl\n", "tl.softmax(a)", "T0206", "write 'from tilec.lib import softmax'"),
        ("from tilec.lib import softmax\n", "softmax(a, 2)", "T0301", "softmax.tile"),
    ],
)
def test_errors(imports, value, code, text):
    with pytest.raises(tilec.CompileError, match=code) as caught:
        call(value, imports)
    assert text in str(caught.value)


def test_results_have_the_type_of_the_argument():
    for dtype in ("f16", "bf16"):
        value = f"cast(softmax(cast(a, {dtype})), f32)"
        found = call(value, "from tilec.lib import softmax\n")
        np.testing.assert_array_equal(
            found, call(f"cast(cast({value}, {dtype}), f32)", "from tilec.lib import softmax\n")
        )
        np.testing.assert_allclose(found, EXPECTED["softmax(a)"], rtol=2**-6)


def test_an_absent_element_has_no_weight():
    x = X.copy()
    x[:, 5] = -np.inf
    found = call("softmax(a)", "from tilec.lib import softmax\n", x)
    assert (found[:, 5] == 0).all()
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-6)


@tilec.kernel
def python_kernel(A: f32[8, 64], B: f32[8, 64]):
    m = grid(1)
    a = load(A, (m, 0), (8, 64))
    store(B, (m, 0), weights(gelu(a)) + tilec.lib.silu(a) + library.sigmoid(a))


def test_python_kernels():
    result = np.empty_like(X)
    python_kernel(X, result)
    wide = EXPECTED["gelu(a)"]
    expected = np.exp(wide) / np.exp(wide).sum(1, keepdims=True)
    expected = expected + EXPECTED["silu(a)"] + EXPECTED["sigmoid(a)"]
    np.testing.assert_allclose(result, expected, rtol=2e-6, atol=2e-6)


def test_a_function_works_inside_a_kernel_only():
    with pytest.raises(tilec.LaunchError, match="'layer_norm' works inside a kernel only"):
        layer_norm(X, X, X)


@tilec.kernel
def numbers(BITS: u32[4, N], UNIFORM: f32[N], NORMAL: f32[N]):
    i = grid(1)
    counter = arange(4096)
    bits = library.philox(0x299F31D0A4093822, counter)
    for k in (0, 1, 2, 3):
        store(BITS, (k, i), bits[k][None, :])
    store(UNIFORM, i, library.rand(1, counter))
    store(NORMAL, i, library.randn(1, counter))


def philox(key, counter):
    """Return the four words of Philox4x32-10, with integers of Python."""
    words, low = [counter & 0xFFFFFFFF, counter >> 32, 0, 0], 0xFFFFFFFF
    keys = [key & low, key >> 32]
    for _ in range(10):
        a, b = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [b >> 32 ^ words[1] ^ keys[0], b & low, a >> 32 ^ words[3] ^ keys[1], a & low]
        keys = [keys[0] + 0x9E3779B9 & low, keys[1] + 0xBB67AE85 & low]
    return words


def test_random_numbers():
    assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # of its authors
    bits, uniform, normal = (
        np.empty(shape, dtype)
        for shape, dtype in (((4, 4096), np.uint32), (4096, np.float32), (4096, np.float32))
    )
    numbers(bits, uniform, normal)
    for column in (0, 1, 77, 4095):
        assert bits[:, column].tolist() == philox(0x299F31D0A4093822, column)
    first = [philox(1, column)[0] for column in range(4096)]
    np.testing.assert_array_equal(uniform, (np.array(first) >> 8).astype(np.float32) * 2.0**-24)
    assert abs(normal.mean()) < 0.06
    assert abs(normal.std() - 1) < 0.04
    assert abs(np.corrcoef(normal[:-1], normal[1:])[0, 1]) < 0.06


@tilec.kernel
def int4(A: u8[16, 32], S: f32[16], C: f32[16, 64]):
    i = grid(1)
    scale = load(S, i, 16)[:, None]
    store(C, (i, 0), library.dequantize_int4(load(A, (i, 0), (16, 32)), scale, zero=7))


def test_numbers_of_4_bits():
    packed = RANDOM.integers(0, 256, (16, 32), dtype=np.uint8)
    scale = RANDOM.standard_normal(16).astype(np.float32)
    result = np.empty((16, 64), np.float32)
    int4(packed, scale, result)
    numbers = np.stack((packed & 15, packed >> 4), axis=2).reshape(16, 64).astype(np.float32)
    np.testing.assert_array_equal(result, (numbers - 7) * scale[:, None])


@pytest.mark.parametrize(
    ("columns", "most", "extent"),
    [
        (1, 131072, 1),
        (100, 131072, 128),
        (4096, 131072, 4096),
        (4097, 131072, 4352),  # 17 of 32 parts of 8192
        (5000, 131072, 5120),  # 10 of 16
        (40000, 131072, 40960),
        (50257, 131072, 51200),
        (131072, 131072, 131072),
        (200000, 131072, 106496),  # two tiles
        (300000, 131072, 106496),  # three
    ],
)
def test_tiles_of_a_row_are_equal_and_nearly_full(columns, most, extent):
    text = (
        "from tilec.lib import row_tile\n"
        "@kernel(any_tile_extents=True)\ndef f(A: f32[1, 1]):\n    g = grid(1)\n"
        f"    static_assert(row_tile({columns}, {most}) == {extent})\n"
        "    store(A, (0, 0), full((1, 1), 1.0, f32))\n"
    )
    result = np.zeros((1, 1), np.float32)
    tilec.loads(text).f(result)
    assert result == 1
    assert columns <= extent * -(-columns // most) < 1.25 * columns + 1024


@pytest.mark.parametrize(
    ("columns", "rows"), [(1, 4096), (64, 64), (1000, 4), (2048, 2), (2049, 1), (50257, 1)]
)
def test_short_rows_share_a_block(columns, rows):
    text = (
        "from tilec.lib import tile_rows\n"
        "@kernel\ndef f[M](A: f32[M, 1], N: const):\n"
        "    BM = tile_rows(N, 4096)\n    m = grid(cdiv(M, BM))\n"
        "    store(A, (m, 0), full((BM, 1), cast(m, f32), f32))\n"
    )
    result = np.zeros((5000, 1), np.float32)
    tilec.loads(text).f(result, N=columns)
    np.testing.assert_array_equal(result[:, 0], np.arange(5000) // rows)


def test_every_function_is_listed():
    defined = {}
    for path in FOLDER.glob("*.tile"):
        tree = parse_source(read_source_file(path))
        defined.update(dict.fromkeys(tree.functions, path.stem))
        for function in tree.functions.values():
            assert function.docstring, function.name
    assert all(defined[name] == stem for name, stem in FILES.items())
    assert set(defined) - set(FILES) == HELPERS
    names = [name for name in vars(tilec.lib) if name in FILES]
    assert sorted(names) == sorted(FILES) == sorted(tilec.lib.__all__)
    assert all(getattr(tilec.lib, name).name == name for name in FILES)
    assert all(first < second for first, second in pairwise(FILES))
