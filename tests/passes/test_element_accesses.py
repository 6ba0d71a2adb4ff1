"""Accesses to single elements: what they keep a plan from, and that the check knows their order."""

import pytest

from tests.support.seeded_faults import BEFORE, ROOT, check_fault, source_of, verify, without
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import CompileError, SourceFile

PRODUCT = """
@kernel({plan})
def k(A: bf16[M, K], B: bf16[K, N], C: bf16[M, N], T: i32[N], F: f32[N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
    {before}
    acc = zeros((128, 128), f32)
    for k in range({rounds}):
        acc = mma(load(A, ({row}, k), (128, 64)), load(B, (k, n), (64, 128)), acc)
    {after}
    store(C, (m, n), cast(acc, bf16))
"""
ADD = "atomic_add(F, n, 1.0)"
REFUSED = {
    "cluster with an effect": ({"plan": "cluster=(2, 1)", "after": ADD}, "might access 'F'"),
    "cluster with unchecked loads": (
        {"plan": "cluster=(2, 1)", "before": "t = gather(T, m, check_bounds=False)", "row": "t"},
        "might access 'T'",
    ),
    "ping-pong with an effect": (
        {"plan": "pingpong=1", "after": ADD},
        "elements are stored or changed one by one",
    ),
    "ping-pong with rounds from memory": (
        {"plan": "pingpong=1", "rounds": "T[0]"},
        "how often a load runs depends on the block or on memory",
    ),
    "a producer that needs an effect": (
        {"plan": "specialize=1", "before": "t = atomic_add(T, 0, 1, memory_order='relaxed')"}
        | {"row": "t"},
        "depends on an element that the kernel changes",
    ),
    "a split with an effect before the product": (
        {"plan": "split_k=2", "before": "store(T, m, 1)"},
        "a store comes before the mma",
    ),
    "a split with rounds from memory": (
        {"plan": "split_k=2", "rounds": "T[0]"},
        "the number of k-tiles comes from",
    ),
    "a deferred store with an effect": (
        {"plan": "defer_stores=1", "after": ADD},
        "stores or changes single elements",
    ),
}
COMPILED = {
    "rounds from memory": {"rounds": "T[m]"},
    "rows from memory": {"row": "T[m]"},
    "rows from memory in each round": {"row": "T[m * 8 + k]"},
    "a split with an effect after the product": {"plan": "split_k=2", "after": ADD},
    "a cluster of tiles that memory names": {"plan": "cluster=(2, 1)", "row": "T[m]"},
    "ping-pong with rows from memory": {"plan": "pingpong=1", "row": "T[m]"},
    "persistent blocks with an effect": {"plan": "persistent=1", "after": ADD},
    "a loop of consumers alone, longer than the check runs it": {
        "plan": "stages=2",
        "after": "for i in range(8):\n        atomic_add(F, i, 1.0, memory_order='relaxed')",
    },
    "a condition from memory": {"after": "if T[n] > 0:\n        acc = acc * 2.0"},
}


def compiled(emit="nv_tileas", **parts):
    filled = {"plan": "", "before": "pass", "rounds": "cdiv(K, 64)", "row": "m", "after": "pass"}
    source = SourceFile("product.tile", PRODUCT.format(**(filled | parts)))
    return compile_source(source, "k", options=CompileOptions(emit=emit))


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_plan_cannot_do(name):
    parts, reason = REFUSED[name]
    with pytest.raises(CompileError) as caught:
        compiled(**parts)
    (found,) = caught.value.diagnostics
    assert found.code == "T0421"
    assert found.span is not None
    assert reason in found.message


@pytest.mark.parametrize("name", COMPILED)
def test_what_a_plan_can_do(name):
    """The protocol check is one of the passes; the tiles still come by TMA."""
    text = compiled(**COMPILED[name]).module_text("nv_tileas")
    assert '"nv_tileas.async_tiled_tma_load"' in text
    assert '"nv_tileas.async_mma"' in text


def test_a_tile_named_by_an_effect_has_no_producer():
    effect = "t = atomic_add(T, 0, 1, memory_order='relaxed')"
    text = compiled(before=effect, row="t").module_text("nv_tileas")
    assert text.count('"nv_tileas.atomic"') == 1
    assert '"nv_tileas.async_tiled_tma_load"' in text
    assert "producer_warps = 0" in text


NUMBERS = {
    "another array is released": ("atomic_add(F, n, 1.0)", True),
    "its own array is written": ("atomic_add(T, n, 1)", False),
    "its own array is written later": ("atomic_add(F, n, 1.0); store(T, n, 1)", False),
    "other devices see the order": ("atomic_add(F, n, 1.0, memory_scope='sys')", False),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_producer_loads_a_number_that_nothing_on_the_device_changes(name):
    effect, is_produced = NUMBERS[name]
    text = compiled(row="T[m]", after=effect).module_text("nv_tileas")
    assert ("producer_warps = 0" not in text) == is_produced


def test_a_tile_loaded_after_an_acquire_does_not_use_tma():
    result = compiled(before="t = atomic_add(T, 0, 1)")
    remarks = [item.message for item in result.remarks if item.code == "T0520"]
    assert [text.partition(" does")[0] for text in remarks] == ["load of 'A'", "load of 'B'"]


@pytest.fixture(scope="module")
def in_order(tmp_path_factory):
    """Return the kernel `in_order` as it comes to the protocol check."""
    folder = tmp_path_factory.mktemp("in_order")
    source = source_of(ROOT / "tests" / "kernels" / "elements.tile")
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    compile_source(source, "in_order", options=options)
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


def test_the_order_of_elements_passes_the_check(in_order):
    verify(in_order)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5])
def test_the_check_misses_a_barrier_between_accesses(in_order, number):
    """All barriers but one that the barriers before it make needless."""
    check_fault(in_order, (without("order_memory", number), "may overtake the"))
