"""Rule for scans: blocks of consecutive elements are joined digit by digit of the layout.

Every element is combined with what comes before it in its block, as long as the blocks that a step
joins are within a thread, or have one element of it. Where longer blocks of several threads are
joined, only totals of blocks are combined. What comes before a block of one thread is known in the
end, and is then combined with its elements.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ScanOp
from tilec.ir.bindings import arith
from tilec.layout import Owner
from tilec.layout.reduction import ScanStep, scan_steps
from tilec.layout.register import Coordinate
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import (
    Combiner,
    Element,
    choose,
    elements_of,
    exchanged,
    joined_parts,
    shuffled,
)
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.support.fast_dataclasses import dataclass, field


@RULES.converts(ScanOp)
def lower_scan(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Join blocks, from single elements to the whole axis."""
    combine = Combiner(op, lowering)
    state = _Scan(op, lowering, combine, combine.identity(), elements_of(op, lowering))
    for step in scan_steps(tile_layout(op.operands[0]), op.opview.axis.value):
        state.join(step)
    return [list(column) for column in zip(*state.finished(), strict=True)]


@dataclass
class Before:
    """What comes before a block in the block that it is joined to.

    Attributes:
        element: The total of the blocks before it.
        exists: i1 that tells whether there are any; None when there are.
    """

    element: Element
    exists: Any = None


def known(element: Element, exists: Any, identity: Element | None) -> Before:
    """Return what comes before a block if `exists`; the identity stands for nothing."""
    if identity is None:
        return Before(element, exists)
    return Before(choose(exists, element, identity))


def after(combine: Combiner, before: Before | None, element: Element) -> Element:
    """Return an element combined with what comes before it; None: nothing does."""
    if before is None:
        return element
    found = combine(before.element, element)
    return found if before.exists is None else choose(before.exists, found, element)


@dataclass
class _Scan:
    """A scan on its way.

    Attributes:
        op: The operation.
        lowering: The lowering.
        combine: Its function.
        identity: What stands for nothing; None where the function has no such element.
        elements: For each register what it is combined to in its first block.
        totals: For each block, by number, what its elements give.
        holds_blocks: Whether a block may have several elements of this thread.
        first_blocks: For each register the number of its first block: the first one that is joined
            to blocks of other threads while it has several elements of this one; None before.
        before: What comes before each first block, by its number, as far as blocks are joined.
    """

    op: Any
    lowering: Lowering
    combine: Combiner
    identity: Element | None
    elements: list[Element]
    totals: dict[int, Element] | None = None
    holds_blocks: bool = False
    first_blocks: Coordinate | None = None
    before: dict[int, Before | None] = field(default_factory=dict)

    def join(self, step: ScanStep) -> None:
        """Join blocks to larger ones."""
        joined = dict(zip(step.blocks, step.joined, strict=True))
        if self.totals is None and step.owner is Owner.LANE:
            different = dict(zip(step.blocks, self.elements, strict=True))
            found = {number: self._scan_lanes(step, item) for number, item in different.items()}
            self.elements = [found[number] for number in step.blocks]
            self.totals = {
                joined[number]: self._total_of_lanes(step, item) for number, item in found.items()
            }
            return
        totals = self.totals or dict(zip(step.blocks, self.elements, strict=True))
        before: Mapping[int, Before]
        if step.owner is Owner.REG:
            before, self.totals = self._join_registers(step, totals)
        elif step.owner is Owner.LANE:
            before, self.totals = self._join_lanes(step, totals, joined)
        else:
            before, self.totals = self._join_warps(step, totals, joined)
        self.holds_blocks |= step.owner is Owner.REG
        if self.first_blocks is None and (step.owner is Owner.REG or not self.holds_blocks):
            self.elements = [
                after(self.combine, before.get(number), element)
                for number, element in zip(step.blocks, self.elements, strict=True)
            ]
            return
        self.first_blocks = self.first_blocks or step.blocks
        for first, number in dict(zip(self.first_blocks, step.blocks, strict=True)).items():
            self.before[first] = self._both(before.get(number), self.before.get(first))

    def finished(self) -> list[Element]:
        """Return each element combined with all that comes before it."""
        if self.first_blocks is None:
            return self.elements
        return [
            after(self.combine, self.before.get(number), element)
            for number, element in zip(self.first_blocks, self.elements, strict=True)
        ]

    def _both(self, outer: Before | None, inner: Before | None) -> Before | None:
        """Return what comes before a block: `outer`, then `inner`."""
        if outer is None or inner is None:
            return inner if outer is None else outer
        element = self.combine(outer.element, inner.element)
        if inner.exists is not None:
            element = choose(inner.exists, element, outer.element)
        if outer.exists is None:
            return Before(element)
        element = choose(outer.exists, element, inner.element)
        if inner.exists is None:
            return Before(element)
        return Before(element, arith.ori(outer.exists, inner.exists))

    def _join_registers(
        self, step: ScanStep, totals: dict[int, Element]
    ) -> tuple[dict[int, Before], dict[int, Element]]:
        """Join blocks of one thread."""
        members: dict[int, dict[int, int]] = {}
        for block, joined, digit in zip(step.blocks, step.joined, step.digits, strict=True):
            members.setdefault(joined, {})[digit] = block
        before, joint = {}, {}
        for joined, by_digit in members.items():
            total: Element | None = None
            for digit in sorted(by_digit, reverse=self.op.opview.is_reverse):
                block = by_digit[digit]
                if total is None:
                    total = totals[block]
                else:
                    before[block] = Before(total)
                    total = self.combine(total, totals[block])
            joint[joined] = total
        return before, joint

    def _place(self, step: ScanStep) -> tuple[Any, Any]:
        """Return this thread's digit, and the number of blocks that come before its own."""
        term = step.term
        assert term is not None
        digit = emit.value(self.lowering.thread_digit(term.owner, term.divisor, term.extent))
        if not self.op.opview.is_reverse:
            return digit, digit
        return digit, arith.subi(emit.value(step.extent - 1), digit)

    def _scan_lanes(self, step: ScanStep, total: Element) -> Element:
        """Return what blocks give up to this lane's; the number of lanes is a power of two."""
        _, place = self._place(step)
        assert step.term is not None
        kind = "down" if self.op.opview.is_reverse else "up"
        distance = 1
        while distance < step.extent:
            other = shuffled(kind, total, distance * step.term.divisor)
            comes_before = emit.compare("uge", place, distance)
            total = choose(comes_before, self.combine(other, total), total)
            distance *= 2
        return total

    def _total_of_lanes(self, step: ScanStep, scanned: Element) -> Element:
        """Return what `_scan_lanes` gives in the lane of the last block."""
        digit, _ = self._place(step)
        assert step.term is not None
        divisor = step.term.divisor
        last = 0 if self.op.opview.is_reverse else step.extent - 1
        lane = self.lowering.current_role.ids[Owner.LANE]
        first = arith.subi(lane, emit.value(emit.multiply(digit, divisor)))
        return shuffled("idx", scanned, emit.add(first, last * divisor))

    def _join_lanes(
        self, step: ScanStep, totals: dict[int, Element], joined: dict[int, int]
    ) -> tuple[dict[int, Before], dict[int, Element]]:
        """Join blocks of several lanes."""
        _, place = self._place(step)
        assert step.term is not None
        kind = "down" if self.op.opview.is_reverse else "up"
        before, joint = {}, {}
        for number, total in totals.items():
            scanned = self._scan_lanes(step, total)
            previous = shuffled(kind, scanned, step.term.divisor)
            before[number] = known(previous, emit.compare("ne", place, 0), self.identity)
            joint[joined[number]] = self._total_of_lanes(step, scanned)
        return before, joint

    def _join_warps(
        self, step: ScanStep, totals: dict[int, Element], joined: dict[int, int]
    ) -> tuple[dict[int, Before], dict[int, Element]]:
        """Join blocks of several warps or warpgroups."""
        assert step.exchange is not None
        _, place = self._place(step)
        numbers = sorted(totals)
        elements = [totals[number] for number in numbers]
        found = exchanged(self.op, self.lowering, step.exchange, elements)
        before, joint = {}, {}
        for number, parts in zip(numbers, found, strict=True):
            ordered = parts[::-1] if self.op.opview.is_reverse else parts
            chosen, total = joined_parts(self.combine, ordered, place)
            before[number] = known(chosen, emit.compare("ne", place, 0), self.identity)
            joint[joined[number]] = total
        return before, joint
