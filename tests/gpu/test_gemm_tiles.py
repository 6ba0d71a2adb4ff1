"""Every tile that a matrix product may use, against an f32 product on the GPU.

Sizes are no multiples of a tile, so that every edge is cut; the kernels are compiled with the tile
as constants, so nothing depends on what the planner chooses.
"""

from pathlib import Path

import pytest

from tilec.plan.gemm.tile import GemmTile
from tilec.plan.registers import accumulator_limit, accumulator_registers
from tilec.request.target import get_target
from tilec.runtime.jit import Kernel, load

pytestmark = pytest.mark.gpu

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROWS, COLUMNS, DEPTH = (64, 128, 192, 256), range(64, 257, 16), 64
SIZES = (712, 1048, 328)
NARROW_SPANS = {(192, 240)}
"""With N of B contiguous these need 30 boxes, more than the producer has registers for."""


def fits(m, n):
    """Tell whether the accumulator fits the registers; two stages always fit shared memory."""
    consumers = GemmTile(m, n, DEPTH, 2, 2).consumers(get_target("sm_90a"))
    return accumulator_registers(m, n, 4, consumers) <= accumulator_limit(
        consumers, get_target("sm_90a")
    )


def cases():
    tiles = [(m, n) for m in ROWS for n in COLUMNS if fits(m, n)]
    for tile in tiles:
        yield "linear", tile, "NTN"
        if tile not in NARROW_SPANS:
            yield "matmul", tile, "NNN"
    for number, tile in enumerate(tiles):
        order = ("TNN", "TTN", "NNT", "TTT")[number % 4]
        if tile not in NARROW_SPANS:
            yield "matmul", tile, order


@pytest.fixture(scope="module")
def kernels():
    """Return the examples, allowed to use any tile."""
    plan = {"any_tile_extents": True}
    texts = {name: load(EXAMPLES / f"{name}.tile")[name].text for name in ("linear", "matmul")}
    return {name: Kernel(text, name, plan) for name, text in texts.items()}


def matrix(torch, rows, columns, order):
    """Return a random rows x columns matrix, row-major (N) or column-major (T)."""
    shape = (rows, columns) if order == "N" else (columns, rows)
    data = torch.randn(shape, device="cuda").bfloat16()
    return data if order == "N" else data.T


@pytest.mark.parametrize(("name", "tile", "orders"), list(cases()))
def test_product(torch, kernels, name, tile, orders):
    m, n, k = SIZES
    torch.manual_seed(tile[0] * 1000 + tile[1])
    a, b = matrix(torch, m, k, orders[0]), matrix(torch, k, n, orders[1])
    c = matrix(torch, m, n, orders[2])
    c.fill_(float("nan"))
    operand = b.T if name == "linear" else b  # linear takes the weights as [N, K]
    kernels[name](a, operand, c, BM=tile[0], BN=tile[1], BK=DEPTH)
    torch.cuda.synchronize()
    expected = a.float() @ b.float()
    error = (c.float() - expected).abs().max().item()
    # One rounding to bf16 of the largest element, and the f32 sum's own error.
    limit = expected.abs().max().item() * 2.0**-8 + k * 2.0**-20
    assert error <= limit, f"max error {error}, limit {limit}"
