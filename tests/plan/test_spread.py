"""Over how many CTAs of a cluster the tiles of a block are spread."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.plan import KernelProblem, plan_kernel
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, SourceFile

SOFTMAX = """
@kernel
def softmax(X: bf16[64, 16384], Y: bf16[64, 16384]):
    m = grid(64)
    x = load(X, (m, 0), (1, 16384)).astype(f32)
    e = exp(x - max(x))
    store(Y, (m, 0), (e / sum(e)).astype(bf16))
"""


def problem(row, rows=1, why_not=None):
    elements = row * rows
    facts = {"thread_bytes": 2 * elements, "why_not_spread": why_not}
    return KernelProblem((), 0, 0, elements, False, waits_for_tiles=True, **facts)


def plan(given, **overrides):
    return plan_kernel(given, get_target("sm_90a"), overrides)


@pytest.mark.parametrize(
    ("row", "ctas", "warps", "blocks"),
    [(8192, 1, 8, 4), (16384, 2, 8, 4), (65536, 8, 8, 4), (131072, 8, 16, 2), (262144, 8, 32, 1)],
)
def test_a_cta_is_planned_for_its_part(row, ctas, warps, blocks):
    found = plan(problem(row), spread=ctas)
    assert (found.spread, found.worker_warps, found.blocks_per_sm) == (ctas, warps, blocks)


def test_a_kernel_that_cannot_be_spread_says_why():
    with pytest.raises(CompileError, match="spread = 2: its CTAs cannot share 'scan'"):
        plan(problem(65536, why_not="its CTAs cannot share 'scan'"), spread=2)


def test_the_user_decides():
    assert plan(problem(65536)).spread == 1
    assert plan(problem(65536), spread=2).spread == 2


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"spread": 3}, "spread = 3: expected 1, 2, 4 or 8"),
        ({"spread": 16}, "spread = 16: expected 1, 2, 4 or 8"),
        ({"spread": 2, "cluster": (2, 1)}, "a cluster that shares tiles compute a block each"),
    ],
)
def test_impossible_spreads_are_refused(overrides, message):
    with pytest.raises(CompileError, match=message.replace("(", r"\(")):
        plan(problem(65536), **overrides)


def compiled(text, **fields):
    chosen = Specialization(plan=fields)
    return compile_source(
        SourceFile("k.tile", text), specialization=chosen, options=CompileOptions(emit="ptx")
    )


def test_a_kernel_is_launched_in_clusters_that_have_one_tile_each():
    (kernel,) = compiled(SOFTMAX, spread=2).artifact.kernels
    assert kernel.metadata["cluster"] == [2, 1, 1]
    assert kernel.metadata["cluster_tiles"] == [1, 1]
    assert "st.async" in kernel.ptx
    assert "\n.version 8.1\n" in kernel.ptx


REFUSED = {
    "a scan": ("store(Y, (m, 0), cumsum(x, 1))", "its CTAs cannot share 'scan'"),
    "another shape": (
        "store(Y, (m, 0), reshape(sum(reshape(x, (2, 2048)), 1), (1, 2)))",
        "elements of different CTAs change places in a reshaped tile",
    ),
    "a load of other tiles after a store": (
        "store(Y, (m, 0), x)\n    store(Y, (m, 1), load(Y, (0, m), (2, 2048)).reshape((1, 4096)))",
        "elements of different CTAs change places",
    ),
    "a store elsewhere in what was loaded": (
        "store(X, offset=(m, 1), tile=x)",
        "an access comes after one of other tiles of the array",
    ),
    "an atomic operation": (
        "atomic_add(Y, (m, 0), max(x))",
        "its CTAs cannot share 'atomic'",
    ),
    "a load with an order": (
        "store(Y, (m, 0), x * gather(X, (m, 0), memory_order='acquire'))",
        "each CTA would perform 'gather'",
    ),
}


def test_ctas_may_read_back_the_tiles_that_they_have_written():
    text = """
@kernel
def k(X: f32[64, 8192], S: f32[64]):
    m = grid(64)
    x = load(X, (m, 0), (1, 4096))
    store(X, (m, 1), x - max(x))
    store(S, m, sum(load(X, (m, 1), (1, 4096)), axis=1))
"""
    (kernel,) = compiled(text, spread=2).artifact.kernels
    assert kernel.metadata["cluster"] == [2, 1, 1]


@pytest.mark.parametrize("name", REFUSED)
def test_kernels_that_ctas_cannot_share(name):
    body, message = REFUSED[name]
    text = f"""
@kernel
def k(X: f32[64, 8192], Y: f32[64, 8192]):
    m = grid(64)
    x = load(X, (m, 0), (1, 4096))
    {body}
"""
    with pytest.raises(CompileError) as caught:
        compiled(text, spread=2)
    (found,) = caught.value.diagnostics
    assert found.code == "T0421"
    assert message in found.message
