"""Attention of one new query for each sequence on the GPU: parts and their sum, against f64."""

import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, poisoned, wait
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

KEYS = 1000
LENGTHS = (0, 1, 64, 65, 700, KEYS)
"""Keys of each sequence."""
PARTS = (1, 3, 16)
ROUNDINGS = 2 * 2.0**-8
"""Weights and results are rounded to bf16, each by up to 2^-8 of the values' mean magnitude."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""


@pytest.fixture(scope="module")
def kernels():
    names = ("decode_attention", "combine_attention")
    return [load(ROOT / "examples" / f"{name}.tile")[name] for name in names]


def expected(torch, q, k, v, lengths, scale):
    """Return the result in f64, and the mean of the values' magnitudes; zeros without keys."""
    scores = scale * torch.einsum("bghd,btgd->bght", q.double(), k.double())
    seen = torch.arange(k.shape[1], device="cuda") < lengths[:, None, None, None]
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1).nan_to_num(nan=0.0)
    return [torch.einsum("bght,btgd->bghd", weights, x) for x in (v.double(), v.double().abs())]


@pytest.mark.parametrize("rows", [16, 64])
@pytest.mark.parametrize("depth", [40, 64, 128])
@pytest.mark.parametrize(
    "heads", [(1, 1), (2, 7), (1, 16)], ids=lambda pair: f"{pair[0]}-{pair[1]}"
)
def test_decode(torch, kernels, heads, depth, rows):
    decode, combine = kernels
    torch.manual_seed(depth + rows)
    groups, shared = heads
    lengths = torch.tensor(LENGTHS, dtype=torch.int32, device="cuda")
    count, extent, scale = len(LENGTHS), 64 if depth <= 64 else 128, depth**-0.5
    q = torch.randn((count, groups, shared, depth), device="cuda").bfloat16()
    k, v = (torch.randn((count, KEYS, groups, depth), device="cuda").bfloat16() for _ in range(2))
    want, magnitude = expected(torch, q, k, v, lengths, scale)
    for parts in PARTS:
        sums = torch.full((parts, count, groups, shared), torch.nan, device="cuda")
        part = torch.full((*sums.shape, depth), torch.nan, device="cuda")
        memory, out = poisoned(torch, count, groups, shared, depth)
        for _ in range(2):  # barriers of one launch must not trouble the next
            decode(q, k, v, lengths, part, sums, scale=scale, BD=extent, BH=rows)
            combine(part, sums, out, BD=extent)
            if parts == 1:
                whole = torch.full_like(out, torch.nan)
                decode(q, k, v, lengths, whole[None], sums, scale=scale, BD=extent, BH=rows)
                assert torch.equal(whole, out), "the result of one part"
        wait(torch, f"attention in {parts} parts")
        error = (out.double() - want).abs().nan_to_num(nan=float("inf"))
        assert bool((error <= ROUNDINGS * magnitude + SMALLEST).all()), (parts, error.max().item())
        assert bool((memory[:GUARD] == GUARD_BITS).all() and (memory[-GUARD:] == GUARD_BITS).all())
