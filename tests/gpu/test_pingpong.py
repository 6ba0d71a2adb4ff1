"""Products whose consumers ping-pong, or keep a group of wgmma in flight."""

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import check_product, operand, poisoned, wait
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = gemm_source(
    "gemm", hints="{hints}, any_tile_extents=True", rows="{rows}", columns="{columns}"
) + gemm_source(
    "biased",
    hints="{hints}, any_tile_extents=True",
    inputs=("R: bf16[M, N]", "V: f32[N]"),
    rows="{rows}",
    columns="{columns}",
    after=("acc = acc + load(V, n, {columns}) + cast(load(R, (m, n), ({rows}, {columns})), f32)",),
)
TILES = ((64, 64), (64, 256), (128, 128), (128, 192))
CLUSTERS = ((1, 1), (2, 1), (1, 2), (2, 2))
SIZES = (
    (64, 64, 64),
    (104, 200, 8),
    (384, 768, 208),
    (392, 1304, 56),
    (640, 256, 1008),
    (4104, 8456, 184),
    (2048, 2048, 2048),
)
"""One tile, odd counts of tiles, one step of K and many, several tiles for each consumer.

All extents of a size are multiples of 16, or none is: two variants to compile."""


def kernels(folder, tile, **hints):
    path = folder / "pingpong.tile"
    text = ", ".join(f"{name}={value}" for name, value in hints.items())
    path.write_text(SOURCE.format(hints=text, rows=tile[0], columns=tile[1]))
    return load(path)


@pytest.mark.parametrize("orders", ["NN", "TT"])
@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda pair: f"{pair[0]}x{pair[1]}")
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile[0]}x{tile[1]}")
@pytest.mark.parametrize("plan", ["pingpong", "at_once", "pending"])
def test_products(torch, tmp_path, plan, tile, cluster, orders):
    hints = {
        "pingpong": {"pingpong": True},
        "at_once": {"pingpong": True, "mma_pending": 0},
        "pending": {"mma_pending": 1},
    }[plan]
    gemm = kernels(tmp_path, tile, cluster=cluster, **hints).gemm
    for m, n, k in SIZES:
        torch.manual_seed(m + n + k)
        a, b = operand(torch, orders[0], m, k), operand(torch, orders[1], k, n)
        memory, c = poisoned(torch, m, n)
        for _ in range(2):  # barriers of one launch must not trouble the next
            gemm(a, b, c)
        wait(torch, f"{m}x{n}x{k} in clusters of {cluster}")
        check_product(torch, memory, c, a.float() @ b.float(), k)


def test_a_slot_is_not_filled_again_while_it_is_read(torch, tmp_path):
    """The operands of one team's wgmma hold up the other team's loads of a bias from its slot.

    Without a fence after these loads nearly every launch of this size was wrong on an H200.
    """
    path = tmp_path / "bias.tile"
    hints = "pingpong=True, mma_pending=1"
    source = SOURCE.format(hints=hints, rows=64, columns=64)
    path.write_text(source.replace(" + cast(load(R, (m, n), (64, 64)), f32)", ""))
    biased = load(path).biased
    m, n, k = 4104, 8456, 192
    torch.manual_seed(0)
    a, b, r = (operand(torch, "N", *shape) for shape in ((m, k), (k, n), (m, n)))
    v = torch.randn(n, device="cuda")
    expected = a.float() @ b.float() + v
    for _ in range(20):
        memory, c = poisoned(torch, m, n)
        biased(a, b, r, v, c)
        wait(torch, "a bias alone")
        check_product(torch, memory, c, expected, k)


@pytest.mark.parametrize("tile", [(64, 64), (128, 128)], ids=lambda tile: f"{tile[0]}x{tile[1]}")
@pytest.mark.parametrize("pending", [0, 1])
def test_epilogue_loads(torch, tmp_path, tile, pending):
    biased = kernels(tmp_path, tile, pingpong=True, mma_pending=pending).biased
    for m, n, k in SIZES:
        torch.manual_seed(m + n + k)
        a, b, r = (operand(torch, "N", *shape) for shape in ((m, k), (k, n), (m, n)))
        v = torch.randn(n, device="cuda")
        memory, c = poisoned(torch, m, n)
        for _ in range(2):
            biased(a, b, r, v, c)
        wait(torch, f"{m}x{n}x{k} with a residual")
        check_product(torch, memory, c, a.float() @ b.float() + v + r.float(), k)
