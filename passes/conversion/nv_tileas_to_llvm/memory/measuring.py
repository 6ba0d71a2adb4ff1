"""Rules for tables that a CTA fills before its roles start.

*The least and the largest elements of tiles.* A few lanes share a tile, so a warp measures several
at once: each lane combines some elements, and butterflies combine the lanes. A CTA writes the whole
table, the same numbers as all others, so that no CTA waits for another one.

*Numbers of work items.* Each thread computes those of some items of the CTA. They may follow from
the tables before.

*The order of work items*, and who takes which (`ordering.py`, `dealing.py`).
"""

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

from tilec.dialects.common.measure_ops import lanes_of_tile
from tilec.dialects.nv_tileas.measure_ops import (
    DealItemsOp,
    MeasureTilesOp,
    OrderItemsOp,
    TabulateOp,
)
from tilec.ir import llvm_ops
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.layout.modes import WARP_LANES
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import shuffled
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, Memref
from tilec.passes.conversion.nv_tileas_to_llvm.memory.dealing import deal
from tilec.passes.conversion.nv_tileas_to_llvm.memory.global_memory import scaled
from tilec.passes.conversion.nv_tileas_to_llvm.memory.ordering import order
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded

_ENDS = 2
"""Numbers of a tile: the least and the largest."""


@RULES.converts(DealItemsOp, MeasureTilesOp, OrderItemsOp, TabulateOp)
def lower_table(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Remember to fill the table when the kernel before has ended; its address is known now."""
    lowering.measured.append(op)
    return [lowering.get(op.opview.table)]


def fill_tables(lowering: Lowering, thread: Any) -> None:
    """Fill all tables with all threads of the CTA, and show them to everybody."""
    fill = {
        DealItemsOp.OPERATION_NAME: deal,
        MeasureTilesOp.OPERATION_NAME: _measure,
        OrderItemsOp.OPERATION_NAME: order,
        TabulateOp.OPERATION_NAME: _tabulate,
    }
    for op in lowering.measured:
        fill[op.name](op, lowering, thread)
        llvm_ops.barrier()


def _tabulate(op: Any, lowering: Lowering, thread: Any) -> None:
    """Compute the numbers of the items of the CTA, each in one thread."""
    view, i64 = op.opview, emit.i64_type()
    first, end, step = (lowering.get(value) for value in (view.first, view.end, view.step))
    threads = read_kernel_fact(lowering.function, "block_threads")
    start = emit.value(emit.add(first, emit.multiply(thread, step)))
    loop = scf.ForOp(start, end, emit.value(emit.multiply(step, threads)))
    with ir.InsertionPoint(loop.body):
        item = loop.induction_variable
        number = lowering.number_of(view.body.blocks[0], item)
        place = emit.element_pointer(lowering.get(view.table), arith.extui(i64, item), i64)
        emit.store_vector(place, [number])
        scf.YieldOp([])


def _measure(op: Any, lowering: Lowering, thread: Any) -> None:
    memref: Memref = lowering.get(op.opview.memref)
    extents = op.opview.extents
    lanes = lanes_of_tile(extents)
    groups = read_kernel_fact(lowering.function, "block_threads") // lanes
    counts = [_tiles(size, extent) for size, extent in zip(memref.sizes, extents, strict=True)]
    count = emit.value(reduce(emit.multiply, counts))
    last = emit.add(count, -1)
    first, lane = emit.divide(thread, lanes), emit.remainder(thread, lanes)
    warp = emit.multiply(emit.divide(thread, WARP_LANES), WARP_LANES // lanes)
    loop = scf.ForOp(emit.value(warp), count, emit.value(groups), [emit.value(first)])
    with ir.InsertionPoint(loop.body):
        (number,) = loop.inner_iter_args
        tile = arith.minsi(number, emit.value(last))
        ends = _ends(_elements(memref, extents, _coordinates(tile, counts), lane, lanes), lanes)
        place = arith.extui(emit.i64_type(), emit.value(emit.multiply(tile, _ENDS)))
        pointer = emit.element_pointer(lowering.get(op.opview.table), place, memref.element)
        with guarded(emit.compare("eq", lane, 0)):
            emit.store_vector(pointer, ends)
        scf.YieldOp([emit.value(emit.add(number, groups))])


def _tiles(size: emit.Index, extent: int) -> emit.Index:
    """Return how many tiles cover a dim."""
    return emit.divide(emit.add(size, extent - 1), extent)


def _coordinates(tile: Any, counts: Sequence[emit.Index]) -> list[emit.Index]:
    """Return the coordinates of a tile, in tiles."""
    found: list[emit.Index] = []
    for count in reversed(counts[1:]):
        found.append(arith.remui(tile, emit.value(count)))
        tile = arith.divui(tile, emit.value(count))
    return [tile, *reversed(found)]


def _elements(
    memref: Memref,
    extents: Sequence[int],
    coordinates: Sequence[emit.Index],
    lane: Any,
    lanes: int,
) -> list[Any]:
    """Load the elements of a tile that belong to a lane; those outside of the array are 0."""
    starts = [emit.multiply(at, extent) for at, extent in zip(coordinates, extents, strict=True)]
    zero = emit.constant(memref.element, 0)
    found = []
    for step in range(prod(extents) // lanes):
        place = list(starts)
        rest = step * lanes
        for axis in reversed(range(len(extents))):
            place[axis] = emit.add(place[axis], rest % extents[axis])
            rest //= extents[axis]
        place[-1] = emit.add(place[-1], lane)
        inside = _inside(memref, place)
        terms = [scaled(at, stride) for at, stride in zip(place, memref.strides, strict=True)]
        offset = arith.select(inside, reduce(arith.addi, terms), emit.constant(emit.i64_type(), 0))
        (loaded,) = emit.load_vector(
            emit.element_pointer(memref.base, offset, memref.element), memref.element, 1
        )
        found.append(arith.select(inside, loaded, zero))
    return found


def _inside(memref: Memref, place: Sequence[emit.Index]) -> Any:
    """Return whether an element is in the array."""
    checks = [emit.compare("ult", at, size) for at, size in zip(place, memref.sizes, strict=True)]
    return reduce(arith.andi, checks)


def _ends(elements: Sequence[Any], lanes: int) -> list[Any]:
    """Return the least and the largest element of a tile, from those of the lanes of it."""
    low, high = reduce(arith.minsi, elements), reduce(arith.maxsi, elements)
    distance = lanes // 2
    while distance:
        other_low, other_high = shuffled("bfly", (low, high), distance)
        low, high = arith.minsi(low, other_low), arith.maxsi(high, other_high)
        distance //= 2
    return [low, high]
