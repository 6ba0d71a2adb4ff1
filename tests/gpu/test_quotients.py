"""Quotients: those only rounded to 16 bits (`div.full.f32`), and those that share a divisor."""

from pathlib import Path

import pytest

from tilec.runtime.jit import load, loads

pytestmark = pytest.mark.gpu

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

QUOTIENT = """@kernel
def k[N](X: f32[N], D: f32[N], Y: T[N], *, T: dtype):
    i = grid(cdiv(N, 1024))
    store(Y, i, cast(load(X, i, 1024) / load(D, i, 1024), T))
"""
KINDS = ("float16", "bfloat16")
SPECIAL = (0.0, -0.0, 1.0, -3.0, float("inf"), -float("inf"), float("nan"), 2.0**127, 2.0**-149)


@pytest.mark.parametrize("kind", KINDS)
def test_special_values(torch, kind):
    """Signs of zeros, infinities and NaN are those of the exact quotient."""
    dtype = getattr(torch, kind)
    values = torch.tensor(SPECIAL, device="cuda")
    x, d = (part.contiguous().view(-1) for part in torch.meshgrid(values, values, indexing="ij"))
    y = torch.full_like(x, 77, dtype=dtype)
    loads(QUOTIENT, "quotient.tile").k(x, d, y)
    expected = (x.double() / d.double()).float().to(dtype)
    assert bool(((y == expected) | (y.isnan() & expected.isnan())).all())
    assert bool((y.signbit() == expected.signbit())[~expected.isnan()].all())


@pytest.mark.parametrize("kind", KINDS)
def test_all_exponents(torch, kind):
    """A result is the nearest number of 16 bits, or its neighbour where two are nearly as near."""
    dtype = getattr(torch, kind)
    torch.manual_seed(0)
    bits = torch.randint(-(2**31), 2**31, (2, 1 << 22), device="cuda").int()
    x, d = bits.view(torch.float32)
    y = torch.full_like(x, 77, dtype=dtype)
    loads(QUOTIENT, "quotient.tile").k(x, d, y)
    exact = x.double() / d.double()
    low, high = (exact * (1 - 2.0**-22), exact * (1 + 2.0**-22))
    tiny = 2.0**-148  # two units of the smallest numbers of f32
    low, high = torch.minimum(low, high) - tiny, torch.maximum(low, high) + tiny
    fits = (y >= low.float().to(dtype)) & (y <= high.float().to(dtype))
    assert bool((fits | (y.isnan() & exact.isnan())).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", "NK")
def test_swiglu_of_large_gates(torch, kind, order):
    """Gates far from 0 on both sides, infinite `exp(-g)` among them."""
    dtype = getattr(torch, kind)
    m, n, k = 512, 384, 256
    torch.manual_seed(1)
    x = torch.randn((m, k), device="cuda").to(dtype)
    x[0] *= 64
    weights = [torch.randn((k, n), device="cuda").to(dtype) for _ in range(2)]
    if order == "K":
        weights = [weight.T.contiguous().T for weight in weights]
    y = torch.full((m, n), 77.0, dtype=dtype, device="cuda")
    load(EXAMPLES / "swiglu.tile").swiglu(x, *weights, y)
    gate, up = (x.double() @ weight.double() for weight in weights)
    expected = gate / (1 + (-gate).exp()) * up
    assert gate.min() < -100
    # The products are sums in f32; exp turns the absolute error of the gate into a relative one.
    error = (y.double() - expected).abs()
    limit = expected.abs() * 2.0**-7 + 2.0**-10
    assert bool((error <= limit)[expected.abs() < torch.finfo(dtype).max].all())


ROWS = """@kernel
def k[M](X: f32[M, 1024], D: f32[M], Y: f32[M, 1024]):
    m = grid(cdiv(M, 4))
    store(Y, (m, 0), load(X, (m, 0), (4, 1024)) / load(D, m, 4)[:, None])
"""


@pytest.mark.parametrize(("least", "most"), [(-3, 3), (-60, 22), (-126, 127)])
def test_elements_that_share_a_divisor(torch, least, most):
    """Quotients are rounded correctly, as those of torch are, for any mantissas and exponents."""
    torch.manual_seed(most)

    def numbers(*shape):
        exponents = torch.randint(least, most + 1, shape, device="cuda")
        return torch.ldexp(1 + torch.rand(shape, device="cuda").double(), exponents).float()

    x, d = numbers(4096, 1024), numbers(4096)
    x[::3] *= -1
    x[:, ::7] = 0.0
    y = torch.full_like(x, float("nan"))
    loads(ROWS).k(x, d, y)
    torch.testing.assert_close(y, x / d[:, None], rtol=0, atol=0)
