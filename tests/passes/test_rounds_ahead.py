"""Loads of later rounds, and what a user asks for."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import ArraySpec, Specialization, row_major
from tilec.support.diagnostics import CompileError, SourceFile

PRODUCT = """
@kernel
def product[K, M, N](A: bf16[M, K], B: bf16[K, N], C: f32[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (64, 64), allow_tma=False), load(B, (k, n), (64, 64)), acc)
    store(C, (m, n), acc)
"""


def compiled(plan, *, aligned):
    """Return the plan of the product, A of which is aligned or not, and its IR."""
    arrays = {"A": ArraySpec("bf16", row_major(2), alignment=16 if aligned else 1)}
    asked = Specialization(arrays=arrays, plan=plan)
    made = compile_source(SourceFile("product.tile", PRODUCT), specialization=asked)
    return made.artifact.kernels[0].metadata["plan"], made.module_text("nv_tileas")


@pytest.mark.parametrize("plan", [{}, {"split_k": 2}, {"snake_k": True}])
def test_threads_copy_in_any_order(plan):
    found, text = compiled(plan, aligned=True)
    assert "async_gather" in text
    assert found["copy_rounds"]
    assert found["reasons"][0].startswith("copy_rounds = true: k-tiles")
    assert {name: found[name] for name in plan} == plan


@pytest.mark.parametrize(
    ("plan", "ahead"), [({}, True), ({"split_k": 2}, False), ({"snake_k": True}, False)]
)
def test_loads_into_registers_make_way_for_the_order_that_a_user_asks_for(plan, ahead):
    """Rows that threads cannot copy are loaded a round ahead, unless a loop must not carry them."""
    found, text = compiled(plan, aligned=False)
    assert "async_gather" not in text
    assert found.get("load_rounds", False) == ahead
    assert "copy_rounds" not in found


def test_a_user_may_ask_for_loads():
    found, text = compiled({"copy_rounds": False}, aligned=True)
    assert "async_gather" not in text
    assert not found["copy_rounds"]
    assert found["load_rounds"]
    assert found["reasons"][0] == "copy_rounds = false: fixed by the user"


def test_copies_that_are_impossible_are_refused():
    with pytest.raises(CompileError) as failure:
        compiled({"copy_rounds": True}, aligned=False)
    (found,) = failure.value.diagnostics
    assert found.code == "T0421"
    assert (
        found.message
        == "copy_rounds = true: runs of 2 bytes lie next to each other; cp.async takes 4 or more"
    )
    assert found.span is not None


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
