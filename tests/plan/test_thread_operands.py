"""How operands that TMA cannot load get to shared memory: which way is planned, and why."""

import pytest

from tilec.plan.thread_operands import (
    AHEAD,
    AT_ONCE,
    COPIED,
    ThreadOperands,
    choose_copies,
    copy_cycles,
    loads_ahead,
    rank_ways,
)
from tilec.request.target import TARGETS
from tilec.support.fast_dataclasses import replace

HOPPER = TARGETS["sm_90a"]
ROWS = ThreadOperands(
    mma_cycles=1063,
    warpgroups=2,
    size=16384,
    elements=8192,
    copies=1024,
    ring_bytes=32768,
    result_bytes=65536,
)
"""128x64 gathered rows of 16 bits, next to 64x256 that TMA loads."""


def names(operands):
    return [way.name for way in rank_ways(operands, HOPPER)]


def test_copies_are_the_shortest_where_a_ring_has_slots():
    assert names(ROWS) == [COPIED, AHEAD, AT_ONCE]
    copies, reason = choose_copies(ROWS, HOPPER, None)
    assert copies
    assert reason.startswith("copy_rounds = true: k-tiles take 1206 cycles with copies")
    assert "runner-up: 1800 with loads a round ahead" in reason


def test_copies_of_few_bytes_take_longer():
    """Of the same tile, 4 and 2 bytes at a time."""
    assert names(replace(ROWS, copies=4096)) == [COPIED, AHEAD, AT_ONCE]
    assert names(replace(ROWS, copies=8192)) == [AHEAD, COPIED, AT_ONCE]
    assert copy_cycles(4096) == 4 * copy_cycles(1024)


def test_copies_need_two_slots():
    """With one, they are as late as loads of the same round; with two, a round hides them."""
    large = replace(ROWS, ring_bytes=98304)
    assert names(large) == [AHEAD, AT_ONCE]
    (only,) = rank_ways(replace(large, size=65536, elements=32768), HOPPER)
    copies, reason = choose_copies(replace(large, size=65536, elements=32768), HOPPER, None)
    assert only.name == AT_ONCE
    assert not copies
    assert reason.startswith("copy_rounds = false: k-tiles take 6272 cycles with loads in the")
    short = replace(large, ring_bytes=65536, mma_cycles=10)
    (copied,) = (way for way in rank_ways(short, HOPPER) if way.name == COPIED)
    assert copied.cycles == 1165


def test_loads_ahead_take_registers():
    assert AHEAD not in names(replace(ROWS, size=65536, elements=32768))
    assert AHEAD in names(replace(ROWS, size=32768, elements=16384))
    assert AHEAD not in names(replace(ROWS, size=32768, elements=16384, warpgroups=1))


def test_what_is_packed_is_not_loaded_ahead():
    odd = replace(ROWS, copies=0, packed=True)
    assert names(odd) == [AT_ONCE]
    assert not loads_ahead(odd, HOPPER)


def test_a_loop_that_carries_tiles_is_not_divided():
    """Splits come before loads ahead where they make up for the wait of each round."""
    odd = replace(ROWS, copies=0)
    assert loads_ahead(odd, HOPPER)
    assert not loads_ahead(replace(odd, splits=2), HOPPER)
    assert loads_ahead(replace(odd, mma_cycles=100, elements=1024, splits=2), HOPPER)
    copies, reason = choose_copies(replace(ROWS, splits=4), HOPPER, None)
    assert copies
    assert "k-tiles of 4 splits take 302 cycles" in reason


@pytest.mark.parametrize("asked", [True, False])
def test_the_user_decides(asked):
    given = f"copy_rounds = {str(asked).lower()}: fixed by the user"
    assert choose_copies(ROWS, HOPPER, asked) == (asked, given)
