"""Transposes of all element sizes, with tiles that are and are not made of 8x8 matrices."""

import pytest

import tilec

pytestmark = pytest.mark.gpu

SOURCE = """
@kernel
def transpose[M, N](X: T[M, N], Y: T[N, M], BM: const, BN: const, *, T: dtype):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    store(Y, (n, m), load(X, (m, n), (BM, BN)).T)
"""
TILES = [(64, 64), (128, 32), (32, 128), (128, 128), (16, 16), (8, 64), (4, 32)]


@pytest.fixture(scope="module")
def transpose():
    return tilec.loads(SOURCE).transpose


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(256, 384), (100, 72), (333, 777), (1, 5)])
def test_transpose(torch, transpose, dtype, tile, shape):
    torch.manual_seed(0)
    x = (torch.randn(shape, device="cuda") * 50).to(getattr(torch, dtype))
    y = torch.zeros(shape[::-1], device="cuda", dtype=x.dtype)
    transpose(x, y, BM=tile[0], BN=tile[1])
    assert torch.equal(y, x.T.contiguous())
