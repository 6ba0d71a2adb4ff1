"""nv-tileas-verify-async-protocol: stores and loads of global memory come in the order of tokens.

The faults are edits of kernels that store to what they have loaded, as they come to the check.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.seeded_faults import (
    BEFORE,
    ROOT,
    check_fault,
    lines_of,
    moved,
    replaced,
    source_of,
    verify,
    without,
)
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization

OVERTAKES_LOAD, OVERTAKES_STORE = "a store may overtake the load", "a store may overtake the store"
Edit = Callable[[str], str]


def ordered(folder: Path, name: str, **plan: int) -> str:
    """Return a kernel of `order.tile` as it comes to the check."""
    source = source_of(ROOT / "tests" / "kernels" / "order.tile")
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    compile_source(source, name, specialization=Specialization(plan=plan), options=options)
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Return a kernel by name, compiled once."""
    known: dict[str, str] = {}

    def text(name: str) -> str:
        if name not in known:
            known[name] = ordered(tmp_path_factory.mktemp(name), name)
        return known[name]

    return text


def chained(*edits: Edit) -> Edit:
    def edit(text: str) -> str:
        for step in edits:
            text = step(text)
        return text

    return edit


def wait_late(ring: int, after: str, number: int) -> Edit:
    """Return an edit that moves wait and read of one of two rings before another operation."""
    return chained(
        moved("ring_wait", ring, after, number),
        moved("slot_view", 2 + ring, after, number),
        moved("load_shared", ring, after, number),
    )


ORDER = r'"nv_tileas.order_memory"\(\)'
BARRIER = '"nv_tileas.barrier"()'
WAIT = '"nv_tileas.bulk_wait"() {pending = 0 : i64, read = false} : () -> ()\n'
READ = WAIT.replace("false", "true")
FENCE = '"nv_tileas.fence_proxy"() {space = "global"} : () -> ()\n'
FAULTS = {
    "a store by threads ahead of the wait": (
        "cleared_by_threads",
        wait_late(0, "ring_wait", 1),
        OVERTAKES_LOAD,
    ),
    "a bulk store ahead of the wait": (
        "cleared_by_tma",
        wait_late(0, "ring_wait", 1),
        OVERTAKES_LOAD,
    ),
    "no barrier between loads and a store by threads": (
        "doubled_by_threads",
        replaced(ORDER + ".*", FENCE, count=1),
        OVERTAKES_LOAD,
    ),
    "no barrier between stores and loads by threads": (
        "stored_and_loaded",
        replaced(ORDER + ".*", WAIT + FENCE),
        "a load may overtake the store",
    ),
    "loads do not wait for bulk stores": (
        "stored_and_loaded",
        replaced(ORDER, FENCE + BARRIER),
        "a load may overtake the store of 'bulk:",
    ),
    "loads wait until bulk stores have read": (
        "stored_and_loaded",
        replaced(ORDER, READ + FENCE + BARRIER),
        "a load may overtake the store of 'bulk:",
    ),
    "no proxy fence before a bulk store": (
        "doubled_by_tma",
        replaced(ORDER, WAIT + BARRIER),
        "no proxy fence between an access of global memory",
    ),
    "bulk stores do not wait for bulk stores": (
        "stored_over",
        replaced(ORDER, FENCE + BARRIER),
        OVERTAKES_STORE,
    ),
    "bulk stores in a loop do not wait for each other": (
        "counted_in_a_loop",
        replaced(ORDER, FENCE + BARRIER),
        OVERTAKES_STORE,
    ),
    "no barrier before a store that waits for the next tile": (
        "deferred_in_place",
        without("order_memory"),
        OVERTAKES_LOAD,
    ),
    "a token of stores that nobody has closed": (
        "cleared_by_tma",
        moved("store_token", 0, "bulk_commit", 0),
        "of a group that is not closed yet",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(texts, name):
    kernel, edit, message = FAULTS[name]
    check_fault(texts(kernel), (edit, message))


@pytest.mark.parametrize("kernel", sorted({kernel for kernel, _, _ in FAULTS.values()}))
def test_kernels_without_a_fault(texts, kernel):
    verify(texts(kernel))


@pytest.mark.parametrize("kernel", ["deferred_in_place", "deferred_slices_in_place"])
def test_stores_that_wait_keep_what_they_come_after(texts, kernel):
    text = texts(kernel)
    tokens = [text.splitlines()[line] for line in lines_of(text, "store_token")]
    assert all('"nv_tileas.store_token"(%' in token for token in tokens)
