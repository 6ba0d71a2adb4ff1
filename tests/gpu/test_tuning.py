"""`tilec.tune` on a GPU: arrays stay as they are, and the plan that was chosen is right."""

import pytest

import tilec

pytestmark = pytest.mark.gpu

SOURCE = """
@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N],
                     BM: const = auto, BN: const = auto, BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), load(B, (k, n), (BK, BN)), acc)
    store(C, (m, n), acc.astype(bf16))

@kernel
def increment[M, N](A: f32[M, N], BN: const = 1024):
    m, n = grid(M, cdiv(N, BN))
    store(A, (m, n), load(A, (m, n), (1, BN)) + 1.0)
"""


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    monkeypatch.setattr("tilec.runtime.cache.cache_directory", lambda: tmp_path)
    return tilec.loads(SOURCE)


def test_product(torch, kernels):
    a, b = (torch.randn(200, 200, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.full_like(a, float("nan"))
    found = tilec.tune(kernels.product, a, b, c, seconds=20.0)
    assert c.isnan().all()
    assert found.best.seconds <= found.planned.seconds
    assert 1e-6 < found.best.seconds < 1e-3
    kernels.product(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)


def test_a_kernel_that_works_in_place(torch, kernels):
    a = torch.randn(300, 2000, device="cuda")
    before = a.clone()
    tilec.tune(kernels.increment, a, candidates=[{"BN": 512}, {"BN": 2048, "worker_warps": 8}])
    assert torch.equal(a, before)
    kernels.increment(a)
    assert torch.equal(a, before + 1)
