"""When the planner lets the store of a tile wait for the next one."""

import time
from dataclasses import replace
from functools import partial

import pytest

from tests.support.gemm_source import gemm_source
from tilec.compiler.backend import CodeGenerator, find_kernel_op
from tilec.compiler.compilation import format_timings
from tilec.compiler.driver import compile_source
from tilec.ir.attributes import read_kernel_metadata
from tilec.plan import KernelProblem, MmaTile, machine, plan_kernel
from tilec.plan.epilogue import SlicedTile
from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.graph import Edge, Engine, LoopGraph, Op
from tilec.plan.overrides import parse_overrides
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, SourceFile, error

TARGET = get_target("sm_90a")
LARGE = (8192, 8192, 8192)


def problem(m=128, n=256, result_bytes=2):
    mma = (MmaTile(m, n, 64, 2, 4),)
    made = KernelProblem(mma, (m + n) * 128, 0, m * n, why_not_deferral=None)
    graph = partial(tile_graph, m, n, result_bytes)
    return replace(made, part_bytes=8192, whole_bytes=m * n * result_bytes, tile_graph=graph)


def tile_graph(m, n, result_bytes, warpgroups, sliced):
    """Return the graph of a tile that is rounded, scaled, converted to the result and stored."""
    words = m * n // (machine.WARPGROUP_THREADS * warpgroups)
    registers = {"round": words // 2, "scale": words, "convert": words * result_bytes // 4}
    registers["store"] = 0
    ops = [Op("products", Engine.TENSOR, 4096.0, registers=words, stage=0)]
    for name, count in registers.items():
        ops.append(Op(name, Engine.VECTOR, 100.0, registers=count, in_pieces=True))
    edges = tuple(Edge(number, number + 1) for number in range(len(ops) - 1))
    return LoopGraph(tuple(ops), edges, cuts=(1, 3))


def plan(kernel, **overrides):
    return plan_kernel(kernel, TARGET, overrides)


@pytest.mark.parametrize(
    ("tile", "registers"),
    [
        (problem(), (24, 240, "128 hold accumulators, 64 the tile before")),
        (problem(n=128), (40, 232, "64 hold accumulators, 32 the tile before")),
        (problem(n=128, result_bytes=4), (40, 232, "64 hold accumulators, 32 the tile before")),
        (problem(m=64), (40, 240, "128 hold accumulators, 64 the tile before")),
        (problem(m=256, n=128), (24, 240, "128 hold accumulators, 64 the tile before")),
    ],
)
def test_registers_for_what_waits(tile, registers):
    made = plan(tile)
    assert made.defer_stores
    assert (made.producer_registers, made.consumer_registers) == registers[:2]
    assert made.reasons[-1].endswith(registers[2])


@pytest.mark.parametrize("tile", [problem(result_bytes=4), problem(n=208, m=192)])
def test_what_does_not_fit_does_not_wait(tile):
    assert not plan(tile).defer_stores
    with pytest.raises(CompileError, match="registers of a result do not fit together with"):
        plan(tile, defer_stores=True)


def test_a_store_that_was_not_planned_to_wait_does_so_on_demand_only():
    kernel = replace(problem(), defer_stores=False)
    assert not plan(kernel).defer_stores
    assert plan(kernel, defer_stores=True).defer_stores
    assert not plan(problem(), defer_stores=False).defer_stores


@pytest.mark.parametrize("load_bytes", [0, 2])
def test_slices_wait_together(load_bytes):
    sliced = (SlicedTile(128, 256, 2, load_bytes, is_costly=True),)
    made = plan(replace(problem(), sliced=sliced))
    assert (made.slice_columns, made.defer_stores) == (64, True)


@pytest.mark.parametrize(
    ("extents", "deferred"), [(LARGE, True), ((2048, 2048, 2048), False), ((256, 256, 256), False)]
)
def test_a_single_wave_has_no_next_tile(extents, deferred):
    best = rank_tiles(GemmProblem(extents, may_defer=True), TARGET, None)[0]
    assert best.cost.deferred == deferred


def test_deferral_hides_a_part_of_every_epilogue_but_the_last():
    tile = GemmTile(128, 256, 64, 2, 2)
    waiting = replace(tile, may_defer=True)
    plain, deferred = (gemm_cost(item, LARGE, TARGET) for item in (tile, waiting))
    assert deferred.deferred
    assert not plain.deferred
    hidden = plain.cycles - deferred.cycles
    assert 0 < hidden < plain.waves * plain.epilogue


@pytest.mark.parametrize("overrides", [{"defer_stores": False}, {"persistent": False}])
def test_the_choice_of_tiles_respects_what_is_fixed(overrides):
    asked = GemmProblem(LARGE, may_defer=True, overrides=parse_overrides(overrides))
    assert not any(item.cost.deferred for item in rank_tiles(asked, TARGET, None))


@pytest.mark.parametrize("extents", [(8192, 8192, 512), (512, 512, 16384)])
@pytest.mark.parametrize(("output_bytes", "loaded_bytes"), [(2, 0), (4, 0), (2, 2)])
def test_tiles_for_a_store_that_has_to_wait(extents, output_bytes, loaded_bytes):
    """They do not go to consumers in ping-pong, nor to splits, and leave registers for one
    another."""
    asked = GemmProblem(extents, output_bytes=output_bytes, epilogue_bytes=loaded_bytes)
    best = rank_tiles(asked, TARGET, None)[0].tile
    assert not best.can_defer(TARGET)
    overrides = parse_overrides({"defer_stores": True})
    found = rank_tiles(replace(asked, overrides=overrides), TARGET, None)
    assert found
    assert all(item.tile.can_defer(TARGET) for item in found)


MATMUL = gemm_source("f", columns=256)


ROUNDED = MATMUL.replace("cast(acc, bf16)", "cast(acc, bf16) * 2.0")
GIVEN_UP = ("to compute from a tile that waits", "to visit k-tiles backwards", "a tile that waits")


@pytest.mark.parametrize(
    ("text", "code", "failures"),
    [
        *((MATMUL, "T0608", count) for count in range(3)),
        *((ROUNDED, "T0608", count) for count in range(4)),
        (MATMUL, "T0609", 1),
        (ROUNDED, "T0609", 3),
    ],
    ids=lambda value: {MATMUL: "stores", ROUNDED: "work"}.get(value),
)
def test_the_runner_up_of_a_plan_that_spills(monkeypatch, code, text, failures):
    """Registers that ptxas does not have are found at once by another plan for the same tiles."""
    run = CodeGenerator.run

    def spill(self, *arguments, **options):
        spilled.append(True)
        if len(spilled) <= failures:
            raise CompileError(error(code, "a thread spills"))
        return run(self, *arguments, **options)

    fields = ["defer_work", "snake_k", "defer_stores"]
    expected = list(GIVEN_UP)
    if text == MATMUL:  # which computes nothing from the tile that waits
        del fields[0], expected[0]
    spilled: list[bool] = []
    monkeypatch.setattr(CodeGenerator, "run", spill)
    made = compile_source(
        SourceFile("f.tile", text), options=CompileOptions(emit="ptx", run_ptxas=False)
    )
    plan = made.artifact.kernels[0].metadata["plan"]
    assert [plan[field] for field in fields] == [
        number >= failures for number in range(len(fields))
    ]
    why = [str(item) for item in made.sink.items if "planned again without" in str(item)]
    assert len(why) == failures
    for text, reason in zip(why, expected, strict=False):
        assert reason in text
    given_up = [item.step for item in made.timings if item.stage == "abandoned"]
    assert [step.partition(":")[0] for step in given_up] == [
        f"plan {number}" for number in range(1, failures + 1)
    ]
    fault = "spills" if code == "T0608" else "lost performance"
    assert all(step.endswith(f"({fault})") for step in given_up)


def test_a_loop_over_tiles_is_the_last_choice_that_goes(monkeypatch):
    """These tiles are the user's, so there are no smaller ones to try."""
    run = CodeGenerator.run
    calls = []

    def spill(self, *arguments, **options):
        calls.append(True)
        if len(calls) <= len(GIVEN_UP):
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, *arguments, **options)

    monkeypatch.setattr(CodeGenerator, "run", spill)
    options = CompileOptions(emit="ptx", run_ptxas=False)
    made = compile_source(SourceFile("f.tile", MATMUL), options=options)
    plan = made.artifact.kernels[0].metadata["plan"]
    assert not plan["persistent"]
    why = [str(item) for item in made.sink.items if "planned again without" in str(item)]
    assert "the state of a loop over tiles takes too many registers" in why[-1]
    assert any("a loop over tiles takes registers that a tile needs" in r for r in plan["reasons"])


def test_plans_that_were_given_up_count_in_the_total(monkeypatch):
    """The table of `--timing` accounts for the time that the user waited."""
    run = CodeGenerator.run

    def spill(self, *arguments, **options):
        spilled.append(True)
        if len(spilled) <= 2:
            time.sleep(0.2)
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, *arguments, **options)

    spilled: list[bool] = []
    monkeypatch.setattr(CodeGenerator, "run", spill)
    made = compile_source(
        SourceFile("f.tile", MATMUL), options=CompileOptions(emit="ptx", run_ptxas=False)
    )
    table = format_timings(made.timings).splitlines()
    seconds = [item.seconds for item in made.timings if item.stage == "abandoned"]
    assert len(seconds) == 2
    assert min(seconds) > 0.2
    assert float(table[-1].split()[-1]) >= 1000 * sum(seconds)
    assert "plan 1: snake_k defer_stores (spills)" in table[1]


AUTO = """\
@kernel
def f(A: bf16[M, K], B: bf16[N, K], C: bf16[M, N], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), load(B, (n, k), (BN, BK)).T, acc)
    store(C, (m, n), cast(acc, bf16))
"""


def test_consumers_that_share_a_tile_are_tried_before_another_tile(monkeypatch):
    run = CodeGenerator.run

    def spill(self, module, **options):
        plan = read_kernel_metadata(find_kernel_op(module))["plan"]
        teams.append(plan["teams"])
        if plan["teams"] > 1:
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, module, **options)

    teams: list[int] = []
    monkeypatch.setattr(CodeGenerator, "run", spill)
    sizes = {"M": 4096, "N": 4096, "K": 1024}
    asked = Specialization(sizes=sizes, disabled=frozenset({"defer_stores"}))
    options = CompileOptions(emit="ptx", run_ptxas=False)
    made = compile_source(SourceFile("f.tile", AUTO), specialization=asked, options=options)
    assert teams == [2, 1]
    (why,) = [item.message for item in made.sink.items if item.code == "T0432"]
    assert "in ping-pong with another, takes too many registers (a thread spills)" in why


def test_no_runner_up_takes_back_what_was_asked_for(monkeypatch):
    def spill(*_arguments, **_options):
        raise CompileError(error("T0608", "a thread spills"))

    monkeypatch.setattr(CodeGenerator, "run", spill)
    asked = Specialization(plan=dict.fromkeys(("snake_k", "defer_work", "defer_stores"), True))
    with pytest.raises(CompileError, match="a thread spills"):
        compile_source(
            SourceFile("f.tile", ROUNDED), specialization=asked, options=CompileOptions(emit="ptx")
        )


def test_work_waits_with_the_tile_that_it_needs():
    made = plan(problem())
    assert (made.defer_stores, made.defer_work) == (True, True)
    assert not plan(problem(), defer_work=False).defer_work
    assert not plan(replace(problem(), defer_work=False)).defer_work
    assert not plan(problem(), defer_stores=False).defer_work
    with pytest.raises(CompileError, match="defer_work = true: no tile waits for the next one"):
        plan(problem(), defer_stores=False, defer_work=True)
