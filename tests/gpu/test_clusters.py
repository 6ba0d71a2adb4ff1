"""Products in clusters of every shape: shared tiles, ragged edges, batches."""

from itertools import product

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import check_product, operand, poisoned, wait
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = "\n\n".join(
    gemm_source(
        name,
        hints="cluster={cluster}, any_tile_extents=True",
        rows="{rows}",
        columns="{columns}",
        batched=name == "batched",
    )
    for name in ("gemm", "batched")
)
CLUSTERS = ((2, 1), (1, 2), (2, 2), (4, 1), (1, 4))
TILES = ((128, 256), (64, 64), (64, 192))
"""Four boxes of B and one of A that can be cut; one box of each, with a single consumer; three of
B, which are all cut between steps of K where N is contiguous."""
SIZES = (
    (64, 64, 64),
    (104, 200, 56),
    (384, 768, 208),
    (392, 1304, 56),
    (640, 256, 1008),
    (4104, 8456, 184),
)
"""Fewer tiles than a cluster, odd counts of tiles, one step of K, several tiles for each CTA.

All extents of a size are multiples of 16, or none is: two variants to compile."""
WITHOUT_TMA = (257, 515, 70)
"""Rows that TMA cannot take, so that a cluster shares nothing; too much for the larger tile."""


def kernels(folder, cluster, tile):
    path = folder / "clusters.tile"
    path.write_text(SOURCE.format(cluster=cluster, rows=tile[0], columns=tile[1]))
    return load(path)


@pytest.mark.parametrize("orders", ["NN", "TT"])
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile[0]}x{tile[1]}")
@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda pair: f"{pair[0]}x{pair[1]}")
def test_products(torch, tmp_path, cluster, tile, orders):
    gemm = kernels(tmp_path, cluster, tile).gemm
    for m, n, k in (*SIZES, *([WITHOUT_TMA] if tile == (64, 64) else [])):
        torch.manual_seed(m + n + k)
        a, b = operand(torch, orders[0], m, k), operand(torch, orders[1], k, n)
        memory, c = poisoned(torch, m, n)
        for _ in range(2):  # barriers of one launch must not trouble the next
            gemm(a, b, c)
        wait(torch, f"{m}x{n}x{k} in clusters of {cluster}")
        check_product(torch, memory, c, a.float() @ b.float(), k)


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda pair: f"{pair[0]}x{pair[1]}")
def test_tiles_are_shared(torch, tmp_path, cluster):
    """The sizes above go through multicast, not past it."""
    a, b = operand(torch, "N", 384, 128), operand(torch, "N", 128, 768)
    compiled = kernels(tmp_path, cluster, (128, 256)).gemm.compile(a, b, a.new_empty(384, 768))
    assert compiled.metadata["cluster_tiles"] == list(cluster)
    assert ".multicast::cluster" in compiled.artifact.kernels[0].ptx


@pytest.mark.parametrize("cluster", [(2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("orders", ["NN", "TT"])
def test_batches(torch, tmp_path, cluster, orders):
    batched = kernels(tmp_path, cluster, (64, 64)).batched
    for count, (m, n, k) in product((1, 3), ((64, 64, 64), (200, 328, 136), (1000, 520, 64))):
        torch.manual_seed(count + m)
        a, b = operand(torch, orders[0], count, m, k), operand(torch, orders[1], count, k, n)
        memory, c = poisoned(torch, count, m, n)
        batched(a, b, c)
        wait(torch, f"{count} times {m}x{n}x{k} in clusters of {cluster}")
        check_product(torch, memory, c, a.float() @ b.float(), k)


def test_an_empty_sum_is_zero(torch, tmp_path):
    gemm = kernels(tmp_path, (2, 1), (64, 64)).gemm
    memory, c = poisoned(torch, 128, 128)
    gemm(operand(torch, "N", 128, 0), operand(torch, "N", 0, 128), c)
    wait(torch, "a product without terms")
    check_product(torch, memory, c, torch.zeros(128, 128, device="cuda"), 1)
