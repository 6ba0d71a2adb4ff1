"""Loads of later rounds, and what a user asks for instead."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import ArraySpec, Specialization, row_major
from tilec.support.diagnostics import SourceFile

PRODUCT = """
@kernel
def product[K, M, N](A: bf16[M, K], B: bf16[K, N], C: f32[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (64, 64), allow_tma=False), load(B, (k, n), (64, 64)), acc)
    store(C, (m, n), acc)
"""


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize(("field", "value"), [("split_k", 2), ("snake_k", True)])
def test_the_order_that_a_user_asks_for_comes_first(field, value, aligned):
    """Threads load A in its round: copied ahead where it is aligned, carried ahead where not."""
    arrays = {"A": ArraySpec("bf16", row_major(2), aligned=aligned)}
    source = SourceFile("product.tile", PRODUCT)
    options = CompileOptions(emit="nv_tileas")
    for plan in ({}, {field: value}):
        asked = Specialization(arrays=arrays, plan=plan)
        made = compile_source(source, specialization=asked, options=options)
        found = made.artifact.kernels[0].metadata["plan"] if made.artifact else {}
        text = made.module_text("nv_tileas")
        assert ("async_gather" in text) == (aligned and not plan)
        assert not plan or not {"copy_rounds", "load_rounds"} & {k for k, v in found.items() if v}


SCATTERED = """
@kernel
def scattered[T, P, N, K](X: bf16[T, K], V: bf16[P, K], R: i32[P], W: bf16[N, K], Y: f32[P, N]):
    m, n = grid(cdiv(P, 64), cdiv(N, 64))
    rows = load(R, m, 64)[:, None]
    scatter(X, (rows, arange(64)[None, :]), load(V, (m, 0), (64, 64)))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        x = gather(X, (rows, k * 64 + arange(64)[None, :]))
        acc = mma(x, load(W, (n, k), (64, 64)).T, acc)
    store(Y, (m, n), acc)
"""


def test_what_comes_after_a_store_to_its_array_is_not_copied_ahead():
    source = SourceFile("scattered.tile", SCATTERED)
    made = compile_source(source, options=CompileOptions(emit="nv_tileas"))
    assert "async_gather" not in made.module_text("nv_tileas")
    assert any("it comes after a store to its array" in item.message for item in made.remarks)
