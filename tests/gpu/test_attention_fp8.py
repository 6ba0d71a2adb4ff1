"""Attention in 8-bit floats on the GPU against f64."""

import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, poisoned, wait
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

BATCHES = 2
LENGTHS = (16, 128, 144, 304, 1008)
"""TMA takes V where the pitch of its rows, the length, is a multiple of 16 bytes."""
HEADS = ((1, 1), (4, 2), (6, 1))
"""Heads of queries, and of keys and values."""
WEIGHT = 2.0**-4
"""Of a weight to 8 bits, relative to it: 3 bits of mantissa."""
LEAST = 2.0**-18
"""Of a small weight: half of the least number of the type, as weights are up to 2^8."""
RESULT = 2.0**-8
"""Of a result to bf16."""
SUM = 2.0**-13
"""Of a sum that the tensor cores keep: 14 bits, in each instruction (32 elements of K)."""


@pytest.fixture(scope="module")
def attention():
    return load(ROOT / "examples" / "attention_fp8.tile").attention_fp8


def expected(q, k, v, scales, scale, causal):
    """Return the result in f64, [batch, head, sequence, depth], and a bound of its error."""
    shared = q.shape[2] // k.shape[2]
    q, k = (x.double().movedim(1, 2) for x in (q, k))
    k, v = (x.repeat_interleave(shared, dim=1) for x in (k, v.double().mT))
    query, key, value = (x.double().repeat_interleave(shared, 1)[..., None, None] for x in scales)
    factor = scale * query * key
    scores = factor * (q @ k.mT)
    seen = scores.new_ones(scores.shape[-2:]).bool()
    if causal:
        seen = seen.tril()
    weights = scores.masked_fill(~seen, -1e300).softmax(dim=-1)
    steps = [extent // 32 + 1 for extent in (q.shape[-1], q.shape[-2])]
    exponent = 2 * steps[0] * SUM * (factor * (q.abs() @ k.mT.abs())).amax()
    relative = WEIGHT + exponent + steps[1] * SUM
    out = value * (weights @ v)
    off = value * (relative * (weights @ v.abs()) + LEAST * (seen.double() @ v.abs()))
    return out, off + RESULT * out.abs()


@pytest.mark.parametrize("heads", HEADS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("depth", [48, 64, 128])
def test_attention(torch, attention, depth, causal, heads):
    many, few = heads
    for length in LENGTHS:
        torch.manual_seed(length + depth)

        def made(*shape):
            return torch.randn((BATCHES, *shape), device="cuda").to(torch.float8_e4m3fn)

        q, k = made(length, many, depth), made(length, few, depth)
        v = made(few, depth, length)
        scales = [torch.rand((BATCHES, few), device="cuda") + 0.5 for _ in range(3)]
        memory, out = poisoned(torch, BATCHES, length, many, depth)
        extent, scale = 64 if depth <= 64 else 128, depth**-0.5
        for _ in range(2):  # barriers of one launch must not trouble the next
            attention(q, k, v, out, *scales, scale=scale, causal=causal, BD=extent)
        wait(torch, f"attention of {length} queries")
        want, limit = expected(q, k, v, scales, scale, causal)
        error = (out.double().movedim(1, 2) - want).abs().nan_to_num(nan=float("inf"))
        assert bool((error <= limit).all()), (length, (error / limit).max().item())
        assert bool((memory[:GUARD] == GUARD_BITS).all() and (memory[-GUARD:] == GUARD_BITS).all())
