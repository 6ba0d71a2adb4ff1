"""The gradients of attention on the GPU: forward and backward kernels against f64, bit for bit."""

from functools import partial

import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, poisoned, wait
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = [pytest.mark.gpu, pytest.mark.slow]

BATCHES = 2
LENGTHS = (1, 63, 129, 300)
MASKS_AND_HEADS = ((0, (4, 2)), (1, (1, 1)), (1, (6, 1)))
"""Whether the mask is causal; heads of queries, and of keys and values."""
ROUNDING = 2.0**-8
"""Of a number to bf16, relative to it."""
ARITHMETIC = 2.0**-14
"""Relative error of weights and sums in f32: approximate exponentials of sums of up to 128."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""


@pytest.fixture(scope="module")
def kernels():
    names = ("", "_backward_delta", "_backward_queries", "_backward_keys", *TOGETHER)
    return [load(ROOT / "examples" / f"attention{name}.tile")[f"attention{name}"] for name in names]


TOGETHER = ("_backward", "_backward_scale")
"""The kernels that compute all gradients in one pass over the scores."""


def expected(q, k, v, do, scale, causal):
    """Return the gradients in f64, and a bound of the error of each, by its roundings.

    The result O and the weights of its sum are rounded to bf16, and so are the weights P and the
    gradients S of scores that later products read, and the gradients themselves.
    """
    shared = q.shape[2] // k.shape[2]
    q, k, v, do = (x.double().movedim(1, 2) for x in (q, k, v, do))
    wide_k, wide_v = (x.repeat_interleave(shared, dim=1) for x in (k, v))
    scores = scale * (q @ wide_k.mT)
    if causal:
        scores = scores.masked_fill(scores.new_ones(scores.shape[-2:]).triu(1).bool(), -1e300)
    p = scores.softmax(dim=-1)
    one = ROUNDING + ARITHMETIC
    off = 2 * one * (do.abs() * (p @ wide_v.abs())).sum(-1, keepdim=True)  # of R
    r = (do * (p @ wide_v)).sum(-1, keepdim=True)
    slopes = do @ wide_v.mT - r
    s = p * slopes
    off_s = p * off + one * s.abs() + ARITHMETIC * p * (do.abs() @ wide_v.abs().mT + r.abs())

    def together(x):
        return x.unflatten(1, (-1, shared)).sum(2)

    found = [scale * (s @ wide_k), together(scale * (s.mT @ q)), together(p.mT @ do)]
    limits = [
        scale * (off_s @ wide_k.abs()),
        together(scale * (off_s.mT @ q.abs())),
        together(one * (p.mT @ do.abs())),
    ]
    return [
        (x.movedim(1, 2), (limit + one * x.abs() + SMALLEST).movedim(1, 2))
        for x, limit in zip(found, limits, strict=True)
    ]


def gradients(torch, kernels, arrays, scale, constants):
    """Return memories and arrays of the gradients: DQ by one kernel, DK and DV by another one."""
    forward, delta, queries, keys, *_ = kernels
    q, k, v, do = arrays
    causal, extent = constants
    aligned = q.shape[1] % 4 == 0  # TMA loads the sums, or threads do, which takes registers
    rows_of_tile = 64 if aligned or extent < 128 else 32
    out = torch.full_like(q, torch.nan)
    shape = (q.shape[0], q.shape[2], q.shape[1])
    sums, rows, powers = (torch.full(shape, torch.nan, device="cuda") for _ in range(3))
    memories, found = zip(*(poisoned(torch, *x.shape) for x in (q, k, v)), strict=True)
    forward(q, k, v, out, sums, scale=scale, causal=causal, BD=extent)
    delta(out, do, sums, rows, powers, BD=extent)
    given = (q, k, v, do, powers, rows)
    queries(*given, found[0], scale=scale, causal=causal, BD=extent)
    keys(*given, *found[1:], scale=scale, causal=causal, BD=extent, BM=rows_of_tile)
    wait(torch, f"gradients of {q.shape[1]} queries")
    return memories, found


def padded_rows(torch, shape):
    """Return an array whose rows begin at multiples of 16 bytes, filled with NaN."""
    wide = -(-shape[-1] // 4) * 4
    return torch.full((*shape[:-1], wide), torch.nan, device="cuda")[..., : shape[-1]]


def gradients_together(torch, kernels, arrays, scale, constants):
    """Return memories and arrays of the gradients, by one kernel and what finishes DQ."""
    forward, delta, _, _, backward, finish = kernels
    q, k, v, do = arrays
    causal, extent = constants
    out = torch.full_like(q, torch.nan)
    shape = (q.shape[0], q.shape[2], q.shape[1])
    sums, rows, powers = (padded_rows(torch, shape) for _ in range(3))
    memories, found = zip(*(poisoned(torch, *x.shape) for x in (q, k, v)), strict=True)
    total = torch.zeros(q.shape, device="cuda")
    forward(q, k, v, out, sums, scale=scale, causal=causal, BD=extent)
    delta(out, do, sums, rows, powers, BD=extent)
    tile = {"BM": 128 if extent == 64 else 64, "BD": extent}
    backward(q, k, v, do, powers, rows, total, *found[1:], scale=scale, causal=causal, **tile)
    finish(total, found[0], scale=scale, BD=extent)
    wait(torch, f"gradients of {q.shape[1]} queries")
    return memories, found


@pytest.mark.parametrize("way", [gradients, gradients_together])
@pytest.mark.parametrize(("causal", "heads"), MASKS_AND_HEADS, ids=str)
@pytest.mark.parametrize("depth", [40, 64, 128])
def test_gradients(torch, kernels, depth, causal, heads, way):
    many, few = heads
    for length in LENGTHS:
        torch.manual_seed(length + depth)
        q, do = (
            torch.randn((BATCHES, length, many, depth), device="cuda").bfloat16() for _ in range(2)
        )
        k, v = (
            torch.randn((BATCHES, length, few, depth), device="cuda").bfloat16() for _ in range(2)
        )
        scale, extent = depth**-0.5, 64 if depth <= 64 else 128
        run = partial(way, torch, kernels, (q, k, v, do), scale, (causal, extent))
        memories, found = run()
        wanted = expected(q, k, v, do, scale, causal)
        for name, got, (want, limit) in zip(("DQ", "DK", "DV"), found, wanted, strict=True):
            error = (got.double() - want).abs().nan_to_num(nan=float("inf"))
            assert bool((error <= limit).all()), (name, length, (error / limit).max().item())
        for memory in memories:
            assert bool((memory[:GUARD] == GUARD_BITS).all())
            assert bool((memory[-GUARD:] == GUARD_BITS).all())
        again = run()[1]
        same = list(zip(found, again, strict=True))
        for first, second in (
            same if way is gradients else same[1:]
        ):  # blocks add up DQ in any order
            assert torch.equal(first, second)
