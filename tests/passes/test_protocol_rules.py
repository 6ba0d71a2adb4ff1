"""Named barriers, partial sums and clusters: every fault of them is found."""

import re

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    check_fault,
    lines_of,
    moved,
    verify,
    without,
)

TILE = {"BM": 128, "BN": 128, "BK": 64}


@pytest.fixture(scope="module")
def split() -> str:
    """Three CTAs share the k-tiles of a tile."""
    return before_the_check(size=TILE, split_k=3)


@pytest.fixture(scope="module")
def computed_split() -> str:
    """The same, and products come a round after their left operands were computed."""
    return before_the_check(size={"BM": 32, "BN": 64}, example="matmul_int4", split_k=3)


@pytest.fixture(scope="module")
def pingpong() -> str:
    """Two teams of one warpgroup: barriers 1 and 2 are theirs, 3 and 4 their warpgroups'."""
    return before_the_check(size=TILE, pingpong=1)


@pytest.fixture(scope="module")
def square() -> str:
    return before_the_check((2, 2))


@pytest.fixture(scope="module")
def pair() -> str:
    return before_the_check((2, 1))


def operand(operation: str, index: int, source: str, source_index: int):
    """Return an edit that gives an operation an operand of another one: both by their numbers."""

    def edit(text):
        lines = text.splitlines()
        (at,), (other,) = lines_of(text, operation)[:1], lines_of(text, source)[:1]
        old, new = (_operands(lines[line]) for line in (at, other))
        chosen = [*old[:index], new[source_index], *old[index + 1 :]]
        lines[at] = lines[at].replace(f"({', '.join(old)})", f"({', '.join(chosen)})", 1)
        return "\n".join(lines)

    return edit


def _operands(line: str) -> list[str]:
    return line.partition('"(')[2].partition(")")[0].split(", ")


def repeated(operation: str):
    """Return an edit that repeats an operation without results."""

    def edit(text):
        lines = text.splitlines()
        (at,) = lines_of(text, operation)
        lines.insert(at, lines[at])
        return "\n".join(lines)

    return edit


def bound(inside: str, number: int, text: str):
    """Return an edit of the loop right around an operation: bound 0 or 1 becomes `text`, i32."""

    def edit(whole):
        lines = whole.splitlines()
        (at,) = lines_of(whole, inside)
        loop = max(line for line in range(at) if "scf.for" in lines[line])
        found = re.search(r"= (%\w+) to (%\w+) step", lines[loop])
        assert found is not None
        bounds = list(found.groups())
        made = ["%one = arith.constant 1 : i32", f"%new = {text.format(bounds[number])} : i32"]
        bounds[number] = "%new"
        changed_to = "= {} to {} step".format(*bounds)
        lines[loop] = lines[loop].replace(found[0], changed_to, 1)
        lines[loop:loop] = made
        return "\n".join(lines)

    return edit


STORED = "is counted before all threads have stored theirs"
AWAITED = "is added before all threads know that it is there"
COUNTED = "0 partial sums are counted as one of a tile"
SPLIT_FAULTS = {
    "nothing is stored": (without("store_partial"), COUNTED),
    "stored after it is counted": (moved("arrive_partial", 0, "store_partial", 0), COUNTED),
    "counted before the threads meet": (without("barrier", -1), STORED),
    "never counted": (without("arrive_partial"), "deadlock: the partial sums"),
    "counted twice": (repeated("arrive_partial"), COUNTED),
    "counted for another tile": (
        operand("arrive_partial", 1, "store_partial", 3),
        "1 partial sums are counted as one of a tile",
    ),
    "not awaited": (without("await_partials"), AWAITED),
    "threads do not meet after the wait": (without("barrier", 0), AWAITED),
    "awaited for another tile": (
        operand("await_partials", 1, "await_partials", 2),
        "are awaited twice",
    ),
    "another number awaited": (
        operand("await_partials", 2, "await_partials", 1),
        "is added before all threads know|deadlock: the partial sums|before all partial sums",
    ),
    "one part is not added": (
        bound("add_partial", 0, "arith.addi {}, %one"),
        "before all partial sums are added",
    ),
    "one part too many is added": (
        bound("add_partial", 1, "arith.addi {}, %one"),
        "split 2 of a tile that has 2",
    ),
    "the place of another tile": (
        operand("store_partial", 2, "store_partial", 3),
        "a partial sum is overwritten|counted as one of a tile",
    ),
    "the place of another split": (operand("store_partial", 3, "store_partial", 2), "partial sum"),
    "places of fewer splits": (
        changed("store_partial", 0, "count = 2", "count = 1"),
        "split 1 of a tile that has 1 partial sums",
    ),
    "places of more splits": (changed("add_partial", 0, "count = 2", "count = 3"), "what is added"),
    "never reset": (without("reset_partials"), "not zero at the end of a launch"),
    "reset before the wait": (
        moved("reset_partials", 0, "await_partials", 0),
        "reset before the partial sums of its tile are there",
    ),
    "another counter is reset": (
        operand("reset_partials", 1, "await_partials", 2),
        "reset before the partial sums of its tile are there",
    ),
    "shares that overlap": (bound("async_mma", 1, "arith.addi {}, %one"), "share its k-tiles"),
    "shares with a gap": (bound("async_mma", 1, "arith.subi {}, %one"), "is no sum"),
    "a share that begins late": (
        bound("async_mma", 0, "arith.addi {}, %one"),
        "is no sum of products",
    ),
}


@pytest.mark.parametrize("name", SPLIT_FAULTS)
def test_faults_of_partial_sums(split, name):
    edit, message = SPLIT_FAULTS[name]
    edited = edit(split)
    assert edited != split
    with pytest.raises(Exception, match=message):
        verify(edited)


def kept_operand(text: str) -> str:
    """Let the loop over k-tiles pass on the left operand that it got, not the one it computed."""
    lines = text.splitlines()
    product = lines[lines_of(text, "async_mma")[0]]
    left = _operands(product)[0]
    (loop,) = (number for number, line in enumerate(lines) if f"{left} =" in line)
    end = next(number for number in range(loop, len(lines)) if "scf.yield" in lines[number])
    lines[end] = re.sub(r"%\w+ :", f"{left} :", lines[end], count=1)
    return "\n".join(lines)


def test_a_product_of_an_operand_of_an_earlier_round(computed_split):
    check_fault(computed_split, (kept_operand, "multiplies tiles of different rounds"))


BARRIER_FAULTS = {
    "the warpgroup of the other team": (
        changed("barrier", 0, "id = 3", "id = 4"),
        "warpgroups 0 and 1",
    ),
    "no such barrier": (changed("barrier", 0, "id = 3", "id = 15"), "barrier 16 does not exist"),
    "the whole CTA's": (changed("barrier", 0, "id = 3", "id = 0"), "barrier 0 of the whole CTA"),
    "a team's": (
        changed("barrier", 0, "id = 3 : i64, per_warpgroup", "id = 3 : i64"),
        "its warpgroups",
    ),
}


@pytest.mark.parametrize("name", BARRIER_FAULTS)
def test_faults_of_named_barriers(pingpong, name):
    check_fault(pingpong, BARRIER_FAULTS[name])


def test_the_producer_meets_nobody(pingpong):
    lines = pingpong.splitlines()
    start = lines_of(pingpong, "ring_acquire")[0]
    lines.insert(start, '"nv_tileas.barrier"() {id = 9 : i64} : () -> ()')
    with pytest.raises(Exception, match="one thread of the producer cannot meet others"):
        verify("\n".join(lines))


SHARE = "share a tile, but coordinate"
CLUSTER_FAULTS = {
    "the row of the tile from the column": (
        changed("cluster_coord", 0, "axis = 0", "axis = 1"),
        SHARE,
    ),
    "the column of the tile from the row": (
        changed("cluster_coord", 1, "axis = 1", "axis = 0"),
        SHARE,
    ),
    "the share from the other axis": (changed("cluster_coord", 2, "axis = 1", "axis = 0"), SHARE),
    "A goes to those of the column": (
        changed("async_tiled_tma_load", 0, "multicast_axis = 1", "multicast_axis = 0"),
        "the copies of a tile go to different CTAs|" + SHARE,
    ),
    "the consumers take the other axis": (
        changed("cluster_coord", -1, "axis = 1", "axis = 0"),
        "the roles take the place of the CTA along different cluster axes",
    ),
    "another cluster": (
        changed("cluster_coord", 0, "array<i64: 2, 2>", "array<i64: 4, 1>"),
        r"a cluster of \(4, 1\) in one of \(2, 2\) CTAs",
    ),
}


@pytest.mark.parametrize("name", CLUSTER_FAULTS)
def test_faults_of_clusters(square, name):
    edit, message = CLUSTER_FAULTS[name]
    with pytest.raises(Exception, match=message):
        verify(edit(square))


def test_an_axis_with_one_cta(pair):
    edited = changed("cluster_coord", 0, "axis = 0", "axis = 1")(pair)
    with pytest.raises(Exception, match="has one of them along axis 1"):
        verify(edited)


def test_kernels_without_a_fault(split, pingpong, square, pair):
    for text in (split, pingpong, square, pair):
        verify(text)
