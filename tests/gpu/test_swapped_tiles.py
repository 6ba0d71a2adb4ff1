"""Products of few rows, whose transpose wgmma computes: every schedule, and the planner's tiles."""

from functools import partial

import pytest

from tests.support.gemm_cases import MATMUL
from tests.support.gpu_arrays import check_product, launch_on_gpu, operand, poisoned, wait
from tests.support.swapped_cases import CASES, run
from tilec.plan.machine import MMA_ROWS
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

PLANNED = (
    (1, 8192, 8192, "NN"),
    (3, 4096, 4096, "NT"),
    (16, 4096, 4096, "TN"),
    (32, 8192, 8192, "TT"),
    (200, 7168, 2048, "NN"),
    (16, 7168, 2048, "NN"),
    (48, 5120, 2048, "NT"),
    (150, 4096, 4096, "NT"),
)
REPEATS = 5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_products_of_few_rows(torch, tmp_path, case):
    run(case, partial(launch_on_gpu, torch), tmp_path)


@pytest.mark.parametrize(("m", "n", "k", "orders"), PLANNED)
def test_planned_tiles(torch, m, n, k, orders):
    """Some are split along K; launches one after the other find each other's partial sums."""
    kernel = load(MATMUL).matmul
    torch.manual_seed(m)
    for _ in range(REPEATS):
        a, b = operand(torch, orders[0], m, k), operand(torch, orders[1], k, n)
        memory, c = poisoned(torch, m, n)
        kernel(a, b, c)
        wait(torch, f"{m}x{n}x{k}")
        check_product(torch, memory, c, a.double() @ b.double(), k)
        assert kernel.compile(a, b, c).constants["BM"] % MMA_ROWS
