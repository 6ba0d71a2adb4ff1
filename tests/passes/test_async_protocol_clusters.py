"""nv-tileas-verify-async-protocol in clusters: faults of CTAs that fill each other's slots."""

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    failure,
    lines_of,
    replaced,
    swap_before,
    verify,
    without,
)


@pytest.fixture(scope="module")
def pair() -> str:
    """Two CTAs on top of each other, which share the tiles of B."""
    return before_the_check((2, 1))


@pytest.fixture(scope="module")
def square() -> str:
    """Four CTAs, which share the tiles of both operands."""
    return before_the_check((2, 2))


def early_sync(text: str) -> str:
    """Let consumers meet before they start instead of when they are done."""
    lines = text.splitlines()
    (_, last), (_, start) = lines_of(text, SYNC), lines_of(text, "ring_start")
    lines.insert(start, lines.pop(last))
    return "\n".join(lines)


def alone(text: str) -> str:
    """Let every CTA copy its share of B into its own slot only."""
    return replaced(MULTICAST_COPY, "")(text)


def alone_once(text: str) -> str:
    """Let the second copy of the share of B go to the own CTA only."""
    return changed("async_tiled_tma_load", 2, MULTICAST_COPY, "")(text)


def read_by_threads(text: str) -> str:
    """Let threads read the tile of B, too, before they release it."""
    lines = text.splitlines()
    (release,), view = lines_of(text, "ring_release"), lines_of(text, "slot_view")[3]
    name, kind = lines[view].split("=")[0].strip(), lines[view].rsplit("-> ", 1)[1]
    tile = (
        'tensor<64x256xbf16, #nv_tileas.layout<"64x256|reg:64*(1,0)|lane:32*(0,1)|warp:8*(0,32)">>'
    )
    lines.insert(release, f'%read = "nv_tileas.load_shared"({name}) : ({kind}) -> {tile}')
    return "\n".join(lines)


MULTICAST_RING = "cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>, "
MULTICAST_COPY = "cluster = array<i64: 2, 1>, multicast_axis = 0 : i64, "
OVERWRITTEN = "may be overwritten while"
EARLY = "may reach a barrier before the phase before is over"
COUNT_OF = r"(\"nv_tileas.alloc_mbarrier\"\(\) \{count = )"
SYNC = "cluster_sync"
EXIT = "may exit before"
CLUSTER_FAULTS = {
    "only the own arrivals expected": (replaced(COUNT_OF + r"16\b", r"\g<1>8"), EARLY),
    "one arrival too few": (replaced(COUNT_OF + r"16\b", r"\g<1>15"), "more than 15 arrivals"),
    "one arrival too many": (replaced(COUNT_OF + r"16\b", r"\g<1>17"), "ends in mid-phase"),
    "the copies of the other not announced": (
        replaced("tx_count = 49152", "tx_count = 32768"),
        "ends in mid-phase: 1 arrivals and -16384 bytes",
    ),
    "consumers leave first": (without(SYNC, 1), EXIT),
    "everybody leaves first": (without(SYNC), EXIT),
    "consumers meet before the loop": (early_sync, EXIT),
    "a ring of other peers": (
        changed(
            "create_ring", 0, "multicast_axes = array<i64: 0>", "multicast_axes = array<i64: 1>"
        ),
        "ends in mid-phase",
    ),
    "released locally": (
        lambda text: replaced(COUNT_OF + r"16\b", r"\g<1>8")(
            changed("create_ring", 0, MULTICAST_RING, "")(text)
        ),
        OVERWRITTEN,
    ),
    "a box of the share twice": (
        changed("async_tiled_tma_load", 2, "box_index = 1", "box_index = 0"),
        "a tile of 2 boxes is copied as box 0, 0",
    ),
    "a box of the share missing": (without("async_tiled_tma_load", 2), "is copied as box 0:"),
    "copied to the own CTA alone": (alone, "a tile of 4 boxes is copied as box 0, 1"),
    "one copy to the own CTA alone": (alone_once, "go to different CTAs"),
    "one copy to the own CTA alone, and announced so": (
        lambda text: alone_once(text).replace("tx_count = 49152", "tx_count = 40960"),
        "go to different CTAs",
    ),
    "copied along the other axis": (
        replaced("multicast_axis = 0", "multicast_axis = 1"),
        "a tile of 4 boxes is copied as box 0, 1",
    ),
    "copies of another cluster": (
        changed(
            "async_tiled_tma_load", 1, "cluster = array<i64: 2, 1>", "cluster = array<i64: 2, 2>"
        ),
        "a cluster of (2, 2) in one of (2, 1) CTAs",
    ),
    "the share of the other not announced, released locally": (
        lambda text: replaced("tx_count = 49152", "tx_count = 32768")(
            changed("create_ring", 0, MULTICAST_RING, "")(text)
        ),
        "mid-phase",
    ),
    "threads read a shared tile": (
        read_by_threads,
        "threads read a tile that other CTAs overwrite",
    ),
    "no acquire": (without("ring_acquire"), "more than 1 arrivals"),
    "no release": (without("ring_release"), "deadlock"),
    "no wait": (without("ring_wait"), "a tile is read before the write"),
    "released before the wait": (swap_before("ring_release", "mma_wait"), OVERWRITTEN),
}
"""Faults of a kernel in a cluster of two CTAs, which share B."""
SQUARE_FAULTS = {
    "the arrivals of a row": (
        replaced(COUNT_OF + r"24\b", r"\g<1>16"),
        "ends in mid-phase: 8 arrivals and 0 bytes",
    ),
    "the arrivals of all CTAs": (
        replaced(COUNT_OF + r"24\b", r"\g<1>32"),
        "ends in mid-phase: 8 arrivals and 0 bytes",
    ),
    "only the rows release": (
        lambda text: replaced(COUNT_OF + r"24\b", r"\g<1>16")(
            changed("create_ring", 0, "array<i64: 0, 1>", "array<i64: 0>")(text)
        ),
        OVERWRITTEN,
    ),
    "only the columns release": (
        lambda text: replaced(COUNT_OF + r"24\b", r"\g<1>16")(
            changed("create_ring", 0, "array<i64: 0, 1>", "array<i64: 1>")(text)
        ),
        OVERWRITTEN,
    ),
    "consumers leave first": (without(SYNC, 1), EXIT),
}
"""Faults of a kernel in a cluster of four CTAs, which share A and B."""


def test_clusters_without_a_fault(pair, square):
    verify(pair)
    verify(square)


@pytest.mark.parametrize("name", CLUSTER_FAULTS)
def test_seeded_faults_in_a_cluster(pair, name):
    edit, message = CLUSTER_FAULTS[name]
    found = failure(edit(pair))
    assert message in found
    assert found.startswith("dump.mlir:")


def test_a_producer_may_leave_first(pair):
    """Its CTA lives on in the consumers, which meet those of the other one."""
    verify(without(SYNC, 0)(pair))


@pytest.mark.parametrize(
    ("name", "operation", "number"),
    [
        ("threads read a shared tile", "load_shared", 0),
        ("one copy to the own CTA alone", "async_tiled_tma_load", 1),
        ("consumers leave first", "ring_release", 0),
        ("only the own arrivals expected", "ring_release", 0),
        ("one arrival too many", "create_ring", 0),
    ],
)
def test_the_line_of_a_fault_in_a_cluster(pair, name, operation, number):
    edited = CLUSTER_FAULTS[name][0](pair)
    line = lines_of(edited, operation)[number] + 1
    assert failure(edited).startswith(f"dump.mlir:{line}:")


@pytest.mark.parametrize("name", SQUARE_FAULTS)
def test_seeded_faults_in_a_square(square, name):
    edit, message = SQUARE_FAULTS[name]
    found = failure(edit(square))
    assert message in found
    assert found.startswith("dump.mlir:")
