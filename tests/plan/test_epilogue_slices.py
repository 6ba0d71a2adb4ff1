"""Slices of an epilogue in a plan: their columns, their slots, and what shared memory holds."""

from dataclasses import replace

import pytest

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.plan import machine as limits
from tilec.plan.epilogue import SlicedTile, Slices
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")


def gemm(m=128, n=128, fixed_bytes=0):
    return KernelProblem((MmaTile(m, n, 64, 2, 4),), (m + n) * 128, fixed_bytes, m * n)


def plan(problem, **overrides):
    return plan_kernel(problem, TARGET, overrides)


def failure(problem, **overrides):
    with pytest.raises(CompileError) as caught:
        plan(problem, **overrides)
    diagnostic = caught.value.diagnostics[0]
    return diagnostic.code, diagnostic.message


def loading(m=128, n=256, load_bytes=2, result_bytes=2, costly=False):
    """Return a product whose epilogue loads a tile, and stores one in parts."""
    tile = SlicedTile(m, n, result_bytes, load_bytes, is_costly=costly)
    problem = replace(gemm(m=m, n=n, fixed_bytes=tile.loaded_bytes), sliced=(tile,))
    return replace(
        problem, part_bytes=tile.part_bytes(n), whole_bytes=problem.tile_elements * result_bytes
    )


def slices_of(result):
    return result.slice_columns, result.epilogue_stages, result.epilogue_slots, result.stages


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (loading(), (64, 4, 1, 3)),
        (loading(n=128), (64, 2, 2, 5)),
        (loading(m=256, n=128), (32, 4, 2, 3)),
        (loading(m=192, n=128), (64, 2, 2, 3)),
        (loading(load_bytes=4), (64, 2, 1, 3)),
        (loading(load_bytes=6), (64, 1, 2, 3)),
        (loading(result_bytes=4), (32, 4, 2, 3)),
        (loading(n=80), (16, 5, 2, 7)),
        (loading(n=72), (0, 0, 2, 7)),
        (loading(load_bytes=0, costly=True), (64, 0, 2, 4)),
        (loading(load_bytes=0), (0, 0, 2, 4)),
    ],
)
def test_slices_of_an_epilogue_that_loads_tiles(problem, expected):
    """A slot for each slice of a tile where three stages are left, and 32 elements a thread."""
    result = plan(problem)
    assert slices_of(result) == expected
    slices = Slices(result.slice_columns, result.epilogue_stages, result.epilogue_slots)
    used = problem.bytes_outside_ring(result.consumers, slices)
    used += result.stages * problem.ring_slot_bytes
    assert used + limits.SHARED_RESERVE_BYTES <= TARGET.shared_memory_bytes


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"slice_columns": 0}, (0, 0, 1, 3)),
        ({"slice_columns": 64}, (64, 4, 1, 3)),
        ({"slice_columns": 64, "epilogue_stages": 2, "epilogue_slots": 2}, (64, 2, 2, 3)),
        ({"slice_columns": 32, "epilogue_stages": 3, "epilogue_slots": 1}, (32, 3, 1, 4)),
        ({"epilogue_slots": 3}, (64, 2, 3, 3)),
        ({"stages": 3}, (64, 4, 1, 3)),
        ({"stages": 2}, (64, 4, 2, 2)),
        ({"epilogue_slots": 0}, (0, 0, 0, 2)),
        ({"specialize": False}, (0, 0, 1, 3)),
    ],
)
def test_slices_follow_what_the_user_fixed(overrides, expected):
    assert slices_of(plan(loading(), **overrides)) == expected


def test_consumers_that_take_turns_have_all_rows_of_their_tile():
    """128 rows of one warpgroup: 32 columns are 32 elements a thread."""
    assert slices_of(plan(loading(m=64, n=256), pingpong=True)) == (64, 4, 2, 4)
    assert slices_of(plan(loading(m=128, n=128), pingpong=True)) == (32, 4, 2, 5)


def test_results_that_load_nothing_may_be_sliced_on_demand():
    assert slices_of(plan(loading(load_bytes=0), slice_columns=32)) == (32, 0, 2, 4)


def test_reasons_name_the_slices():
    reasons = plan(loading()).reasons
    assert "slice_columns = 64: slices leave 3 stages, whole tiles 3" in reasons
    ahead = "epilogue_stages = 4: all slices of a tile are loaded before its products end"
    assert ahead in reasons
    reasons = plan(loading(load_bytes=4)).reasons
    ahead = "epilogue_stages = 2: one slice of each load is loaded while others are in use"
    assert ahead in reasons
    assert "slice_columns = 64: fixed by the user" in plan(loading(), slice_columns=64).reasons
    assert not any("epilogue_stages" in reason for reason in plan(gemm()).reasons)


@pytest.mark.parametrize(
    ("problem", "overrides", "message"),
    [
        (gemm(), {"slice_columns": 32}, "no store of the kernel can be cut into slices"),
        (loading(), {"slice_columns": 24}, "24 columns do not divide those of the result"),
        (loading(), {"slice_columns": 32, "specialize": False}, "slices need a producer warp"),
        (loading(), {"slice_columns": 32, "epilogue_slots": 0}, "slices need epilogue_slots"),
        (loading(), {"slice_columns": 32, "share_slots": True}, "slices do not share their slots"),
        (loading(load_bytes=0), {"epilogue_stages": 2}, "the epilogue loads no tiles"),
        (
            loading(load_bytes=0),
            {"slice_columns": 32, "epilogue_stages": 2},
            "epilogue_stages = 2: the epilogue loads no tiles",
        ),
        (loading(m=64), {"slice_columns": 32, "consumers": 2}, "do not share the rows"),
        (
            loading(load_bytes=0),
            {"epilogue_pace": 9},
            "epilogue_pace = 9: the epilogue loads no slices",
        ),
    ],
)
def test_impossible_slices(problem, overrides, message):
    code, found = failure(problem, **overrides)
    assert code == "T0421"
    assert message in found


@pytest.mark.parametrize(
    ("problem", "overrides", "expected"),
    [
        # 1024, 512 and 1024 cycles of a k-tile at 1.5 GHz, 0.55 of them over 4, 2 and 4 slices
        (loading(), {}, 94),
        (loading(n=128), {}, 94),
        (loading(m=256, n=128), {}, 94),
        # two results, each with two slices
        (replace(loading(n=128), sliced=(SlicedTile(128, 128, 2, 2),) * 2), {}, 47),
        # fewer slots than slices: the epilogue would wait for those that come last
        (loading(), {"epilogue_stages": 2}, 0),
        (loading(load_bytes=6), {}, 0),
        (loading(load_bytes=0, costly=True), {}, 0),
        (gemm(), {}, 0),
        (loading(), {"epilogue_pace": 7}, 7),
        (loading(), {"epilogue_pace": 0}, 0),
        (gemm(), {"epilogue_pace": 0}, 0),
    ],
)
def test_loads_of_slices_spread_over_the_products(problem, overrides, expected):
    result = plan(problem, **overrides)
    assert result.epilogue_pace == expected
    told = any("epilogue_pace" in reason for reason in result.reasons)
    assert told == (expected > 0 or "epilogue_pace" in overrides)
