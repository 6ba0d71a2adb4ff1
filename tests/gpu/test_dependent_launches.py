"""Kernels that start before the one before them has ended: each reads what the last one wrote.

All values are small integers, which bf16 holds exactly, and the products are permutations, so that
one stale element anywhere in a chain is a wrong result at its end.
"""

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import wait
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = """@kernel
def copy(A: bf16[M, N], B: bf16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    store(B, (m, n), load(A, (m, n), (64, 64)))


@kernel
def add(A: bf16[M, N], B: bf16[M, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, 32), cdiv(N, 64))
    store(C, (m, n), load(A, (m, n), (32, 64)) + load(B, (m, n), (32, 64)))
"""
SOURCE += gemm_source("gemm", hints="cluster=(2, 1)", columns=256)
LENGTH = 50
"""Kernels of a chain."""
SLEEP = 20_000_000
"""Cycles for which the GPU is kept busy first, so that all of a chain is queued after it."""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    path = tmp_path_factory.mktemp("chain") / "chain.tile"
    path.write_text(SOURCE)
    return load(path)


class Chain:
    """Two buffers that kernels read and write alternately, and what they should hold.

    Each round copies the first into the second, permutes the columns of the second into the first
    and adds one to the first in place: every kernel reads the last one's output, and overwrites
    what the last but one has read.
    """

    def __init__(self, torch, kernels, size):
        self.torch, self.kernels = torch, kernels
        torch.manual_seed(size)
        self.first = torch.randint(0, 64, (size, size), device="cuda").bfloat16()
        self.second = torch.full_like(self.first, -1)
        self.ones = torch.ones_like(self.first)
        self.order = torch.randperm(size, device="cuda")
        # Column j of the product is column order[j] of A.
        self.permutation = torch.eye(size, device="cuda").bfloat16()[:, self.order].contiguous()

    def expected(self, rounds):
        """Return what `first` holds after `rounds` more rounds."""
        result = self.first.float()
        for _ in range(rounds):
            result = result[:, self.order] + 1
        return result

    def round(self):
        self.kernels.copy(self.first, self.second)
        self.kernels.gemm(self.second, self.permutation, self.first)
        self.kernels.add(self.first, self.ones, self.first)

    def round_with_torch(self):
        """Replace a kernel of the round by torch's, which knows nothing of dependent launches."""
        self.second.copy_(self.first)
        self.kernels.gemm(self.second, self.permutation, self.first)
        self.first.add_(1)

    def warm_up(self):
        """Compile and load all kernels."""
        self.round()
        self.torch.cuda.synchronize()


@pytest.mark.parametrize("size", [256, 1024, 2304])
def test_a_chain(torch, kernels, size):
    chain = Chain(torch, kernels, size)
    chain.warm_up()
    rounds = LENGTH // 3
    expected = chain.expected(rounds)
    torch.cuda.synchronize()
    torch.cuda._sleep(SLEEP)
    for _ in range(rounds):
        chain.round()
    wait(torch, f"a chain of {LENGTH} kernels")
    assert torch.equal(chain.first.float(), expected)


@pytest.mark.parametrize("size", [256, 2304])
def test_a_chain_with_kernels_of_torch(torch, kernels, size):
    chain = Chain(torch, kernels, size)
    chain.warm_up()
    rounds = LENGTH // 3
    expected = chain.expected(rounds)
    torch.cuda.synchronize()
    torch.cuda._sleep(SLEEP)
    for number in range(rounds):
        (chain.round_with_torch if number % 2 else chain.round)()
    wait(torch, f"a chain of {LENGTH} kernels, some of them torch's")
    assert torch.equal(chain.first.float(), expected)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_chain_in_a_graph(torch, kernels, mixed):
    chain = Chain(torch, kernels, 1024)
    chain.warm_up()
    chain.round_with_torch()
    torch.cuda.synchronize()
    rounds = 8
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for number in range(rounds):
            (chain.round_with_torch if mixed and number % 2 else chain.round)()
    for seed in range(3):
        torch.manual_seed(seed)
        chain.first.copy_(torch.randint(0, 64, chain.first.shape, device="cuda"))
        expected = chain.expected(2 * rounds)
        graph.replay()
        graph.replay()
        wait(torch, "a graph of dependent launches")
        assert torch.equal(chain.first.float(), expected)


def test_chains_on_two_streams(torch, kernels):
    """Chains that share no buffer do not wait for each other, nor disturb each other."""
    chains = [Chain(torch, kernels, size) for size in (1024, 1280)]
    for chain in chains:
        chain.warm_up()
    rounds = LENGTH // 3
    expected = [chain.expected(rounds) for chain in chains]
    streams = [torch.cuda.Stream() for _ in chains]
    torch.cuda.synchronize()
    for _ in range(rounds):
        for chain, stream in zip(chains, streams, strict=True):
            with torch.cuda.stream(stream):
                chain.round()
    for stream in streams:
        torch.cuda.current_stream().wait_stream(stream)
    wait(torch, "two chains")
    for chain, result in zip(chains, expected, strict=True):
        assert torch.equal(chain.first.float(), result)
