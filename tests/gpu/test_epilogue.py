"""Results that are stored in parts: staging slots, tile shapes, layouts and ragged edges."""

import pytest

from tests.support.gemm_source import gemm_source
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = gemm_source(
    "both",
    hints="epilogue_slots={slots}, epilogue_batch={batch}",
    rows="{rows}",
    columns="{columns}",
    scalars=("D: f32[M, N]",),
    after=("store(D, (m, n), acc * 2.0)",),
)
SIZES = ((64, 64, 64), (257, 130, 64), (1000, 1001, 128), (4096, 2304, 192))
"""The last one has several tiles for each CTA, the two before have ragged edges."""
TILES = ((64, 32), (128, 64), (128, 128))
POISON = -7.0


def result(torch, rows, columns, dtype, order):
    """Return poisoned memory and an array in it, with room after each row and after the last."""
    outer, inner = (rows, columns) if order == "N" else (columns, rows)
    memory = torch.full((outer + 1, (inner + 15) // 8 * 8), POISON, dtype=dtype, device="cuda")
    inside = memory[:outer, :inner]
    return memory, inside if order == "N" else inside.T


def check(memory, found, expected, limit):
    error = (found.float() - expected).abs().max().item()
    assert error <= limit, f"max error {error}, limit {limit}"
    found.fill_(POISON)
    assert bool((memory == POISON).all()), "memory outside of the array was written"


@pytest.mark.parametrize("order", "NT")
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile[0]}x{tile[1]}")
@pytest.mark.parametrize(
    ("slots", "batch"), [(0, 1), (1, 1), (2, 1), (3, 1), (2, 2), (4, 2), (4, 4)]
)
def test_two_results(torch, tmp_path, slots, batch, tile, order):
    path = tmp_path / "both.tile"
    path.write_text(SOURCE.format(slots=slots, batch=batch, rows=tile[0], columns=tile[1]))
    both = load(path).both
    for m, n, k in SIZES:
        torch.manual_seed(m + n + k)
        a = torch.randn((m, k), device="cuda").bfloat16()
        b = torch.randn((k, (n + 7) // 8 * 8), device="cuda").bfloat16()[:, :n]
        narrow, c = result(torch, m, n, torch.bfloat16, order)
        wide, d = result(torch, m, n, torch.float32, order)
        both(a, b, c, d)
        torch.cuda.synchronize()
        expected = a.float() @ b.float()
        # One rounding to bf16 of the largest element, and the f32 sum's own error.
        limit = expected.abs().max().item() * 2.0**-8 + k * 2.0**-20
        check(narrow, c, expected, limit)
        check(wide, d, 2 * expected, k * 2.0**-16)


CALLED = gemm_source("called", hints="{hints}", result="f32", value="sin(acc) + acc % 1.5")


@pytest.mark.parametrize("hints", ["", "pingpong=True", "cluster=(2, 1)", "specialize=False"])
def test_functions_that_are_called(torch, tmp_path, hints):
    """Warpgroups that setmaxnreg has given registers call functions with a stack."""
    path = tmp_path / "called.tile"
    path.write_text(CALLED.format(hints=hints))
    torch.manual_seed(0)
    a = torch.randint(-2, 3, (2000, 192), device="cuda").bfloat16()
    b = torch.randint(-2, 3, (192, 1000), device="cuda").bfloat16()
    c = torch.full((2000, 1000), POISON, device="cuda")
    load(path).called(a, b, c)
    torch.cuda.synchronize()
    exact = a.float() @ b.float()
    expected = exact.sin() + torch.remainder(exact, 1.5)
    assert (c - expected).abs().max().item() < 1e-5
