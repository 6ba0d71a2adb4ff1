"""What is compiled after a plan that takes too many registers."""

from tilec.compiler import replan
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, error


def given_up(monkeypatch, plan, **asked):
    monkeypatch.setattr(replan, "_facts", lambda _, name, default: [plan] if name == "plan" else [])
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))
    found, specialization = [], Specialization(plan=asked)
    while (item := replan.next_plan(failure, object(), specialization)) is not None:
        found += item.specialization.disabled - specialization.disabled
        specialization = item.specialization
    return found


def test_a_tail_is_streamed_before_ctas_are_given_up(monkeypatch):
    plan = {"blocks_per_sm": 4, "stream_tail": False}
    assert given_up(monkeypatch, plan) == ["load_ahead", "blocks_per_sm"]
    assert given_up(monkeypatch, plan | {"stream_tail": True}) == ["blocks_per_sm"]
    assert given_up(monkeypatch, plan | {"consumer_registers": 232}) == ["blocks_per_sm"]
    assert given_up(monkeypatch, plan, stream_tail=0) == ["blocks_per_sm"]


def test_nothing_is_given_up_twice(monkeypatch):
    plan = {"spread": 16, "persistent": True}
    assert given_up(monkeypatch, plan) == ["persistent", "spread"]


def test_more_warps_share_a_block_in_the_end(monkeypatch):
    plan = {"consumers": 0, "consumer_warps": 4}
    assert given_up(monkeypatch, plan) == ["few_warps", "some_warps"]
    shared = {"blocks_per_sm": 2, "stream_tail": True}
    assert given_up(monkeypatch, plan | shared)[0] == "blocks_per_sm"
    assert given_up(monkeypatch, plan | {"consumer_warps": 16}) == []
    assert given_up(monkeypatch, plan | {"consumers": 1}) == []
    assert given_up(monkeypatch, plan, worker_warps=4) == []
