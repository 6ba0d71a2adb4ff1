"""Kernels whose CTAs sort their tiles by loaded numbers, on the GPU."""

import numpy as np
import pytest

from tests.support.ragged import PATH, Ragged
from tests.support.stranger_cases import PATH as STRANGERS
from tilec.runtime.jit import Kernel, load

pytestmark = pytest.mark.gpu

MIXED = (1, 700, 0, 129, 2100, 64, 128, 333, 0, 1500)
CASES = [
    Ragged(kernel, lengths, heads, depth, (128, 128), causal=causal)
    for kernel in ("ends_early", "no_rounds")
    for lengths, heads, depth, causal in (
        (MIXED, (8, 2), 128, True),
        (MIXED, (3, 3), 64, False),
        (tuple(range(0, 400, 7)), (5, 5), 128, True),
        ((5000,), (4, 1), 128, False),
        ((0, 1), (2, 2), 64, True),
    )
] + [
    Ragged("ends_early", (40,) * 900, (2, 2), 64, (64, 64)),
    Ragged("ends_early", MIXED, (2, 1), 64, (128, 64), longer=100_000),
]


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


def run(torch, kernel, case):
    torch.manual_seed(0)
    arrays = {
        name: torch.randn(shape, device="cuda").bfloat16() for name, shape in case.shapes.items()
    }
    arrays["O"].fill_(77.0)
    bounds = torch.from_numpy(case.bounds).cuda()
    kernel(**arrays, C=bounds, **case.scalars, **case.constants)
    given = {name: arrays[name].float().cpu().numpy() for name in "QKV"}
    return given, arrays["O"].float().cpu().numpy()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_tile_is_computed(torch, kernels, case):
    kernel = getattr(kernels, case.kernel)
    given, found = run(torch, kernel, case)
    exact = case.expected(given)
    assert np.abs(found - exact).max(initial=0) <= 2.0**-7 * max(1.0, np.abs(exact).max(initial=0))
    plain = Kernel(kernel.text, case.kernel, {"order_tiles": False})
    np.testing.assert_array_equal(run(torch, plain, case)[1], found)


def test_lengths_change_between_launches_of_a_graph(torch, kernels):
    """The lists are made anew in each launch, also by one that starts before the last one ends."""
    first = Ragged("ends_early", MIXED, (4, 4), 64, (128, 128))
    second = Ragged("ends_early", tuple(reversed(MIXED)), (4, 4), 64, (128, 128))
    torch.manual_seed(0)
    arrays = {name: torch.randn(s, device="cuda").bfloat16() for name, s in first.shapes.items()}
    bounds = torch.from_numpy(first.bounds).cuda()

    def launch():
        kernels.ends_early(**arrays, C=bounds, **first.scalars, **first.constants)

    launch()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
        launch()
    given = {name: arrays[name].float().cpu().numpy() for name in "QKV"}
    for case in (second, first):
        bounds.copy_(torch.from_numpy(case.bounds))
        arrays["O"].fill_(77.0)
        graph.replay()
        torch.cuda.synchronize()
        exact = case.expected(given)
        assert np.abs(arrays["O"].float().cpu().numpy() - exact).max() <= 2.0**-7 * 8


@pytest.mark.parametrize("counts", ["random", "none", "all"])
def test_groups_that_end_early(torch, counts):
    text = load(STRANGERS).masked_groups.text
    kernel = Kernel(text, "masked_groups", {"order_tiles": True})
    groups, m, n, k = 9, 512, 384, 256
    torch.manual_seed(0)
    rows = {"random": torch.randint(0, m + 1, (groups,)), "none": torch.zeros(groups)}
    count = rows.get(counts, torch.full((groups,), m)).to(torch.int32).cuda()
    a, b = (torch.randn(groups, size, k, device="cuda").bfloat16() for size in (m, n))
    c = torch.full((groups, m, n), 77.0, device="cuda").bfloat16()
    kernel(A=a, B=b, Count=count, C=c)
    exact = a.float() @ b.float().transpose(1, 2)
    for group, size in enumerate(count.tolist()):
        end = -(-size // 64) * 64
        assert bool((c[group, end:] == 77.0).all())
        error = (c[group, :size].float() - exact[group, :size]).abs().max() if size else 0
        assert error <= 2.0**-7 * 128
