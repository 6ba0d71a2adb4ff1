"""Rotated loops on the GPU: against the CPU reference bit for bit, and attention against f64."""

from functools import partial

import numpy as np
import pytest

from tests.support.gpu_arrays import GUARD, GUARD_BITS, POISON, launch_on_gpu, poisoned, wait
from tests.support.rotated_cases import CASES, TILES, check_rotated, load_kernels
from tests.support.seeded_faults import ROOT
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

MANY = 120
"""Periods of Q: several tiles for each SM."""
BATCHES = 2
LENGTHS = (1, 63, 128, 129, 300, 1000)
HEADS = ((1, 1), (4, 2), (6, 1))
"""Heads of queries, and of keys and values."""
ROUNDINGS = 2 * 2.0**-8
"""Weights and results are rounded to bf16, each by up to 2^-8 of the values' mean magnitude."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""
LOGARITHM = 1e-5
"""The error of the logarithm of a sum of up to 1000 approximate exponentials."""


@pytest.fixture(scope="module")
def kernels():
    return load_kernels()


@pytest.fixture(scope="module")
def attention():
    return load(ROOT / "examples" / "attention.tile").attention


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_number_of_rounds(torch, kernels, case):
    launch = partial(launch_on_gpu, torch)
    for rounds in range(TILES):
        check_rotated(launch, kernels[case.kernel], case, rounds=rounds)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_several_tiles_for_each_cta(torch, kernels, case):
    """Results repeat themselves like Q, once all keys are before the rows."""
    kernel, period = kernels[case.kernel], TILES * case.tile[0]
    given = case._replace(rows=2 * period).arguments()
    kernel(**given.data(), **given.scalars)
    left_out = 0 if case.kernel == "exchanged" else 9  # its results depend on all rows of a tile
    large = case._replace(rows=MANY * period - left_out).arguments()
    before = large.copy()
    launch_on_gpu(torch, kernel, large)
    first, rest = large.data()["O"][: 2 * period], large.data()["O"][2 * period :]
    np.testing.assert_array_equal(first, given.data()["O"])
    np.testing.assert_array_equal(rest, np.resize(first[period:], rest.shape))
    for name, array in large.arrays.items():
        assert array.stray_writes(before.arrays[name].memory) == 0, name


def expected(torch, q, k, v, scale, causal):
    """Return the result in f64, the mean of the values' magnitudes, and log(sum(exp))."""
    q, k, v = (x.double().movedim(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    scores = scale * (q @ k.mT)
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    weights = scores.softmax(dim=-1)
    results = [(weights @ x).movedim(1, 2) for x in (v, v.abs())]
    return *results, scores.logsumexp(dim=-1)


@pytest.mark.parametrize("heads", HEADS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("depth", [40, 64, 128])
def test_attention(torch, attention, depth, causal, heads):
    many, few = heads
    for length in LENGTHS:
        torch.manual_seed(length + depth)
        q = torch.randn((BATCHES, length, many, depth), device="cuda").bfloat16()
        k, v = (
            torch.randn((BATCHES, length, few, depth), device="cuda").bfloat16() for _ in range(2)
        )
        memory, out = poisoned(torch, BATCHES, length, many, depth)
        sums = torch.full((BATCHES * many * length + 2 * GUARD,), POISON, device="cuda")
        logarithms = sums[GUARD:-GUARD].view(BATCHES, many, length)
        scale = depth**-0.5
        extent = 64 if depth <= 64 else 128
        for _ in range(2):  # barriers of one launch must not trouble the next
            attention(q, k, v, out, logarithms, scale=scale, causal=causal, BD=extent)
        wait(torch, f"attention of {length} queries")
        want, magnitude, logs = expected(torch, q, k, v, scale, causal)
        error = (out.double() - want).abs().nan_to_num(nan=float("inf"))
        assert bool((error <= ROUNDINGS * magnitude + SMALLEST).all()), (length, error.max().item())
        assert (logarithms - logs).abs().nan_to_num(nan=float("inf")).max().item() < LOGARITHM
        for guards, value in ((memory, GUARD_BITS), (sums, POISON)):
            assert bool((guards[:GUARD] == value).all() and (guards[-GUARD:] == value).all())
