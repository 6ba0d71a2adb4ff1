"""Conditions of branches that trip counts and numbers of rounds decide.

A loop that begins at a constant and steps by one counts its rounds from there, and ends where that
plus the number of rounds says. Sums, comparisons and their combinations follow from these.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.structured import (
    defining_operation,
    enclosing_loops,
    terminator,
    walk_operations,
)
from tilec.passes.analysis.async_protocol.events import Condition, Rounds
from tilec.passes.analysis.index_ranges import constant_value
from tilec.passes.analysis.loop_guards import guarded_loops

Number = Callable[[Rounds], int]

_COMPARISONS: dict[Any, Callable[[int, int], bool]] = {
    arith.CmpIPredicate.eq: operator.eq,
    arith.CmpIPredicate.ne: operator.ne,
    arith.CmpIPredicate.slt: operator.lt,
    arith.CmpIPredicate.sle: operator.le,
    arith.CmpIPredicate.sgt: operator.gt,
    arith.CmpIPredicate.sge: operator.ge,
}
_SUMS = {"arith.addi": operator.add, "arith.subi": operator.sub}
_COMBINATIONS = {"arith.andi": operator.and_, "arith.ori": operator.or_, "arith.xori": operator.xor}


class Conditions:
    """Reads the conditions of a role.

    Attributes:
        constants: Numbers of rounds that conditions compare with.
    """

    def __init__(self, block: Any) -> None:
        """Take the loops of the role whose operations `block` has."""
        self.constants: set[int] = set()
        self._numbers: dict[Any, Number | None] = {}
        self._bounds: dict[Any, tuple[int, int]] = {}
        self._counters: dict[Any, Any] = {}
        self._ends: dict[Any, int] = {}
        self._later: dict[Any, int] = {}
        for op in walk_operations(block):
            depth = len(enclosing_loops(op))
            if op.name == "scf.for":
                self._take_loop(op, depth)
            elif op.name == "scf.while":
                before = op.regions[0].blocks[0]
                self._ends[terminator(before).operands[0]] = depth
                self._take_later_rounds(op, depth)

    def _take_loop(self, loop: Any, depth: int) -> None:
        first = constant_value(loop.operands[0])
        if first is None or constant_value(loop.operands[2]) != 1:
            return
        upper, counter = loop.operands[1], loop.regions[0].blocks[0].arguments[0]
        if self._bounds.setdefault(upper, (first, depth)) == (first, depth):
            self._numbers[upper] = lambda rounds: first + rounds.trips[depth]
        else:  # of loops that cannot all run as often as one run of the check lets them
            self._numbers[upper] = None
        self._counters[counter] = upper
        self._numbers[counter] = lambda rounds: first + rounds.number(depth)

    def _take_later_rounds(self, loop: Any, depth: int) -> None:
        """Take the values that an `scf.while` carries which are false in its first round only."""
        before, after = (region.blocks[0] for region in loop.regions)
        for number, carried in enumerate(before.arguments):
            ends = (loop.operands[number], terminator(after).operands[number])
            if [_truth(value) for value in ends] == [False, True]:
                self._later[carried] = depth
        for passed, carried in zip(terminator(before).operands[1:], after.arguments, strict=True):
            if passed in self._later:
                self._later[carried] = depth

    def of_branch(self, branch: Any, depth: int) -> Condition | None:
        """Return what decides the `scf.if` operation `branch`, which stands in `depth` loops.

        Whether a loop in it runs at all is known whatever its bounds are.
        """
        if guarded_loops(branch):
            return lambda rounds: rounds.trips[depth] > 0
        return self.read(branch.operands[0])

    def read(self, value: Any) -> Condition | None:
        """Return the condition that the i1 `value` is; None where something else decides it."""
        if value in self._ends:
            depth = self._ends[value]
            return lambda rounds: depth not in rounds.ended
        if value in self._later:
            depth = self._later[value]
            return lambda rounds: rounds.number(depth) > 0
        truth = _truth(value)
        if truth is not None:
            return lambda _: truth
        op = defining_operation(value)
        if op is None:
            return None
        if op.name == "arith.cmpi":
            return self._comparison(op)
        both = self._both(op, _COMBINATIONS, self.read)
        return None if both is None else lambda rounds: bool(both(rounds))

    def _comparison(self, op: Any) -> Condition | None:
        compare = _COMPARISONS.get(
            arith.CmpIPredicate(ir.IntegerAttr(op.attributes["predicate"]).value)
        )
        left, right = map(self._number, op.operands)
        if compare is None or left is None or right is None:
            return None
        leaves = list(self._leaves(op))
        if self._mixes_loops(leaves):
            return None
        constants = (constant_value(value) for value in leaves if value not in self._numbers)
        self.constants.update(number for number in constants if number is not None)
        return lambda rounds: compare(left(rounds), right(rounds))

    def _number(self, value: Any) -> Number | None:
        """Return the number that the integer `value` is; None where it is not known."""
        if value in self._numbers:
            return self._numbers[value]
        constant = constant_value(value)
        if constant is not None:
            return lambda _: constant
        op = defining_operation(value)
        if op is None:
            return None
        if op.name == "arith.select":
            return self._choice(op)
        return self._both(op, _SUMS, self._number)

    def _both(
        self, op: Any, table: Mapping[str, Callable[[Any, Any], Any]], read: Callable[[Any], Any]
    ) -> Callable[[Rounds], Any] | None:
        """Return what `op` makes of its two operands, where both are known and `table` has it."""
        if op.name not in table:
            return None
        combine, (left, right) = table[op.name], map(read, op.operands)
        if left is None or right is None:
            return None
        return lambda rounds: combine(left(rounds), right(rounds))

    def _choice(self, op: Any) -> Number | None:
        condition = self.read(op.operands[0])
        one, other = self._number(op.operands[1]), self._number(op.operands[2])
        if condition is None or one is None or other is None:
            return None
        return lambda rounds: one(rounds) if condition(rounds) else other(rounds)

    def _leaves(self, op: Any) -> Iterator[Any]:
        """Yield the bounds, counters and constants that `op` is computed from."""
        for value in op.operands:
            source = defining_operation(value)
            if value in self._numbers or constant_value(value) is not None:
                yield value
            elif source is not None and source.name.startswith("arith."):
                yield from self._leaves(source)

    def _mixes_loops(self, leaves: list[Any]) -> bool:
        """Tell whether a constant may be meant as such, though another loop ends at it."""
        constants = [value for value in leaves if constant_value(value) is not None]
        ends = {self._counters[value] for value in leaves if value in self._counters}
        return any(value in self._bounds and ends - {value} for value in constants)


def _truth(value: Any) -> bool | None:
    """Return the value of an i1 constant; None for anything else."""
    op = defining_operation(value)
    if op is None or op.name != "arith.constant" or str(value.type) != "i1":
        return None
    return ir.BoolAttr(op.attributes["value"]).value
