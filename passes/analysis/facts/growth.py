"""Whether an integer grows or shrinks with a coordinate of the block, or with the rounds of a loop.

A bool is 0 or 1: one that never grows stays false once it is.

The order of tiles and the place of rounds follow from the answer, and no result does: a kernel is
right with every answer. So numbers count as whole numbers that do not wrap around.
"""

from collections.abc import Iterable
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import FOR_BOUNDS, defining_operation, enclosing_operations, terminator
from tilec.ir.values import block_of
from tilec.passes.analysis.facts.value_ranges import ValueRanges

_JOINED = (
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.index_cast",
    "arith.addi",
    "arith.minsi",
    "arith.minui",
    "arith.maxsi",
    "arith.maxui",
)
_DIVISIONS = (
    "arith.divsi",
    "arith.divui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
)

_P = arith.CmpIPredicate
_LESS = frozenset(map(int, (_P.slt, _P.sle, _P.ult, _P.ule)))
_GREATER = frozenset(map(int, (_P.sgt, _P.sge, _P.ugt, _P.uge)))
_BOOL_BITS = 1


class Growth:
    """Answers for one kernel: 1 never shrinks, -1 never grows, 0 stays the same, None unknown."""

    def __init__(self, coordinates: set[Any], ranges: ValueRanges, loop: Any = None) -> None:
        """Take what the coordinate is, and the ranges of values.

        Args:
            coordinates: The operations that return the coordinate.
            ranges: Ranges of the values of the kernel.
            loop: The `scf.for` whose induction variable is the coordinate, if it is none of a
                block; nothing outside of it changes.
        """
        self._coordinates = coordinates
        self._ranges = ranges
        self._known: dict[Any, int | None] = {}
        self._loop = loop

    def of(self, value: Any) -> int | None:
        """Return how `value` changes with the coordinate."""
        if value not in self._known:
            self._known[value] = self._find(value)
        return self._known[value]

    def of_rounds(self, loops: Iterable[Any]) -> int | None:
        """Return how the rounds of all `loops` (`scf.for`) together change with the coordinate.

        A bound at which one loop ends and another one begins counts for neither. A loop that ends
        at the larger one of two bounds, the first of which is a constant above its start, has at
        least a constant number of rounds, so only the second one counts.
        """
        ends = [_with_decisive_end(*list(loop.operands)[:3]) for loop in loops]
        if any(self.of(step) != 0 for _, _, step in ends):
            return None
        lower = [first for first, _, _ in ends]
        upper = []
        for _, last, _ in ends:
            if last in lower:
                lower.remove(last)
            else:
                upper.append(last)
        return _together([*map(self.of, upper), *(_turned(self.of(first)) for first in lower)])

    def _find(self, value: Any) -> int | None:
        op = defining_operation(value)
        if self._loop is not None:
            if value == self._loop.regions[0].blocks[0].arguments[0]:
                return 1
            if not _is_made_in(value, self._loop):
                return 0
        if op is None:  # an argument of the kernel, or what a loop carries
            return None if value.owner.owner.operation.name.startswith("scf.") else 0
        if op in self._coordinates:
            return 1
        if len(op.regions):
            return self._of_sum(op, ir.OpResult(value).result_number)
        found = [self.of(operand) for operand in op.operands]
        return 0 if all(item == 0 for item in found) else self._through(op, found)

    def _of_sum(self, loop: Any, number: int) -> int | None:
        """Return how a sum of a loop changes: as its rounds, if no round makes it smaller.

        Other tiles add other numbers, so that is a guess: more rounds rarely add less.
        """
        if loop.name != "scf.for":
            return None
        block = loop.regions[0].blocks[0]
        added = defining_operation(terminator(block).operands[number])
        if added is None or added.name != "arith.addi":
            return None
        carried, *others = block.arguments[1 + number], *added.operands
        if carried not in others:
            return None
        others.remove(carried)
        if self._ranges.signed(others[0])[0] < 0:
            return None
        return _together([self.of(loop.operands[FOR_BOUNDS + number]), self.of_rounds([loop])])

    def _through(self, op: Any, found: list[int | None]) -> int | None:
        """Return how the result of `op` changes, given how its operands do."""
        if op.name in _JOINED:
            return _together(found)
        if op.name == "arith.subi":
            return _together([found[0], _turned(found[1])])
        if _is_bool(op.results[0]):
            return self._through_to_bool(op, found)
        if op.name == "arith.select" and (found[0] == 0 or _are_near(*list(op.operands)[1:])):
            return _together(found[1:])
        if op.name in _DIVISIONS and found[1] == 0:
            return self._scaled(found[0], op.operands[1])
        if op.name == "arith.muli" and 0 in found:
            fixed = found.index(0)
            return self._scaled(found[1 - fixed], op.operands[fixed])
        return None

    def _through_to_bool(self, op: Any, found: list[int | None]) -> int | None:
        """Return how the bool that `op` computes changes, given how its operands do."""
        if op.name in ("arith.andi", "arith.ori"):
            return _together(found)
        if op.name == "arith.xori":
            first, second = op.operands
            if _is_true(first) or _is_true(second):
                return _turned(found[1 if _is_true(first) else 0])
            return None
        if op.name != "arith.cmpi" or _is_bool(op.operands[0]):
            return None
        predicate = integer(op, "predicate")
        if predicate in _LESS:
            return _together([_turned(found[0]), found[1]])
        return _together([found[0], _turned(found[1])]) if predicate in _GREATER else None

    def _scaled(self, growth: int | None, factor: Any) -> int | None:
        """Return the growth of a product with `factor`, or of a division by it."""
        low, high = self._ranges.signed(factor)
        if low >= 0:
            return growth
        return _turned(growth) if high <= 0 else None


def _with_decisive_end(first: Any, last: Any, step: Any) -> tuple[Any, Any, Any]:
    """Return the bounds of a loop, of two ends that which does not follow its start."""
    op = defining_operation(last)
    if op is not None and op.name == "arith.maxsi":
        for own, other in (op.operands, list(op.operands)[::-1]):
            if _is_constant_sum(own, first):
                return first, other, step
    return first, last, step


def _is_constant_sum(value: Any, start: Any) -> bool:
    """Tell whether a value is the sum of another one and a constant."""
    op = defining_operation(value)
    if op is None or op.name != "arith.addi" or op.operands[0] != start:
        return False
    added = defining_operation(op.operands[1])
    return added is not None and added.name == "arith.constant"


def _is_made_in(value: Any, loop: Any) -> bool:
    """Tell whether a value is made in the rounds of a loop."""
    around = block_of(value).owner.operation
    return around == loop or loop in enclosing_operations(around)


def _are_near(first: Any, second: Any) -> bool:
    """Tell whether two numbers differ by a constant, as quotients that are rounded up and down."""
    for value, other in ((first, second), (second, first)):
        op = defining_operation(value)
        if op is not None and op.name in ("arith.addi", "arith.subi"):
            step = defining_operation(op.operands[1])
            if op.operands[0] == other and step is not None and step.name == "arith.constant":
                return True
    return False


def _is_bool(value: Any) -> bool:
    type_ = value.type
    return isinstance(type_, ir.IntegerType) and ir.IntegerType(type_).width == _BOOL_BITS


def _is_true(value: Any) -> bool:
    op = defining_operation(value)
    return (
        op is not None and op.name == "arith.constant" and ir.BoolAttr(op.attributes["value"]).value
    )


def _turned(growth: int | None) -> int | None:
    return None if growth is None else -growth


def _together(found: list[int | None]) -> int | None:
    """Return the growth of what grows with each of several values."""
    directions = {item for item in found if item != 0}
    if len(directions) > 1:
        return None
    return directions.pop() if directions else 0
