"""Lower TMA loads, stores and prefetches to descriptors, asynchronous copies and byte counts.

Before:  ring_acquire; %a = tiled_load %r[%i, %j] <tma>; ring_fill %a, %slot; ring_commit
After:   ring_acquire; %bar = ring_barrier
         mbarrier_arrive_expect_tx %bar {tx_count = 32768}
         async_tiled_tma_load %desc, %slot[%i, %j],      %bar {tx_count = 16384, box_index = 0}
         async_tiled_tma_load %desc, %slot[%i, %j + 64], %bar {tx_count = 16384, box_index = 1}

The pass has eight phases:

1. Require the kernel spec.
2. Find the accesses by their copy atom.
3. Give each distinct (array, box, swizzle, direction) a number, `tmaIdx`.
4. Make each descriptor once, above the roles.
5. Replace each access by one asynchronous operation per box.
6. Replace each commit by one arrival, which expects the bytes of all boxes of the slot.
7. Move each wait for a store down to the next use of its staging buffer, or to the end of the role.
8. Check that no access is left.

Coordinates stay outermost first. The bytes of a row of an array may not be a multiple of 16, and
TMA would write whole units of 16 bytes at its end. So a store whose tile may hold the end of such a
row, or may begin before the array, gets a second way, chosen at run time: the threads store the
tile from the staging buffer (`copy_out`). If a memory token orders the store and other accesses, a
`store_token` after the `bulk_commit` keeps the order.

For a part (`per_warpgroup`, from `nv-tileas-lower-epilogue`), all of this happens in each
warpgroup: it has its own tile of the staging buffer (`warpgroup_view`) and its own barrier, and its
first thread copies, commits and waits.

Of a tile that is shared in a cluster, each CTA loads its own run of boxes and sends them to all:

    multicast_axis = 0  %first = %j + cluster_coord {axis = 0} * 128
                        async_tiled_tma_load %desc, %slot[%i, %first], %bar
                            {multicast_axis = 0, box_index = 0, ...}

`tx_count` is still that of the full slot, because the boxes of the other CTAs also complete on this
barrier.

Options:
    stream_results: 1 marks stores so that L2 evicts their data first.
    l2_promotion: Bytes that loads bring into L2 at a time, if a row of their tile takes several
        boxes, or the next round of their loop goes on along the contiguous axis; 128 for others.
"""

from typing import Any

from tilec.dialects.nv_tileas import (
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaPrefetchOp,
    ClusterCoordOp,
    MBarrierArriveExpectTxOp,
    RingBarrierOp,
    SharedTileType,
)
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant, i64
from tilec.ir.removal import erase
from tilec.ir.structured import body_operations
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.facts.slices import array_coordinates
from tilec.passes.analysis.kernels import (
    cluster_of_spec,
    is_tiled_access,
    kernel_operations,
    kernel_roles,
    read_spec,
    reject,
    tiled_access,
)
from tilec.passes.analysis.protocol.counts import MAX_TX_COUNT, slot_tx_count
from tilec.passes.analysis.tma.multicast import multicast_axis, set_multicast_axis, share_axis
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.tma.tma_kernel import TmaKernel, box_coordinates
from tilec.passes.transforms.nv_tileas.tma.tma_stores import drain_stores, lower_store
from tilec.plan.copies import PROMOTION
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass

NAME = "lower-tma-load-store-to-async"


@register_kernel_pass(NAME)
def lower_tma_load_store_to_async(function: Any, context: PassContext) -> None:
    """Lower tiled loads and stores with a TMA atom to async tiled copies."""
    spec = read_spec(function)
    if spec is None:
        raise InternalCompilerError(
            "LowerTMALoadStoreToAsync: missing or invalid KernelSpecAttr on function",
            pass_name=NAME,
            op=function.name,
        )
    ops = kernel_operations(function)
    roles = next(iter(kernel_roles(function)), None)
    if roles is None:
        return
    warpgroups = roles.opview.consumer_warps.value // WARPGROUP_WARPS
    streams = spec.get("stream_results", False)
    metadata, cluster = read_kernel_metadata(function), cluster_of_spec(spec)
    promotion = spec.get("l2_promotion", PROMOTION)
    kernel = TmaKernel(function, metadata, roles, warpgroups, cluster, streams, promotion)
    stores = [op for op in ops if _is_tma_store(op)]
    prefetches = [op for op in ops if op.name == "nv_tileas.prefetch" and tiled_access(op).uses_tma]
    for commit in [op for op in ops if op.name == "nv_tileas.ring_commit"]:
        _lower_slot(commit, kernel)
    for store in stores:
        lower_store(store, kernel)
    for prefetch in prefetches:
        _lower_prefetch(prefetch, kernel)
    drain_stores(roles)
    _check_nothing_left(function)


def _is_tma_store(op: Any) -> bool:
    return op.name == "nv_tileas.tiled_store" and tiled_access(op).uses_tma


def _lower_prefetch(prefetch: Any, kernel: TmaKernel) -> None:
    """Ask for each box of a tile."""
    access = tiled_access(prefetch)
    tile_type = access.tile_type
    layout = prefetch.attributes["shared_layout"]
    slot_type = SharedTileType.of(tuple(tile_type.shape), tile_type.element_type, layout)
    descriptor, index = kernel.descriptor(access, slot_type, "load")
    with ir.InsertionPoint(prefetch), prefetch.location:
        begin = array_coordinates(access.view, access.coords)
        number = i64(index)
        for coords in box_coordinates(begin, slot_type):
            AsyncTiledTmaPrefetchOp(descriptor=descriptor, coords=coords, tmaIdx=number)
    erase(prefetch)


def _lower_slot(commit: Any, kernel: TmaKernel) -> None:
    """Fill one slot: announce the bytes of all its boxes, then start one copy per box."""
    ring, position = commit.operands
    fills = [op for op in body_operations(commit.block) if op.name == "nv_tileas.ring_fill"]
    own = [fill for fill in fills if _position(fill) == position]
    layouts = [layout_of_shared(fill.operands[1].type) for fill in own]
    tx_count = slot_tx_count(layouts)
    loads = [fill.operands[0].owner.operation for fill in own]
    if tx_count > MAX_TX_COUNT:
        raise reject(
            loads[0],
            "T0531",
            f"one slot of this ring holds {tx_count} bytes, but a barrier phase counts at most"
            f" {MAX_TX_COUNT}",
            "use smaller tiles",
        )
    with ir.InsertionPoint(loads[0]), loads[0].location:
        barrier = RingBarrierOp.build(ring, position)
        MBarrierArriveExpectTxOp(barrier=barrier, tx_count=i64(tx_count))
    for fill in own:
        _start_copies(fill, barrier, kernel)
    erase(commit)


def _start_copies(fill: Any, barrier: Any, kernel: TmaKernel) -> None:
    """Start one copy per box of a tile that completes on `barrier`."""
    load, slot = fill.operands[0].owner.operation, fill.operands[1]
    access = tiled_access(load)
    descriptor, index = kernel.descriptor(access, slot.type, "load")
    with ir.InsertionPoint(fill), load.location:
        coords = array_coordinates(access.view, access.coords)
        share = _share(load, coords, slot.type, kernel.cluster)
        for number, coords in enumerate(share.boxes):
            copy = AsyncTiledTmaLoadOp(
                descriptor=descriptor,
                destination=slot,
                coords=coords,
                barrier=barrier,
                box_index=i64(number),
                tx_count=i64(layout_of_shared(slot.type).box_bytes),
                tmaIdx=i64(index),
            )
            share.mark(copy)
    erase(fill)
    erase(load)


@dataclass(frozen=True)
class _Share:
    """The boxes of a tile that this CTA loads, for itself or for all that share the tile.

    Attributes:
        boxes: Element coordinates of each box.
        axis: Cluster axis along which CTAs share the tile; None when they do not.
        cluster: Rows and columns of the cluster.
    """

    boxes: list[list[Any]]
    axis: int | None
    cluster: tuple[int, int]

    def mark(self, copy: Any) -> None:
        """Send what `copy` loads to all CTAs that share the tile."""
        if self.axis is not None:
            set_multicast_axis(copy, self.axis)
            copy.attributes["cluster"] = ir.DenseI64ArrayAttr.get(list(self.cluster))


def _share(load: Any, coords: tuple[Any, ...], slot_type: Any, cluster: tuple[int, int]) -> _Share:
    """Return what this CTA loads of the tile at `coords`, emitting the coordinates."""
    axis = multicast_axis(load)
    if axis is None:
        return _Share(box_coordinates(coords, slot_type), None, cluster)
    layout, peers = layout_of_shared(slot_type), cluster[axis]
    divided = share_axis(layout, peers)
    if divided is None:
        raise InternalCompilerError(
            f"{peers} CTAs cannot divide {layout.box_count} boxes", pass_name=NAME, op=str(load)
        )
    extent = constant(layout.shape[divided] // peers)
    start = list(coords)
    shift = arith.muli(ClusterCoordOp.build(axis, cluster), extent)
    start[divided] = arith.addi(start[divided], shift)
    boxes = box_coordinates(tuple(start), slot_type, layout.box_count // peers)
    return _Share(boxes, axis, cluster)


def _position(fill: Any) -> Any:
    return fill.operands[1].owner.operation.operands[1]


def _check_nothing_left(function: Any) -> None:
    for op in kernel_operations(function):
        if op.name in ("nv_tileas.ring_fill", "nv_tileas.ring_commit") or (
            is_tiled_access(op) and tiled_access(op).uses_tma
        ):
            raise InternalCompilerError(
                "failed to get expected tx-count"
                if op.name.startswith("nv_tileas.ring")
                else "failed to find smem buffer address for mbarrier",
                pass_name=NAME,
                op=str(op),
            )
