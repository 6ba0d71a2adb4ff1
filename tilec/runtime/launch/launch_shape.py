"""How many blocks and clusters a launch has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from tilec.runtime.cuda.api import Driver, LaunchShape, LoadedKernel
from tilec.runtime.errors import launch_error
from tilec.runtime.launch.grid import MAX_BLOCKS, Grid


def persistent_blocks(tiles: int, slots: int, *, fill: bool = False) -> int:
    """Return how many blocks work off `tiles` when `slots` of them run at a time.

    The fewest that need no more rounds than all slots would: idle SMs save power. As many as can
    run (`fill`) if rounds are no measure of time: tiles differ in length, or memory bounds them.
    """
    if fill:
        return min(tiles, slots)
    rounds = -(-tiles // slots)
    return -(-tiles // rounds)


def whole_clusters(extents: Grid, cluster: Sequence[int]) -> Grid:
    """Return the grid with its last two extents rounded up to whole clusters.

    Args:
        extents: Tiles along every axis.
        cluster: Rows and columns of tiles that one cluster takes.
    """
    first = len(extents) - len(cluster)
    return tuple(
        -(-extent // cluster[axis - first]) * cluster[axis - first] if axis >= first else extent
        for axis, extent in enumerate(extents)
    )


def ctas_of_a_tile(metadata: Mapping[str, Any]) -> int:
    """Return how many blocks of a launch compute one tile together: those of a cluster, or 1."""
    ctas = prod(metadata.get("cluster", (1, 1, 1)))
    return ctas // prod(metadata.get("cluster_tiles", (ctas,)))


def launch_shape(
    driver: Driver, loaded: LoadedKernel, metadata: Mapping[str, Any], blocks: int
) -> LaunchShape:
    """Return the execution configuration for a kernel of `blocks` tiles.

    The blocks of a persistent kernel fit the GPU all at once, as a cooperative launch needs: the
    driver refuses it otherwise, instead of letting blocks wait for some that cannot start.

    Args:
        driver: Where the kernel runs.
        loaded: The kernel.
        metadata: Its metadata.
        blocks: Tiles of the grid in whole clusters; a persistent kernel gets fewer blocks. Tiles
            that are split along K count once for each split, and tiles that the blocks of a cluster
            compute together once for each of these.

    Raises:
        LaunchError: The tiles do not fill clusters, or are too many in whole ones (T0707).
        DeviceError: No cluster fits the GPU (T0809).
    """
    cluster = prod(metadata.get("cluster", (1, 1, 1)))
    if blocks % cluster:
        message = f"{metadata['name']}: {blocks} blocks do not fill clusters of {cluster}"
        raise launch_error("T0707", message)
    _check_count(metadata, blocks)
    shape = LaunchShape(
        blocks,
        metadata["block_threads"],
        (cluster, 1, 1),
        metadata.get("shared_bytes", 0),
        metadata.get("dependent_launch", False),
        metadata.get("cooperative_launch", False),
    )
    if not metadata.get("persistent", False):
        return shape
    one_each = driver.device(loaded.device).sm_count * _blocks_per_sm(metadata)
    slots = driver.active_clusters(loaded, shape) if cluster > 1 else one_each
    _check_count(metadata, blocks, blocks_at_a_time=slots * cluster)
    count = persistent_blocks(blocks // cluster, slots, fill=_fills(metadata))
    return replace(shape, blocks=count * cluster)


def _blocks_per_sm(metadata: Mapping[str, Any]) -> int:
    """Return how many CTAs were planned for an SM."""
    return metadata.get("plan", {}).get("blocks_per_sm", 1)


def _fills(metadata: Mapping[str, Any]) -> bool:
    """Tell whether rounds of tiles say nothing about the time of a kernel."""
    plan = metadata.get("plan", {})
    return any(plan.get(name, False) for name in ("balance_tiles", "order_tiles", "fill_gpu"))


def _check_count(metadata: Mapping[str, Any], blocks: int, blocks_at_a_time: int = 0) -> None:
    """Refuse more tiles than have a number in 31 bits, the number after the last one included.

    A block of a persistent kernel ends when the number of its next tile is too large, which is that
    of a tile plus the number of blocks that run at a time.
    """
    limit = MAX_BLOCKS - blocks_at_a_time
    if blocks > limit:
        tiles = "tiles in whole clusters, counted once for each split of K,"
        raise launch_error(
            "T0707", f"{metadata['name']}: {blocks} {tiles} are too many; the limit is {limit}"
        )
