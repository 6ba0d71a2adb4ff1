"""How long the ring of a loop without products is: longer where most SMs have no block."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.plan import KernelProblem, plan_kernel
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.request.target import get_target
from tilec.support.diagnostics import SourceFile
from tilec.support.fast_dataclasses import replace

SUMS = """
@kernel(share_rounds=False)
def sums[M](X: bf16[M, N], S: f32[N], N: const):
    {}
    total = zeros((256, 64), f32)
    for i in range(cdiv(M, 256)):
        total += cast(load(X, (i, n), (256, 64)), f32)
    store(S, n, sum(total, axis=0))
"""


@pytest.mark.parametrize(
    ("facts", "overrides", "few"),
    [
        ({}, {}, 66),
        ({"blocks": 66}, {}, 0),
        ({"product_bytes": 8192}, {}, 0),
        ({}, {"specialize": False}, 0),
    ],
)
def test_launches_of_few_blocks_are_planned_for_their_number(facts, overrides, few):
    problem = replace(KernelProblem((), 16384, 0, 4096), **facts)
    assert plan_kernel(problem, get_target("sm_90a"), overrides).few_blocks == few


@pytest.mark.parametrize(("blocks", "stages"), [(132, 4), (67, 4), (66, 6), (16, 14), (1, 14)])
def test_few_blocks_have_more_bytes_in_flight_each(blocks, stages):
    problem = KernelProblem((), 16384, 0, 4096, blocks=blocks)
    assert plan_kernel(problem, get_target("sm_90a"), {}).stages == stages


def test_products_of_warps_keep_their_slots_where_two_ctas_share_an_sm():
    problem = KernelProblem((), 4096, 0, 4096, product_bytes=16384)
    found = plan_kernel(problem, get_target("sm_90a"), {"blocks_per_sm": 2})
    assert found.stages == plan_kernel(problem, get_target("sm_90a"), {"blocks_per_sm": 1}).stages


@pytest.mark.parametrize(
    ("line", "stages"),
    [
        ("n = grid(cdiv(N, 64))", 6),  # 16 blocks
        ("n = grid(64)", 3),
        ("n = grid(128)", 2),
        ("n = grid(min(M, 64))", 3),
        ("n = grid(cdiv(M, 64))", 2),  # any number
        ("n, _ = grid(cdiv(N, 64), 2)", 6),
        ("n, _ = grid(cdiv(N, 64), M)", 2),
    ],
)
def test_the_grid_tells_how_many_blocks_there_are_at_most(line, stages):
    source = SourceFile("sums.tile", SUMS.format(line))
    options = CompileOptions(emit="ptx", run_ptxas=False)
    made = compile_source(source, None, Specialization(constants={"N": 1024}), options)
    assert made.artifact.kernels[0].metadata["plan"]["stages"] == stages
