"""What TMA takes for what lies outside of the arrays of a matrix multiply. Pure Python."""

from tilec.plan import machine
from tilec.plan.gemm.tile import GemmTile


def outside_cycles(tile: GemmTile, extents: tuple[int, ...], waves: int, peers: int) -> float:
    """Return the cycles in which TMA fills rows outside of A and of B in every k-tile.

    What CTAs share is filled in each of them.

    Args:
        tile: The tile.
        extents: M, N and K.
        waves: Rounds of tiles on the machine.
        peers: CTAs along M that wait for each other.
    """
    (along_m, along_n), together = tile.cluster, tile.together
    rows = together.a_tiles * along_n * _beyond(extents[0], tile.m, peers, waves)
    columns = together.b_tiles * along_m * _beyond(extents[1], tile.n, 1, waves)
    spans = -(-tile.k * tile.element_bytes // machine.SWIZZLE_BYTES)
    return (rows + columns) * spans * machine.OUTSIDE_ROW_CYCLES


def _beyond(extent: int, size: int, peers: int, waves: int) -> int:
    """Return how much of the last tile along an axis lies outside, where that makes others wait.

    Where all tiles run at the same time, those at the edge end last. Where an axis has many tiles,
    few of them are there, but peers of a cluster wait for them.
    """
    count = -(-extent // (size * peers)) * peers
    outside = count * size - extent
    most = machine.MOSTLY_OUTSIDE_TILES if 2 * outside > size else machine.OUTSIDE_TILES
    most = max(most, machine.OUTSIDE_PEERS) if peers > 1 else most
    return min(outside, size) if count <= (most if waves == 1 else 1) else 0
