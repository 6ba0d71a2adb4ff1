"""How `order_items` sorts: stable, by classes of costs, with all warps of a CTA.

Each warp has a run of items and takes 32 at a time. Lane c counts the items of class c. Votes tell
it which of the 32 items are of its class, and an item learns from the lane of its class how many
came before it. When all warps have counted, a class begins after all higher ones, and a warp's part
of it after those of the warps before. Nothing depends on which warp is first, so all CTAs write the
same numbers.
"""

from typing import Any

from tilec.dialects.nv_tileas.measure_ops import COST_CLASSES
from tilec.ir import llvm_ops
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.layout.modes import WARP_LANES
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import shuffled
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded
from tilec.support.fast_dataclasses import dataclass

CLASS_BITS = (COST_CLASSES - 1).bit_length()
_FINE, _COARSE, _LARGE = 21, 23, 256
_FIRST_FINE, _FIRST_COARSE = (127 + 2) << 2, 127 + 8 - 24
"""Bits of an f32 from which on they are the exponent and two bits of the mantissa, or the exponent
alone (IEEE 754, binary32), and what these are for class 0: 4.0 has 129 and 0."""
_RANK_BITS = 26
"""Bits of the place of an item among those of its class and warp; the class is above them."""

_WAITING, _COSTS, COSTS_IN_ORDER, _COUNTS = 1, 2, 3, 4
"""Parts of the table behind the order: of each item its class and its place there, -1 without cost;
its cost; the cost of the item at each place of the order; and what each warp has counted."""


def order(op: Any, lowering: Lowering, thread: Any) -> None:
    """Emit the sort of the items of an `order_items`."""
    warps = read_kernel_fact(lowering.function, "block_threads") // WARP_LANES
    lane = emit.value(emit.remainder(thread, WARP_LANES))
    warp = emit.broadcast(emit.value(emit.divide(thread, WARP_LANES)))
    view = op.opview
    sort = _Sort(lowering.get(view.table), lowering.get(view.count), lane, warp, warps)
    lowering.counted[view.made] = sort.run(op, lowering)


@dataclass(frozen=True)
class _Sort:
    """A sort of work items.

    Attributes:
        table: Address of the table.
        count: Number of items (i32).
        lane: Lane of the thread.
        warp: Warp of the thread.
        warps: Warps of the CTA.
    """

    table: Any
    count: Any
    lane: Any
    warp: Any
    warps: int

    def run(self, op: Any, lowering: Lowering) -> Any:
        """Emit the sort; return how many items have a cost."""
        each = emit.value(emit.add(self.count, WARP_LANES * self.warps - 1))
        each = emit.multiply(emit.divide(each, WARP_LANES * self.warps), WARP_LANES)
        first = emit.value(emit.multiply(self.warp, each))
        bounds = (first, arith.minsi(emit.value(emit.add(first, each)), self.count))
        self._count_classes(op, lowering, bounds)
        llvm_ops.barrier()
        return self._place(bounds)

    def _part(self, number: int, item: Any) -> Any:
        """Return the address of a number of an item in one of the parts behind the order."""
        return word_at(self.table, emit.multiply(self.count, number), item, 1)

    def _counts(self, warp: emit.Index) -> Any:
        """Return the address of what a warp has counted of the class of this lane."""
        return self._part(
            _COUNTS, emit.value(emit.add(emit.multiply(warp, COST_CLASSES), self.lane))
        )

    def _count_classes(self, op: Any, lowering: Lowering, bounds: tuple[Any, Any]) -> None:
        """Emit the place of each item among those of its class and warp."""
        last = emit.value(emit.add(self.count, -1))
        below = arith.subi(arith.shli(emit.value(1), self.lane), emit.value(1))
        loop = scf.ForOp(*bounds, emit.value(WARP_LANES), [emit.value(0)])
        with ir.InsertionPoint(loop.body):
            (counted,) = loop.inner_iter_args
            item = arith.addi(loop.induction_variable, self.lane)
            is_item = emit.compare("slt", item, self.count)
            cost = _cost(op, lowering, arith.minsi(item, last))
            costs = arith.andi(is_item, emit.compare("sgt", cost, 0))
            number = _class(cost)
            alike = self._of_this_class(number, costs)
            before = of_lane(counted, number)
            rank = arith.addi(before, ones(arith.andi(of_lane(alike, number), below)))
            word = arith.ori(arith.shli(number, emit.value(_RANK_BITS)), rank)
            with guarded(is_item):
                waiting = arith.select(costs, word, emit.value(-1))
                emit.store_vector(self._part(_WAITING, item), [waiting])
                emit.store_vector(self._part(_COSTS, item), [cost])
            scf.YieldOp([arith.addi(counted, ones(alike))])
        emit.store_vector(self._counts(self.warp), [loop.operation.results[0]])

    def _of_this_class(self, number: Any, costs: Any) -> Any:
        """Emit which lanes have items of the class of this lane, as bits."""
        return lanes_with_number(self.lane, number, costs)

    def _place(self, bounds: tuple[Any, Any]) -> Any:
        """Emit the order of the items; return how many have a place in it."""
        start, total = self._starts()
        loop = scf.ForOp(*bounds, emit.value(WARP_LANES))
        with ir.InsertionPoint(loop.body):
            item = arith.addi(loop.induction_variable, self.lane)
            own = arith.minsi(item, emit.value(emit.add(self.count, -1)))
            (word,) = emit.load_vector(self._part(_WAITING, own), emit.i32_type(), 1)
            (cost,) = emit.load_vector(self._part(_COSTS, own), emit.i32_type(), 1)
            number = arith.shrui(word, emit.value(_RANK_BITS))
            rank = arith.andi(word, emit.value((1 << _RANK_BITS) - 1))
            place = arith.addi(of_lane(start, number), rank)
            has_place = arith.andi(
                emit.compare("slt", item, self.count), emit.compare("sge", word, 0)
            )
            with guarded(has_place):
                emit.store_vector(word_at(self.table, place), [item])
                emit.store_vector(self._part(COSTS_IN_ORDER, place), [cost])
            scf.YieldOp([])
        return total

    def _starts(self) -> tuple[Any, Any]:
        """Emit where this warp's items of the class of this lane begin, and how many there are."""
        before, own = emit.value(0), emit.value(0)
        for warp in range(self.warps):
            (counted,) = emit.load_vector(self._counts(warp), emit.i32_type(), 1)
            own = arith.addi(own, counted)
            is_before = emit.compare("ugt", self.warp, warp)
            before = arith.addi(before, arith.select(is_before, counted, emit.value(0)))
        higher = own
        distance = 1
        while distance < WARP_LANES:
            (other,) = shuffled("down", (higher,), distance)
            inside = emit.compare("ult", self.lane, WARP_LANES - distance)
            higher = arith.addi(higher, arith.select(inside, other, emit.value(0)))
            distance *= 2
        start = arith.addi(arith.subi(higher, own), before)
        return start, of_lane(higher, emit.value(0))


def lanes_with_number(lane: Any, number: Any, counts: Any) -> Any:
    """Emit which lanes have the number of this lane, as bits.

    Args:
        lane: Lane of the thread.
        number: A number of the thread, below 32.
        counts: Whether it has one.
    """
    alike = _votes(counts)
    for bit in range(CLASS_BITS):
        mask = emit.value(1 << bit)
        votes = _votes(emit.compare("ne", arith.andi(number, mask), 0))
        other = emit.compare("eq", arith.andi(lane, mask), 0)
        turned = arith.select(other, emit.value(-1), emit.value(0))
        alike = arith.andi(alike, arith.xori(votes, turned))
    return alike


def _cost(op: Any, lowering: Lowering, item: Any) -> Any:
    """Emit the cost of an item."""
    return lowering.number_of(op.opview.body.blocks[0], item)


def _class(cost: Any) -> Any:
    """Emit the class of a cost: four for each power of two from 4 to 255, then one for each."""
    number = arith.uitofp(ir.F32Type.get(), cost)
    bits = arith.bitcast(emit.i32_type(), number)
    fine, coarse = (
        arith.subi(arith.shrui(bits, emit.value(shift)), emit.value(first))
        for shift, first in ((_FINE, _FIRST_FINE), (_COARSE, _FIRST_COARSE))
    )
    found = arith.select(emit.compare("ult", cost, _LARGE), fine, coarse)
    found = arith.maxsi(found, emit.value(0))
    return arith.minsi(found, emit.value(COST_CLASSES - 1))


def _votes(condition: Any) -> Any:
    """Emit in which lanes a condition holds, as bits."""
    return llvm_ops.ballot(emit.value(-1), condition)


def ones(bits: Any) -> Any:
    """Emit how many bits are set."""
    return llvm_ops.value("llvm.intr.ctpop", emit.i32_type(), [bits])


def of_lane(word: Any, lane: Any) -> Any:
    """Emit the word of another lane."""
    return shuffled("idx", (word,), lane)[0]


def word_at(pointer: Any, *terms: emit.Index) -> Any:
    """Return the address of the word whose number is the sum of some terms."""
    index = arith.extui(emit.i64_type(), emit.value(emit.total(terms)))
    return emit.element_pointer(pointer, index, emit.i32_type())
