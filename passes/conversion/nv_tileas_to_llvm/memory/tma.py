"""Rules for TMA copies. Here, and only here, coordinates turn innermost first."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.element_access import COMBINE
from tilec.dialects.nv_tileas.cluster_ops import cluster_of
from tilec.dialects.nv_tileas.tma_ops import (
    CACHE_HINT,
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaPrefetchOp,
    AsyncTiledTmaStoreOp,
)
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.passes.analysis.tma.multicast import multicast_axis
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import predicated
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.cluster import (
    coordinate,
    multicast_mask,
)


def hardware_coordinates(lowering: Lowering, coords: Any) -> list[Any]:
    """Return element coordinates in the order of the instruction: innermost first."""
    return [lowering.get(coord) for coord in reversed(list(coords))]


def _box_address(lowering: Lowering, tile: Any, number: int, first: emit.Index = 0) -> Any:
    """Return the address of box `first + number` of a tile."""
    offset = emit.multiply(emit.add(first, number), layout_of_shared(tile.type).box_pitch_bytes)
    return emit.byte_offset(lowering.get(tile), offset)


@RULES.converts(AsyncTiledTmaLoadOp)
def lower_tma_load(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One thread starts the copy of one box into shared memory."""
    load = op.opview
    coords = hardware_coordinates(lowering, load.coords)
    axis = multicast_axis(op)
    mask = None if axis is None else multicast_mask(axis, cluster_of(op))
    address = _box_address(lowering, load.destination, load.box_index.value, _first_box(op, axis))
    # A CTA's own shared::cta address is its shared::cluster address (PTX ISA, state spaces), and
    # PTX 8.0 has only the cluster form of the copy.
    number = llvm_ops.pointer_to_integer(emit.i32_type(), address)
    destination = llvm_ops.integer_to_pointer(emit.pointer_type(emit.CLUSTER), number)
    descriptor, barrier = lowering.get(load.descriptor), lowering.get(load.barrier)
    llvm_ops.tma_load(
        destination,
        descriptor,
        coords,
        barrier,
        multicast_mask=mask,
        predicate=lowering.current_role.elected,
    )
    return ()


def _first_box(load: Any, axis: int | None) -> emit.Index:
    """Emit the number of the first box of this CTA's share of the tile."""
    if axis is None:
        return 0
    cluster = cluster_of(load)
    share = layout_of_shared(load.opview.destination.type).box_count // cluster[axis]
    return emit.multiply(coordinate(axis, cluster), share)


@RULES.converts(AsyncTiledTmaStoreOp)
def lower_tma_store(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One thread starts to copy one box out of shared memory, or to combine it with the array."""
    store = op.opview
    coords = hardware_coordinates(lowering, store.coords)
    address = _box_address(lowering, store.source, store.box_index.value)
    descriptor, elected = lowering.get(store.descriptor), lowering.current_role.elected_for(op)
    if COMBINE in op.attributes:
        mode = ir.StringAttr(op.attributes[COMBINE]).value
        _combine_box(mode, elected, descriptor, address, coords)
        return ()
    if CACHE_HINT in op.attributes:
        _store_with_hint(op, elected, descriptor, address, coords)
        return ()
    llvm_ops.tma_store(descriptor, address, coords, predicate=elected)
    return ()


@RULES.converts(AsyncTiledTmaPrefetchOp)
def lower_tma_prefetch(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One thread asks for one box in L2."""
    coords = hardware_coordinates(lowering, op.opview.coords)
    places = ", ".join(f"${number + 1}" for number in range(len(coords)))
    predicated(
        lowering.current_role.elected,
        f"cp.async.bulk.prefetch.tensor.{len(coords)}d.L2.global.tile [$0, {{{places}}}];",
        ",".join(["l", *["r"] * len(coords)]),
        [lowering.get(op.opview.descriptor), *coords],
    )
    return ()


_OPERATIONS = {"addf": "add", "umax": "max", "umin": "min"}
"""Operations that PTX calls otherwise: TMA finds the element type in the tensor map."""


def _combine_box(mode: str, elected: Any, descriptor: Any, address: Any, coords: list[Any]) -> None:
    """Combine a box with an array: each element in one step, relaxed, at the scope of the GPU."""
    rank, operation = len(coords), _OPERATIONS.get(mode, mode)
    places = ", ".join(f"${number + 2}" for number in range(rank))
    predicated(
        elected,
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{operation}.tile.bulk_group "
        f"[$0, {{{places}}}], [$1];",
        ",".join(["l", "r", *["r"] * rank]),
        [descriptor, address, *coords],
    )


def _store_with_hint(
    op: Any, elected: Any, descriptor: Any, address: Any, coords: list[Any]
) -> None:
    """Start a copy with a cache policy. The nvvm operation does not take a predicate as well."""
    i64, hint = emit.i64_type(), op.attributes[CACHE_HINT].value
    text = f"createpolicy.fractional.L2::{hint}.b64 $0, 1.0;"
    policy = llvm_ops.inline_asm(text, "=l", [], i64, has_side_effects=False)
    rank = len(coords)
    places = ", ".join(f"${number + 2}" for number in range(rank))
    predicated(
        elected,
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group.L2::cache_hint "
        f"[$0, {{{places}}}], [$1], ${rank + 2};",
        ",".join(["l", "r", *["r"] * rank, "l"]),
        [descriptor, address, *coords, policy],
    )
