"""Tiles that are split along K: results, their order of additions, workspaces, graphs."""

import itertools
import random

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import wait
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = gemm_source(
    hints="split_k={splits}{hints}", result="{result}", rows="{rows}", columns="{columns}"
)
FUSED = gemm_source(
    "fused",
    hints="split_k=3",
    inputs=("bias: bf16[N]",),
    before=("c = load(C, (m, n), (128, 128))",),
    after=("x = acc + cast(load(bias, n, 128), f32)[None, :]",),
    value="x + cast(c, f32)",
)
BATCHED = gemm_source("batched", hints="split_k=4", result="f32", rows=64, batched=True)
TILES = ((64, 128), (128, 128), (128, 256))
POISON = -7.0
REPEATS = 20


@pytest.fixture
def product(tmp_path):
    numbers = itertools.count()

    def make(splits, tile=(128, 256), result="bf16", hints=""):
        path = tmp_path / f"product{next(numbers)}.tile"
        names = {"rows": tile[0], "columns": tile[1], "result": result}
        path.write_text(SOURCE.format(splits=splits, hints=hints, **names))
        return load(path).product

    return make


def operands(torch, m, n, k):
    """Return random A and B in pitches that TMA can take."""
    a = torch.randn((m, (k + 7) // 8 * 8), device="cuda").bfloat16()[:, :k]
    return a, torch.randn((k, (n + 7) // 8 * 8), device="cuda").bfloat16()[:, :n]


def poisoned(torch, m, n, dtype):
    """Return poisoned memory and an array in it, with room after each row and after the last."""
    whole = torch.full((m + 1, (n + 15) // 8 * 8), POISON, dtype=dtype, device="cuda")
    return whole, whole[:m, :n]


def check(whole, found, a, b):
    expected, k = a.float() @ b.float(), a.shape[1]
    limit = expected.abs().max().item() * 2.0**-8 + k * 2.0**-18
    error = (found.float() - expected).abs().max().item()
    assert error <= limit, f"max error {error}, limit {limit}"
    found.fill_(POISON)
    assert bool((whole == POISON).all()), "memory outside of the array was written"


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("splits", [2, 3, 8, 16])
def test_random_sizes(torch, product, tile, splits):
    """Few tiles and many, more splits than k-tiles, shares of different length, ragged edges."""
    torch.backends.cuda.matmul.allow_tf32 = False
    dice = random.Random(splits * tile[1])
    kernel = product(splits, tile)
    sizes = [(dice.randint(1, 700), dice.randint(1, 700), dice.randint(1, 9000)) for _ in range(6)]
    for m, n, k in (*sizes, (tile[0], tile[1], 64), (64, 64, 1), (3000, 4000, 520)):
        torch.manual_seed(m + n + k)
        a, b = operands(torch, m, n, k)
        for _ in range(3):  # counters and partial sums are those of the launch before
            whole, c = poisoned(torch, m, n, torch.bfloat16)
            kernel(a, b, c)
            wait(torch, f"split_k={splits}, tile {tile}, {m}x{n}x{k}")
            check(whole, c, a, b)


@pytest.mark.parametrize(
    "hints", [", stages=2", ", epilogue_slots=0", ", specialize=False", ", tile_group=1"]
)
def test_with_other_plan_fields(torch, product, hints):
    kernel = product(4, (128, 128), hints=hints)
    a, b = operands(torch, 300, 520, 5000)
    whole, c = poisoned(torch, 300, 520, torch.bfloat16)
    kernel(a, b, c)
    wait(torch, hints)
    check(whole, c, a, b)


def test_no_products_at_all(torch, product):
    """K = 64 in 16 splits: fifteen of them add zeros, and the sum is that of one."""
    a, b = operands(torch, 256, 512, 64)
    results = []
    for splits in (1, 16):
        _, c = poisoned(torch, 256, 512, torch.float32)
        product(splits, result="f32")(a, b, c)
        wait(torch, f"split_k={splits}")
        results.append(c)
    assert torch.equal(*results)


@pytest.mark.parametrize("size", [(512, 512, 16384), (64, 128, 32768), (3000, 4000, 2048)])
def test_repeated_launches_are_equal_bit_by_bit(torch, product, size):
    m, n, k = size
    kernel = product(8, (128, 128), result="f32")
    a, b = operands(torch, m, n, k)
    results = torch.full((REPEATS, m, n), POISON, device="cuda")
    for c in results:
        kernel(a, b, c)
    wait(torch, f"{REPEATS} launches")
    assert all(torch.equal(c, results[0]) for c in results[1:])


def test_kernels_share_a_workspace(torch, product):
    """The partial sums of one kernel lie where others have theirs, but never on counters."""
    kernels = [product(splits, tile, "f32") for splits, tile in ((2, TILES[0]), (5, TILES[2]))]
    sizes = ((64, 128, 4096), (1024, 1024, 4096), (200, 4000, 1000))
    pairs = [operands(torch, *size) for size in sizes]
    for _ in range(4):
        for kernel, (a, b) in itertools.product(kernels, pairs):
            _, c = poisoned(torch, a.shape[0], b.shape[1], torch.float32)
            kernel(a, b, c)
            wait(torch, "a kernel in a shared workspace")
            torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-4, atol=2e-2)


def test_several_streams_at_a_time(torch, product):
    """Each stream has a workspace; cooperative launches wait for room instead of for each other."""
    kernel = product(4, (128, 256), "f32")
    a, b = operands(torch, 1024, 2048, 8192)
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in range(4)]
    results = torch.full((4, 10, 1024, 2048), POISON, device="cuda")
    torch.cuda.synchronize()
    for turn in range(10):
        for stream, row in zip(streams, results, strict=True):
            with torch.cuda.stream(stream):
                kernel(a, b, row[turn])
    for stream in streams:
        torch.cuda.current_stream().wait_stream(stream)
    wait(torch, "launches on four streams")
    flat = results.reshape(40, 1024, 2048)
    assert all(torch.equal(c, flat[0]) for c in flat[1:])
    torch.testing.assert_close(flat[0], a.float() @ b.float(), rtol=1e-4, atol=5e-2)


@pytest.mark.parametrize("warm", [True, False])
def test_graphs_can_be_replayed(torch, product, warm):
    """Also one whose capture allocates the workspace; launches in between change nothing."""
    kernel = product(4, (128, 128), "f32")
    a, b = operands(torch, 384, 512, 6000)
    _, c = poisoned(torch, 384, 512, torch.float32)
    _, d = poisoned(torch, 384, 512, torch.float32)
    kernel(a, b, d)
    wait(torch, "a launch outside of the graph")
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    if warm:
        with torch.cuda.stream(stream):
            kernel(a, b, d)
        torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        kernel(a, b, c)
        kernel(a, b, c)
    for _ in range(5):
        c.fill_(POISON)
        graph.replay()
        kernel(a, b, d)
        wait(torch, "a replayed graph")
        assert torch.equal(c, d)
    with torch.cuda.stream(stream):
        kernel(a, b, d)
    wait(torch, "the stream of the capture")
    assert torch.equal(c, d)


def test_an_epilogue_runs_once(torch, tmp_path):
    """It updates its result in place: another run of it would add the bias twice."""
    path = tmp_path / "fused.tile"
    path.write_text(FUSED)
    fused = load(path).fused
    for m, n, k in ((128, 128, 4096), (500, 300, 3000), (2000, 3000, 1024)):
        a, b = operands(torch, m, n, k)
        bias = torch.randn(n, device="cuda").bfloat16()
        whole, c = poisoned(torch, m, n, torch.bfloat16)
        c.copy_(torch.randn((m, n), device="cuda"))
        expected = a.float() @ b.float() + bias.float() + c.float()
        fused(a, b, bias, c)
        wait(torch, f"fused, {m}x{n}x{k}")
        limit = expected.abs().max().item() * 2.0**-8 + k * 2.0**-18
        assert (c.float() - expected).abs().max().item() <= limit
        c.fill_(POISON)
        assert bool((whole == POISON).all())


def test_batches(torch, tmp_path):
    path = tmp_path / "batched.tile"
    path.write_text(BATCHED)
    a = torch.randn((5, 100, 1000), device="cuda").bfloat16()
    b = torch.randn((5, 1000, 200), device="cuda").bfloat16()
    c = torch.full((5, 100, 200), POISON, device="cuda")
    load(path).batched(a, b, c)
    wait(torch, "batched")
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-4, atol=1e-2)


def test_dependent_launches_read_what_the_last_split_stored(torch, product):
    """The next product may start early; its first loads are the result of this one."""
    kernel = product(4, (128, 128))
    size = 512
    torch.manual_seed(0)
    order = torch.randperm(size, device="cuda")
    permutation = torch.eye(size, device="cuda").bfloat16()[:, order].contiguous()
    first = torch.randint(0, 200, (size, size), device="cuda").bfloat16()
    second, expected = torch.empty_like(first), first.clone()
    for _ in range(25):
        kernel(first, permutation, second)
        kernel(second, permutation, first)
        expected = expected[:, order][:, order]
    wait(torch, "a chain of products")
    assert torch.equal(first, expected)
