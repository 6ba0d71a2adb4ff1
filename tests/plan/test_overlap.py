"""What overlaps: groups of wgmma in flight, batches of parts, results that leave L2."""

from dataclasses import replace

import pytest

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")


def product(m=128, n=128):
    """Return a product of bf16 whose result is stored in parts of 8192 bytes."""
    problem = KernelProblem((MmaTile(m, n, 64, 2, 4),), (m + n) * 128, 0, m * n)
    return replace(problem, part_bytes=8192, whole_bytes=m * n * 2)


def plan(problem, **overrides):
    return plan_kernel(problem, TARGET, overrides)


def message(problem, **overrides):
    with pytest.raises(CompileError) as caught:
        plan(problem, **overrides)
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "T0421"
    return diagnostic.message


@pytest.mark.parametrize(("rows", "consumers", "pending"), [(64, 1, 1), (128, 2, 0), (192, 3, 0)])
def test_a_consumer_alone_keeps_a_group_in_flight(rows, consumers, pending):
    result = plan(product(m=rows))
    assert (result.consumers, result.mma_pending) == (consumers, pending)


def test_teams_keep_a_group_in_flight():
    """A team multiplies alone, too."""
    result = plan(product(m=64), pingpong=True)
    assert (result.teams, result.mma_pending) == (2, 1)


def test_one_stage_leaves_no_room_for_a_group_in_flight():
    assert plan(product(m=64), stages=1).mma_pending == 0
    assert "keeps the only stage" in message(product(), stages=1, mma_pending=1)


def test_a_copy_has_no_group_in_flight():
    copy = KernelProblem((), 8192, 0, 4096)
    assert "without mma" in message(copy, mma_pending=1)


def test_batches_divide_the_slots():
    assert plan(product()).epilogue_batch == 1
    assert plan(product(), epilogue_slots=4, epilogue_batch=2).epilogue_batch == 2
    found = message(product(), epilogue_slots=0, epilogue_batch=2)
    assert found == "epilogue_batch = 2: no result of the kernel is stored in parts"
    found = message(product(), epilogue_slots=3, epilogue_batch=2)
    assert found == "epilogue_batch = 2: the 3 staging slots do not split into batches"


def test_results_stay_in_l2_unless_asked():
    assert plan(product()).stream_results is False
    assert plan(product(), stream_results=True).stream_results is True
