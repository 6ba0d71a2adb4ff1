"""nv-tileas-verify-async-protocol where CTAs compute a block together: faults of exchanges."""

import pytest

from tests.support.seeded_faults import (
    BEFORE,
    changed,
    failure,
    lines_of,
    moved,
    replaced,
    verify,
    without,
)
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

KERNEL = """
@kernel
def scaled_sum[M, N](X: f32[M, N], S: f32[M], BN: const = 1024):
    m = grid(M)
    total = zeros(1, f32)
    for j in range(cdiv(N, BN)):
        total = total * 0.5 + sum(load(X, (m, j), (1, BN)), axis=1)
    store(S, m, total)
"""


def dump(folder, **plan: int) -> str:
    """Return the kernel, whose loop reduces in each round, as it comes to the protocol check."""
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    compile_source(
        SourceFile("k.tile", KERNEL), specialization=Specialization(plan=plan), options=options
    )
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> str:
    """Two CTAs of one warp each: nothing but the barrier of the exchange makes threads meet."""
    return dump(tmp_path_factory.mktemp("pair"), spread=2, worker_warps=1)


@pytest.fixture(scope="module")
def group(tmp_path_factory) -> str:
    """Four CTAs of four warps each, which meet when they combine their sums."""
    return dump(tmp_path_factory.mktemp("group"), spread=4, worker_warps=4)


def one_slot(text: str) -> str:
    """Let all rounds use the same slot."""
    return replaced("slots = 2", "slots = 1")(replaced("stages = 2", "stages = 1")(text))


OVERWRITTEN = "may be overwritten while"
FAULTS = {
    "one slot": (one_slot, OVERWRITTEN),
    "no wait": (without("ring_wait"), "a tile is read before the write of"),
    "the own part announced alone": (
        replaced("tx_count = 16", "tx_count = 4"),
        "a tile is read before the write of",
    ),
    "nothing announced": (without("mbarrier_arrive_expect_tx"), "deadlock"),
    "nothing sent": (without("cluster_send"), "deadlock"),
    "sent to the own CTA alone": (
        changed("cluster_send", 0, "cluster = array<i64: 4, 1>, multicast_axis = 0 : i64, ", ""),
        "deadlock",
    ),
    "sent in another cluster": (
        changed("cluster_send", 0, "array<i64: 4, 1>", "array<i64: 2, 1>"),
        "a cluster of (2, 1) in one of (4, 1) CTAs",
    ),
    "sent along the other axis": (
        changed("cluster_send", 0, "multicast_axis = 0", "multicast_axis = 1"),
        "deadlock",
    ),
    "read after the advance": (
        moved("ring_advance", 0, "load_shared", 0),
        "uses another position of ring 0",
    ),
    "the barriers of others awaited too late": (
        moved("await_cluster", 0, "tiled_store", 0),
        "reaches into CTAs whose barriers may not be initialised",
    ),
}
"""Faults of an exchange in a loop, among four CTAs."""


def test_exchanges_without_a_fault(pair, group):
    verify(pair)
    verify(group)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults_of_an_exchange(group, name):
    edit, message = FAULTS[name]
    found = failure(edit(group))
    assert message in found
    assert found.startswith("dump.mlir:")


def test_warps_that_do_not_meet_overwrite_what_others_read(tmp_path):
    text = dump(tmp_path, spread=2, worker_warps=2)
    verify(text)
    reduces = replaced(r"warp:2\*\(0,0,\d+\)", "warp:2*(0,0,0)")(text)
    assert OVERWRITTEN in failure(reduces)


def test_the_wait_for_the_cluster_comes_once(group):
    lines = group.splitlines()
    (place,) = lines_of(group, "await_cluster")
    lines.insert(place, lines[place])
    assert "wait for each other's barriers once" in failure("\n".join(lines))
