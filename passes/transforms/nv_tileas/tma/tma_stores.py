"""Lowering of TMA stores: staging in shared memory, the copies, and the waits for them."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from tilec.dialects.common.accesses import combination
from tilec.dialects.common.element_access import COMBINE
from tilec.dialects.cute.registry import UNSIGNED_MODES
from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    AsyncTiledTmaStoreOp,
    BarrierOp,
    BulkCommitOp,
    BulkWaitOp,
    CopyOutOp,
    FenceProxyOp,
    SharedTileType,
    StoreSharedOp,
    StoreTokenOp,
)
from tilec.dialects.nv_tileas.epilogue_ops import (
    WarpgroupViewOp,
    is_per_warpgroup,
    mark_per_warpgroup,
)
from tilec.dialects.nv_tileas.tma_ops import (
    BOX_ALIGNMENT_BYTES,
    CACHE_HINT,
    EVICT_FIRST,
    element_bits,
)
from tilec.ir.attributes import integer, integer_or
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import constant, equal, i64
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import defining_operation, enclosing_loops, terminator
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.memory_tokens import trace_token
from tilec.passes.analysis.facts.slices import array_coordinates, extents_of, sliced_dims
from tilec.passes.analysis.kernels import TiledAccess, tiled_access
from tilec.passes.analysis.schedule.marks import copy_of
from tilec.passes.transforms.nv_tileas.epilogue.store_parts import StagingStep
from tilec.passes.transforms.nv_tileas.tma.tma_kernel import TmaKernel, box_coordinates
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class _Staging:
    """The shared-memory tile that a store goes through.

    Attributes:
        tile: The tile.
        pending: Stores that may be running when the tile is written again.
        per_warpgroup: Whether each warpgroup stages and stores for itself.
        opens: Whether the store is the first one of its batch and the first step of its tile, which
            waits for the slots.
        closes: Whether it is the last one, after which all of them are copied out.
        is_reused: Whether a copy out of the tile may be running when the store begins.
    """

    tile: Any
    pending: int
    per_warpgroup: bool
    is_reused: bool
    opens: bool = True
    closes: bool = True

    def mark(self, *ops: Any) -> None:
        """Let each warpgroup perform `ops` for itself where it stages for itself."""
        for op in ops if self.per_warpgroup else ():
            mark_per_warpgroup(op)


@dataclass(frozen=True)
class _Written:
    """A store whose tile is in shared memory, the descriptor for its copies and its number."""

    access: TiledAccess
    staging: _Staging
    descriptor: Any
    index: int


def _stage(store: Any, step: StagingStep, slot_type: Any, kernel: TmaKernel) -> _Staging:
    """Return the staging tile of a store, made above the roles when it is the first of its kind."""

    def allocate(slots: int) -> Any:
        with ir.InsertionPoint(kernel.roles), store.location:
            return AllocSharedOp.build(slot_type, slots)

    in_loop = bool(enclosing_loops(store))
    if not is_per_warpgroup(store):
        copy = copy_of(store)
        one = ("store", len(kernel.staging)) if copy is None else ("copies", copy)
        reused = in_loop or one in kernel.staging
        if one not in kernel.staging:
            kernel.staging[one] = (allocate(1), set())
        return _Staging(kernel.staging[one][0], 0, per_warpgroup=False, is_reused=reused)
    group, slot, slots, pending = (
        integer(store, f"staging_{name}") for name in ("group", "slot", "slots", "pending")
    )
    if group not in kernel.staging:
        kernel.staging[group] = (allocate(slots * kernel.consumers), set())
    buffer, used = kernel.staging[group]
    with ir.InsertionPoint(store), store.location:
        tile = WarpgroupViewOp.build(buffer, slot, slots, slot_type)
    reused = in_loop or slot in used
    used.add(slot)
    place, size = integer_or(store, "staging_place", 0), integer_or(store, "staging_batch", 1)
    return _Staging(
        tile,
        pending,
        per_warpgroup=True,
        is_reused=reused,
        opens=place == 0 and step.is_first,
        closes=place == size - 1 and step.is_last,
    )


def lower_store(store: Any, kernel: TmaKernel) -> None:
    """Stage the tile in shared memory, then let one thread start one copy per box.

    The tiles of a batch are all staged before the first one is copied, as are the steps of a tile.
    """
    access, step = tiled_access(store), StagingStep.of(store)
    element = access.tile_type.element_type
    slot_type = SharedTileType.of(step.shape, element, store.attributes["shared_layout"])
    staging = _stage(store, step, slot_type, kernel)
    mode = combination(store)
    compares = mode is None or mode in UNSIGNED_MODES  # or only copies
    descriptor, index = kernel.descriptor(access, slot_type, "store" if compares else COMBINE)
    with ir.InsertionPoint(store), store.location:
        if staging.is_reused and staging.opens:
            staging.mark(_wait_for_stores(staging.pending), BarrierOp())
        written = StoreSharedOp(tile=access.value, destination=staging.tile)
        if not step.is_whole:
            written.attributes["origin"] = ir.DenseI64ArrayAttr.get(list(step.origin))
        if step.is_last:
            kernel.written.append(_Written(access, staging, descriptor, index))
        if staging.closes:
            FenceProxyOp(space=ir.StringAttr.get("shared"))
            staging.mark(BarrierOp())
            for item in kernel.written:
                _copy_out(item, kernel.streams_results)
            # After the branches: waits count groups, so every batch closes one.
            staging.mark(BulkCommitOp())
    kernel.stored.append(store)
    if staging.closes:
        with ir.InsertionPoint(store), store.location:
            _replace_tokens(kernel.stored, staging)
        for op in kernel.stored:
            erase(op)
        kernel.written.clear()
        kernel.stored.clear()


def _copy_out(item: _Written, streams: bool) -> None:
    """Copy a staged tile to its array, by TMA where that can.

    Args:
        item: The tile.
        streams: Whether L2 should give it up before everything else.
    """
    tile = item.staging.tile
    with _branch(_fits_tma(item.access, tuple(tile.type.shape)), item.access, item.staging):
        begin = array_coordinates(item.access.view, item.access.coords)
        for number, coords in enumerate(box_coordinates(begin, tile.type)):
            copy = AsyncTiledTmaStoreOp(
                descriptor=item.descriptor,
                source=tile,
                coords=coords,
                box_index=i64(number),
                tmaIdx=i64(item.index),
            )
            item.staging.mark(copy)
            _copy_combination(item.access.op, copy)
            if streams and COMBINE not in copy.attributes:
                copy.attributes[CACHE_HINT] = ir.StringAttr.get(EVICT_FIRST)


def _fits_tma(access: TiledAccess, shape: tuple[int, ...]) -> Any:
    """Emit whether TMA may store the tile of `shape`; None when it always may.

    TMA knows where an array ends, but not where a slice of it ends.

    A store that begins before its array, even by a tile without any element of it, ends the kernel
    with an illegal instruction (measured on an H200, driver 580, 2026-11-21: one and two dims, by 8
    and by 16 elements). Loads from there are filled with zeros.
    """
    view, cut = access.op.opview, sliced_dims(access.view)
    conditions = [
        _ends_inside(access, dim, shape[dim]) for dim in sorted(cut) if not view.in_bounds[dim]
    ]
    if len(shape) - 1 not in cut and _may_overrun(access):
        conditions.append(_row_fits(access, shape[-1]))
    for coord, *safe in zip(access.coords, view.in_bounds, view.never_before, strict=True):
        if not any(safe):
            zero = arith.constant(coord.type, 0)
            conditions.append(arith.cmpi(arith.CmpIPredicate.sge, coord, zero))
    return functools.reduce(arith.andi, conditions) if conditions else None


def _may_overrun(access: TiledAccess) -> bool:
    """Tell whether a row of the array may end in the middle of 16 bytes inside the tile.

    TMA drops out-of-bounds elements of a store in units of 16 bytes of the innermost dimension: up
    to 14 bytes after the end of a row are overwritten otherwise (measured on an H200, driver 580,
    2026-11-21: N = 257 in bf16 changed 7 elements after each row). Loads are exact.
    """
    if access.op.opview.in_bounds[-1]:
        return False
    memref = defining_operation(access.view)
    known = "size_div_by" in memref.attributes
    divisor = list(memref.attributes["size_div_by"])[-1] if known else 1
    return bool(divisor * _element_bytes(access) % BOX_ALIGNMENT_BYTES)


def _element_bytes(access: TiledAccess) -> int:
    return element_bits(access.tile_type.element_type) // 8


def _extent(access: TiledAccess, dim: int) -> Any:
    """Return the extent of the memref of `access` along `dim`; emit it if it is known."""
    found = extents_of(access.view)[dim]
    return constant(found) if isinstance(found, int) else found


def _ends_inside(access: TiledAccess, dim: int, extent: int) -> Any:
    """Emit whether a tile of `extent` elements along `dim` ends inside of its memref."""
    end = arith.addi(access.coords[dim], arith.constant(access.coords[dim].type, extent))
    return arith.cmpi(arith.CmpIPredicate.sle, end, _extent(access, dim))


def _row_fits(access: TiledAccess, width: int) -> Any:
    """Emit whether TMA may store the tile: it is not the row's last one, or the row ends well."""
    length = _extent(access, -1)
    inside = _ends_inside(access, -1, width)
    unit = BOX_ALIGNMENT_BYTES // _element_bytes(access)
    rest = arith.remui(length, constant(unit))
    whole = equal(rest, constant(0))
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
        copy = CopyOutOp(source=staging.tile, memref=access.view, coords=list(access.coords))
        staging.mark(copy)
        _copy_combination(access.op, copy)
        scf.YieldOp([])


def _copy_combination(store: Any, copy: Any) -> None:
    """Let a copy out of shared memory combine its elements with the array as `store` does."""
    if COMBINE in store.attributes:
        copy.attributes[COMBINE] = store.attributes[COMBINE]


def _replace_tokens(stores: list[Any], staging: _Staging) -> None:
    """Replace the tokens of `stores`, which one bulk group copies, by one token.

    It also keeps what they come after, for the protocol check; tokens of no access are dropped.
    Steps of a tile that are in other branches than the last one come after the same accesses.
    """
    together = [op.opview for op in stores if op.block == stores[-1].block]
    given = dict.fromkeys(store.after for store in together if store.after is not None)
    after = [token for token in given if trace_token(token).origins]
    if not after and not any(map(is_used, stores)):
        return
    token = StoreTokenOp.build(after, per_warpgroup=staging.per_warpgroup)
    for op in stores:
        op.results[0].replace_all_uses_with(token)


def _wait_for_stores(pending: int) -> Any:
    return BulkWaitOp(pending=i64(pending), read=ir.BoolAttr.get(True))


def drain_stores(roles: Any) -> None:
    """Keep the staging buffers alive until the last bulk store has read them."""
    block = roles.opview.consumer.blocks[0]
    commits = [op for op in walk_operations(block) if op.name == "nv_tileas.bulk_commit"]
    with ir.InsertionPoint(terminator(block)), roles.location:
        for per_warpgroup in sorted({is_per_warpgroup(op) for op in commits}):
            wait = _wait_for_stores(0)
            if per_warpgroup:
                mark_per_warpgroup(wait)
