"""Splits along K: which kernels can be split, and that the protocol check passes."""

import pytest

from tests.support.kernel_texts import BRANCH_WITH_LOAD
from tests.support.seeded_faults import before_the_check
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import CompileError, SourceFile

HEAD = """@kernel(split_k=4)
def product(A: bf16[M, K], B: bf16[K, N], C: bf16[M, N], D: f32[M, N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
"""
LOOP = """    acc = zeros((128, 128), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (128, 64)), load(B, (k, n), (64, 128)), acc)
"""
BRANCH = BRANCH_WITH_LOAD.format(condition="M > 64", array="D", first=(0, 0), extents=(128, 128))
STORE = "    store(D, (m, n), acc)\n"
SPLIT = {
    "a step that is not known": LOOP.replace("range(cdiv(K, 64))", "range(0, cdiv(K, 64), M)")
    + STORE,
    "a plain product": LOOP + STORE,
    "two results": LOOP + STORE + "    store(C, (m, n), cast(acc * 2.0, bf16))\n",
    "a transposed result": LOOP + "    store(D, (m, n), acc.T)\n",
    "a load ahead of the loop": "    d = load(D, (m, n), (128, 128))\n"
    + LOOP
    + "    store(D, (m, n), acc + d)\n",
    "bounds of their own": LOOP.replace("range(cdiv(K, 64))", "range(1, cdiv(K, 64), 2)") + STORE,
    "two products of a k-tile": LOOP
    + "        acc = mma(load(A, (m, k + 1), (128, 64)), load(B, (k, n), (64, 128)), acc)\n"
    + STORE,
    "an operand that threads store": LOOP.replace(
        "load(B, (k, n), (64, 128))", "load(B, (k, n), (64, 128)) * 2.0"
    )
    + STORE,
    "a product in three parts": LOOP.replace(
        "load(A, (m, k), (128, 64)), load(B, (k, n), (64, 128)), acc",
        "cast(load(A, (m, k), (128, 64)), f32), cast(load(B, (k, n), (64, 128)), f32), acc,"
        " precision='bf16x3'",
    )
    + STORE,
    "a branch after the loop": LOOP + "    if K > 64:\n        store(D, (m, n), acc)\n",
}
REFUSED = {
    "a product of a product": (
        LOOP.replace("acc = mma(", "x = mma(").replace(", acc)", ", zeros((128, 128), f32))")
        + "        acc = mma(cast(x, bf16), load(B, (k, n), (128, 128)), acc)\n"
        + STORE,
        "the loop over k-tiles has a product that is not added to its accumulator",
    ),
    "two products": (
        LOOP + LOOP.replace("zeros((128, 128), f32)", "acc") + STORE,
        "its 2 products are not all in one loop",
    ),
    "no loop": (
        "    acc = mma(load(A, (m, 0), (128, 64)), load(B, (0, n), (64, 128)),"
        " zeros((128, 128), f32))\n" + STORE,
        "the mma is in no loop over k-tiles",
    ),
    "a start": (
        LOOP.replace("zeros((128, 128), f32)", "load(D, (m, n), (128, 128))") + STORE,
        "the accumulator does not start at zeros",
    ),
    "ones": (
        LOOP.replace("zeros((128, 128), f32)", "full((128, 128), 1.0, f32)") + STORE,
        "the accumulator does not start at zeros",
    ),
    "a loop that depends on the tile": (
        LOOP.replace("range(cdiv(K, 64))", "range(m + 1)") + STORE,
        "the number of k-tiles depends on the block",
    ),
    "a loop that depends on a branch with loads": (
        BRANCH
        + LOOP.replace("range(cdiv(K, 64))", "range(steps)")
        + "    store(D, (m, n), acc + x)\n",
        "the number of k-tiles comes from a branch or a loop that loads tiles",
    ),
    "a factor in the loop": (
        LOOP + "        acc = acc * 0.5\n" + STORE,
        "the accumulator is not the sum of the products alone",
    ),
    "a store in the loop": (
        LOOP + "        store(D, (m, n), acc)\n",
        "a store is in the loop over k-tiles",
    ),
    "a store ahead of the loop": (
        "    store(C, (m, n), zeros((128, 128), bf16))\n" + LOOP + STORE,
        "a store comes before the mma",
    ),
    "another value": (
        "    x = zeros((128, 64), bf16)\n"
        + LOOP
        + "        x = x + load(A, (m, k), (128, 64))\n"
        + STORE
        + "    store(C, (m, 2 * n), x)\n",
        "the loop over k-tiles carries more than its accumulator",
    ),
    "another loop": (
        LOOP + "    for i in range(M):\n        store(D, (m, i), acc)\n",
        "the kernel has another loop",
    ),
    "a branch": (
        "    if M > 4096:\n" + "".join(f"    {line}\n" for line in (LOOP + STORE).splitlines()),
        "the mma is in a branch",
    ),
    "f32 operands": (
        LOOP.replace("load(A, (m, k), (128, 64))", "cast(load(A, (m, k), (128, 64)), f32)").replace(
            "load(B, (k, n), (64, 128))", "cast(load(B, (k, n), (64, 128)), f32)"
        )
        + STORE,
        "the mma does not run on wgmma",
    ),
    "sums of f16": (
        LOOP.replace("load(A, (m, k), (128, 64))", "cast(load(A, (m, k), (128, 64)), f16)")
        .replace("load(B, (k, n), (64, 128))", "cast(load(B, (k, n), (64, 128)), f16)")
        .replace("f32", "f16")
        + STORE.replace("acc", "cast(acc, f32)"),
        "the sums of its mma do not have 32 bits",
    ),
    "the caller's grid": (
        LOOP.replace("acc", "m, n = block_id(0), block_id(1)\n    acc", 1) + STORE,
        "the caller gives the grid",
    ),
}


def compiled(body, head=HEAD, emit="nv_tileas"):
    source = SourceFile("product.tile", head + body)
    return compile_source(source, "product", options=CompileOptions(emit=emit))


@pytest.mark.parametrize("name", SPLIT)
def test_what_can_be_split(name):
    """The protocol check is one of the passes."""
    text = compiled(SPLIT[name]).module_text("nv_tileas")
    for once in ("await_partials", "add_partial", "store_partial", "arrive_partial"):
        assert text.count(f"nv_tileas.{once}") == 1
    assert text.count("nv_tileas.reset_partials") == 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_split(name):
    body, reason = REFUSED[name]
    head = HEAD.partition("    m, n")[0] if "grid" in name else HEAD
    with pytest.raises(CompileError) as caught:
        compiled(body, head)
    (found,) = caught.value.diagnostics
    assert found.code == "T0421"
    assert found.message.startswith("split_k = 4: ")
    assert reason in found.message


@pytest.mark.parametrize(
    "plan",
    [
        {"split_k": 2},
        {"split_k": 3, "epilogue_slots": 0},
        {"split_k": 4, "specialize": 0},
        {"split_k": 16, "stages": 1},
        {"split_k": 4, "consumers": 1, "mma_pending": 1},
    ],
)
@pytest.mark.parametrize("example", ["matmul", "matmul_bias_gelu", "batched_matmul"])
def test_examples_pass_the_protocol_check(example, plan):
    tile = {"BM": 64 if "consumers" in plan else 128, "BN": 128, "BK": 64}
    assert "await_partials" in before_the_check(size=tile, example=example, **plan)


def test_barriers_at_counters_are_those_of_the_role():
    text = before_the_check(split_k=2)
    lines = [line.strip() for line in text.splitlines()]
    waits = next(i for i, line in enumerate(lines) if "nv_tileas.await_partials" in line)
    arrives = next(i for i, line in enumerate(lines) if "nv_tileas.arrive_partial" in line)
    for index in (waits + 1, arrives - 1):
        assert lines[index].startswith('"nv_tileas.barrier"() {id = 1 : i64}')


@pytest.mark.parametrize(("tile", "splits"), [((64, 128), 4), ((128, 256), 4), ((128, 256), 2)])
def test_ptxas_takes_it_without_spills(tile, splits):
    """Even where a single partial sum is added: that must stay a loop."""
    body = LOOP.replace("128, 128", f"{tile[0]}, {tile[1]}").replace(
        "(128, 64)", f"({tile[0]}, 64)"
    )
    body = body.replace("(64, 128)", f"(64, {tile[1]})") + STORE
    head = HEAD.replace("cdiv(M, 128), cdiv(N, 128)", f"cdiv(M, {tile[0]}), cdiv(N, {tile[1]})")
    head = head.replace("split_k=4", f"split_k={splits}")
    result = compiled(body, head, emit="cubin")
    assert result.assembly.warnings == ()
    assert (result.assembly.spill_stores, result.assembly.spill_loads) == (0, 0)
    first, second = result.artifact.workspaces
    grid = f"(cdiv(M, {tile[0]})) * (cdiv(N, {tile[1]}))"
    assert (first.name, first.size, first.zeroed) == ("counters", f"{grid} * 4", True)
    bytes_of_partials = (splits - 1) * 4 * tile[0] * tile[1]
    assert (second.name, second.size) == ("workspace", f"{grid} * {bytes_of_partials}")
    assert [item.name for item in result.artifact.hidden_parameters] == ["counters", "workspace"]
