"""Launches that split written tiles along K, on the emulator: variants agree with the reference."""

from typing import Any

import numpy as np
import pytest

import tilec
from tests.support.emulated_gemm import matrix
from tests.support.gemm_source import gemm_source

DEEP, SHORT = 3100, 200
"""Elements of a sum: with so many, launches of few blocks split tiles; with so few, none does."""
EPILOGUES = {
    "plain": ([], lambda sums: sums),
    "squares": (["acc = acc * acc + 1.0"], lambda sums: sums * sums + 1),
    "rows": (
        ["acc = acc / (1.0 + max(abs(acc), axis=1)[:, None])"],
        lambda sums: sums / (1 + _most(sums)),
    ),
}
SOURCE: dict[str, Any] = {"operands": "f16", "rows": 64, "columns": 64, "depth": 128}


def _most(sums):
    """Return the largest magnitude in each row of a tile of 64 columns."""
    parts = [
        np.abs(sums[:, n : n + 64]).max(axis=1, keepdims=True) for n in range(0, sums.shape[1], 64)
    ]
    widths = [min(64, sums.shape[1] - n) for n in range(0, sums.shape[1], 64)]
    return np.concatenate([np.repeat(p, w, 1) for p, w in zip(parts, widths, strict=True)], axis=1)


@pytest.mark.parametrize("epilogue", EPILOGUES)
@pytest.mark.parametrize("result", ["f16", "f32"])
def test_both_variants_agree_with_numpy(device, epilogue, result):
    after, expected = EPILOGUES[epilogue]
    product = tilec.loads(gemm_source(after=after, result=result, **SOURCE)).product
    m, n = 40, 104
    device.multiprocessors = 5
    rng, dtype = np.random.default_rng(0), {"f16": np.float16, "f32": np.float32}[result]
    for k, splits in ((DEEP, True), (SHORT, False)):
        left, right = (rng.standard_normal(s).astype(np.float16) / 8 for s in ((m, k), (k, n)))
        a, b = matrix(device, m, k, values=left), matrix(device, k, n, values=right)
        c = device.array((m, n), (n, 1), np.dtype(dtype).str)
        assert (product.compile(a, b, c).plan["split_k"] > 1) == splits
        want = expected(left.astype(np.float64) @ right.astype(np.float64))
        found = []
        for seed in range(2):
            device.seed = seed
            product(a, b, c)
            found.append(c.view(dtype).copy())
            np.testing.assert_allclose(found[-1], want, rtol=2e-3, atol=2e-3)
        np.testing.assert_array_equal(*found)


def test_whole_numbers_are_exact(device):
    text = gemm_source(operands="i8", result="i32", rows=64, columns=64, depth=128)
    text = text.replace("load(B, (k, n), (128, 64))", "load(B, (n, k), (64, 128)).T")
    text = text.replace("B: i8[K, N]", "B: i8[N, K]").replace("f32)", "i32)")
    product = tilec.loads(text).product
    m, n, k = 20, 40, 6400
    device.multiprocessors = 4
    rng = np.random.default_rng(0)
    left, right = (rng.integers(-128, 128, shape, np.int8) for shape in ((m, k), (n, k)))
    a, b = device.array((m, k), (k, 1), "|i1"), device.array((n, k), (k, 1), "|i1")
    a.view(np.int8)[...], b.view(np.int8)[...] = left, right
    c = device.array((m, n), (n, 1), "<i4")
    assert product.compile(a, b, c).plan["split_k"] > 1
    product(a, b, c)
    np.testing.assert_array_equal(
        c.view(np.int32), left.astype(np.int32) @ right.T.astype(np.int32)
    )


def test_two_products_of_a_sum(device):
    """Each with operands of its own."""
    text = gemm_source(inputs=["E: f16[M, K]", "F: f16[K, N]"], result="f32", **SOURCE)
    first = "acc = mma(load(A, (m, k), (64, 128)), load(B, (k, n), (128, 64)), acc)"
    second = first.replace("load(A", "load(E").replace("load(B", "load(F")
    product = tilec.loads(text.replace(first, f"{first}\n        {second}")).product
    m, n, k = 40, 72, 4096
    device.multiprocessors = 4
    rng, shapes = np.random.default_rng(0), ((m, k), (k, n)) * 2
    pairs = [rng.standard_normal(shape).astype(np.float16) / 8 for shape in shapes]
    arrays = [matrix(device, *values.shape, values=values) for values in pairs]
    c = device.array((m, n), (n, 1), "<f4")
    assert product.compile(*arrays, c).plan["split_k"] > 1
    product(*arrays, c)
    a, b, e, f = (values.astype(np.float64) for values in pairs)
    np.testing.assert_allclose(c.view(np.float32), a @ b + e @ f, rtol=1e-4, atol=1e-3)
