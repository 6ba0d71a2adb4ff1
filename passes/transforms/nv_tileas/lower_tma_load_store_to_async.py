"""Lower tiled loads and stores with a TMA witness to asynchronous copies.

Before:  ring_acquire; %a = tiled_load %view[%m, %k] <tma>; ring_fill %a, %slot; ring_commit
After:   ring_acquire; %bar = ring_barrier; mbarrier_arrive_expect_tx %bar {tx_count = 32768}
         async_tiled_tma_load %desc, %slot[%m, %k], %bar {tx_count = 16384, box_index = 0}
         async_tiled_tma_load %desc, %slot[%m, %k + 64], %bar {tx_count = 16384, box_index = 1}

Eight phases: (1) the kernel spec must be there; (2) eligible operations are found by their
witness; (3) each distinct (array, box, swizzle, direction) gets a `tmaIdx`; (4) its descriptor is
made once, above the roles; (5) loads and stores become one async operation per box; (6) each
commit becomes one arrival that expects the bytes of all boxes of the slot; (7) waits for stores
sink to the next use of their staging buffer or the end of the role, and a store that TMA would
carry past the end of a row is left to the threads (`copy_out`); (8) nothing may be left over.
Coordinates stay outer-first.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tilec.diagnostics import InternalCompilerError
from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaStoreOp,
    BarrierOp,
    BulkCommitOp,
    BulkWaitOp,
    ClusterCoordOp,
    CopyOutOp,
    FenceProxyOp,
    MakeTiledTmaDescOp,
    MBarrierArriveExpectTxOp,
    RingBarrierOp,
    SharedTileType,
    StoreSharedOp,
    TmaDescriptorType,
)
from tilec.dialects.nv_tileas.epilogue_ops import (
    WarpgroupViewOp,
    is_per_warpgroup,
    mark_per_warpgroup,
)
from tilec.dialects.nv_tileas.memory_ops import CreateMemTokenOp
from tilec.dialects.nv_tileas.ring_ops import ring_of_position
from tilec.dialects.nv_tileas.tma_ops import BOX_ALIGNMENT_BYTES, element_bits
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import (
    body_operations,
    clone_operation,
    defining_operation,
    enclosing_loops,
    terminator,
    walk_operations,
)
from tilec.passes.analysis.descriptor_recipe import descriptor_recipe
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_functions,
    kernel_operations,
    read_spec,
    reject,
    tiled_access,
)
from tilec.passes.analysis.multicast import multicast_axis, set_multicast_axis, share_axis
from tilec.passes.analysis.protocol import MAX_TX_COUNT, slot_tx_count
from tilec.passes.analysis.shared_layouts import layout_of_shared
from tilec.passes.registry import PassContext, register_pass

NAME = "lower-tma-load-store-to-async"
WARPGROUP_WARPS = 4


@dataclass
class _Kernel:
    """What the loads and stores of one kernel share.

    Attributes:
        function: The kernel.
        roles: Its `roles` operation; what all roles use is made in front of it.
        warpgroups: Warpgroups of the consumer role.
        cluster: Rows and columns of CTAs of a cluster.
        descriptors: Descriptor and its number by what it describes.
        staging: Buffer of a group of stores by its number, and the slots used so far.
    """

    function: Any
    roles: Any
    warpgroups: int
    cluster: tuple[int, int]
    descriptors: dict[str, Any] = field(default_factory=dict)
    staging: dict[int, tuple[Any, set[int]]] = field(default_factory=dict)

    def descriptor(self, access: Any, slot_type: Any, mode: str) -> tuple[Any, int]:
        """Return the descriptor for an access through tiles of `slot_type`, and its index."""
        layout = layout_of_shared(slot_type)
        recipe = descriptor_recipe(access.view, self.function)
        key = f"{recipe}|{layout.box}|{layout.swizzle.value}|{mode}"
        if key not in self.descriptors:
            made = self._make(access, layout, slot_type, mode)
            self.descriptors[key] = (made, len(self.descriptors))
        return self.descriptors[key]

    def _make(self, access: Any, layout: Any, slot_type: Any, mode: str) -> Any:
        i64 = ir.IntegerType.get_signless(64)
        with ir.InsertionPoint(self.roles), access.op.location:
            view = access.view
            memref = defining_operation(view)
            if memref.block != self.roles.block:
                view = clone_operation(memref, {}).results[0]
            return MakeTiledTmaDescOp(
                view=view,
                descriptor=TmaDescriptorType.of(layout.box, slot_type.element_type),
                box=ir.DenseI64ArrayAttr.get(list(layout.box)),
                swizzle=ir.IntegerAttr.get(i64, layout.swizzle.value),
                tmaIdx=ir.IntegerAttr.get(i64, len(self.descriptors)),
                mode=ir.StringAttr.get(mode),
            ).descriptor


@register_pass(NAME)
def lower_tma_load_store_to_async(module: Any, context: PassContext) -> None:
    """Lower tiled loads and stores with a TMA atom to async tiled copies."""
    for function in kernel_functions(module):
        spec = read_spec(function)
        if spec is None:
            raise InternalCompilerError(
                "LowerTMALoadStoreToAsync: missing or invalid KernelSpecAttr on function",
                pass_name=NAME,
                op=function.name,
            )
        ops = kernel_operations(function)
        roles = next((op for op in ops if op.name == "nv_tileas.roles"), None)
        if roles is None:
            continue
        warpgroups = roles.opview.consumer_warps.value // WARPGROUP_WARPS
        rows, columns, *_ = spec.get("cluster", (1, 1))
        kernel = _Kernel(function, roles, warpgroups, (rows, columns))
        stores = [op for op in ops if _is_tma_store(op)]
        for commit in [op for op in ops if op.name == "nv_tileas.ring_commit"]:
            _lower_slot(commit, kernel)
        for store in stores:
            _lower_store(store, kernel)
        _drain_stores(roles)
        _check_nothing_left(function)


def _is_tma_store(op: Any) -> bool:
    return op.name == "nv_tileas.tiled_store" and tiled_access(op).uses_tma


def _lower_slot(commit: Any, kernel: _Kernel) -> None:
    """Fill one slot: announce the bytes of all its boxes, then start one copy per box."""
    ring, position = commit.operands
    i64 = ir.IntegerType.get_signless(64)
    fills = [op for op in body_operations(commit.block) if op.name == "nv_tileas.ring_fill"]
    own = [fill for fill in fills if ring_of_position(_position(fill)) == ring]
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
        MBarrierArriveExpectTxOp(barrier=barrier, tx_count=ir.IntegerAttr.get(i64, tx_count))
    for fill, load in zip(own, loads, strict=True):
        access = tiled_access(load)
        slot = fill.operands[1]
        descriptor, index = kernel.descriptor(access, slot.type, "load")
        with ir.InsertionPoint(fill), load.location:
            share = _share(load, access.coords, slot.type, kernel.cluster)
            for number, coords in enumerate(share.boxes):
                copy = AsyncTiledTmaLoadOp(
                    descriptor=descriptor,
                    destination=slot,
                    coords=coords,
                    barrier=barrier,
                    box_index=ir.IntegerAttr.get(i64, number),
                    tx_count=ir.IntegerAttr.get(i64, layout_of_shared(slot.type).box_bytes),
                    tmaIdx=ir.IntegerAttr.get(i64, index),
                )
                share.mark(copy)
        fill.erase()
        load.erase()
    commit.erase()


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
        return _Share(_box_coordinates(coords, slot_type), None, cluster)
    layout, peers = layout_of_shared(slot_type), cluster[axis]
    divided = share_axis(layout, peers)
    if divided is None:
        raise InternalCompilerError(
            f"{peers} CTAs cannot divide {layout.box_count} boxes", pass_name=NAME, op=str(load)
        )
    i32 = ir.IntegerType.get_signless(32)
    extent = arith.constant(i32, layout.shape[divided] // peers)
    start = list(coords)
    shift = arith.muli(ClusterCoordOp.build(axis, cluster), extent)
    start[divided] = arith.addi(start[divided], shift)
    boxes = _box_coordinates(tuple(start), slot_type, layout.box_count // peers)
    return _Share(boxes, axis, cluster)


def _position(fill: Any) -> Any:
    return fill.operands[1].owner.operation.operands[1]


def _box_coordinates(
    coords: tuple[Any, ...], slot_type: Any, count: int | None = None
) -> list[list[Any]]:
    """Return the element coordinates of the boxes of a tile at `coords`, emitting additions.

    `count` limits them to the first ones.
    """
    i32 = ir.IntegerType.get_signless(32)
    return [
        [
            arith.addi(coord, arith.constant(i32, offset)) if offset else coord
            for coord, offset in zip(coords, corner, strict=True)
        ]
        for _, corner in layout_of_shared(slot_type).boxes()[:count]
    ]


@dataclass(frozen=True)
class _Staging:
    """The shared-memory tile that a store goes through.

    Attributes:
        tile: The tile.
        pending: Stores that may be running when the tile is written again.
        per_warpgroup: Whether each warpgroup stages and stores for itself.
        is_reused: Whether a copy out of the tile may be running when the store begins.
    """

    tile: Any
    pending: int
    per_warpgroup: bool
    is_reused: bool

    def mark(self, *ops: Any) -> None:
        """Let each warpgroup perform `ops` for itself where it stages for itself."""
        for op in ops if self.per_warpgroup else ():
            mark_per_warpgroup(op)


def _stage(store: Any, slot_type: Any, kernel: _Kernel) -> _Staging:
    """Return the staging tile of a store, made above the roles when it is the first of its kind."""
    i64 = ir.IntegerType.get_signless(64)

    def allocate(slots: int) -> Any:
        with ir.InsertionPoint(kernel.roles), store.location:
            return AllocSharedOp(buffer=slot_type, slots=ir.IntegerAttr.get(i64, slots)).buffer

    in_loop = bool(enclosing_loops(store))
    if not is_per_warpgroup(store):
        return _Staging(allocate(1), 0, per_warpgroup=False, is_reused=in_loop)
    group, slot, slots, pending = (
        ir.IntegerAttr(store.attributes[f"staging_{name}"]).value
        for name in ("group", "slot", "slots", "pending")
    )
    if group not in kernel.staging:
        kernel.staging[group] = (allocate(slots * kernel.warpgroups), set())
    buffer, used = kernel.staging[group]
    with ir.InsertionPoint(store), store.location:
        tile = WarpgroupViewOp.build(buffer, slot, slots)
    reused = in_loop or slot in used
    used.add(slot)
    return _Staging(tile, pending, per_warpgroup=True, is_reused=reused)


def _lower_store(store: Any, kernel: _Kernel) -> None:
    """Stage the tile in shared memory, then let one thread start one copy per box."""
    access = tiled_access(store)
    tile = access.tile_type
    slot_type = SharedTileType.of(
        tuple(tile.shape), tile.element_type, store.attributes["shared_layout"]
    )
    staging = _stage(store, slot_type, kernel)
    descriptor, index = kernel.descriptor(access, slot_type, "store")
    with ir.InsertionPoint(store), store.location:
        if staging.is_reused:
            staging.mark(_wait_for_stores(staging.pending), BarrierOp())
        StoreSharedOp(tile=access.value, destination=staging.tile)
        FenceProxyOp(space=ir.StringAttr.get("shared"))
        staging.mark(BarrierOp())
        fits = _row_fits(access) if _may_overrun(access) else None
        with _branch(fits, access, staging):
            _copy_boxes(access, staging, descriptor, index)
        # Behind the branch: waits count groups, so every store closes one.
        staging.mark(BulkCommitOp())
    _replace_token(store)
    store.erase()


def _copy_boxes(access: TiledAccess, staging: _Staging, descriptor: Any, index: int) -> None:
    """Start one copy per box of a staged tile."""
    i64 = ir.IntegerType.get_signless(64)
    for number, coords in enumerate(_box_coordinates(access.coords, staging.tile.type)):
        copy = AsyncTiledTmaStoreOp(
            descriptor=descriptor,
            source=staging.tile,
            coords=coords,
            box_index=ir.IntegerAttr.get(i64, number),
            tmaIdx=ir.IntegerAttr.get(i64, index),
        )
        staging.mark(copy)


def _may_overrun(access: TiledAccess) -> bool:
    """Tell whether a row of the array may end in the middle of 16 bytes inside the tile.

    TMA drops out-of-bounds elements of a store in units of 16 bytes of the innermost dimension: up
    to 14 bytes behind the end of a row are overwritten otherwise (measured on an H200, driver 580,
    2026-11-21: N = 257 in bf16 changed 7 elements behind each row). Loads are exact.
    """
    if access.op.opview.in_bounds[-1]:
        return False
    memref = defining_operation(access.view)
    known = "size_div_by" in memref.attributes
    divisor = list(memref.attributes["size_div_by"])[-1] if known else 1
    return bool(divisor * _element_bytes(access) % BOX_ALIGNMENT_BYTES)


def _element_bytes(access: TiledAccess) -> int:
    return element_bits(access.tile_type.element_type) // 8


def _row_fits(access: TiledAccess) -> Any:
    """Emit whether TMA may store the tile: it is not the row's last one, or the row ends well."""
    i32 = ir.IntegerType.get_signless(32)
    memref = defining_operation(access.view).opview
    extent = memref.memref.type.shape[-1]
    length = list(memref.sizes)[-1] if extent is None else arith.constant(i32, extent)
    end = arith.addi(access.coords[-1], arith.constant(i32, access.tile_type.shape[-1]))
    inside = arith.cmpi(arith.CmpIPredicate.sle, end, length)
    unit = BOX_ALIGNMENT_BYTES // _element_bytes(access)
    rest = arith.remui(length, arith.constant(i32, unit))
    whole = arith.cmpi(arith.CmpIPredicate.eq, rest, arith.constant(i32, 0))
    return arith.ori(inside, whole)


@contextlib.contextmanager
def _branch(condition: Any, access: TiledAccess, staging: _Staging) -> Iterator[None]:
    """Emit into the body of `if condition`, whose else lets the threads copy the tile out."""
    if condition is None:
        yield
        return
    branch = scf.IfOp(condition, has_else=True)
    with ir.InsertionPoint(branch.then_block):
        yield
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block):
        staging.mark(CopyOutOp(source=staging.tile, memref=access.view, coords=list(access.coords)))
        scf.YieldOp([])


def _replace_token(store: Any) -> None:
    """Keep what is ordered behind the store well-formed: the barriers are there already."""
    if next(iter(store.results[0].uses), None) is None:
        return
    with ir.InsertionPoint(store), store.location:
        store.results[0].replace_all_uses_with(CreateMemTokenOp.build())


def _wait_for_stores(pending: int) -> Any:
    i64 = ir.IntegerType.get_signless(64)
    return BulkWaitOp(pending=ir.IntegerAttr.get(i64, pending), read=ir.BoolAttr.get(True))


def _drain_stores(roles: Any) -> None:
    """Keep the staging buffers alive until the last bulk store has read them."""
    block = roles.opview.consumer.blocks[0]
    commits = [op for op in walk_operations(block) if op.name == "nv_tileas.bulk_commit"]
    with ir.InsertionPoint(terminator(block)), roles.location:
        for per_warpgroup in sorted({is_per_warpgroup(op) for op in commits}):
            wait = _wait_for_stores(0)
            if per_warpgroup:
                mark_per_warpgroup(wait)


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
