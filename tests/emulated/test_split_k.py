"""Tiles that are split along K, on the emulator: the same bits in every order of events."""

import numpy as np
import pytest

import tilec
from tests.support.emulated_gemm import ROOT, matrix
from tests.support.example_cases import check_example
from tests.support.gemm_source import gemm_source
from tilec.testing.check import Variant

SOURCE = gemm_source(hints="split_k={splits}", operands="f16", result="f32", rows=64, columns=64)
EXTENTS = (100, 40)
"""M and N: two tiles."""
SEEDS = range(3)


@pytest.mark.parametrize(
    ("splits", "k", "multiprocessors"), [(2, 200, 8), (4, 130, 5), (8, 520, 3)]
)
def test_results_are_equal_bit_by_bit(device, tmp_path, splits, k, multiprocessors):
    """Two sets of operands, one after the other, so that partial sums of the launch before would
    be wrong."""
    path, (m, n) = tmp_path / "product.tile", EXTENTS
    path.write_text(SOURCE.format(splits=splits))
    product = tilec.load(path).product
    rng = np.random.default_rng(0)
    pairs = [
        [rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n))]
        for _ in range(2)
    ]
    found: list[set[bytes]] = [set(), set()]
    device.multiprocessors = multiprocessors
    for seed in SEEDS:
        device.seed = seed
        for (left, right), results in zip(pairs, found, strict=True):
            c = device.array((m, n), (n, 1), "<f4")
            product(matrix(device, m, k, values=left), matrix(device, k, n, values=right), c)
            result = c.view(np.float32)
            want = left.astype(np.float32) @ right.astype(np.float32)
            np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-3)
            results.add(result.tobytes())
    assert [len(results) for results in found] == [1, 1]


@pytest.mark.parametrize("k", [128, 512])
def test_products_of_computed_operands(device, launch, tmp_path, k):
    """The last one of a share comes after its loop; shares of K = 128 have at most one k-tile."""
    source = ROOT / "examples/matmul_int4.tile"
    path = tmp_path / source.name
    path.write_text(source.read_text().replace("@kernel", "@kernel(split_k=4)", 1))
    kernel = tilec.load(path).matmul_int4
    device.multiprocessors = 8
    sizes = {"M": 40, "N": 72, "K": k, "H": k // 2, "G": k // 128}
    check_example(launch, kernel, source, Variant(sizes, constants={"BM": 32, "BN": 64}))
