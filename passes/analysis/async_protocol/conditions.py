"""Conditions of branches that trip counts and numbers of rounds decide.

A loop that begins at a constant and steps by one counts its rounds from there, and ends where that
plus the number of rounds says. Sums, comparisons and their combinations follow from these.
"""

import operator
from collections.abc import Callable, Iterator
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
        self._numbers: dict[Any, Number] = {}
        self._ends: dict[Any, int] = {}
        for op in walk_operations(block):
            depth = len(enclosing_loops(op))
            if op.name == "scf.for":
                self._take_loop(op, depth)
            elif op.name == "scf.while":
                before = op.regions[0].blocks[0]
                self._ends[terminator(before).operands[0]] = depth

    def _take_loop(self, loop: Any, depth: int) -> None:
        first = constant_value(loop.operands[0])
        if first is None or constant_value(loop.operands[2]) != 1:
            return
        counter = loop.regions[0].blocks[0].arguments[0]
        self._numbers[loop.operands[1]] = lambda rounds: first + rounds.trips[depth]
        self._numbers[counter] = lambda rounds: first + rounds.number(depth)

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
        op = defining_operation(value)
        if op is None:
            return None
        if op.name == "arith.constant":
            truth = ir.BoolAttr(op.attributes["value"]).value
            return lambda _: truth
        if op.name == "arith.cmpi":
            return self._comparison(op)
        combine = _COMBINATIONS.get(op.name)
        left, right = map(self.read, op.operands) if combine is not None else (None, None)
        if combine is None or left is None or right is None:
            return None
        return lambda rounds: bool(combine(left(rounds), right(rounds)))

    def _comparison(self, op: Any) -> Condition | None:
        compare = _COMPARISONS.get(
            arith.CmpIPredicate(ir.IntegerAttr(op.attributes["predicate"]).value)
        )
        left, right = map(self._number, op.operands)
        if compare is None or left is None or right is None:
            return None
        self.constants.update(self._constants(op))
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
        combine = _SUMS.get(op.name)
        left, right = map(self._number, op.operands) if combine is not None else (None, None)
        if combine is None or left is None or right is None:
            return None
        return lambda rounds: combine(left(rounds), right(rounds))

    def _choice(self, op: Any) -> Number | None:
        condition = self.read(op.operands[0])
        one, other = self._number(op.operands[1]), self._number(op.operands[2])
        if condition is None or one is None or other is None:
            return None
        return lambda rounds: one(rounds) if condition(rounds) else other(rounds)

    def _constants(self, op: Any) -> Iterator[int]:
        """Yield the constants that `op` is computed from."""
        for value in op.operands:
            constant, source = constant_value(value), defining_operation(value)
            if value in self._numbers:
                continue
            if constant is not None:
                yield constant
            elif source is not None and source.name.startswith("arith."):
                yield from self._constants(source)
