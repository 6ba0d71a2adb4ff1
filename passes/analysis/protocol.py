"""Arrival and byte counts of rings, derived in one place.

Every pass that builds a barrier and every check of one calls these functions; no other code
writes such a number.
"""

from collections.abc import Iterable

from tilec.layout import SharedLayout

MAX_TX_COUNT = (1 << 20) - 1
"""Bytes that one barrier phase can expect (PTX ISA, mbarrier tx-count range)."""


def full_arrivals() -> int:
    """Return the arrivals that complete a full barrier: the producer's `arrive.expect_tx`."""
    return 1


def empty_arrivals(consumer_warps: int) -> int:
    """Return the arrivals that complete an empty barrier: one for each consumer warp."""
    return consumer_warps


def slot_tx_count(slots: Iterable[SharedLayout]) -> int:
    """Return the bytes that fill one slot: the sum of the boxes of its tiles."""
    return sum(layout.transfer_bytes for layout in slots)
