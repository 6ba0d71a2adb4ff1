"""When consumers ping-pong, and what that takes."""

from dataclasses import replace

import pytest

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")
PRODUCT = KernelProblem((MmaTile(64, 64, 64, 2, 4),), 128 * 64 * 2, 0, 64 * 64)


def test_ping_pong_takes_a_loop_over_tiles():
    shared = plan_kernel(PRODUCT, TARGET, {"pingpong": True, "blocks_per_sm": 2})
    assert (shared.teams, shared.persistent) == (2, True)


def test_where_a_loop_over_tiles_takes_too_many_registers_consumers_do_not_ping_pong():
    tight = replace(PRODUCT, persistent=False, pingpong=True)
    found = plan_kernel(tight, TARGET, {})
    assert (found.teams, found.persistent) == (1, False)
    with pytest.raises(CompileError) as failure:
        plan_kernel(tight, TARGET, {"pingpong": True})
    diagnostic = failure.value.diagnostics[0]
    assert diagnostic.code == "T0421"
    assert "a loop over tiles takes registers that a tile needs" in diagnostic.message
