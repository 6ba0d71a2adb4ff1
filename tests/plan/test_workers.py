"""How many warps compute a block without products on the tensor cores."""

import pytest

from tilec.plan import KernelProblem, plan_kernel
from tilec.request.target import get_target


@pytest.mark.parametrize(
    ("elements", "warps"),
    [(3136, 2), (16 * 784, 8), (8 * 3136, 16), (3 * 4096, 8), (50257, 16), (24, 1)],
)
def test_no_warps_hold_copies_of_a_tile_that_fewer_threads_can_share(elements, warps):
    problem = KernelProblem((), 0, 0, elements)
    assert plan_kernel(problem, get_target("sm_90a"), {}).worker_warps == warps
