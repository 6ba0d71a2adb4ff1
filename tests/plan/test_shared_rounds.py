"""How many CTAs of a cluster share the rounds of a loop, and which loops allow it."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.plan import KernelProblem, plan_kernel
from tilec.request.specialization import Specialization
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.support.fast_dataclasses import replace


def problem(blocks, **facts):
    known = {"blocks": blocks, "why_not_share_rounds": None, "ring_slot_bytes": 16384, **facts}
    return KernelProblem((), fixed_bytes=0, tile_elements=256 * 32, **known)


def plan(given, **overrides):
    return plan_kernel(given, get_target("sm_90a"), overrides)


@pytest.mark.parametrize(
    ("blocks", "ctas"), [(3, 16), (4, 16), (8, 8), (16, 4), (24, 4), (33, 2), (39, 1), (128, 1)]
)
def test_half_of_the_sms_share_the_rounds_of_few_blocks(blocks, ctas):
    found = plan(problem(blocks))
    assert (found.spread, found.share_rounds) == (ctas, ctas > 1)
    assert found.persistent == (ctas == 1)


@pytest.mark.parametrize(
    ("blocks", "warps", "ctas"),
    [(4, 4, 16), (16, 4, 16), (47, 4, 4), (64, 4, 4), (182, 4, 1), (65, 8, 2), (128, 8, 1)],
)
def test_more_ctas_share_rounds_where_threads_load(blocks, warps, ctas):
    given = problem(blocks, ring_slot_bytes=0, thread_bytes=16384)
    found = plan(given, worker_warps=warps)
    assert (found.spread, found.share_rounds) == (ctas, ctas > 1)
    assert not found.specialize
    few = replace(given, rounds=15)
    assert not plan(few, worker_warps=warps).share_rounds


def test_ctas_that_share_rounds_have_whole_tiles_in_rings_of_their_own():
    found = plan(problem(8))
    assert found.specialize
    assert "spread = 8: 8 blocks load less than memory delivers" in " ".join(found.reasons)
    assert found.stages < plan(problem(8), share_rounds=False).stages


@pytest.mark.parametrize(
    ("facts", "overrides"),
    [
        ({"why_not_share_rounds": "its loop stores tiles"}, {}),
        ({"rounds": 15}, {}),
        ({"share_rounds": False}, {}),
        ({}, {"share_rounds": False}),
        ({}, {"spread": 1}),
        ({}, {"specialize": False}),
        ({"ring_slot_bytes": 0}, {}),
        ({}, {"cluster": (2, 1)}),
    ],
)
def test_kernels_that_do_not_share_rounds(facts, overrides):
    found = plan(problem(8, **facts), **overrides)
    assert (found.spread, found.share_rounds) == (1, False)


def test_rows_that_end_inside_of_a_tile_load_slowly():
    """So many more blocks share their rounds."""
    narrow, wide = ({"cut_rows": True, "row_bytes": size} for size in (64, 256))
    found = [plan(problem(64, **facts)) for facts in ({}, narrow, wide)]
    assert [item.spread for item in found] == [1, 2, 1]
    assert "spread = 2: rows that end inside of a tile load slowly" in " ".join(found[1].reasons)


@pytest.mark.parametrize(
    ("slot", "text", "overrides", "least"),
    [
        (16384, "cdiv(M, 256)", {}, 16),
        (4096, "cdiv(M, 64)", {}, 64),
        (16384, None, {}, 0),
        (16384, "cdiv(M, 256)", {"share_rounds": True}, 0),
    ],
)
def test_launches_need_rounds_enough(slot, text, overrides, least):
    given = replace(problem(8, rounds_text=text), ring_slot_bytes=slot)
    found = plan(given, **overrides)
    assert found.share_rounds
    assert found.least_rounds == least
    said = f"launches of less than {least} rounds share none" in " ".join(found.reasons)
    assert said == (least > 0)


def test_clusters_that_share_rounds_start_on_an_empty_gpu():
    found = [plan(problem(blocks), **fixed) for blocks, fixed in ((8, {}), (128, {}))]
    assert [item.dependent_launch for item in found] == [False, True]
    assert "dependent_launch = false: clusters that share rounds" in " ".join(found[0].reasons)
    assert plan(problem(8), dependent_launch=True).dependent_launch
    assert plan(problem(8), share_rounds=False).dependent_launch


def test_the_ring_leaves_room_for_what_ctas_exchange():
    free = plan(problem(1), stages=13).stages
    found = plan(problem(1, exchanged_bytes=2048))
    assert (free, found.spread, found.stages) == (13, 16, 12)
    assert "12 fit next to 32768 other bytes" in " ".join(found.reasons)
    assert plan(problem(1, exchanged_bytes=2048), share_rounds=False).stages > 12


def test_few_blocks_of_large_tiles_compile():
    """Seven slots of 32 KB leave too little for what 16 CTAs send to each other."""
    text = KERNEL.format(start="zeros((512, 32), f32)", step="total += cast(x, f32)", end=STORED)
    text = text.replace("f32[M, N]", "bf16[M, 8]").replace("f32[N]", "f32[8]")
    for old, new in (("(64, 32)", "(512, 32)"), ("M, 64", "M, 512"), ("N, 32", "8, 32")):
        text = text.replace(old, new)
    made = compile_source(SourceFile("rounds.tile", text), "rounds", Specialization())
    assert made.artifact.kernels[0].metadata["plan"]["stages"] == 6


def test_launches_of_few_rounds_share_none():
    found = plan(problem(8, share_rounds=False))
    assert not found.share_rounds
    assert "share_rounds = false: launches of 16 rounds or more share them" in found.reasons


def test_the_user_decides():
    found = plan(problem(4096), share_rounds=True, spread=4)
    assert (found.spread, found.share_rounds) == (4, True)
    with pytest.raises(CompileError, match="share_rounds = true: its loop stores tiles"):
        plan(problem(8, why_not_share_rounds="its loop stores tiles"), share_rounds=True)


KERNEL = """@kernel(share_rounds=True)
def rounds(X: f32[M, N], Y: f32[N], Z: f32[M, N]):
    n = grid(cdiv(N, 32))
    total = {start}
    for i in range(cdiv(M, 64)):
        x = load(X, (i, n), (64, 32))
        {step}
    {end}
"""
SUM = "total += x"
ZEROS = "zeros((64, 32), f32)"
STORED = "store(Y, n, sum(total, axis=0))"
WRONG = [
    (ZEROS, f"{SUM}; store(Z, (i, n), x)", STORED, "its loop stores tiles"),
    ("full((64, 32), 1, f32)", SUM, STORED, "reduced by the same operation"),
    (ZEROS, SUM, "store(Y, n, max(total, axis=0))", "reduced by the same operation"),
    (ZEROS, SUM, "store(Z, (0, n), total)", "reduced by the same operation"),
    (ZEROS, "total = total * 0.5 + x", STORED, "reduced by the same operation"),
    (ZEROS, "total += x * sum(total)", STORED, "reduced by the same operation"),
    (ZEROS, SUM, f"{STORED}; atomic_add(Y, n, 1.0)", "each CTA would perform"),
]


def test_counters_that_could_overflow_stand_against_it():
    text = KERNEL.format(start=ZEROS, step=SUM, end=STORED)
    text = text.replace("Z: f32[M, N]", "Z: f32[M, N], end: i32").replace("cdiv(M, 64)", "end")
    with pytest.raises(CompileError, match="the counter of its loop could exceed 31 bits"):
        compile_source(SourceFile("rounds.tile", text), "rounds", Specialization())


@pytest.mark.parametrize(("start", "step", "end", "why_not"), WRONG)
def test_what_stands_against_it(start, step, end, why_not):
    text = KERNEL.format(start=start, step=step, end=end)
    with pytest.raises(CompileError, match=why_not):
        compile_source(SourceFile("rounds.tile", text), "rounds", Specialization())


@pytest.mark.parametrize(("rows", "shared"), [("1984", False), ("2048", True), ("M", True)])
def test_rounds_are_counted_where_the_extent_of_the_array_is_known(rows, shared):
    text = KERNEL.format(start=ZEROS, step=SUM, end=STORED)
    text = text.replace("(share_rounds=True)", "").replace("M, N", f"{rows}, 128")
    text = text.replace("cdiv(M, ", f"cdiv({rows}, ").replace("(N, 32)", "(128, 32)")
    text = text.replace("f32[N]", "f32[128]")
    made = compile_source(SourceFile("rounds.tile", text), "rounds", Specialization())
    assert made.artifact.kernels[0].metadata["plan"]["share_rounds"] == shared


@pytest.mark.parametrize(("columns", "cut"), [(96, False), (100, True), ("N", False)])
def test_rows_are_known_to_end_inside_of_a_tile(columns, cut):
    text = KERNEL.format(start=ZEROS, step=SUM, end=STORED).replace("(share_rounds=True)", "")
    text = text.replace("M, N", f"M, {columns}").replace("f32[N]", f"f32[{columns}]")
    text = text.replace("cdiv(N, 32)", f"cdiv({columns}, 32)")
    made = compile_source(SourceFile("rounds.tile", text), "rounds", Specialization())
    reasons = " ".join(made.artifact.kernels[0].metadata["plan"]["reasons"])
    assert ("rows that end inside of a tile" in reasons) == cut
