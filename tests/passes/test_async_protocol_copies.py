"""nv-tileas-verify-async-protocol where threads copy operands by `cp.async`: seeded faults."""

import pytest

from tests.support.copied_cases import PATH
from tests.support.seeded_faults import (
    BEFORE,
    failure,
    moved,
    replaced,
    verify,
    with_operands_of,
    without,
)
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile


def dump(folder, kernel: str, plan: dict[str, int], **constants) -> str:
    """Return a kernel as it comes to the protocol check, which it has passed."""
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    chosen = Specialization(constants=constants, plan=plan)
    source = SourceFile(PATH.name, PATH.read_text())
    compile_source(source, kernel=kernel, specialization=chosen, options=options)
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> str:
    """Two warpgroups copy A; a producer loads B by TMA."""
    return dump(tmp_path_factory.mktemp("rows"), "gathered_rows", {"stages": 3})


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> str:
    """A warpgroup copies both operands into one ring; there is no producer."""
    return dump(tmp_path_factory.mktemp("both"), "gathered_both", {"stages": 4}, FIRST=0)


LATE = "a tile is read before the write of"
OVERWRITTEN = "may be overwritten while"
UNFENCED = "no proxy fence between the write of"
FAULTS = {
    "no fence": (without("fence_proxy", 1), UNFENCED),
    "the fence before the wait": (moved("fence_proxy", 1, "ring_wait", 2), UNFENCED),
    "no wait": (without("ring_wait", 2), LATE),
    "one more arrival": (replaced("count = 256 : i64", "count = 257 : i64"), "deadlock"),
    "one arrival for each warp": (
        replaced("count = 256 : i64", "count = 8 : i64"),
        "more than 8 arrivals in one phase of a barrier",
    ),
    "half of the arrivals": (replaced("count = 256 : i64", "count = 128 : i64"), LATE),
    "no arrivals before the loop": (without("mbarrier_arrive_copies", 0), "deadlock"),
    "no arrivals in the loop": (without("mbarrier_arrive_copies", 1), "deadlock"),
    "arrivals before the copies": (
        moved("async_gather", 1, "ring_advance", 4),
        LATE,
    ),
    "nothing copied before the loop": (
        without("async_gather", 0),
        "a slot is read that does not hold its tile",
    ),
    "nothing copied in the loop": (
        without("async_gather", 1),
        "a slot is read that does not hold its tile",
    ),
    "no wait for an empty slot": (
        without("ring_acquire", 3),
        "a slot is read that does not hold its tile",
    ),
    "slots not released": (without("ring_release", 1), "deadlock"),
    "released before the product has read": (
        moved("ring_release", 1, "mma_wait", 0),
        OVERWRITTEN,
    ),
    "arrivals at the barrier of another ring": (
        with_operands_of("ring_barrier", 3, "ring_wait", 1),
        "more than 1 arrivals in one phase of a barrier",
    ),
}
"""Faults of copies by two warpgroups, with the words of the message."""


def test_copies_without_a_fault(rows, both):
    verify(rows)
    verify(both)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults_of_copies(rows, name):
    edit, message = FAULTS[name]
    found = failure(edit(rows))
    assert message in found
    assert found.startswith("dump.mlir:")


TWO_STEPS = """
@kernel
def two_steps[K, M, N](A: bf16[M, K], B: bf16[K, N], C: f32[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 16))
    first, second = zeros((64, 16), f32), zeros((64, 16), f32)
    for k in range(cdiv(K, 64)):
        first = mma(load(A, (m, k), (64, 64), allow_tma=False), load(B, (k, n), (64, 16)), first)
    for k in range(0, cdiv(K, 64), {step}):
        second = mma(load(A, (m, k), (64, 64), allow_tma=False), load(B, (k, n), (64, 16)), second)
    store(C, (m, n), first + second)
"""


@pytest.mark.parametrize("step", [2, 3, 64])
def test_loops_with_one_bound_and_other_steps(step):
    """Rounds that are copied ahead agree with the rounds of the loop, however often both run."""
    source = SourceFile("two_steps.tile", TWO_STEPS.format(step=step))
    made = compile_source(source, options=CompileOptions(emit="nv_tileas"))
    assert made.module_text("nv_tileas").count("async_gather") == 4
