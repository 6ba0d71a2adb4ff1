"""The cluster that is planned with the tiles: on its way from the sizes to the kernel."""

from dataclasses import replace
from math import prod

import pytest

from tests.support.gemm_source import gemm_source
from tilec.compiler.driver import compile_source
from tilec.plan.gemm.candidates import GemmProblem
from tilec.plan.gemm.tile import GemmTile, shares_divide
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.cache import variant_key
from tilec.runtime.kernel_text import KernelText
from tilec.runtime.variants import Variants
from tilec.support.diagnostics import CompileError, SourceFile

MATMUL = gemm_source(
    "f",
    scalars=("BM: const = auto", "BN: const = auto", "BK: const = auto"),
    rows="BM",
    columns="BN",
    depth="BK",
)
ROWS = """\
@kernel
def f(A: bf16[M, K], B: bf16[K, 128], C: bf16[M, 128], BM: const = auto, BK: const = auto):
    m = grid(cdiv(M, BM))
    acc = zeros((BM, 128), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), load(B, (k, 0), (BK, 128)), acc)
    store(C, (m, 0), cast(acc, bf16))
"""
TRANSPOSED = """\
@kernel
def f(A: bf16[M, K], B: bf16[N, K], C: bf16[M, N], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BN, BM), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(B, (n, k), (BN, BK)), load(A, (m, k), (BM, BK)).T, acc)
    store(C, (m, n), cast(acc, bf16).T)
"""
DIAGONAL = """\
@kernel
def f(A: bf16[S, S], B: bf16[S, S], C: bf16[S, S], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(S, BM), cdiv(S, BN))
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(S, BK)):
        acc = mma(load(A, (m + n, k), (BM, BK)), load(B, (k, m + n), (BK, BN)), acc)
    store(C, (m, n), cast(acc, bf16))
"""


def plan(text, plan_fields=None, **sizes):
    """Return the planned cluster and the plan of the only kernel in `text`."""
    wanted = Specialization(sizes=sizes, plan=plan_fields or {})
    options = CompileOptions(emit="ptx", run_ptxas=False)
    compilation = compile_source(SourceFile("f.tile", text), None, wanted, options)
    metadata = compilation.artifact.kernels[0].metadata
    return metadata["planned_cluster"], metadata


@pytest.mark.parametrize(("size", "cluster"), [(8192, [2, 1]), (2048, [1, 1])])
def test_the_planned_cluster_becomes_that_of_the_kernel(size, cluster):
    planned, metadata = plan(MATMUL, M=size, N=size, K=size)
    assert planned == cluster
    assert metadata["plan"]["cluster"] == [*cluster, 1]
    assert metadata["cluster"] == [prod(cluster), 1, 1]  # blocks are flattened into one axis
    reason = "cluster = 2 x 1: its CTAs share tiles, each of which is read from L2 once"
    assert (reason in metadata["plan"]["reasons"]) == (cluster == [2, 1])


@pytest.mark.parametrize("overrides", [(1, 1), (1, 2)])
def test_a_cluster_that_the_user_fixes_wins(overrides):
    planned, metadata = plan(MATMUL, {"cluster": overrides}, M=8192, N=8192, K=8192)
    assert (planned, metadata["plan"]["cluster"]) == ([*overrides], [*overrides, 1])
    hinted = MATMUL.replace("@kernel", f"@kernel(cluster={overrides})")
    planned, metadata = plan(hinted, M=8192, N=8192, K=8192)
    assert (planned, metadata["plan"]["cluster"]) == ([*overrides], [*overrides, 1])


def test_without_a_producer_nothing_is_shared():
    planned, metadata = plan(MATMUL, {"specialize": False}, M=8192, N=8192, K=8192)
    assert (planned, metadata["plan"]["cluster"]) == ([2, 1], [1, 1, 1])


def test_tiles_that_differ_in_every_block_need_no_cluster():
    """Both operands depend on both coordinates, which the choice of tiles does not see."""
    planned, metadata = plan(DIAGONAL, S=8192)
    assert (planned, metadata["plan"]["cluster"]) == ([2, 1], [1, 1, 1])
    assert not any("cluster" in reason for reason in metadata["plan"]["reasons"])


def test_the_cluster_follows_the_axes_of_the_grid():
    """The rows of the product C^T = B^T @ A^T are along the last axis of the grid."""
    planned, metadata = plan(TRANSPOSED, M=8192, N=8192, K=8192)
    assert (planned, metadata["plan"]["cluster"]) == ([2, 1], [1, 2, 1])


def test_a_grid_of_one_axis_has_no_cluster():
    planned, metadata = plan(ROWS, M=65536, K=4096)
    assert planned != [1, 1]
    assert metadata["plan"]["cluster"] == [1, 1, 1]
    with pytest.raises(CompileError, match="cluster = 2 x 1: the grid of the kernel has one axis"):
        plan(ROWS, {"cluster": (2, 1)}, M=65536, K=4096)


def identity(size: int, cluster: tuple[int, int] | None = None, **sizes: int):
    variants = Variants(KernelText(lambda: (SourceFile("f.tile", MATMUL), {})), "f", {}, "sm_90a")
    plan = {} if cluster is None else {"cluster": cluster}
    extents = dict.fromkeys("MNK", size) | sizes
    return variants.identity(Specialization(sizes=extents, plan=plan))


def test_variants_differ_in_the_planned_cluster():
    """Tiles of 128x256x64 for all three, but one wave has no cluster."""
    one_wave, large, larger = (identity(size) for size in (2048, 4096, 8192))
    assert (
        one_wave.specialization.constants
        == large.specialization.constants
        == {"BM": 128, "BN": 256, "BK": 64}
    )
    assert (one_wave.decided["cluster"], large.decided["cluster"]) == ((1, 1), (2, 1))
    assert variant_key(one_wave) != variant_key(large)
    assert variant_key(large) == variant_key(larger)


def test_variants_differ_where_only_the_order_of_k_tiles_does():
    """With few k-tiles, L2 keeps the operands of a wave."""
    flat, deep = (identity(16384, M=512, K=depth) for depth in (1024, 2048))
    assert flat.specialization == deep.specialization
    assert flat.decided == {**deep.decided, "snake_k": False}
    assert deep.decided["snake_k"]
    assert variant_key(flat) != variant_key(deep)


def test_variants_with_a_fixed_cluster_share_it():
    keys = {variant_key(identity(size, cluster=(1, 2))) for size in (4096, 8192)}
    assert len(keys) == 1
    assert identity(4096, cluster=(1, 2)).specialization.plan["cluster"] == (1, 2)


def test_what_the_caller_fixes_is_not_what_was_planned():
    """A planned tile or cluster may give way to a runner-up; a fixed one may not."""
    planned = identity(4096)
    assert variant_key(identity(4096, cluster=(2, 1))) != variant_key(planned)
    overrides = replace(planned, planned=())
    assert overrides.specialization.constants == {"BM": 128, "BN": 256, "BK": 64}
    assert variant_key(overrides) != variant_key(planned)


@pytest.mark.parametrize(
    ("tile", "cluster", "contiguous", "expected"),
    [
        ((128, 256, 64), (2, 1), {"n_contiguous": True}, True),  # four spans of 64 columns
        ((128, 192, 64), (2, 1), {"n_contiguous": True}, True),  # three: 32 rows of each
        ((128, 192, 16), (2, 1), {"n_contiguous": True}, False),  # a single step of K
        ((128, 192, 64), (2, 1), {}, True),  # K contiguous: the rows of one span
        ((192, 128, 64), (1, 2), {"m_contiguous": True}, True),
        ((192, 128, 16), (1, 2), {"m_contiguous": True}, False),
        ((192, 128, 16), (2, 1), {"m_contiguous": True}, True),  # A is not shared
        ((128, 64, 192), (2, 1), {}, False),  # three spans of K
    ],
)
def test_only_tiles_that_divide_are_planned_in_clusters(tile, cluster, contiguous, expected):
    problem = GemmProblem((4096, 4096, 4096), **contiguous)
    m, n, k = tile
    found = GemmTile(m, n, k, 2, 2, cluster=cluster)
    assert shares_divide(found, problem.contiguous) is expected
