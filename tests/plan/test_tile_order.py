"""Which kernels sort their tiles by what they cost, and why others do not."""

import json

import pytest

from tests.support.ragged import PATH
from tests.support.stranger_cases import PATH as STRANGERS
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

EMIT = CompileOptions(emit="plan", run_ptxas=False)
PACKED = PATH.with_name("packed.tile")
EXAMPLES = PATH.parents[2] / "examples"
PRODUCTS = """
@kernel
def products[G, M, N, K](A: bf16[G, M, K], B: bf16[G, N, K], Count: i32[G], C: bf16[G, M, N]):
    g, m, n = grid(G, cdiv(M, 64), cdiv(N, 128))
    acc = zeros((64, 128), f32)
    for k in range({rounds}):
        a = load(A, (g, m, k), (1, 64, 64)).reshape((64, 64))
        b = load(B, (g, n, k), (1, 128, 64)).reshape((128, 64))
        acc = mma(a, b.T, acc)
    {before}
    store(C, (g, {row}, n), cast(acc, bf16).reshape((1, 64, 128)))
"""
WHOLE = {"rounds": "cdiv(K, 64)", "before": "", "row": "m"}


def planned(source, kernel=None, **plan):
    """Return the plan of a kernel, and its reasons."""
    made = compile_source(source, kernel, Specialization(plan=plan), EMIT)
    return json.loads(made.texts["plan"]), [item.message for item in made.remarks]


def file(path):
    return SourceFile(path.name, path.read_text())


def products(**parts):
    return SourceFile("products.tile", PRODUCTS.format(**WHOLE | parts))


@pytest.mark.parametrize(
    ("path", "kernel", "kept", "leaves_out"),
    [
        (PATH, "ends_early", True, True),
        (PATH, "no_rounds", True, True),
        (PACKED, "packed", True, False),
        (STRANGERS, "masked_groups", False, True),
    ],
    ids=["ends early", "no rounds", "documents", "groups"],
)
def test_tiles_are_sorted(path, kernel, kept, leaves_out):
    asked = {"order_tiles": True} if kernel == "masked_groups" else {}
    plan, said = planned(file(path), kernel, **asked)
    assert (plan["order_tiles"], plan["persistent"]) == (True, True)
    assert (plan["order_bytes"] > 0) == kept
    (reason,) = [text for text in said if "plan: order_tiles" in text]
    assert ("none that does nothing" in reason) == (leaves_out and not asked)
    assert (plan["tile_group"], plan["balance_tiles"], plan["snake_k"]) == (0, 0, False)


def test_tiles_that_cost_the_same_are_not_sorted():
    plan, said = planned(file(STRANGERS), "masked_groups")
    assert not plan["order_tiles"]
    assert any("order_tiles = false: tiles that do anything cost the same" in text for text in said)


def test_without_a_loop_over_tiles_they_are_not_sorted():
    """Where it takes too many registers, a kernel is planned again without."""
    again = Specialization(disabled=frozenset({"persistent"}))
    made = compile_source(file(PATH), "ends_early", again, EMIT)
    plan = json.loads(made.texts["plan"])
    assert (plan["order_tiles"], plan["persistent"]) == (False, False)
    why = "order_tiles = false: a loop over tiles takes registers that a tile needs"
    assert any(why in item.message for item in made.remarks)


def test_loaded_rounds_are_sorted():
    plan, _ = planned(products(rounds="cdiv(load(Count, g, ()), 64)"))
    assert plan["order_tiles"]


@pytest.mark.parametrize(
    ("source", "plan", "why"),
    [
        (products(), {}, "no loaded number decides what a tile costs"),
        (products(row="load(Count, g, ())"), {}, "the numbers of its tiles are loaded"),
        (file(EXAMPLES / "varlen_attention.tile"), {}, "the numbers of its tiles are loaded"),
        (file(PATH), {"persistent": False}, "a CTA computes one tile"),
        (file(PATH), {"specialize": False}, "no producer warp"),
        (file(PATH), {"tile_group": 4}, "tile_group orders the tiles"),
        (file(PATH), {"cluster": (2, 1)}, "a cluster takes neighbouring tiles"),
    ],
    ids=["uniform", "list", "example", "blocks", "one role", "groups", "cluster"],
)
def test_why_tiles_are_not_sorted(source, plan, why):
    kernel = "ends_early" if source.name == "ragged.tile" else None
    with pytest.raises(CompileError) as caught:
        planned(source, kernel, order_tiles=True, **plan)
    assert "T0421" in str(caught.value)
    assert f"order_tiles = true: {why}" in str(caught.value)
    if "cluster" not in plan:
        found, _ = planned(source, kernel, **plan)
        assert not found["order_tiles"]


def test_a_number_that_the_kernel_changes_decides_nothing():
    rounds = "cdiv(load(Count, g, ()), 64)"
    source = products(rounds=rounds, before="store(Count, g, 0)")
    plan, _ = planned(source)
    assert not plan["order_tiles"]
