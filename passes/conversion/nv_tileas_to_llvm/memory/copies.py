"""Rules for copies to shared memory by the threads of a role (`cp.async`).

A thread copies the runs of neighbouring elements that the layout of the indices gives it, 4, 8 or
16 bytes at a time. What lies outside of the array, or is masked off, becomes zeros: `src-size` says
how many of the bytes are copied, and the rest of them is zeros (PTX ISA, cp.async). Nothing is read
where that is 0, so the address may be any multiple of the bytes of the copy then. It must be one
(PTX ISA, addresses as operands): see `_aligned_places`.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.copy_ops import AsyncGatherOp, MBarrierArriveCopiesOp
from tilec.ir.bindings import arith
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory.elements import Elements
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import TileAddresses
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import predicated

_WIDEST = 16
"""Bytes of the copies that may leave the L1 cache out (`.cg`; PTX ISA, cp.async)."""


@RULES.converts(AsyncGatherOp)
def lower_async_gather(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Start a copy for each run of neighbouring elements of this thread."""
    gather, elements = op.opview, Elements(lowering, op)
    slot = lowering.get(gather.destination)
    shared = layout_of_shared(gather.destination.type)
    addresses = TileAddresses(lowering, slot, shared, tile_layout(gather.indices[0]), ())
    elements.places = _aligned_places(elements)
    width = min(elements.width, addresses.width)
    size = width * shared.element_bytes
    text = f"cp.async.{'cg' if size == _WIDEST else 'ca'}.shared.global [$0], [$1], {size}"
    for first in range(0, elements.count, width):
        operands = [addresses.at(first), elements.pointer(first)]
        copied = _copied_bytes(elements, first, width, shared.element_bytes)
        if copied is None:
            predicated(elements.owner, f"{text};", "r,l", operands)
        else:
            predicated(elements.owner, f"{text}, $2;", "r,l,r", [*operands, copied])
    return ()


def _aligned_places(elements: Elements) -> list[list[Any]]:
    """Emit indices that give an aligned address also where nothing is copied.

    A stride that is not known at compile time is a multiple of what a copy needs where an axis has
    several elements. Where it has one or none, the stride may be any number
    (`tilec/runtime/args/preconditions.py`), and only index 0 gives an aligned address.
    """
    *outer, last = elements.indices
    checked = not elements.op.opview.unchecked
    places = []
    for axis, indices in enumerate(outer):
        if isinstance(elements.memref.strides[axis], int) or not (checked or elements.mask):
            places.append(indices)
            continue
        safe = []
        for register, index in enumerate(indices):
            inside = elements.inside_along(register, [axis]) if checked else elements.mask[register]
            key = ("aligned", index, inside)
            safe.append(elements.once(key, lambda i=index, c=inside: _or_zero(c, i)))
        places.append(safe)
    return [*places, last]


def _or_zero(condition: Any, index: Any) -> Any:
    return arith.select(condition, index, emit.constant(index.type, 0))


def _copied_bytes(elements: Elements, first: int, width: int, element_bytes: int) -> Any:
    """Emit how many bytes of a run lie inside of the array; None where all of them always do."""
    inside = elements.inside(first)
    if inside is None:
        return None
    copied: Any = emit.value(width * element_bytes)
    if elements.is_ragged:  # a run that begins inside is cut at its end alone
        index, extent = elements.indices[-1][first], elements.memref.sizes[-1]
        if index.type != emit.i32_type():
            index = arith.trunci(emit.i32_type(), index)
        left = arith.minsi(arith.subi(emit.value(extent), index), emit.value(width))
        copied = emit.multiply(left, element_bytes)  # of the rest of a long row: it would wrap
    return arith.select(inside, copied, emit.value(0))


@RULES.converts(MBarrierArriveCopiesOp)
def lower_arrive_copies(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Every thread arrives once its copies are there; the barrier expects that many arrivals."""
    barrier = lowering.get(op.operands[0])
    emit.inline_ptx(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r,~{memory}", [barrier]
    )
    return ()
