"""Picks: every thread ends with the elements that the other layout gives it, all from itself."""

import pytest

from tilec.layout import RegisterLayout
from tilec.layout.modes import Owner
from tilec.layout.picks import MAX_DIGITS, find_picks

LANES, WARPS = 32, 4


def layout(text):
    return RegisterLayout.from_text(text)


def digit_of(owner, thread):
    """Return the number of a thread that `owner` names."""
    lane, warp = thread % LANES, thread // LANES
    return {Owner.LANE: lane, Owner.WARP: warp % WARPS, Owner.WARPGROUP: warp // WARPS}[owner]


def picked(source, picks, thread):
    """Return the coordinates that a thread holds afterwards."""
    found = []
    for number in picks.taken:
        ones = [
            digit.registers for digit in picks.digits if digit_of(digit.owner, thread) & digit.bit
        ]
        found.append(source.coordinates(number + sum(ones), thread))
    return found


WHOLE = layout("1x4x2|reg:2*(0,0,1),4*(0,1,0)|lane:32*(0,0,0)|warp:4*(0,0,0)")
HALF = layout("8x4|reg:4*(0,1)|lane:8*(1,0),4*(0,0)|warp:4*(0,0)")
FOUND = [
    (WHOLE, layout("1x4x2|lane:2*(0,0,1),4*(0,1,0),4*(0,0,0)|warp:4*(0,0,0)"), 3),
    (WHOLE, layout("1x4x2|reg:2*(0,0,1)|lane:8*(0,0,0),4*(0,1,0)|warp:4*(0,0,0)"), 2),
    (WHOLE, layout("1x4x2|reg:2*(0,2,0)|lane:32*(0,0,0)|warp:2*(0,1,0),2*(0,0,1)"), 2),
    (WHOLE, layout("1x4x2|reg:4*(0,1,0),2*(0,0,1)|lane:32*(0,0,0)|warp:4*(0,0,0)"), 0),
    (HALF, layout("8x4|reg:2*(0,1)|lane:8*(1,0),2*(0,0),2*(0,2)|warp:4*(0,0)"), 1),
    (HALF, layout("8x4|lane:8*(1,0),4*(0,0)|warp:4*(0,1)"), 2),
]


@pytest.mark.parametrize(("source", "target", "digits"), FOUND, ids=str)
def test_every_thread_picks_its_elements(source, target, digits):
    picks = find_picks(source, target)
    assert picks is not None
    assert len(picks.digits) == digits
    assert picks.selects == target.num_registers * (2**digits - 1)
    for thread in range(LANES * WARPS):
        wanted = [target.coordinates(number, thread) for number in range(target.num_registers)]
        assert picked(source, picks, thread) == wanted


@pytest.mark.parametrize(
    ("source", "target"),
    [
        # A lane has a part of the rows, and would need another one.
        (HALF, layout("8x4|reg:4*(0,1)|lane:4*(0,0),8*(1,0)|warp:4*(0,0)")),
        (HALF, layout("8x4|reg:8*(1,0),4*(0,1)|lane:32*(0,0)|warp:4*(0,0)")),
        # Another number of threads.
        (WHOLE, layout("1x4x2|lane:2*(0,0,1),4*(0,1,0),4*(0,0,0)|warp:2*(0,0,0)")),
        # A view.
        (WHOLE, layout("8|lane:8*(1),4*(0)|warp:4*(0)")),
    ],
    ids=str,
)
def test_what_takes_more_goes_another_way(source, target):
    assert find_picks(source, target) is None


def test_many_digits_would_take_many_selects():
    lanes = MAX_DIGITS + 1
    source = layout(f"{2**lanes}|reg:{2**lanes}*(1)|lane:32*(0)")
    target = layout(f"{2**lanes}|lane:{2**lanes}*(1),{LANES // 2**lanes}*(0)")
    assert find_picks(source, target) is None
