"""When the planner visits the k-tiles of every second tile backwards."""

import pytest

from tests.support.plain_product import TARGET, plan, problem
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.support.diagnostics import CompileError


def test_sums_of_products_go_back_and_forth_unless_somebody_objects():
    found = plan(problem())
    assert found.snake_k
    assert "snake_k = true: a tile begins with the k-tiles that L2 got last" in found.reasons
    overrides = plan(problem(), snake_k=False)
    assert not overrides.snake_k
    assert "snake_k = false: fixed by the user" in overrides.reasons


@pytest.mark.parametrize(
    ("given", "fields", "reason"),
    [
        (problem(why_not_backwards="the kernel has no mma"), {}, "the kernel has no mma"),
        (problem(), {"persistent": False}, r"no CTA has a second tile \(persistent = false\)"),
        (problem(), {"split_k": 2}, r"its CTAs share the k-tiles of a tile \(split_k = 2\)"),
    ],
)
def test_where_the_order_of_k_tiles_stays(given, fields, reason):
    found = plan(given, **fields)
    assert not found.snake_k
    assert not any("snake_k" in why for why in found.reasons)
    with pytest.raises(CompileError, match=f"snake_k = true: {reason}"):
        plan(given, snake_k=True, **fields)
    assert not plan(given, snake_k=False, **fields).snake_k


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ((4096, 4096, 4096), True),  # 34 MiB a wave
        ((8192, 8192, 2048), False),  # 15 MiB a wave
        ((2048, 2048, 16384), False),  # 128 tiles of 128x256: a single wave
        ((512, 16384, 4096), True),
    ],
)
def test_operands_that_outgrow_l2(extents, expected):
    best = rank_tiles(GemmProblem(extents, may_defer=True), TARGET, None)[0]
    assert best.cost.outgrows_l2 == expected


def test_tiles_that_l2_keeps_are_visited_forwards():
    assert not plan(problem(snake_k=False)).snake_k
    assert plan(problem(snake_k=False), snake_k=True).snake_k
