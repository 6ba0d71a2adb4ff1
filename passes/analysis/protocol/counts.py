"""Arrival and byte counts of rings, derived in one place.

Every pass that builds a barrier and every check of one calls these functions; no other code
writes such a number.
"""

from collections.abc import Iterable
from functools import lru_cache

from tilec.layout import SharedLayout
from tilec.layout.modes import WARP_LANES

MAX_TX_COUNT = (1 << 20) - 1
"""Bytes that one barrier phase can expect (PTX ISA, mbarrier tx-count range)."""


def full_arrivals() -> int:
    """Return the arrivals that complete a full barrier: the producer's `arrive.expect_tx`."""
    return 1


def copy_arrivals(warps: int) -> int:
    """Return the arrivals that complete a full barrier of slots which `warps` warps copy into.

    Every thread arrives once its copies are there (PTX ISA, cp.async.mbarrier.arrive.noinc).
    """
    return warps * WARP_LANES


def store_arrivals(warps: int) -> int:
    """Return the arrivals that complete a full barrier of slots which `warps` warps store into."""
    return warps


def empty_arrivals(consumer_warps: int, ctas: int = 1) -> int:
    """Return the arrivals that complete an empty barrier.

    One for each consumer warp of each of the `ctas` whose slots the producer fills.
    """
    return consumer_warps * ctas


@lru_cache(maxsize=64)
def ring_peers(cluster: tuple[int, int], axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Return the ranks of the CTAs that share tiles with CTA `rank`, itself first.

    Args:
        cluster: Rows and columns of CTAs; rank = row + column * rows.
        axes: Cluster axes along which CTAs share tiles: 0 along the rows, 1 along the columns.
        rank: Rank of the CTA.
    """
    rows, columns = cluster
    row, column = rank % rows, rank // rows
    peers = [rank]
    if 0 in axes:
        peers += [other + column * rows for other in range(rows) if other != row]
    if 1 in axes:
        peers += [row + other * rows for other in range(columns) if other != column]
    return tuple(peers)


def slot_tx_count(slots: Iterable[SharedLayout]) -> int:
    """Return the bytes that fill one slot: the sum of the boxes of its tiles."""
    return sum(layout.transfer_bytes for layout in slots)


def gather_tx_count(sizes: Iterable[int]) -> int:
    """Return the bytes that the CTAs of a cluster send to each of them, itself included.

    Args:
        sizes: Bytes of the tiles that they put together.
    """
    return sum(sizes)
