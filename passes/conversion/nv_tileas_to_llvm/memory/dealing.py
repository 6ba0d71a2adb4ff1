"""How `deal_items` deals sorted tiles out to the CTAs.

A row has a tile for each CTA. One warp of every CTA deals out row after row, with five CTAs in each
of its lanes: those that have had least to do so far get the longest tiles of the row. For that,
CTAs are sorted into 32 classes above the one with the least, as items are (`ordering.py`). The lane
that has its own CTA writes the list.

Where tiles cost the same, a CTA takes the tile of its number in each row, and all threads write its
list. CTAs of which no lane has one get no list.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.measure_ops import MOST_DEALT
from tilec.ir import llvm_ops
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.dealt_lists import dealing_ctas, list_length
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import shuffled
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.memory.ordering import (
    CLASS_BITS,
    COSTS_IN_ORDER,
    lanes_with_number,
    of_lane,
    ones,
    word_at,
)
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded
from tilec.support.fast_dataclasses import dataclass

_EACH = MOST_DEALT // WARP_LANES
_HALF_BITS = 32
_LEAST_OF_LANES = "redux.sync.min.s32 $0, $1, -1;"


def deal(op: Any, lowering: Lowering, thread: Any) -> None:
    """Emit the dealing of a `deal_items`."""
    view = op.opview
    threads = read_kernel_fact(lowering.function, "block_threads")
    names = ("table", "order", "count", "free", "together")
    given = [lowering.get(getattr(view, name)) for name in names]
    deal = _Deal.of(given, lowering.counted[view.order])
    with guarded(emit.compare("ult", deal.cta, deal.ctas)):
        if view.balanced.value:
            warp = emit.broadcast(emit.value(emit.divide(thread, WARP_LANES)))
            with guarded(emit.compare("eq", warp, 0)):
                deal.by_loads(thread)
        else:
            deal.take_turns(thread, threads)


@dataclass(frozen=True)
class _Deal:
    """What is dealt out; all numbers are i32.

    Attributes:
        own: Address of the list of this CTA.
        order: Address of the sorted items.
        count: Items, those that are left out included.
        free: How many numbers free digits have.
        together: How many of them each part of the order has; the last one may have fewer.
        items: Items that are not left out.
        cta: Number of this CTA.
        ctas: CTAs that take tiles.
    """

    own: Any
    order: Any
    count: Any
    free: Any
    together: Any
    items: Any
    cta: Any
    ctas: Any

    @classmethod
    def of(cls, given: Sequence[Any], items: Any) -> "_Deal":
        """Emit where the list of this CTA is, and what the parts of the order are."""
        table, order, count, free, together = given
        cta = llvm_ops.special_register("ctaid.x")
        ctas = dealing_ctas(llvm_ops.special_register("nctaid.x"))
        length = list_length(arith.muli(count, free), free, ctas)
        i64 = emit.i64_type()
        start = arith.muli(arith.extui(i64, cta), arith.extui(i64, length))
        parts = arith.maxui(arith.divui(free, together), emit.value(1))
        width = arith.ceildivui(free, parts)
        own = emit.element_pointer(table, start, i64)
        return cls(own, order, count, free, width, items, cta, ctas)

    def take_turns(self, thread: Any, threads: int) -> None:
        """Emit the list of a CTA that takes the tile of its number in each row."""
        total = arith.muli(self.items, self.free)
        left = arith.subi(total, arith.minui(self.cta, total))
        rows = arith.ceildivui(left, self.ctas)
        with guarded(emit.compare("eq", thread, 0)):
            emit.store_vector(self.own, [arith.extui(emit.i64_type(), rows)])
        loop = scf.ForOp(thread, rows, emit.value(threads))
        with ir.InsertionPoint(loop.body):
            row = loop.induction_variable
            place = arith.addi(self.cta, arith.muli(row, self.ctas))
            length = arith.muli(self.items, self.together)
            first = arith.muli(arith.divui(place, length), self.together)
            inside = arith.remui(place, length)
            width = arith.minui(self.together, arith.subi(self.free, first))
            self._write(row, first, inside, width)
            scf.YieldOp([])

    def by_loads(self, lane: Any) -> None:
        """Emit the list of a CTA that takes the tiles which one warp gives it.

        Args:
            lane: The lane in the warp.
        """
        zero = emit.value(0)
        parts = scf.ForOp(zero, self.free, self.together, [*[zero] * _EACH, zero])
        with ir.InsertionPoint(parts.body):
            first = parts.induction_variable
            width = arith.minui(self.together, arith.subi(self.free, first))
            length = arith.muli(self.items, width)
            rows = scf.ForOp(zero, length, self.ctas, list(parts.inner_iter_args))
            with ir.InsertionPoint(rows.body):
                *loads, taken = rows.inner_iter_args
                scf.YieldOp(self._row(lane, (rows.induction_variable, first, width), loads, taken))
            scf.YieldOp(list(rows.operation.results))
        taken = parts.operation.results[_EACH]
        with guarded(self._is_own(lane)):
            emit.store_vector(self.own, [arith.extui(emit.i64_type(), taken)])

    def _is_own(self, lane: Any) -> Any:
        """Emit whether a lane has this CTA."""
        return emit.compare("eq", lane, emit.remainder(self.cta, WARP_LANES))

    def _row(
        self, lane: Any, row: tuple[Any, Any, Any], loads: Sequence[Any], taken: Any
    ) -> list[Any]:
        """Emit who gets which tile of a row; return the loads after it, and the tiles of this CTA.

        Args:
            lane: Lane of the thread.
            row: First place of the row in its part, first number of free digits, and their count.
            loads: What the CTAs of the lane have had to do.
            taken: How many tiles the CTA of this thread has got, in the lane that has it.
        """
        start, first, width = row
        numbers = [emit.value(emit.add(lane, WARP_LANES * part)) for part in range(_EACH)]
        exist = [emit.compare("ult", number, self.ctas) for number in numbers]
        length = arith.muli(self.items, width)
        after, own_place, gets = [], length, emit.value(0)
        for number, load, rank in zip(numbers, loads, self._ranks(lane, loads, exist), strict=True):
            place = arith.addi(start, rank)
            has = arith.andi(
                emit.compare("ult", number, self.ctas), emit.compare("ult", place, length)
            )
            cost = arith.select(has, self._cost(arith.divui(place, width)), emit.value(0))
            after.append(arith.addi(load, cost))
            own_place = arith.select(emit.compare("eq", number, self.cta), place, own_place)
        gets = arith.andi(self._is_own(lane), emit.compare("ult", own_place, length))
        with guarded(gets):
            self._write(taken, first, own_place, width)
        return [*after, arith.addi(taken, arith.extui(emit.i32_type(), gets))]

    def _cost(self, rank: Any) -> Any:
        """Emit the cost of the item at a place of their order."""
        last = arith.maxsi(arith.subi(self.items, emit.value(1)), emit.value(0))
        part = emit.multiply(self.count, COSTS_IN_ORDER)
        address = word_at(self.order, part, arith.minui(rank, last), 1)
        return emit.load_vector(address, emit.i32_type(), 1)[0]

    def _write(self, number: Any, first: Any, inside: Any, width: Any) -> None:
        """Emit an entry of the list: the tile at a place of a part of the order.

        Args:
            number: Number of the entry.
            first: First number of free digits of the part.
            inside: Place in the part.
            width: Free digits of the part.
        """
        i64 = emit.i64_type()
        rank = arith.divui(inside, width)
        digit = arith.addi(first, arith.subi(inside, arith.muli(rank, width)))
        (item,) = emit.load_vector(word_at(self.order, rank), emit.i32_type(), 1)
        upper = arith.shli(arith.extui(i64, digit), emit.constant(i64, _HALF_BITS))
        index = arith.extui(i64, emit.value(emit.add(number, 1)))
        address = emit.element_pointer(self.own, index, i64)
        emit.store_vector(address, [arith.ori(arith.extui(i64, item), upper)])

    def _ranks(self, lane: Any, loads: Sequence[Any], exist: Sequence[Any]) -> list[Any]:
        """Emit how many CTAs come before each, the one with the least first.

        A class is a part of the longest tile; CTAs of a class come in the order of their numbers.
        """
        none = emit.value(2**31 - 1)
        least = none
        for load, exists in zip(loads, exist, strict=True):
            least = arith.minsi(least, arith.select(exists, load, none))
        least = emit.inline_ptx(_LEAST_OF_LANES, "=r,r", [least], emit.i32_type())
        bits = arith.subi(emit.value(_HALF_BITS), _leading_zeros(self._cost(emit.value(0))))
        shift = arith.maxsi(arith.subi(bits, emit.value(CLASS_BITS)), emit.value(0))
        last = emit.value(WARP_LANES - 1)
        classes = [arith.minui(arith.shrui(arith.subi(load, least), shift), last) for load in loads]
        alike = [
            lanes_with_number(lane, number, exists)
            for number, exists in zip(classes, exist, strict=True)
        ]
        before, total = [], emit.value(0)
        for lanes in alike:
            before.append(total)
            total = arith.addi(total, ones(lanes))
        start = arith.subi(_up_to(lane, total), total)
        below = arith.subi(arith.shli(emit.value(1), lane), emit.value(1))
        return [
            arith.addi(
                of_lane(arith.addi(start, earlier), number),
                ones(arith.andi(of_lane(lanes, number), below)),
            )
            for number, lanes, earlier in zip(classes, alike, before, strict=True)
        ]


def _up_to(lane: Any, word: Any) -> Any:
    """Emit the sum of the words of all lanes up to this one."""
    distance = 1
    while distance < WARP_LANES:
        (other,) = shuffled("up", (word,), distance)
        counts = emit.compare("uge", lane, distance)
        word = arith.addi(word, arith.select(counts, other, emit.value(0)))
        distance *= 2
    return word


def _leading_zeros(word: Any) -> Any:
    """Emit how many of the highest bits of a word are zeros."""
    return llvm_ops.value(
        "llvm.intr.ctlz", word.type, [word], is_zero_poison=ir.BoolAttr.get(False)
    )
