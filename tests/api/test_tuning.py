"""`tilec.tune`: what it tries, what it keeps, and what later calls take."""

from __future__ import annotations

import math
import os
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np
import pytest

import tilec
from tests.support.runtime_fakes import FakeArray, device_view
from tilec import language
from tilec.compiler import driver
from tilec.plan.neighbours import neighbours
from tilec.runtime.tuned_plans import Candidate
from tilec.runtime.tuning import compiling, search, timing
from tilec.runtime.tuning.timing import Region, regions

LANGUAGE: Any = language
N = TypeVar("N")
SCALE = """
@kernel
def scale[N](A: f32[N], B: f32[N], s: f32, BLOCK: const = 256):
    i = grid(cdiv(N, BLOCK))
    store(B, (i,), s * load(A, (i,), (BLOCK,)))
"""
PRODUCT = """
@kernel
def product[M, N, K](A: f16[M, K], B: f16[K, N], C: f16[M, N],
                     BM: const = auto, BN: const = auto, BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), load(B, (k, n), (BK, BN)), acc)
    store(C, (m, n), acc.astype(f16))
"""


@pytest.fixture(autouse=True)
def small_plug(monkeypatch):
    monkeypatch.setattr(timing, "PLUG_BYTES", 64)
    monkeypatch.setattr(timing, "L2_BYTES", 1 << 16)
    monkeypatch.setattr(compiling, "MOST_PROCESSES", 1)


@pytest.fixture
def compiled_here(monkeypatch):
    """Compile candidates in two other processes, and return the kernels compiled in this one."""
    found = []
    compile_kernel = driver.compile_kernel

    def count(*arguments):
        found.append(arguments[1])
        return compile_kernel(*arguments)

    monkeypatch.setattr(driver, "compile_kernel", count)
    monkeypatch.setattr(compiling, "MOST_PROCESSES", 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    return found


@pytest.fixture
def vector(gpu):
    """Return what makes arrays in memory that the stand-in for a GPU can copy."""

    def make(n=4096):
        return FakeArray((n,), pointer=gpu.allocate(0, 4 * n + 64) // 64 * 64 + 64)

    return make


def more_blocks_cost_more(launch):
    return 1e-6 * launch.shape.blocks


def blocks(gpu, kernel, *arguments, **constants):
    """Return how many blocks a call launches."""
    gpu.launches.clear()
    kernel(*arguments, **constants)
    (launch,) = gpu.launches
    return launch.shape.blocks


def test_later_calls_take_the_fastest(gpu, vector):
    gpu.price = more_blocks_cost_more
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    assert blocks(gpu, kernel, *arrays, 2.0) == 16
    found = tilec.tune(kernel, *arrays, 2.0, candidates=[{"BLOCK": 512}, {"BLOCK": 2048}])
    assert found.best.candidate == Candidate({"BLOCK": 2048})
    assert [item.candidate.constants.get("BLOCK") for item in found.trials] == [2048, 512, None]
    assert [round(item.seconds * 1e6) for item in found.trials] == [2, 8, 16]
    assert found.planned is found.trials[-1]
    assert blocks(gpu, kernel, *arrays, 3.0) == 2
    # Another object, as in another process, finds it on disk.
    assert blocks(gpu, tilec.loads(SCALE).scale, *arrays, 2.0) == 2
    # Other extents, or a constant that the caller gives, are other calls.
    assert blocks(gpu, kernel, vector(8192), vector(8192), 2.0) == 32
    assert blocks(gpu, kernel, *arrays, 2.0, BLOCK=1024) == 4


def test_a_plan_that_gains_nothing_is_not_taken(gpu, vector):
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    gpu.price = more_blocks_cost_more
    tilec.tune(kernel, *arrays, 2.0, candidates=[{"BLOCK": 2048}])
    gpu.price = lambda launch: 1.0 + 1e-4 * launch.shape.blocks
    found = tilec.tune(kernel, *arrays, 2.0, candidates=[{"BLOCK": 2048}])
    assert found.best is found.planned
    assert blocks(gpu, kernel, *arrays, 2.0) == 16
    assert blocks(gpu, tilec.loads(SCALE).scale, *arrays, 2.0) == 16


def test_only_copies_are_launched_on(gpu, vector):
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    gpu.parameter_sizes = {"scale": [8, 8]}
    before = len(gpu.memory)
    tilec.tune(kernel, *arrays, 2.0, candidates=[])
    written = {launch.parameters[1] for launch in gpu.launches}
    assert arrays[1].pointer.to_bytes(8, "little") not in written
    assert len(written) > 1  # one set of arrays would stay in L2
    assert len(gpu.memory) == before


def test_what_was_not_measured_says_why(gpu, vector):
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    tried = [{"BLOCK": 100}, {"BLOCK": 256}, {"worker_warps": 4}]
    found = tilec.tune(kernel, *arrays, 2.0, candidates=tried)
    bad, same, _ = (next(it for it in found.trials if _fixes(it, fixed)) for fixed in tried)
    assert "powers of two" in bad.failure
    assert same.failure == "the same code as the planner's choice"
    text = str(found).splitlines()
    assert len(text) == 4
    assert text[0].startswith("*")
    assert text[0].endswith("us  the planner's choice")
    late = tilec.tune(kernel, *arrays, 2.0, candidates=[{"BLOCK": 64}], seconds=0)
    assert late.left_out == 1
    assert str(late).endswith("1 more: the time was over")


def _fixes(trial, fixed):
    return {**trial.candidate.constants, **trial.candidate.plan} == fixed


@pytest.mark.parametrize("cached", ["0", "1"])
def test_candidates_are_compiled_side_by_side(gpu, vector, monkeypatch, cached, compiled_here):
    monkeypatch.setenv("TILEC_CACHE", cached)
    gpu.price = more_blocks_cost_more
    text = SCALE.replace("BLOCK: const = 256", f"BLOCK: const = {512 << int(cached)}")  # a new one
    tried = [{"BLOCK": 100}, {"BLOCK": 64}, {"BLOCK": 512 << int(cached)}, {"BLOCK": 2048}]
    found = {}
    for processes in (2, 1):
        monkeypatch.setattr(compiling, "MOST_PROCESSES", processes)
        kernel, arrays = tilec.loads(text).scale, (vector(), vector())
        found[processes] = tilec.tune(kernel, *arrays, 2.0, candidates=tried)
        if processes == 2:
            assert compiled_here == ["scale"]  # the planner's choice
    assert str(found[2]) == str(found[1])
    assert found[2].best.candidate == Candidate({"BLOCK": 2048})
    # This process compiled what failed, and with a cache found the rest there.
    assert len(compiled_here) == (2 if cached == "1" else 6)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_wrong_constant_next_to_planned_ones(gpu, compiled_here, monkeypatch, processes):
    """What is wrong with it, the planner finds while it chooses the others."""
    del compiled_here
    monkeypatch.setattr(compiling, "MOST_PROCESSES", processes)
    side = 256
    memory = [gpu.allocate(0, 2 * side * side + 64) // 64 * 64 + 64 for _ in range(3)]
    arrays = [FakeArray((side, side), "<f2", pointer) for pointer in memory]
    tried = [{"BM": 100}, {"BM": 128, "BN": 100}, {"BM": 64}, {"BM": 128}]
    found = tilec.tune(tilec.loads(PRODUCT).product, *arrays, candidates=tried)
    wrong = [trial.candidate for trial in found.trials if "T0303" in trial.failure]
    assert wrong == [Candidate(item) for item in tried[:2]]


class Factor(IntEnum):
    TWO = 2


@pytest.mark.parametrize(("factor", "elsewhere"), [(2, True), (Factor.TWO, False)])
def test_kernels_in_python(gpu, vector, compiled_here, factor, elsewhere):
    """Other processes would have to import the kernel's module for an object of its classes."""

    @tilec.kernel
    def turn(A: LANGUAGE.f32[N], B: LANGUAGE.f32[N], BLOCK: LANGUAGE.const = 256):  # pyright: ignore
        i = LANGUAGE.grid(LANGUAGE.cdiv(N, BLOCK))
        LANGUAGE.store(B, (i,), factor * math.pi * LANGUAGE.load(A, (i,), (BLOCK,)))

    gpu.price = more_blocks_cost_more
    found = tilec.tune(turn, vector(), vector(), candidates=[{"BLOCK": 512}, {"BLOCK": 1024}])
    assert found.best.candidate == Candidate({"BLOCK": 1024})
    assert len(compiled_here) == (1 if elsewhere else 3)
    said = [item.message for item in found.remarks if item.code == "T0435"]
    assert len(said) == (not elsewhere)
    for message in said:
        assert message.startswith("turn compiles one candidate after the other: no other one can")
        assert "Factor is not of tilec" in message
        assert message in str(found)


def test_single_fields_are_tried_next(gpu, vector):
    gpu.price = lambda launch: 1.0 / launch.shape.threads
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    found = tilec.tune(kernel, *arrays, 2.0)
    warps = found.best.candidate.plan["worker_warps"]
    assert warps == 32
    gpu.launches.clear()
    kernel(*arrays, 2.0)
    assert gpu.launches[0].shape.threads == 32 * warps


def test_the_next_best_tiles_are_tried(gpu, vector, monkeypatch):
    monkeypatch.setattr(search, "RUNNERS_UP", 3)
    monkeypatch.setattr(search, "MAX_STEPS", 0)
    kernel = tilec.loads(PRODUCT).product
    place = vector(8 * 256 * 256).pointer
    arrays = [FakeArray((256, 256), "<f2", place + i * 256 * 256 * 2) for i in range(3)]
    found = tilec.tune(kernel, *arrays)
    tiles = [item.candidate.constants for item in found.trials if item.candidate.constants]
    assert len(tiles) == 3
    assert all(set(tile) == {"BM", "BN", "BK"} for tile in tiles)


def test_mistakes_of_the_caller(gpu, vector):
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    with pytest.raises(tilec.LaunchError, match="'BLOK', neither") as failure:
        tilec.tune(kernel, *arrays, 2.0, candidates=[{"BLOK": 1}])
    assert "BLOCK" in (failure.value.diagnostics[0].hint or "")
    with pytest.raises(tilec.LaunchError, match="takes a kernel in source form"):
        search.tune(print, *arrays, 2.0)  # pyright: ignore[reportArgumentType]
    host = np.zeros(4096, np.float32)
    with pytest.raises(tilec.LaunchError, match="measures on a GPU"):
        tilec.tune(kernel, host, host.copy(), 2.0)
    with pytest.raises(tilec.LaunchError, match="no value for s"):
        tilec.tune(kernel, *arrays)


def test_what_the_kernel_fixes_stays(gpu, vector):
    gpu.price = lambda launch: 1.0 / launch.shape.threads
    fixed = SCALE.replace("@kernel", "@kernel(worker_warps=2)")
    kernel, arrays = tilec.loads(fixed).scale, (vector(), vector())
    found = tilec.tune(kernel, *arrays, 2.0)
    assert not any("worker_warps" in item.candidate.plan for item in found.trials)


def test_arrays_without_elements_and_candidates_without_names(gpu, vector):
    kernel = tilec.loads(SCALE).scale
    empty = FakeArray((0,), pointer=0)
    with pytest.raises(tilec.LaunchError, match="an empty array"):
        tilec.tune(kernel, empty, empty, 2.0)
    with pytest.raises(tilec.LaunchError, match="a candidate is a str, expected names"):
        tilec.tune(kernel, vector(), vector(), 2.0, candidates={"BLOCK": 64})  # pyright: ignore


def test_a_capture_runs_nothing_that_could_be_measured(gpu, vector):
    kernel, arrays = tilec.loads(SCALE).scale, (vector(), vector())
    gpu.captures[7] = 1
    with pytest.raises(tilec.LaunchError, match="during a capture"):
        tilec.tune(kernel, *arrays, 2.0, stream=7)


def test_a_grid_of_the_caller(gpu, vector):
    text = SCALE.replace("grid(cdiv(N, BLOCK))", "block_id(0)")
    kernel, arrays = tilec.loads(text).scale, (vector(), vector())
    gpu.price = lambda launch: 1.0 / launch.shape.threads
    found = tilec.tune(kernel[16], *arrays, 2.0, candidates=[{"worker_warps": 8}])
    assert found.best.candidate.plan == {"worker_warps": 8}


def test_arrays_that_overlap_move_together():
    whole = device_view((8, 4), pointer=1000)
    tail = device_view((4, 4), pointer=1064)
    turned = device_view((4,), pointer=2012, strides=(-1,))
    assert regions([tail, turned, whole]) == [Region(1000, 1128), Region(2000, 2016)]
    assert regions([device_view((0, 4), pointer=0)]) == []


def test_neighbours_are_fields_that_may_be_fixed(gpu, vector):
    compiled = tilec.loads(SCALE).scale.compile(vector(), vector(), 1.0)
    found = list(neighbours(compiled.plan))
    assert {"worker_warps": 8} in found
    assert {"spread": 2} in found
    assert all(len(item) == 1 for item in found)
    assert not any("pingpong" in item for item in found)
