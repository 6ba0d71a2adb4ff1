"""Attention of random shapes on the GPU, against f64: heads, lengths, masks, layouts, sequences."""

import random
from typing import NamedTuple

import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, poisoned, wait
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

CASES = 60
LONGEST = 5000
"""Tokens of a sequence."""
MOST_SCORES = 2**26
"""Scores of the reference, in f64: 0.5 GB."""
ROUNDINGS = 2 * 2.0**-8
"""Weights and results are rounded to bf16, each by up to 2^-8 of the values' mean magnitude."""
TANH = 2.0**-11
"""Relative error of `tanh.approx.f32` (PTX ISA)."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""
CAP = 2.0
KERNELS = ("attention", "window_attention", "flex_attention", "varlen_attention")


class Case(NamedTuple):
    """A call: a kernel, the extents of its arrays, and what it masks."""

    kernel: str
    batches: int
    length: int
    groups: int
    shared: int
    depth: int
    causal: int
    window: int
    head_first: bool

    def __str__(self) -> str:
        return "-".join(str(int(x) if isinstance(x, bool) else x) for x in self)


def random_case(number):
    """Return a case; lengths are of all orders of magnitude."""
    rng = random.Random(number)
    length = min(LONGEST, int(2 ** rng.uniform(0, 13)))
    most = max(1, MOST_SCORES // length**2)
    groups, shared = rng.choice([(1, 1), (2, 1), (1, 4), (2, 3)])
    while groups * shared > most:
        groups, shared = 1, max(1, shared - 1)
    kernel = KERNELS[number % len(KERNELS)]
    return Case(
        kernel,
        batches=rng.randint(1, max(1, min(3, most // (groups * shared)))),
        length=length,
        groups=groups,
        shared=shared,
        depth=rng.choice([8, 40, 64, 72, 128] if kernel != "attention" else [64, 96, 128, 256]),
        causal=rng.randint(0, 1) if kernel in ("attention", "varlen_attention") else 1,
        window=rng.randint(1, length + 64),
        head_first=rng.random() < 0.5,
    )


@pytest.fixture(scope="module")
def kernels():
    return {name: load(ROOT / "examples" / f"{name}.tile")[name] for name in KERNELS}


def array(torch, case, heads):
    """Return random numbers of [batch, token, head, depth], perhaps with heads before tokens."""
    if case.head_first:
        shape = (case.batches, heads, case.length, case.depth)
        return torch.randn(shape, device="cuda").bfloat16().transpose(1, 2)
    shape = (case.batches, case.length, heads, case.depth)
    return torch.randn(shape, device="cuda").bfloat16()


def seen(torch, case, starts):
    """Return which keys a query sees."""
    tokens = torch.arange(case.length, device="cuda")
    distance = tokens[:, None] - tokens[None, :]
    mask = torch.ones_like(distance, dtype=torch.bool)
    if case.causal:
        mask &= distance >= 0
    if case.kernel == "window_attention":
        mask &= distance < case.window
    if case.kernel == "varlen_attention":
        owner = torch.searchsorted(starts, tokens.int(), right=True)
        mask &= owner[:, None] == owner[None, :]
    return mask, distance


def expected(torch, case, q, k, v, slopes, starts):
    """Return the result in f64 and the mean of the values' magnitudes, by their weights."""
    q, k, v = (x.double().transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(case.shared, dim=1) for x in (k, v))
    mask, distance = seen(torch, case, starts)
    scores = case.depth**-0.5 * (q @ k.mT)
    if case.kernel == "flex_attention":
        scores = CAP * ((scores - slopes.double()[:, None, None] * distance) / CAP).tanh()
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return [(weights @ x).transpose(1, 2) for x in (v, v.abs())]


def call(torch, case, kernel, tensors, slopes, starts):
    """Call the kernel of a case; `tensors` are Q, K, V and the result."""
    q, k, v, out = tensors
    scale, extent = case.depth**-0.5, max(64, 1 << (case.depth - 1).bit_length())
    if case.kernel == "attention":
        sums = torch.empty((case.batches, q.shape[2], case.length), device="cuda")
        kernel(q, k, v, out, sums, scale=scale, causal=case.causal, BD=extent)
    elif case.kernel == "window_attention":
        kernel(q, k, v, out, scale=scale, window=case.window, BD=extent)
    elif case.kernel == "flex_attention":
        kernel(q, k, v, slopes, out, scale=scale, cap=CAP, BD=extent)
    else:
        for b in range(case.batches):
            given = (q[b], k[b], v[b], starts, out[b])
            kernel(*given, scale=scale, longest=case.length, causal=case.causal, BD=extent)


@pytest.mark.parametrize("case", [random_case(number) for number in range(CASES)], ids=str)
def test_random_attention(torch, kernels, case):
    torch.manual_seed(case.length)
    heads = case.groups * case.shared
    q, k, v = (array(torch, case, count) for count in (heads, case.groups, case.groups))
    memory, out = poisoned(torch, case.batches, case.length, heads, case.depth)
    slopes = torch.exp2(-8 * torch.arange(1, heads + 1, device="cuda") / heads)
    inner = torch.randint(0, case.length + 1, (5,), device="cuda").sort().values
    starts = torch.cat([inner.new_zeros(1), inner, inner.new_full((1,), case.length)]).int()
    call(torch, case, kernels[case.kernel], (q, k, v, out), slopes, starts)
    wait(torch, str(case))
    want, magnitude = expected(torch, case, q, k, v, slopes, starts)
    # A score of the cap is off by so much, and so, relatively, are weights and their sum.
    bound = ROUNDINGS + (2 * CAP * TANH if case.kernel == "flex_attention" else 0.0)
    error = (out.double() - want).abs().nan_to_num(nan=float("inf"))
    assert bool((error <= bound * magnitude + SMALLEST).all()), error.max().item()
    for guard in (memory[:GUARD], memory[-GUARD:]):
        assert bool((guard == GUARD_BITS).all()), "memory outside of the result was written"
