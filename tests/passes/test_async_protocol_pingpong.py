"""Faults in kernels whose consumers ping-pong, or keep a group of wgmma in flight."""

import re

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    check_fault,
    moved,
    replaced,
    verify,
    without,
)

TILE = {"BM": 128, "BN": 128, "BK": 64}
STRIDE = r"(arith\.muli %\w+, )%c2_i32(?=\w* : i32\n(.*\n){1,3}.*ring_skip)"
EARLY = "may wait for a phase before the one before it is over"
TURNS = "the 2 teams of a role do not ping-pong"


@pytest.fixture(scope="module")
def pingpong():
    return before_the_check(size=TILE, pingpong=1)


@pytest.fixture(scope="module")
def pending():
    return before_the_check(size=TILE, mma_pending=1)


_KEEPING = re.compile(r'("nv_tileas\.ring_release_until"\(%\w+, )(\S+), \S+\)')


def held(text):
    """Let the consumers release up to the slot that they hold: none."""
    return _KEEPING.sub(r"\1\2, \2)", text)


def undrained(text):
    """Use the accumulator that the loop leaves in flight, not the one that the drain returns."""
    ((result, source),) = re.findall(r'(%\d+) = "nv_tileas.mma_drain"\((%\d+#\d)\)', text)
    return re.sub(rf"(scf\.yield ){result}\b", rf"\g<1>{source}", text)


FAULTS = {
    "no turn": (without("ring_acquire", 1), EARLY),
    "turn kept": (without("ring_release", 0, 1), "deadlock"),
    "turn kept without k-tiles": (without("ring_release", 1), "deadlock"),
    "turn passed on at once": (moved("ring_release", 0, "ring_wait", 0), "more than 4 arrivals"),
    "a slot too many skipped": (changed("ring_skip", 3, "count = 1", "count = 2"), "deadlock"),
    "both teams first": (changed("ring_skip", 0, "count = 3", "count = 1"), "two phases late"),
    "the turn of the other team": (changed("ring_skip", 0, "count = 3", "count = 2"), "deadlock"),
    "every tile": (
        replaced(r"(arith\.muli %\w+, )%c2_i32(?=\w* : i32\n(.*\n){1,3}.*ring_skip)", r"\1%c1_i32"),
        TURNS,
    ),
    "too many registers": (replaced("count = 40 ", "count = 56 "), "roles ask for 66560 registers"),
    "arrivals of both teams": (
        replaced(r"count = 4 (: i64, .*slots = [4-9] )", r"count = 8 \1"),
        "ends in mid-phase: 4 arrivals",
    ),
    "one id for two teams": (replaced("id = 3 ", "id = 15 "), "named barrier 16 does not exist"),
    "no drain of the stores": (without("bulk_wait"), "may be overwritten while"),
}
PENDING_FAULTS = {
    "two groups in flight": (
        replaced(r"pending = 1 (: i64\} : \(tensor)", r"pending = 2 \1"),
        "may be overwritten while 'mma:",
    ),
    "read before the drain": (undrained, "an accumulator in flight is used twice"),
    "no slot released": (held, "deadlock"),
    "released before the wait": (moved("ring_release_until", 0, "mma_wait", 0), "overwritten"),
}


@pytest.mark.parametrize("name", ["pingpong", "pending"])
def test_without_a_fault(request, name):
    verify(request.getfixturevalue(name))


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_teams(pingpong, name):
    check_fault(pingpong, FAULTS[name])


@pytest.mark.parametrize("name", PENDING_FAULTS)
def test_faults_of_groups_in_flight(pending, name):
    check_fault(pending, PENDING_FAULTS[name])
