"""nv-tileas-verify-async-protocol: every seeded fault is found.

The faults are edits of the matmul example as the passes before the check leave it.
"""

import re
from collections.abc import Callable
from time import process_time

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    failure,
    lines_of,
    moved,
    replaced,
    swap_before,
    verify,
    without,
)
from tests.support.slowness import slowness
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.analysis.protocol import cases
from tilec.passes.analysis.protocol import check as protocol_check
from tilec.passes.analysis.protocol.cases import check_protocol
from tilec.passes.analysis.protocol.events import (
    Branch,
    Event,
    Kind,
    Loop,
    Protocol,
    RingShape,
    RoleProgram,
)
from tilec.passes.analysis.protocol.quantities import (
    PREDICATES,
    Comparison,
    Number,
    Runs,
    Trips,
    Variable,
)
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas.verify import verify_async_protocol as check

LIMIT_SECONDS = 0.05
"""What the check of the persistent matmul may cost on an idle machine."""


@pytest.fixture(scope="module")
def matmul() -> str:
    return before_the_check(defer_stores=0)


@pytest.fixture(scope="module")
def whole() -> str:
    return before_the_check(stages=3, epilogue_slots=0)


def stale(operation: str, number: int = 0) -> Callable[[str], str]:
    """Return an edit that gives an operation the start position of its role's ring."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        index = lines_of(text, operation)[number]
        start = max(line for line in lines_of(text, "ring_start") if line < index)
        name = lines[start].split("=")[0].strip()
        lines[index] = re.sub(r"\((%\w+), %\w+\)", rf"(\1, {name})", lines[index], count=1)
        return "\n".join(lines)

    return edit


EMPTY_COUNT = r"(\"nv_tileas.alloc_mbarrier\"\(\) \{count = )8\b"
RELEASE = r"(\n *\"nv_tileas.ring_release\".*)"
EARLY = "may reach a barrier before the phase before is over"
"""Seen from arrivals and copies of a role that does not wait where it should."""
IN_FLIGHT = "an accumulator is used while a product that writes it is in flight"
STALE = "uses another position of ring 0 than the current one"
STORE = r"(\n *\"nv_tileas.async_tiled_tma_store\".*)"
UNREAD = "is never read"
UNREAD_SLOT = "is overwritten before anything reads it"
OWN = "a warpgroup's own tile is used by the whole role, or the reverse"
SHARED_ID = "is used by a role and by one of its warpgroups"
BARRIER = "id = 2 : i64, per_warpgroup"
"""A barrier of the warpgroups: from id 2 on, one each."""
BOXES = "not each of them once"
FAULTS = {
    "fewer bytes announced": (replaced("tx_count = 49152", "tx_count = 49136"), "deadlock"),
    "more bytes announced": (replaced("tx_count = 49152", "tx_count = 49168"), "deadlock"),
    "too few arrivals expected": (replaced(EMPTY_COUNT, r"\g<1>7"), "more than 7 arrivals"),
    "one arrival expected": (replaced(EMPTY_COUNT, r"\g<1>1"), "more than 1 arrivals"),
    "too many arrivals expected": (replaced(EMPTY_COUNT, r"\g<1>9"), "ends in mid-phase"),
    "released twice": (replaced(RELEASE, r"\1\1"), EARLY),
    "no release": (without("ring_release"), "deadlock"),
    "no acquire": (without("ring_acquire"), "may be overwritten while"),
    "no wait": (without("ring_wait"), "a tile is read before the write"),
    "wait at the start": (stale("ring_wait"), f"ring_wait {STALE}"),
    "acquire at the start": (stale("ring_acquire"), f"ring_acquire {STALE}"),
    "release at the start": (stale("ring_release"), f"ring_release {STALE}"),
    "barrier at the start": (stale("ring_barrier"), f"ring_barrier {STALE}"),
    "fill the first slot": (stale("slot_view", 0), f"slot_view {STALE}"),
    "read the first slot of A": (stale("slot_view", 2), f"slot_view {STALE}"),
    "read the first slot of B": (stale("slot_view", 3), f"slot_view {STALE}"),
    "advance from the start": (stale("ring_advance", 1), f"ring_advance {STALE}"),
    "no proxy fence": (without("fence_proxy"), "no proxy fence"),
    "no barrier": (without("barrier"), "may be overwritten while"),
    "no barrier after the drain": (without("barrier", 0), "may be overwritten while"),
    "no barrier before the store": (without("barrier", 1), "a tile is read before the write"),
    "no drain": (without("bulk_wait"), "may be overwritten while"),
    "no drain before the next tile": (without("bulk_wait", 0), "may be overwritten while"),
    "no drain at the end": (without("bulk_wait", 4), "may end while a bulk store"),
    "no commit": (without("bulk_commit"), "may be overwritten while"),
    "too many registers": (replaced("count = 40 ", "count = 56 "), "roles ask for 66560 registers"),
    "a role that keeps its registers": (without("set_registers", 0), "keeps its registers"),
    "a role that asks for registers it has": (
        changed("set_registers", 0, '"decrease"', '"increase"'),
        "registers of this role must decrease",
    ),
    "released before the wait": (swap_before("ring_release", "mma_wait"), "may be overwritten"),
    "an mma in flight": (
        replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 1 \1"),
        IN_FLIGHT,
    ),
    "a product nobody waits for": (
        replaced(r"(\n *)(%\d+)(:2 = \"nv_tileas.async_mma\".*)", r"\1%again\3\1\2\3"),
        "nothing waits for the product",
    ),
    "announced before the acquire": (
        moved("ring_acquire", 0, "slot_view", 0),
        "may reach a barrier before the phase before is over",
    ),
    "no mma_wait": (
        replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 9 \1"),
        IN_FLIGHT,
    ),
    "barrier 0": (replaced("id = 2 ", "id = 0 ", 1), "barrier 0 of the whole CTA"),
    "barrier 16": (replaced("id = 2 ", "id = 15 ", 1), "named barrier 16 does not exist"),
    "a box loaded twice": (replaced("box_index = 1 ", "box_index = 0 ", 1), BOXES),
    "a box not loaded": (without("async_tiled_tma_load", 1), BOXES),
    "a box stored twice": (replaced(STORE, r"\1\1", 1), BOXES),
    "a box not stored": (without("async_tiled_tma_store", 3), UNREAD),
    "a part not stored": (without("async_tiled_tma_store", 1), UNREAD_SLOT),
    "a part not copied out": (without("copy_out", 1), UNREAD_SLOT),
    "the last part not copied out": (without("copy_out", 3), UNREAD_SLOT),
    "no proxy fence for a part": (without("fence_proxy", 2), "no proxy fence"),
    "no barrier after the drain of a part": (without("barrier", 4), "may be overwritten while"),
    "no barrier before the store of a part": (without("barrier", 5), "a tile is read before"),
    "the slot of the part before": (
        changed("warpgroup_view", 1, "slot = 1", "slot = 0"),
        "slot 0 may be overwritten while 'bulk:",
    ),
    "one part too many in flight": (
        changed("bulk_wait", 2, "pending = 1", "pending = 2"),
        "slot 0 may be overwritten while 'bulk:",
    ),
    "a part in flight at the end": (
        changed("bulk_wait", 4, "pending = 0", "pending = 1"),
        "may end while a bulk store",
    ),
    "one warpgroup commits": (
        changed("bulk_commit", 0, "{per_warpgroup}", ""),
        "'bulk:first warp of consumer warpgroup 1' still uses it",
    ),
    "one warpgroup waits": (
        changed("bulk_wait", 2, "per_warpgroup, ", ""),
        "'bulk:first warp of consumer warpgroup 1' still uses it",
    ),
    "one warpgroup drains": (
        changed("bulk_wait", 4, "per_warpgroup, ", ""),
        "may end while a bulk store",
    ),
    "one warpgroup stores": (changed("async_tiled_tma_store", 0, "per_warpgroup, ", ""), OWN),
    "the role copies a part out": (changed("copy_out", 0, " {per_warpgroup}", ""), OWN),
    "an id of two scopes": (changed("barrier", 3, BARRIER, "id = 3 : i64"), SHARED_ID),
}
WHOLE_FAULTS = {
    "a warpgroup drains": (changed("barrier", 0, "id = 1 : i64", BARRIER), "is overwritten before"),
    "a warpgroup stores": (changed("barrier", 1, "id = 1 : i64", BARRIER), "a tile is read before"),
    "a part of the role's tile": (
        changed("async_tiled_tma_store", 0, "tmaIdx", "per_warpgroup, tmaIdx"),
        OWN,
    ),
}
"""Faults of a kernel that stages its result whole."""

BATCH_FAULTS = {
    "a batch too many in flight": (
        changed("bulk_wait", 1, "pending = 0", "pending = 1"),
        "may be overwritten while 'bulk:",
    ),
    "no wait for a batch": (without("bulk_wait", 0), "may be overwritten while 'bulk:"),
    "no fence for a batch": (without("fence_proxy", 1), "no proxy fence"),
    "no barrier after a batch": (without("barrier", 1), "a tile is read before"),
    "a part of a batch not copied": (without("async_tiled_tma_store", 1), UNREAD_SLOT),
}
"""Faults of a kernel that stages parts in batches of two."""


@pytest.fixture(scope="module")
def batched():
    return before_the_check(epilogue_slots=2, epilogue_batch=2)


def test_the_kernel_without_a_fault(matmul, batched):
    verify(matmul)
    verify(batched)


@pytest.mark.parametrize("name", BATCH_FAULTS)
def test_seeded_faults_of_batches(batched, name):
    edit, message = BATCH_FAULTS[name]
    assert message in failure(edit(batched))


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(matmul, name):
    edit, message = FAULTS[name]
    edited = edit(matmul)
    assert edited != matmul
    found = failure(edited)
    assert message in found
    assert found.startswith("dump.mlir:") or "may end while" in found


@pytest.mark.parametrize("name", WHOLE_FAULTS)
def test_seeded_faults_of_a_whole_store(whole, name):
    edit, message = WHOLE_FAULTS[name]
    assert message in failure(edit(whole))


def test_barriers_of_the_role_are_safe_for_parts(matmul):
    """They make warpgroups wait for each other, which is slower, but no fault."""
    verify(replaced(BARRIER, "id = 1 : i64")(matmul))


def test_the_line_is_that_of_the_operation(matmul):
    edited = stale("slot_view", 2)(matmul)
    line = lines_of(edited, "slot_view")[2] + 1
    assert failure(edited).startswith(f"dump.mlir:{line}:")


def test_a_load_on_a_stale_barrier(matmul):
    """Take the barrier of the start position: the announcement is right, the copies are not."""
    lines = matmul.splitlines()
    index = lines_of(matmul, "ring_barrier")[0]
    start = lines[lines_of(matmul, "ring_start")[0]].split("=")[0].strip()
    name = lines[index].split("=")[0].strip()
    extra = lines[index].replace(name, "%stale").replace("%arg15", start)
    lines.insert(index + 1, extra)
    first = lines_of("\n".join(lines), "async_tiled_tma_load")[0]
    lines[first] = lines[first].replace(f"{name})", "%stale)")
    assert STALE in failure("\n".join(lines))


def test_a_position_that_a_loop_does_not_carry(matmul):
    """The outer loop of the producer starts every tile at the first slot again."""
    inner = re.findall(r"(%\d+) = scf.for %arg14 ", matmul)[0]
    edited = matmul.replace(f"scf.yield {inner} :", "scf.yield %arg13 :", 1)
    assert f"scf.yield {STALE}" in failure(edited)


def test_a_ring_that_starts_again_in_a_loop(matmul):
    lines = matmul.splitlines()
    start = lines_of(matmul, "ring_start")[0]
    loop = next(i for i, line in enumerate(lines) if i > start and "scf.for %arg14" in line)
    lines.insert(loop, re.sub(r"%\d+ =", "%again =", lines[start]))
    lines[loop + 1] = lines[loop + 1].replace("%arg15 = %arg13", "%arg15 = %again")
    assert "starts at slot 0 in every round of a loop" in failure("\n".join(lines))


def test_the_check_is_quick(matmul):
    module = parse_module(matmul, make_context(), "dump.mlir")
    seconds = []
    with module.context:
        for _ in range(5):
            protocol_check._cached_check.cache_clear()
            start = process_time()
            check.verify_async_protocol(module, PassContext())
            seconds.append(process_time() - start)
    assert min(seconds) < LIMIT_SECONDS * slowness()


def protocol_of(node, *variables):
    """Return the protocol of a consumer of one ring."""
    rings = {0: RingShape(stages=2, full_count=1, empty_count=1, where="")}
    roles = (RoleProgram("consumer", 4, (node,)),)
    return Protocol(rings, {0: 0}, roles, {}, variables=variables)


def cases_of(node, *variables):
    """Return the cases of a consumer of one ring."""
    return list(cases.distinct_cases(protocol_of(node, *variables)))


TRIPS = Trips(Number(variable=(0, 1)))
LOOP = Loop(TRIPS, 0, (Event(Kind.WAIT, "", ring=0),))
FLAG = Comparison("ne", Number(variable=(1, 1)))


def test_the_cases_of_a_loop():
    found = cases_of(LOOP, Variable())
    assert sorted(case[0] for case in found) == [(0,), (1,), (2,), (3,), (5,)]


def test_branches_that_ask_whether_a_loop_runs_take_no_runs_of_their_own():
    plain = cases_of(LOOP, Variable())
    assert cases_of(Branch((LOOP,), (), Runs(TRIPS)), Variable()) == plain


def test_branches_that_nobody_knows_go_both_ways():
    found = cases_of(Branch((LOOP,), (), FLAG), Variable(), Variable(flag=True))
    plain = [case[0] for case in cases_of(LOOP, Variable())]
    assert [case for case in found if case[1] == (1,)] == [{0: n, 1: (1,)} for n in plain]
    assert [case for case in found if case[1] == (0,)] == [{0: n, 1: (0,)} for n in plain]


def test_what_was_run_is_not_run_again(monkeypatch):
    ran = []

    class Run:
        def __init__(self, protocol, programs):
            ran.append(len(programs[0]))

        def run(self):
            pass

    monkeypatch.setattr(cases, "Simulation", Run)
    registers = Event(Kind.PASS, "")
    for node, expected in (
        (Branch((LOOP,), (), FLAG), {0, 1, 2, 3, 5}),  # without the loop, its rounds do not count
        (Loop(TRIPS, 0, (registers, *LOOP.body)), {0, 2, 4, 6, 10}),
    ):
        ran.clear()
        check_protocol(protocol_of(node, Variable(), Variable(flag=True)))
        assert sorted(ran) == sorted(expected)


def test_values_that_change_from_tile_to_tile_alternate():
    inner = Loop(Trips(Number(variable=(1, 1))), 1, LOOP.body)
    node = Loop(TRIPS, 0, (inner,))
    found = cases_of(node, Variable(), Variable(depths=(0,)))
    changing = {case[1] for case in found if len(case[1]) > 1}
    assert {(0, 1), (1, 0), (0, 3), (3, 0), (1, 3), (3, 1)} == changing


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("factor", [-3, -1, 1, 2])
def test_every_way_in_which_a_comparison_comes_out_has_a_case(predicate, factor):
    for constant in range(-4, 5):
        condition = Comparison(predicate, Number(constant, variable=(0, factor)))
        found = cases_of(Branch(LOOP.body, (), condition), Variable())
        outcomes = {PREDICATES[predicate](constant + factor * case[0][0]) for case in found}
        possible = {PREDICATES[predicate](constant + factor * value) for value in range(-9, 10)}
        assert outcomes == possible
