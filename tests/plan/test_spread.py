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


def problem(row, why_not=None, most=16, element_bytes=2, **facts):
    """Return a kernel that reduces rows, which at most `most` CTAs can share."""

    def why_not_spread(ctas, warps):
        return why_not or (f"no more than {most}" if ctas > most else None)

    known = {"thread_bytes": element_bytes * row, "waits_for_tiles": True, **facts}
    return KernelProblem((), 0, 0, row, why_not_spread=why_not_spread, **known)


def plan(given, **overrides):
    return plan_kernel(given, get_target("sm_90a"), overrides)


@pytest.mark.parametrize(
    ("row", "ctas", "warps", "blocks"),
    [(8192, 1, 8, 4), (16384, 2, 8, 4), (65536, 8, 8, 4), (131072, 8, 8, 2), (262144, 8, 16, 1)],
)
def test_a_cta_is_planned_for_its_part(row, ctas, warps, blocks):
    found = plan(problem(row), spread=ctas)
    assert (found.spread, found.worker_warps, found.blocks_per_sm) == (ctas, warps, blocks)


def test_a_kernel_that_cannot_be_spread_says_why():
    with pytest.raises(CompileError, match="spread = 2: its CTAs cannot share 'cat'"):
        plan(problem(65536, why_not="its CTAs cannot share 'cat'"), spread=2)


@pytest.mark.parametrize(
    ("row", "element_bytes", "ctas", "warps", "blocks"),
    [
        (8192, 2, 1, 8, 4),
        (16384, 2, 1, 16, 2),
        (32768, 2, 4, 8, 4),
        (65536, 2, 8, 8, 4),
        (131072, 2, 16, 8, 4),
        (262144, 2, 16, 8, 2),
        (524288, 2, 16, 16, 1),
        (8192, 4, 1, 16, 2),
        (16384, 4, 2, 8, 2),
        (65536, 4, 8, 8, 2),
        (16384, 1, 1, 16, 2),
    ],
)
def test_a_block_is_spread_until_an_sm_has_room_for_others(row, element_bytes, ctas, warps, blocks):
    found = plan(problem(row, element_bytes=element_bytes))
    assert (found.spread, found.worker_warps, found.blocks_per_sm) == (ctas, warps, blocks)


@pytest.mark.parametrize(
    ("row", "element_bytes", "ctas", "blocks"),
    [(8192, 2, 1, 4), (12288, 2, 2, 4), (16384, 2, 2, 4), (32768, 2, 4, 4), (8192, 4, 2, 4)],
)
def test_blocks_with_tiles_of_their_own_leave_room_for_three_others(
    row, element_bytes, ctas, blocks
):
    found = plan(problem(row, element_bytes=element_bytes, own_tiles=True, thread_vector=8))
    assert (found.spread, found.blocks_per_sm) == (ctas, blocks)


@pytest.mark.parametrize(
    ("kernel", "ctas"),
    [
        ("store(Y, (m, 0), (x * sum(x)).astype(bf16))", 2),
        ("store(Y, (m, 0), (x * sum(x) * load(W, 0, 16384).astype(f32)).astype(bf16))", 1),  # L1
        ("store(S, m, sum(x))", 1),  # it stores nothing of that size
    ],
)
def test_tiles_are_those_of_a_block_alone(kernel, ctas):
    source = f"""
@kernel
def k(X: bf16[64, 16384], Y: bf16[64, 16384], W: bf16[16384], S: f32[64]):
    m = grid(64)
    x = load(X, (m, 0), (1, 16384)).astype(f32)
    {kernel}
"""
    options = CompileOptions(emit="ptx", run_ptxas=False)
    made = compile_source(SourceFile("k.tile", source), options=options)
    assert made.artifact.kernels[0].metadata["plan"]["spread"] == ctas


@pytest.mark.parametrize(
    ("row", "vector", "warps"),
    [
        (40960, 8, 4),  # 40 elements a thread, not 20
        (53248, 8, 4),  # 52, not 26: vectors of 4, not of 2
        (106496, 8, 8),  # 104 would be too many
        (51200, 1, 8),  # single elements are as wide either way
        (65536, 8, 8),
    ],
)
def test_a_part_has_the_warps_whose_vectors_are_wide(row, vector, warps):
    for run in (0, 8):
        found = plan(problem(row, thread_vector=vector, thread_run=run))
        assert (found.spread, found.worker_warps) == (8, warps)


@pytest.mark.parametrize(
    ("row", "vector", "facts", "warps"),
    [
        (4352, 8, {}, 4),  # 34 elements a thread, not 17: vectors of 2, not of single elements
        (4352, 1, {}, 8),
        (8192, 8, {}, 8),
        (9216, 8, {}, 8),  # 36, not 18
        (12288, 8, {}, 16),  # 24 are vectors of 8 already
        (14336, 8, {}, 8),
        (5120, 1, {"thread_run": 8}, 4),  # 40 elements are five runs, 20 are none
        (7168, 1, {"thread_run": 8}, 4),
        (10240, 1, {"thread_run": 8}, 8),
        (10240, 2, {"thread_run": 8}, 16),  # 20 are ten vectors; runs were not measured
        (9216, 1, {"thread_run": 8}, 16),  # neither 18 nor 36 are runs
        (8192, 1, {"thread_run": 8}, 8),  # 32 are four runs already
        (5120, 1, {"thread_run": 16}, 8),
        (18432, 8, {"waits_for_tiles": False}, 16),  # 36: only the elements of a thread count
    ],
)
def test_a_block_of_one_cta_has_the_warps_whose_vectors_are_wide(row, vector, facts, warps):
    found = plan(problem(row, thread_vector=vector, **facts), spread=1)
    assert (found.spread, found.worker_warps) == (1, warps)


@pytest.mark.parametrize(
    ("blocks", "rows", "facts", "ctas", "warps"),
    [
        (4, 8192, {}, 16, 8),
        (8, 4096, {}, 16, 8),
        (16, 8192, {}, 16, 8),
        (24, 8192, {}, 8, 16),  # 16 would be more CTAs than two for each SM
        (66, 8192, {}, 4, 32),
        (67, 8192, {}, 1, 16),
        (8, 2048, {}, 8, 8),  # 16 would load 8 KB each
        (8, 1024, {}, 1, 16),  # two fit into shared memory
    ],
)
def test_few_blocks_are_spread_over_idle_sms(blocks, rows, facts, ctas, warps):
    size = {"thread_bytes": 64 * rows, "waits_for_tiles": False, "blocks": blocks, **facts}
    found = plan(problem(32 * rows, **size))
    assert (found.spread, found.worker_warps) == (ctas, warps)


@pytest.mark.parametrize(("most", "ctas"), [(1, 1), (4, 4)])
def test_few_blocks_say_why_no_more_ctas_share_them(most, ctas):
    found = plan(problem(32 * 8192, most=most, waits_for_tiles=False, blocks=8))
    why = f"spread = {ctas}: 8 blocks leave most of 132 SMs idle, but no more than {most}"
    assert found.spread == ctas
    assert why in found.reasons


@pytest.mark.parametrize("spread", [1, 2])
def test_the_user_decides(spread):
    found = plan(problem(65536), spread=spread)
    assert found.spread == spread
    assert f"spread = {spread}: fixed by the user" in found.reasons


@pytest.mark.parametrize(("most", "ctas"), [(1, 1), (2, 2), (8, 8)])
def test_no_more_ctas_share_a_block_than_can(most, ctas):
    assert plan(problem(262144, most=most)).spread == ctas


def test_the_plan_says_why_a_block_is_spread_or_not():
    alone = "an SM has registers for 0 CTAs with whole tiles"
    spread = f"spread = 8: {alone}; an SM holds 4 with a part each"
    assert spread in plan(problem(65536)).reasons
    kept = f"spread = 1: {alone}, but its CTAs cannot share 'cat'"
    assert kept in plan(problem(65536, "its CTAs cannot share 'cat'")).reasons


@pytest.mark.parametrize(
    ("facts", "overrides"),
    [
        ({"waits_for_tiles": False}, {}),
        ({"thread_bytes": 0}, {}),
        ({}, {"worker_warps": 4}),
        ({}, {"cluster": (2, 1)}),
    ],
)
def test_a_block_that_gains_nothing_is_not_spread(facts, overrides):
    size = 8192 if "worker_warps" in overrides else 65536
    assert plan(problem(size, **facts), **overrides).spread == 1


def test_a_tile_that_tma_would_load_at_once_is_spread_like_one_that_threads_load():
    found = plan(problem(65536, thread_bytes=0, one_shot_bytes=131072))
    assert (found.spread, found.worker_warps) == (8, 8)


@pytest.mark.parametrize(("row", "ctas"), [(32768, 8), (65536, 16), (262144, 16)])
def test_parts_that_spilled_are_halved_if_they_can_be(row, ctas):
    assert plan(problem(row, spread=False)).spread == ctas


@pytest.mark.parametrize(("row", "ctas", "blocks"), [(53248, 8, 5), (122880, 16, 4)])
def test_few_of_many_ctas_of_a_block_are_asked_to_fit_on_an_sm(row, ctas, blocks):
    found = plan(problem(row, thread_vector=8))
    assert (found.spread, found.blocks_per_sm) == (ctas, blocks)


def test_more_are_asked_for_where_the_end_of_a_block_runs_some_vectors_at_a_time():
    found = plan(problem(122880, thread_vector=8, load_ahead=False))
    assert (found.spread, found.blocks_per_sm, found.stream_tail) == (16, 5, True)


def test_threads_that_spilled_get_more_registers_and_keep_their_part():
    found = plan(problem(524288, blocks_per_sm=False))
    assert (found.spread, found.worker_warps, found.blocks_per_sm) == (16, 16, 1)


@pytest.mark.parametrize("name", ["softmax", "rms_norm", "layer_norm"])
@pytest.mark.parametrize("columns", [40_000, 100_001, 262_144])
def test_the_examples_take_long_rows_without_spills(examples, name, columns):
    text = SourceFile(f"{name}.tile", (examples / f"{name}.tile").read_text())
    chosen = Specialization(constants={"N": columns})
    result = compile_source(text, specialization=chosen, options=CompileOptions(emit="ptx"))
    (kernel,) = result.artifact.kernels
    assert kernel.metadata["cluster"][0] in (8, 16)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"spread": 3}, "spread = 3: expected 1, 2, 4, 8 or 16"),
        ({"spread": 32}, "spread = 32: expected 1, 2, 4, 8 or 16"),
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


def test_a_scanned_row_that_fills_the_registers_of_a_cta_is_spread():
    text = """
@kernel
def k(X: f64[16, 32768], Y: f64[16, 32768]):
    m = grid(16)
    store(Y, (m, 0), cumsum(load(X, (m, 0), (1, 32768)), axis=1))
"""
    (kernel,) = compiled(text).artifact.kernels
    assert kernel.metadata["cluster"] == [16, 1, 1]
    assert "st.async" in kernel.ptx


REFUSED = {
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
    "a load of any element after a store": (
        "store(X, (m, 0), x - max(x))\n"
        "    store(Y, (m, 0), gather(X, (m, 4095 - arange(4096)))[None, :])",
        "an access comes after one of other tiles of the array",
    ),
    "a small tile that is loaded again": (
        "store(Y, (m, 0), max(x, axis=1, keepdims=True))\n"
        "    store(Y, (m, 0), load(Y, (m, 0), (1, 1)) + 1.0)",
        "each CTA may load all of a tile that one of them stores",
    ),
    "a load with an order": (
        "store(Y, (m, 0), x * gather(X, (m, 0), memory_order='acquire'))",
        "each CTA would perform 'gather'",
    ),
}


def test_tiles_that_have_no_equal_parts_are_not_shared():
    text = """
@kernel(any_tile_extents=True)
def k(X: f32[6, 2731], Y: f32[6]):
    m = grid(2)
    store(Y, m, max(load(X, (m, 0), (3, 2731)), axis=1))
"""
    with pytest.raises(CompileError, match="no extent of a tile of 3x2731 is a multiple of 2"):
        compiled(text, spread=2)


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
