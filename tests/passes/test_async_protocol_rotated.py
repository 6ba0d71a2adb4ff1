"""Faults in rotated loops whose warpgroups ping-pong."""

import re

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    check_fault,
    lines_of,
    moved,
    replaced,
    verify,
    without,
)

SIZE = {"BD": 128}
FIRST, SCORES, VALUES, LAST = range(4)
"""Waits for products: before the loop, of stage 0 and of stage 1 in it, after it."""
Q_ONLY, K_FIRST, Q, K, V, V_LAST, Q_UNREAD = range(7)
"""Releases of slots: of Q, if there is one round, and of K before the loop; of Q, in the last
round, of K and of V in it; of V after it; and of Q where the loop does not run."""


@pytest.fixture(scope="module")
def attention() -> str:
    """Take the example whose scores of a round and values of the round before run together.

    Its result is staged for TMA, so warpgroups meet at barriers of their own, too.
    """
    return before_the_check(size={"BD": 128, "BM": 128, "BN": 128}, example="attention")


def repeated(operation: str):
    """Return an edit that repeats the only use of an operation."""

    def edit(text):
        lines = text.splitlines()
        (at,) = lines_of(text, operation)
        lines.insert(at, lines[at])
        return "\n".join(lines)

    return edit


def inserted(line: str, before: str, number: int = 0):
    """Return an edit that inserts an operation before one use of another one."""

    def edit(text):
        lines = text.splitlines()
        lines.insert(lines_of(text, before)[number], line)
        return "\n".join(lines)

    return edit


def next_fragment_before(number: int):
    """Return an edit that makes the operand of the next round before a wait in the loop.

    It is made of the scores, as the weights are not all there before the wait.
    """

    def edit(text):
        lines = text.splitlines()
        start, wait = lines_of(text, "turn_take")[0], lines_of(text, "mma_wait")[number]
        source = next(n for n in range(start, len(lines)) if "arith.truncf" in lines[n])
        assert source > wait
        scores = lines[lines_of(text, "mma_wait")[SCORES]].split(" =")[0].strip()
        line = re.sub(r"truncf %\d+", f"truncf {scores}", lines.pop(source))
        lines.insert(wait, line)
        return "\n".join(lines)

    return edit


def in_flight(number: int):
    """Return an edit that passes on what a product returns, not what the wait for it does."""

    def edit(text):
        product, wait = lines_of(text, "async_mma")[number], lines_of(text, "mma_wait")[number]
        lines = text.splitlines()
        flying, waited = lines[product].split(":2 =")[0].strip(), lines[wait].split(" =")[0].strip()
        found = (n for n in range(wait + 1, len(lines)) if "scf.yield" in lines[n])
        at = next(n for n in found if re.search(rf"{waited}\b", lines[n]))
        lines[at] = re.sub(rf"{waited}\b", f"{flying}#0", lines[at], count=1)
        return "\n".join(lines)

    return edit


CROSSWISE = "a warpgroup waits for the others while they wait for their turn"
OWN_BARRIER = "is used for turns and for something else"
START = "turns need one start, at the top of the role"
MEETING = '"nv_tileas.barrier"() {id = 1 : i64} : () -> ()'
TURN_FAULTS = {
    "no start": (without("turn_start"), START),
    "two starts": (repeated("turn_start"), START),
    "a start in every tile": (moved("turn_start", 0, "ring_wait", 0), START),
    "a start after all tiles": (moved("turn_start", 0, "bulk_wait", -1), START),
    "not taken": (without("turn_take"), "a turn is passed on that none took"),
    "taken twice": (repeated("turn_take"), CROSSWISE),
    "not passed on": (without("turn_pass"), "a turn is not passed on in its block"),
    "passed on twice": (repeated("turn_pass"), "a turn is passed on that none took"),
    "passed on before it is taken": (
        moved("turn_pass", 0, "turn_take", 0),
        "a turn is passed on that none took",
    ),
    "the role meets in a turn": (inserted(MEETING, "turn_pass"), CROSSWISE),
    "the warpgroups order memory in a turn": (
        inserted('"nv_tileas.order_memory"() : () -> ()', "turn_pass"),
        CROSSWISE,
    ),
    "taken at the role's barrier": (changed("turn_take", 0, "id = 4", "id = 1"), OWN_BARRIER),
    "at the role's barrier": (replaced(r'(turn_\w+"\(\) \{id = )4', r"\g<1>1"), OWN_BARRIER),
    "at the warpgroups' barriers": (replaced(r'(turn_\w+"\(\) \{id = )4', r"\g<1>2"), OWN_BARRIER),
    "passed on to the warpgroup itself": (
        changed("turn_pass", 0, "id = 4", "id = 5"),
        "named barrier 5 is used by turns 1 and 0",
    ),
    "taken at a barrier of its own": (
        changed("turn_take", 0, "id = 4", "id = 8"),
        "another named barrier than the start",
    ),
    "at the CTA's barrier": (
        replaced(r'(turn_\w+"\(\) \{id = )4', r"\g<1>0"),
        "barrier 0 of the whole CTA",
    ),
    "one barrier too few": (
        replaced(r'(turn_\w+"\(\) \{id = )4', r"\g<1>15"),
        "named barrier 16 does not exist",
    ),
    "no barrier": (changed("turn_take", 0, "{id = 4 : i64} ", ""), "a turn has no named barrier"),
}
IN_FLIGHT = "an accumulator is used while a product that writes it is in flight"
USED_TWICE = "an accumulator in flight is used twice"
WRITTEN_AGAIN = "a product in flight reads registers that are written again"
UNREAD = "a tile is read before the write"
TOO_EARLY = "may reach a barrier before the phase before is over"
OVERWRITTEN = "may be overwritten while"
LOOP_FAULTS = {
    "K released before the wait": (moved("ring_release", K_FIRST, "mma_wait", FIRST), OVERWRITTEN),
    "V released before the wait": (moved("ring_release", V, "mma_wait", VALUES), OVERWRITTEN),
    "the last V released before the wait": (
        moved("ring_release", V_LAST, "mma_wait", LAST),
        OVERWRITTEN,
    ),
    "Q released before the wait": (moved("ring_release", Q, "mma_wait", SCORES), OVERWRITTEN),
    "Q released in all rounds but the last": (replaced("cmpi sge", "cmpi slt"), TOO_EARLY),
    "Q of one round never released": (without("ring_release", Q_ONLY), "deadlock"),
    "Q of several rounds never released": (without("ring_release", Q), "deadlock"),
    "Q of no rounds never released": (without("ring_release", Q_UNREAD), "deadlock"),
    "the first scores not awaited": (changed("mma_wait", FIRST, "= 0", "= 1"), IN_FLIGHT),
    "the scores not awaited": (changed("mma_wait", SCORES, "= 1", "= 2"), IN_FLIGHT),
    "the sums not awaited": (changed("mma_wait", VALUES, "= 0", "= 1"), WRITTEN_AGAIN),
    "the last sums not awaited": (changed("mma_wait", LAST, "= 0", "= 1"), WRITTEN_AGAIN),
    "the next weights before the wait": (next_fragment_before(VALUES), WRITTEN_AGAIN),
    "the scores used in flight": (in_flight(SCORES), USED_TWICE),
    "the sums used in flight": (in_flight(VALUES), USED_TWICE),
    "the first K never released": (without("ring_release", K_FIRST), "deadlock"),
    "K never released": (without("ring_release", K), "deadlock"),
    "V never released": (without("ring_release", V), "deadlock"),
    "the last V never released": (without("ring_release", V_LAST), "deadlock"),
    "the first K not there": (without("ring_wait", 1), UNREAD),
    "K not there": (without("ring_wait", 2), UNREAD),
    "V not there": (without("ring_wait", 3), UNREAD),
    "the last V not there": (without("ring_wait", 4), UNREAD),
}


@pytest.mark.parametrize("name", TURN_FAULTS)
def test_faults_of_turns(attention, name):
    check_fault(attention, TURN_FAULTS[name])


@pytest.mark.parametrize("name", LOOP_FAULTS)
def test_faults_of_rotated_loops(attention, name):
    check_fault(attention, LOOP_FAULTS[name])


def test_the_kernel_without_a_fault(attention):
    verify(attention)


def test_a_turn_may_begin_anywhere_before_it_ends(attention):
    verify(moved("turn_take", 0, "turn_pass", 0)(attention))


def test_a_slot_that_a_later_release_of_another_ring_guards(attention):
    """The producer fills K after V: it waits for this slot as well."""
    verify(moved("ring_release", K, "mma_wait", SCORES)(attention))
