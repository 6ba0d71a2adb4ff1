"""Matrix products of random shapes and layouts against an f32 product on the GPU."""

import random
from pathlib import Path

import pytest

from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

MATMUL = Path(__file__).resolve().parents[2] / "examples" / "matmul.tile"
EXTENTS = (1, 7, 16, 63, 64, 65, 127, 128, 129, 255, 1000, 1024, 4096)
SEED, SHAPES = 20261121, 100


def draw():
    source = random.Random(SEED)
    return [
        (*(source.choice(EXTENTS) for _ in range(3)), *(source.choice("NT") for _ in range(3)))
        for _ in range(SHAPES)
    ]


@pytest.fixture(scope="module")
def matmul():
    return load(MATMUL).matmul


def matrix(torch, rows, columns, order):
    shape = (rows, columns) if order == "N" else (columns, rows)
    data = torch.randn(shape, device="cuda").bfloat16()
    return data if order == "N" else data.T


@pytest.mark.parametrize(("m", "n", "k", "a_order", "b_order", "c_order"), draw())
def test_product(torch, matmul, m, n, k, a_order, b_order, c_order):
    torch.manual_seed(hash((m, n, k)) % 2**31)
    a, b = matrix(torch, m, k, a_order), matrix(torch, k, n, b_order)
    c = matrix(torch, m, n, c_order)
    c.fill_(float("nan"))
    matmul(a, b, c)
    torch.cuda.synchronize()
    expected = a.float() @ b.float()
    error = (c.float() - expected).abs().max().item()
    # One rounding to bf16 of the largest element, and the f32 sum's own error.
    limit = expected.abs().max().item() * 2.0**-8 + k * 2.0**-20
    assert error <= limit, f"max error {error}, limit {limit}"
