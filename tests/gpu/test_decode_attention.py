"""Attention of one new query for each sequence on the GPU, in parts that the last block adds up."""

import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, poisoned, wait
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

KEYS = 1000
LENGTHS = (0, 1, 64, 65, 700, KEYS)
"""Keys of each sequence."""
PARTS = (1, 3, 16)
LAUNCHES = 20
ROUNDINGS = 2 * 2.0**-8
"""Weights and results are rounded to bf16, each by up to 2^-8 of the values' mean magnitude."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""


@pytest.fixture(scope="module")
def decode():
    return load(ROOT / "examples" / "decode_attention.tile").decode_attention


def expected(torch, q, k, v, lengths, scale):
    """Return the result in f64, and the mean of the values' magnitudes; zeros without keys."""
    scores = scale * torch.einsum("bghd,btgd->bght", q.double(), k.double())
    seen = torch.arange(k.shape[1], device="cuda") < lengths[:, None, None, None]
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1).nan_to_num(nan=0.0)
    return [torch.einsum("bght,btgd->bghd", weights, x) for x in (v.double(), v.double().abs())]


@pytest.mark.parametrize(("columns", "added"), [(16, 2), (64, 1)])
@pytest.mark.parametrize("depth", [40, 64, 128])
@pytest.mark.parametrize(
    "heads", [(1, 1), (2, 7), (1, 16)], ids=lambda pair: f"{pair[0]}-{pair[1]}"
)
def test_decode(torch, decode, heads, depth, columns, added):
    torch.manual_seed(depth + columns)
    groups, shared = heads
    lengths = torch.tensor(LENGTHS, dtype=torch.int32, device="cuda")
    count, extent, scale = len(LENGTHS), 64 if depth <= 64 else 128, depth**-0.5
    q = torch.randn((count, groups, shared, depth), device="cuda").bfloat16()
    k, v = (torch.randn((count, KEYS, groups, depth), device="cuda").bfloat16() for _ in range(2))
    want, magnitude = expected(torch, q, k, v, lengths, scale)
    counters = torch.zeros((count, groups), dtype=torch.int32, device="cuda")
    for parts in PARTS:
        sums = torch.full((parts, count, groups, shared), torch.nan, device="cuda")
        part = torch.full((*sums.shape, depth), torch.nan, device="cuda")
        memory, out = poisoned(torch, count, groups, shared, depth)
        for _ in range(LAUNCHES):  # barriers and counters of one launch must not trouble the next
            out.fill_(torch.nan)
            arrays = q, k, v, lengths, out, part, sums, counters
            decode(*arrays, scale=scale, BD=extent, BH=columns, BP=added)
        wait(torch, f"attention in {parts} parts")
        error = (out.double() - want).abs().nan_to_num(nan=float("inf"))
        assert bool((error <= ROUNDINGS * magnitude + SMALLEST).all()), (parts, error.max().item())
        assert bool((memory[:GUARD] == GUARD_BITS).all() and (memory[-GUARD:] == GUARD_BITS).all())
        assert not bool(counters.any()), "every launch restores the zeros"
