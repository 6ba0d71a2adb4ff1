"""What is compiled after a plan that takes too many registers."""

import numpy as np
import pytest
from ml_dtypes import bfloat16

from tests.support.example_cases import EXAMPLES, example_of
from tests.support.seeded_faults import ROOT
from tilec.compiler import replan
from tilec.compiler.driver import compile_source
from tilec.request.specialization import ArraySpec, Specialization
from tilec.runtime.jit import load
from tilec.support.diagnostics import CompileError, SourceFile, error
from tilec.testing.check import make_arguments


def given_up(monkeypatch, plan, **asked):
    facts, warps = {"plan": [dict(plan)]}, plan.get("consumer_warps", 1)
    monkeypatch.setattr(replan, "_facts", lambda _, name, default: facts.get(name, []))
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))
    found, specialization = [], Specialization(plan=asked)
    while (item := replan.next_plan(failure, object(), specialization)) is not None:
        found += item.specialization.disabled - specialization.disabled
        if item.specialization.warp_factor != specialization.warp_factor:
            facts["plan"][0]["consumer_warps"] = warps * item.specialization.warp_factor
            found.append(item.specialization.warp_factor)
        if item.specialization.most_per_sm != specialization.most_per_sm:
            facts["plan"][0]["blocks_per_sm"] = item.specialization.most_per_sm
            found.append(f"at most {item.specialization.most_per_sm}")
        specialization = item.specialization
    return found


def test_a_tail_is_streamed_before_ctas_are_given_up(monkeypatch):
    plan = {"blocks_per_sm": 2, "load_ahead": True}
    assert given_up(monkeypatch, plan) == ["load_ahead", "blocks_per_sm"]
    assert given_up(monkeypatch, plan | {"load_ahead": False}) == ["blocks_per_sm"]
    assert given_up(monkeypatch, plan | {"consumer_registers": 232}) == ["blocks_per_sm"]
    assert given_up(monkeypatch, plan, stream_tail=0) == ["blocks_per_sm"]


@pytest.mark.parametrize(
    ("blocks", "steps"), [(2, []), (3, []), (4, [2]), (5, [2]), (12, [6, 3]), (8, [4, 2])]
)
def test_blocks_of_an_sm_are_halved_before_they_are_given_up(monkeypatch, blocks, steps):
    expected = [*(f"at most {number}" for number in steps), "blocks_per_sm"]
    assert given_up(monkeypatch, {"blocks_per_sm": blocks}) == expected
    assert given_up(monkeypatch, {"blocks_per_sm": blocks}, blocks_per_sm=blocks) == []


def test_blocks_that_the_planner_does_not_halve_are_given_up(monkeypatch):
    plan = {"blocks_per_sm": 8}
    monkeypatch.setattr(replan, "_facts", lambda _, name, default: {"plan": [plan]}.get(name, []))
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))
    item = replan.next_plan(failure, object(), Specialization(most_per_sm=4))
    assert item is not None
    assert item.specialization.disabled == {"blocks_per_sm"}


def long_row(count):
    """Return a kernel that holds all tiles of a row until their largest sum is known."""
    tiles = [f"t{n}" for n in range(count)]
    loads = [f"t{n} = exp(load(v, (i, {n})))" for n in range(count)]
    text = f"""@kernel
def long(X: f32[M, N], Y: f32[M]):
    i = grid(M)
    v = make_partition_view(X, tile=(1, 1024), dim_map=[0, 1])
    {"; ".join(loads)}
    u = max({" + ".join(tiles)})
    store(Y, i, sum({" + u * (".join(tiles)}{")" * (count - 1)}))
"""
    return SourceFile("long.tile", text)


@pytest.mark.parametrize(("count", "blocks"), [(3, 12), (4, 6), (10, 3)])
def test_as_many_blocks_share_an_sm_as_find_registers(count, blocks):
    made = compile_source(long_row(count), "long", Specialization(divisors={"N": 16}))
    plan = made.artifact.kernels[0].metadata["plan"]
    assert plan["blocks_per_sm"] == blocks
    assert plan["consumer_warps"] == 4
    assert (made.assembly.spill_stores, made.assembly.spill_loads) == (0, 0)
    reasons = [item.message for item in made.remarks if item.code == "T0432"]
    halved = [12, 6, 3][1 : [12, 6, 3].index(blocks) + 1]
    assert [text.rpartition(" ")[2] for text in reasons] == [str(number) for number in halved]


def test_nothing_is_given_up_twice(monkeypatch):
    plan = {"spread": 16, "persistent": True}
    assert given_up(monkeypatch, plan) == ["persistent", "spread"]


def test_more_warps_share_a_block_in_the_end(monkeypatch):
    plan = {"consumers": 0, "consumer_warps": 4}
    assert given_up(monkeypatch, plan) == [2, 4]
    assert given_up(monkeypatch, plan | {"consumer_warps": 8}) == [2]
    shared = {"blocks_per_sm": 2, "stream_tail": True}
    assert given_up(monkeypatch, plan | shared) == ["blocks_per_sm", 2, 4]
    assert given_up(monkeypatch, plan | {"consumer_warps": 16}) == []
    assert given_up(monkeypatch, plan | {"consumers": 1}) == []
    assert given_up(monkeypatch, plan, worker_warps=4) == []


def test_vectors_of_few_elements_are_given_up_last(monkeypatch):
    kinds = {"A": 16, "B": 8, "C": 4, "D": 1}
    arrays = {name: ArraySpec("f16", (None, 1), alignment) for name, alignment in kinds.items()}
    plan = {"consumers": 0, "consumer_warps": 8}
    monkeypatch.setattr(replan, "_facts", lambda _, name, default: {"plan": [plan]}.get(name, []))
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))
    first = replan.next_plan(failure, object(), Specialization(arrays=arrays))
    assert first is not None
    assert (first.specialization.warp_factor, first.specialization.arrays) == (2, arrays)
    plan["consumer_warps"] = 16
    last = replan.next_plan(failure, object(), first.specialization)
    assert last is not None
    found = {name: item.alignment for name, item in last.specialization.arrays.items()}
    assert found == {"A": 16, "B": 1, "C": 1, "D": 1}
    assert last.reason.endswith("planned again without, for B, C")
    assert last.specialization.warp_factor == 2
    assert replan.next_plan(failure, object(), last.specialization) is None


TILES = 12
MANY_TILES = f"""@kernel
def many(X: f32[M, N], Y: f32[M, N]):
    i, j = grid(cdiv(M, 64), cdiv(N, 64))
    v = make_partition_view(X, tile=(64, 64), dim_map=[0, 1])
    {"; ".join(f"t{n} = exp(load(v, (i, {n})))" for n in range(TILES))}
    u = sum({" + ".join(f"t{n} * t{(n + 1) % TILES}" for n in range(TILES))})
    r = {" + u * (".join(f"t{n}" for n in range(TILES))}{")" * (TILES - 1)}
    store(make_partition_view(Y, tile=(64, 64), dim_map=[0, 1]), (i, j), r)
"""


def test_eight_warps_share_tiles_that_four_would_spill():
    source = SourceFile("many.tile", MANY_TILES)
    made = compile_source(source, "many", Specialization())
    metadata = made.artifact.kernels[0].metadata
    assert (metadata["warp_factor"], metadata["plan"]["consumer_warps"]) == (2, 8)


def test_loads_ahead_of_a_round_are_given_up_before_rotation(monkeypatch):
    plan = {"consumer_registers": 240, "rotate": True}
    assert given_up(monkeypatch, plan) == ["rotate"]
    assert given_up(monkeypatch, plan | {"load_rounds": True}) == ["load_rounds", "rotate"]


def test_tiles_are_read_late_after_all_that_costs_more(monkeypatch):
    plan = {"consumer_registers": 240, "read_early": True, "rotate": True}
    assert given_up(monkeypatch, plan) == ["rotate", "read_early"]


def test_gradients_of_arrays_that_threads_load_do_without_loads_ahead():
    path = next(path for path in EXAMPLES if path.stem == "attention_backward")
    kernel, example = load(path)[path.stem], example_of(path)
    odd = {"K": "odd", "DO": "odd", "R": "odd"}
    inputs = make_arguments(kernel.signature, example.sizes, layouts=odd, example=example)
    constants = example.layout_constants
    compiled = kernel.compile(**inputs.data(), **inputs.scalars, **constants)
    assert compiled.metadata["disabled"] == ["load_rounds"]


def test_what_was_given_up_in_vain_comes_back(monkeypatch):
    plan = {"rotate": True, "read_early": True, "persistent": True}
    facts = {"plan": [plan]}
    monkeypatch.setattr(replan, "_facts", lambda _, name, default: facts.get(name, []))
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))

    def following(given_up, *in_vain):
        before = Specialization(disabled=frozenset(given_up))
        item = replan.next_plan(failure, object(), before, frozenset(in_vain))
        assert item is not None
        return set(item.specialization.disabled), item.reason

    found, reason = following({"rotate"}, "rotate")
    assert found == {"read_early"}
    assert reason.endswith("planned again without, and with rotate, which made no difference")
    found, _ = following({"read_early"}, "rotate", "read_early")
    assert found == {"persistent"}
    found, reason = following({"persistent"}, "rotate", "read_early")
    assert found == {"persistent", "rotate", "read_early"}
    assert reason.endswith("planned again without all that does")
    found, _ = following({"rotate"})
    assert found == {"rotate", "read_early"}


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("depth", [64, 128])
def test_launched_gradients_multiply_a_round_later_without_spills(depth, causal):
    """A launch knows less than a package of given sizes, so its code takes more registers."""
    kernel = load(ROOT / "examples" / "attention_backward.tile")["attention_backward"]
    shape = (1, 16384, 2048 // depth, depth)
    rows = np.empty((1, 2048 // depth, 16384), np.float32)
    tiles = [np.empty(shape, bfloat16) for _ in range(6)]
    sums = np.empty(shape, np.float32)
    constants = {"causal": causal, "BD": depth, "BM": 64 if depth == 128 else 128}
    made = kernel.compile(*tiles[:4], rows, rows, sums, *tiles[4:], 0.1, **constants)
    assert made.plan["rotate"]
    assert not [item for item in made.remarks if item.code == "T0608"]
