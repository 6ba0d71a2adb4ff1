"""Runs the scalar code of a role: what one CTA does, one operation after the other.

Extents are numbers that the caller chooses, so loops and branches go one way. A ring position is
the number of slots since its start. Tiles are whatever the caller says that operations on them
return.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, terminator
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.support.fast_dataclasses import dataclass, field

MOST_OPERATIONS = 60_000
"""Operations of a run beyond which it says nothing."""


class EndlessRunError(Exception):
    """A run takes too long."""


def _quotient(left: int, right: int) -> int:
    """Return the quotient rounded towards zero (arith.divsi)."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


_ARITHMETIC: Mapping[str, Callable[..., int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": _quotient,
    "arith.divui": lambda a, b: a // b,
    "arith.remsi": lambda a, b: a - b * _quotient(a, b),
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.minsi": min,
    "arith.minui": min,
    "arith.maxsi": max,
    "arith.maxui": max,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.extui": lambda a: a,
    "arith.extsi": lambda a: a,
    "arith.trunci": lambda a: a,
    "arith.index_cast": lambda a: a,
}
"""Integers of these operations are not negative where that matters, and small."""
_PREDICATES: Mapping[Any, Callable[[int, int], bool]] = {
    arith.CmpIPredicate.eq: lambda a, b: a == b,
    arith.CmpIPredicate.ne: lambda a, b: a != b,
    arith.CmpIPredicate.slt: lambda a, b: a < b,
    arith.CmpIPredicate.sle: lambda a, b: a <= b,
    arith.CmpIPredicate.sgt: lambda a, b: a > b,
    arith.CmpIPredicate.sge: lambda a, b: a >= b,
    arith.CmpIPredicate.ult: lambda a, b: a < b,
    arith.CmpIPredicate.ule: lambda a, b: a <= b,
    arith.CmpIPredicate.ugt: lambda a, b: a > b,
    arith.CmpIPredicate.uge: lambda a, b: a >= b,
}


@dataclass
class ScalarRun:
    """One CTA's run of a kernel.

    Attributes:
        values: What is known of each value; others are None.
        queries: What operations return that ask where the CTA is, by name.
        rounds: Numbers of the loops that the run is in, outermost first.
        left: Operations until the run takes too long.
    """

    values: dict[Any, Any]
    queries: Mapping[str, int]
    rounds: list[int] = field(default_factory=list)
    left: int = MOST_OPERATIONS

    def run(self, block: Any) -> Iterator[Any]:
        """Run a block, and yield each operation that is neither scalar nor control flow.

        The caller that takes it sets the values of its results.

        Raises:
            EndlessRunError: It takes too long.
        """
        for op in body_operations(block):
            self.left -= 1
            if self.left < 0:
                raise EndlessRunError
            name = op.name
            if name == "scf.for":
                yield from self._for(op)
            elif name == "scf.if":
                yield from self._if(op)
            elif name == "scf.while":
                yield from self._while(op)
            elif name.startswith(("arith.", "math.")) and not _is_tile(op):
                self.values[op.results[0]] = self._compute(op)
            elif name in self.queries:
                self.values[op.results[0]] = self.queries[name]
            elif name in _POSITIONS:
                self.values[op.results[0]] = _POSITIONS[name](self, op)
            elif name not in ("scf.yield", "scf.condition"):
                yield op

    def get(self, value: Any) -> Any:
        """Return what is known of a value."""
        return self.values.get(value)

    def _take(self, targets: Any, values: list[Any]) -> None:
        for target, value in zip(targets, values, strict=True):
            self.values[target] = value

    def _ends(self, block: Any) -> list[Any]:
        return [self.get(value) for value in terminator(block).operands]

    def _for(self, op: Any) -> Iterator[Any]:
        block = op.regions[0].blocks[0]
        lower, upper, step, *carried = (self.get(value) for value in op.operands)
        if None in (lower, upper, step) or step <= 0:
            raise EndlessRunError
        for number in range(lower, upper, step):
            self._take(block.arguments, [number, *carried])
            self.rounds.append(number)
            yield from self.run(block)
            self.rounds.pop()
            carried = self._ends(block)
        self._take(op.results, carried)

    def _if(self, op: Any) -> Iterator[Any]:
        taken = self.get(op.operands[0])
        region = op.regions[0 if taken or taken is None else 1]
        if len(region.blocks):
            yield from self.run(region.blocks[0])
            self._take(op.results, self._ends(region.blocks[0]))

    def _while(self, op: Any) -> Iterator[Any]:
        before, after = (region.blocks[0] for region in op.regions)
        carried = [self.get(value) for value in op.operands]
        while True:
            self._take(before.arguments, carried)
            yield from self.run(before)
            goes_on, *passed = self._ends(before)
            if not goes_on:
                break
            self._take(after.arguments, passed)
            self.rounds.append(0)
            yield from self.run(after)
            self.rounds.pop()
            carried = self._ends(after)
        self._take(op.results, passed)

    def _compute(self, op: Any) -> Any:
        operands = [self.get(value) for value in op.operands]
        if op.name == "arith.constant":
            return _constant(op)
        if op.name == "arith.select" and operands[0] is not None:
            return operands[1] if operands[0] else operands[2]
        if None in operands:
            return None
        if op.name == "arith.cmpi":
            predicate = arith.CmpIPredicate(integer(op, "predicate"))
            return _PREDICATES[predicate](*operands)
        compute = _ARITHMETIC.get(op.name)
        try:
            return None if compute is None else compute(*operands)
        except ZeroDivisionError:
            return None


def _advanced(run: ScalarRun, op: Any) -> int | None:
    position = run.get(op.opview.position)
    return None if position is None else position + op.opview.count.value


def _skipped(run: ScalarRun, op: Any) -> int | None:
    view = op.opview
    operands = view.position, view.tiles, view.lower, view.upper, view.step
    position, tiles, *loop = (run.get(value) for value in operands)
    if None in (position, tiles, *loop):
        return None
    return position + tiles * len(range(*loop)) * view.count.value


_POSITIONS: Mapping[str, Callable[[ScalarRun, Any], int | None]] = {
    "nv_tileas.ring_start": lambda run, op: 0,
    "nv_tileas.ring_advance": _advanced,
    "nv_tileas.ring_skip": _skipped,
    "nv_tileas.ring_release_until": lambda run, op: run.get(op.opview.end),
}


def _is_tile(op: Any) -> bool:
    return any(isinstance(value.type, ir.ShapedType) for value in op.results)


def _constant(op: Any) -> Any:
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.BoolAttr):
        return ir.BoolAttr(attribute).value
    return constant_value(op.results[0])
