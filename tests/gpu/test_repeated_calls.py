"""Calls that the extension launches: any change of an argument is seen."""

import pytest

import tilec
from tilec.runtime.launch import repeats
from tilec.support.environment import uses_extension

pytestmark = pytest.mark.gpu

SOURCE = """@kernel
def scale[M, N](A: f32[M, N], B: f32[M, N], s: f32):
    m, n = grid(cdiv(M, 16), cdiv(N, 16))
    store(B, (m, n), load(A, (m, n), (16, 16)) * s)
"""


@pytest.fixture
def scale(tmp_path):
    path = tmp_path / "scale.tile"
    path.write_text(SOURCE)
    return tilec.load(path).scale


@pytest.fixture
def run(torch, scale):
    def check(a, s=2.0, times=3):
        """Call several times, and compare every result."""
        for _ in range(times):
            b = torch.full(a.shape, -7.0, device=a.device)
            scale(a, b, s)
            assert torch.equal(b, a * s)

    return check


def noted(kernel):
    found = kernel._dispatcher._repeats
    return 0 if found is None else len(found._calls)


def test_the_extension_takes_repeated_calls(torch, scale):
    a = torch.randn(48, 48, device="cuda")
    b = torch.empty_like(a)
    for _ in range(4):
        b.fill_(-7.0)
        scale(a, b, 2.0)
        assert torch.equal(b, a * 2.0)
    built = repeats.RepeatedCalls is not None and uses_extension()
    assert noted(scale) == (
        1 if built and hasattr(torch.Tensor, "__dlpack_c_exchange_api__") else 0
    )


def test_changes_in_place_are_seen(torch, scale):
    a = torch.randn(32, 32, device="cuda")
    b = torch.empty_like(a)

    def check():
        for _ in range(3):
            b.fill_(-7.0)
            scale(a, b, 2.0)
            assert torch.equal(b, a * 2.0)

    check()
    a.t_()
    check()
    a.data = a.data.t()
    check()
    a.data = torch.randn(32, 32, device="cuda")
    check()
    a.resize_(16, 32)
    b.resize_(16, 32)
    check()


def test_negative_views(torch, run):
    pairs = torch.randn(32, 32, device="cuda", dtype=torch.complex64)
    run(pairs.imag)
    with pytest.raises(tilec.LaunchError):
        run(pairs.conj().imag)
    run(pairs.imag)


def test_scalars(torch, run):
    a = torch.randn(32, 32, device="cuda")
    for s in (2.0, 3.0, 2.0, -0.0, 0.0, 2.0):
        run(a, s)


def test_streams_and_graphs(torch, scale):
    a = torch.randn(64, 64, device="cuda")
    b = torch.empty_like(a)
    for _ in range(3):
        scale(a, b, 2.0)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for _ in range(4):
        with torch.cuda.stream(stream):
            b.fill_(-7.0)
            scale(a, b, 2.0)
        stream.synchronize()
        assert torch.equal(b, a * 2.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        scale(a, b, 2.0)
    for _ in range(3):
        b.fill_(-7.0)
        a.normal_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(b, a * 2.0)


def test_memory_that_is_used_again(torch, scale):
    """New tensors at the addresses of dead ones."""
    for number in range(50):
        a = torch.full((32, 32), float(number), device="cuda")
        b = torch.empty_like(a)
        for _ in range(3):
            scale(a, b, 2.0)
        assert torch.equal(b, a * 2.0)
        del a, b
