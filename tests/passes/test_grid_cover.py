"""Which kernels may run tiles beyond their grid: those that store nothing there."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

SOURCE = """@kernel
def k(A: bf16[M, K], B: bf16[K, N], C: bf16[M, N], D: bf16[L, N]):
    m, n = grid({rows}, {columns})
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (64, 64)), load(B, (k, n), (64, 64)), acc)
    {store}
"""
OWN = "store(C, (m, n), cast(acc, bf16))"
ROWS, COLUMNS = "cdiv(M, 64)", "cdiv(N, 64)"


def planned(cluster, rows=ROWS, columns=COLUMNS, store=OWN):
    source = SourceFile("k.tile", SOURCE.format(rows=rows, columns=columns, store=store))
    options = CompileOptions(emit="nv_tileas")
    return compile_source(
        source, specialization=Specialization(plan={"cluster": cluster}), options=options
    )


@pytest.mark.parametrize(
    ("cluster", "changes"),
    [
        ((2, 2), {}),
        ((1, 2), {"rows": "M // 64"}),
        ((2, 1), {"columns": "N // 64"}),
        ((2, 1), {"store": "store(C, (m, 0), cast(acc, bf16))"}),
        ((2, 2), {"store": f"{OWN}\n    store(C, (m, n), cast(acc + 1.0, bf16))"}),
    ],
)
def test_tiles_beyond_the_array(cluster, changes):
    planned(cluster, **changes)


@pytest.mark.parametrize(
    ("cluster", "changes", "array"),
    [
        ((2, 1), {"rows": "M // 64"}, "C"),
        ((1, 2), {"columns": "cdiv(N, 64) - 1"}, "C"),
        ((2, 1), {"rows": "cdiv(M, 32)"}, "C"),
        ((2, 1), {"rows": "cdiv(K, 64)"}, "C"),
        ((1, 2), {"store": "store(C, (m, 0), cast(acc, bf16))"}, "C"),
        ((2, 1), {"store": "store(C, (m + 1, n), cast(acc, bf16))"}, "C"),
        ((2, 1), {"store": f"{OWN}\n    store(D, (m, n), cast(acc, bf16))"}, "D"),
        ((2, 1), {"rows": "3"}, "C"),
    ],
)
def test_tiles_that_might_store(cluster, changes, array):
    with pytest.raises(CompileError) as caught:
        planned(cluster, **changes)
    (found,) = caught.value.diagnostics
    assert found.code == "T0421"
    assert f"might store to '{array}'" in found.message
    assert found.span is not None
