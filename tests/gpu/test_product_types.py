"""Products of every element type in tiles of the planner's choice, against the CPU reference."""

from functools import partial

import pytest

from tests.support.feature_cases import check_feature
from tests.support.gpu_arrays import launch_on_gpu
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = """
@kernel
def product[M, N, K](A: {a}[M, K], B: {b}[{order}], C: {result}[M, N],
                     BM: const = auto, BN: const = auto, BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BM, BN), {total})
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), {tile}, acc{options})
    store(C, (m, n), cast(acc, {result}))
"""
SIZES = ({"M": 1024, "N": 768, "K": 512}, {"M": 300, "N": 1100, "K": 520})
SHORT_SUMS, FEW_BITS = 2**16, 2**15
"""Tolerances in roundings of f32 (2^-24), applied to the RMS of the result. Elements and partial
sums reach three times the RMS. Sums in f16 are rounded by up to 2^-11 after each of K/16 = 32
instructions: at most 0.047 of the RMS, and a third of that (0.0156) is allowed because roundings
to nearest cancel. Of sums of 8-bit floats the tensor cores keep 14 bits and cut off the rest: up
to 2^-13 in each of K/32 = 16 instructions, so 0.0059 (0.0056 was seen on an H200, 2026-11-23);
0.0078 is allowed. One lost product of 512 changes an element by 0.044 of the RMS."""
CASES = [
    ("f16", "f16", "f16", "f16", "", SHORT_SUMS),
    ("f8e4m3", "f8e4m3", "f32", "f32", "", FEW_BITS),
    ("f8e4m3", "f8e5m2", "f32", "bf16", "", FEW_BITS),
    ("f8e5m2", "f8e4m3", "f32", "f32", ", promote=128", FEW_BITS),
    ("f8e5m2", "f8e5m2", "f16", "f16", "", SHORT_SUMS),
    ("i8", "i8", "i32", "i32", "", None),
    ("u8", "i8", "i32", "i32", "", None),
    ("i8", "u8", "i32", "i32", "", None),
    ("u8", "u8", "i32", "i32", "", None),
    ("tf32", "tf32", "f32", "f32", "", None),
    ("f32", "f32", "f32", "f32", ", precision='tf32'", None),
    ("f32", "f32", "f32", "f32", ", precision='tf32x3'", None),
    ("f32", "f32", "f32", "f32", ", precision='bf16x3'", None),
    ("f64", "f64", "f64", "f64", "", None),
]
TILES = {"N, K": "load(B, (n, k), (BN, BK)).T", "K, N": "load(B, (k, n), (BK, BN))"}


@pytest.fixture
def product(tmp_path):
    def make(a, b, total, result, options, order):
        path = tmp_path / "product.tile"
        names = {"a": a, "b": b, "total": total, "result": result, "options": options}
        path.write_text(SOURCE.format(**names, order=order, tile=TILES[order]))
        return load(path).product

    return make


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:5])))
@pytest.mark.parametrize("order", TILES)
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: "x".join(map(str, sizes.values())))
def test_products(torch, product, case, order, sizes):
    *types, terms = case
    check_feature(partial(launch_on_gpu, torch), product(*types, order), sizes, {}, terms=terms)
