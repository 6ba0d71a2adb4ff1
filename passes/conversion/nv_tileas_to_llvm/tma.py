"""Rules for TMA copies. Here, and only here, coordinates turn innermost first."""

from typing import Any

from tilec.ir.bindings import llvm, nvvm
from tilec.passes.analysis.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, lowers


def hardware_coordinates(lowering: Lowering, coords: Any) -> list[Any]:
    """Return element coordinates in the order of the instruction: innermost first."""
    return [lowering.get(coord) for coord in reversed(list(coords))]


def _box_address(lowering: Lowering, tile: Any, number: int) -> Any:
    offset, _ = layout_of_shared(tile.type).boxes()[number]
    return emit.byte_offset(lowering.get(tile), offset)


@lowers("nv_tileas.async_tiled_tma_load")
def lower_tma_load(lowering: Lowering, op: Any) -> None:
    """One thread starts the copy of one box into shared memory."""
    load = op.opview
    coords = hardware_coordinates(lowering, load.coords)
    address = _box_address(lowering, load.destination, load.box_index.value)
    # A CTA's own shared::cta address is its shared::cluster address (PTX ISA, state spaces), and
    # PTX 8.0 has only the cluster form of the copy.
    number = llvm.PtrToIntOp(emit.i32_type(), address).res
    destination = llvm.IntToPtrOp(emit.pointer_type(emit.CLUSTER), number).res
    descriptor, barrier = lowering.get(load.descriptor), lowering.get(load.barrier)
    nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(
        destination, descriptor, coords, barrier, [], predicate=lowering.current_role.elected
    )


@lowers("nv_tileas.async_tiled_tma_store")
def lower_tma_store(lowering: Lowering, op: Any) -> None:
    """One thread starts the copy of one box out of shared memory."""
    store = op.opview
    coords = hardware_coordinates(lowering, store.coords)
    address = _box_address(lowering, store.source, store.box_index.value)
    descriptor = lowering.get(store.descriptor)
    nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp(
        descriptor, address, coords, predicate=lowering.current_role.elected_for(op)
    )
