"""Faults in loops whose warpgroups pass operands on to the next round."""

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

SIZE = {"BD": 128, "BM": 64, "causal": 0}
FIRST, LOOP = 0, 1
"""The fill before the rotated loop, and that of a round."""


@pytest.fixture(scope="module")
def gradients() -> str:
    """Take the example that multiplies the gradients of scores by K a round later."""
    return before_the_check(size=SIZE, example="attention_backward")


def dropped_fill(operation: str, number: int):
    """Return an edit that drops the use of an operation that fills the ring of a round.

    Args:
        operation: Its name.
        number: `FIRST` or `LOOP`.
    """

    def edit(text):
        lines = text.splitlines()
        publish = lines_of(text, "ring_publish")[number]
        (*_, at) = (index for index in lines_of(text, operation) if index <= publish)
        return "\n".join(line for index, line in enumerate(lines) if index != at)

    return edit


FAULTS = {
    "not published": (without("ring_publish"), "deadlock"),
    "the first one is not published": (dropped_fill("ring_publish", FIRST), "deadlock"),
    "published twice": (
        lambda text: text.replace(
            line := text.splitlines()[lines_of(text, "ring_publish")[LOOP]], f"{line}\n{line}", 1
        ),
        "may be two phases late at a barrier",
    ),
    "published before the store": (
        moved("ring_publish", LOOP, "ring_acquire", -1),
        "a tile is read before the write",
    ),
    "not fenced": (dropped_fill("fence_proxy", LOOP), "no proxy fence"),
    "the first one is not fenced": (dropped_fill("fence_proxy", FIRST), "no proxy fence"),
    "not acquired": (dropped_fill("ring_acquire", LOOP), "may be overwritten while"),
    "not stored": (dropped_fill("store_shared", LOOP), "a slot is read that does not hold"),
    "not released": (without("ring_release", -1), "deadlock"),
}


def test_the_example_is_right(gradients):
    verify(gradients)
    assert len(lines_of(gradients, "ring_publish")) == 2


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_fault(gradients, fault):
    check_fault(gradients, fault)


def test_one_warp_too_many(gradients):
    lines = gradients.splitlines()
    barriers = [lines[index] for index in lines_of(gradients, "alloc_mbarrier")]
    found = [n for n, line in enumerate(barriers) if "count = 8" in line and "slots = 2" in line]
    _, full, _ = found  # between the empty barriers of the loads and of the ring itself
    check_fault(gradients, (changed("alloc_mbarrier", full, "count = 8", "count = 9"), "deadlock"))
