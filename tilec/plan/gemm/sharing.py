"""When to consider that the CTAs of a cluster share what they load. Pure Python."""

from tilec.plan import machine
from tilec.plan.gemm.model import GemmCost
from tilec.plan.gemm.tile import GemmTile, shares_divide


def may_share(
    tile: GemmTile, alone: GemmCost, extents: tuple[int, ...], contiguous: tuple[bool, bool]
) -> bool:
    """Tell whether to consider that the CTAs of the cluster of a tile share operands.

    With a computed A in registers, they gained 9% where K of the weights is contiguous; with N
    contiguous, where shared memory is busier than the tensor cores, they lost 10% (4096^3, weights
    of 8 bits, H100, docs/measurements/2026-11-26-w8a16.md).

    Args:
        tile: The tile in the cluster.
        alone: What it costs without.
        extents: M, N and K of the product.
        contiguous: Whether M is contiguous in A, and N in B; else K is.
    """
    along_m, along_n = tile.cluster
    has_all = tile.m < extents[0] <= tile.m * along_m
    if tile.held_elements:
        loses = tile.m <= machine.MMA_ROWS or alone.shared > alone.tensor
        stays = loses
    else:
        stays = tile.is_swapped and (along_n > 1 or alone.waves > 1 or not has_all)
    divides = shares_divide(tile, contiguous, cut=not tile.pingpong)
    stays = stays or tile.sharing == (1, 1)
    return not stays and divides and _fills_cluster(tile, extents)


def _fills_cluster(tile: GemmTile, extents: tuple[int, ...]) -> bool:
    """Tell whether the product has a tile for each CTA of the cluster."""
    tiles = zip(extents, (tile.m, tile.n), tile.cluster, strict=False)
    return all(-(-extent // size) >= peers for extent, size, peers in tiles)
