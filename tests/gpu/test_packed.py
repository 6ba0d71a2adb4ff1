"""Attention to packed sequences, whose hidden tiles are left out, against f64."""

import numpy as np
import pytest

from tests.support.packed import PATH, Packed
from tilec.runtime.jit import Kernel, load

pytestmark = pytest.mark.gpu

CASES = [
    Packed(kind, (2, 3), length, depth, (128, 128), causal)
    for kind in ("sorted", "shuffled", "random", "strange")
    for length, depth in ((1024, 128), (1000, 64))
    for causal in (True, False)
] + [
    Packed("strange", (2, 3), 1024, 128, (128, 64), guarded=True),
    Packed("shuffled", (1, 2), 1024, 64, (64, 128), wide=True),
    Packed("sorted", (3, 2), 1024, 128, (128, 128), ordered=True),
    Packed("sorted", (1, 2), 4096, 128, (128, 128), causal=False),
    Packed("sorted", (1, 2), 1000, 128, (128, 96)),
    *(
        Packed("lengths", (2, 2), 1900, 128 - seed % 2 * 64, (128, 128), seed % 3 > 0, seed=seed)
        for seed in range(2, 14)
    ),
]


@pytest.fixture(scope="module")
def kernel():
    return load(PATH).packed


def alike(kernel, case):
    """Return kernels with and without skipping whose rounds add in the same order."""
    orders = (0, 1) if (case.depth, case.tile) == (128, (128, 128)) else (0,)
    for rotate in orders:
        yield [
            Kernel(kernel.text, "packed", {"rotate": rotate, "skip_hidden": skip})
            for skip in (True, False)
        ]


def run(torch, kernel, case, change=None):
    torch.manual_seed(0)
    arrays = {
        name: torch.randn(shape, device="cuda").bfloat16() for name, shape in case.shapes.items()
    }
    if change is not None:
        change(arrays)
    given = {name: arrays[name].float().cpu().numpy() for name in "QKV"}
    arrays["Out"].fill_(77.0)
    arrays |= {name: torch.from_numpy(values).cuda() for name, values in case.tables.items()}
    kernel(**arrays, **case.scalars, **case.constants)
    return given, arrays["Out"].float().cpu().numpy()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results(torch, kernel, case):
    given, found = run(torch, kernel, case)
    exact = case.expected(given)["Out"]
    assert np.abs(found - exact).max() <= 2.0**-7 * max(1.0, np.abs(exact).max())
    for pair in alike(kernel, case):
        np.testing.assert_array_equal(*(run(torch, one, case)[1] for one in pair))


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("depth", [64, 128])
def test_infinite_scores_and_nan_are_as_without_skipping(torch, kernel, depth, guarded):
    case = Packed("strange", (1, 2), 1024, depth, (128, 128), guarded=guarded)

    def change(arrays):
        arrays["Q"][0, 0, 10] = np.inf
        arrays["Q"][0, 0, 500:510] = np.nan
        arrays["K"][0, 0, 300] = -np.inf

    for pair in alike(kernel, case):
        found = [run(torch, one, case, change)[1] for one in pair]
        assert np.isnan(found[0]).any()
        np.testing.assert_array_equal(*found)
