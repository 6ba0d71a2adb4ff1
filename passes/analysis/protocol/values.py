"""Which SSA values of different roles are equal.

Roles recompute the scalars that they need, so equal values have a definition in each role. Values
get numbers: two that are computed in the same way from the same inputs get the same number (hash
consing), in whatever role they stand. What a loop carries is numbered by its initial value and by
how a round computes the next one. A value that something else defines has a number of its own.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import LOOPS, defining_operation, enclosing_loops, terminator
from tilec.passes.analysis.facts.element_accesses import is_repeatable
from tilec.passes.analysis.facts.memory_tokens import is_token
from tilec.passes.analysis.protocol.ranges import Range, range_of

Key = tuple[Any, ...]
_COMPUTED = ("arith.", "math.", "index.")
_GATHER = "nv_tileas.gather"
_QUERIES = frozenset(
    f"nv_tileas.{name}"
    for name in ("cta_id", "num_ctas", "cluster_id", "num_clusters", "cluster_coord", "opaque")
)
"""Operations that have one value in all roles, if their operands have."""


class ValueNumbers:
    """Numbers the values of a kernel.

    Attributes:
        depths: Of each number, the depths of the loops from round to round of which it may change.
    """

    def __init__(self) -> None:
        """Start without values."""
        self.depths: list[frozenset[int]] = []
        self._keys: dict[Key, int] = {}
        self._open: list[Any] = []
        self._known: list[dict[Any, int]] = [{}]
        self._long: set[int] = set()
        self._team, self._teams = 0, 1

    def enter(self, team: int, teams: int) -> None:
        """Read one of the `teams` teams of a role from here on, which have values of their own."""
        self._team, self._teams = team, teams
        self._known = [{}]

    def number(self, value: Any) -> int:
        """Return the number of `value`."""
        known = self._known[-1]  # keys that name open carried values hold while these are open
        pending = [value]  # what is computed by long chains is numbered without calls in each other
        while pending:
            last = pending[-1]
            missing = [item for item in _computed_from(last) if item not in known]
            if last not in known and missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if last not in known:
                is_argument = isinstance(last, ir.BlockArgument)
                known[last] = self.cons(*(self._argument if is_argument else self._result)(last))
        return known[value]

    def long_bound(self, bound: int) -> int:
        """Return the number of the constant bound of a loop that is too long for the check."""
        number = self.cons(("long", bound), frozenset())
        self._long.add(number)
        return number

    def cons(self, key: Key, depths: frozenset[int]) -> int:
        """Return the number of what `key` describes."""
        if key not in self._keys:
            self._keys[key] = len(self.depths)
            self.depths.append(depths)
        return self._keys[key]

    def is_long(self, number: int) -> bool:
        """Tell whether a number is that of the constant bound of a long loop."""
        return number in self._long

    def range_of(self, loop: Any) -> Range | None:
        """Return what a loop counts, in all teams where they share its rounds out."""
        return range_of(loop, self._teams)

    def _of(self, values: list[Any]) -> tuple[tuple[int, ...], frozenset[int]]:
        numbers = tuple(map(self.number, values))
        return numbers, frozenset().union(*(self.depths[number] for number in numbers))

    def _argument(self, argument: Any) -> tuple[Key, frozenset[int]]:
        owner = argument.owner.owner.operation
        if owner.name not in LOOPS:
            return ("argument", argument), frozenset()
        depth = len(enclosing_loops(owner))
        counted = self.range_of(owner)
        bounds = (counted.lower, counted.upper, counted.step) if counted is not None else ()
        if counted is not None and argument in counted.counters:
            return ("round", depth, *map(self.number, bounds)), frozenset({depth})
        around = ("carried", depth, *map(self.number, bounds))
        if owner.name == "scf.for":
            last = terminator(owner.regions[0].blocks[0])
            index = argument.arg_number
            ends = (owner.operands[2 + index], last.operands[index - 1])
            return self._carried(argument, around, ends, depth)
        before, after = (region.blocks[0] for region in owner.regions)
        if argument.owner == after:
            passed = terminator(before).operands[1 + argument.arg_number]
            (number,), depths = self._of([passed])
            return ("passed", number), depths
        ends = (
            owner.operands[argument.arg_number],
            terminator(after).operands[argument.arg_number],
        )
        return self._carried(argument, around, ends, depth)

    def _carried(
        self, argument: Any, around: Key, ends: tuple[Any, Any], depth: int
    ) -> tuple[Key, frozenset[int]]:
        """Return the key of a value that a loop carries from one of `ends` to the other."""
        if argument in self._open:
            return ("again", self._open.index(argument)), frozenset({depth})
        self._open.append(argument)
        self._known.append({})
        numbers, depths = self._of(list(ends))
        self._known.pop()
        self._open.pop()
        return (*around, *numbers), depths | {depth}

    def _result(self, value: Any) -> tuple[Key, frozenset[int]]:
        op = value.owner.operation
        number = ir.OpResult(value).result_number
        if _is_computed(op):
            attributes = tuple(sorted(op.attributes.items(), key=lambda item: item[0]))
            numbers, depths = self._of(list(op.operands))
            return (op.name, number, attributes, *numbers), depths
        if op.name == _GATHER and is_repeatable(op):
            return self._loaded(op, number)
        if op.name == "nv_tileas.team_id":
            return (op.name, self._team), frozenset()
        if op.name == "scf.if":
            ends = [terminator(region.blocks[0]).operands[number] for region in op.regions]
            numbers, depths = self._of([op.operands[0], *ends])
            return (op.name, *numbers), depths
        if op.name == "scf.for":
            return self._loop_result(op, number)
        if op.name == "scf.while":
            return self._while_result(op, number)
        return ("defined", value), frozenset(range(len(enclosing_loops(op))))

    def _loaded(self, op: Any, number: int) -> tuple[Key, frozenset[int]]:
        """Return the key of an element that nothing in the kernel writes."""
        numbers, depths = self._of([item for item in op.operands if not is_token(item)])
        sizes = tuple(op.attributes["operandSegmentSizes"])[:-1]
        return (op.name, number, sizes, *numbers), depths

    def _loop_result(self, loop: Any, number: int) -> tuple[Key, frozenset[int]]:
        body = loop.regions[0].blocks[0]
        carried = self.number(body.arguments[1 + number])
        depth = len(enclosing_loops(loop))
        return ("result", carried), self.depths[carried] - {depth}

    def _while_result(self, loop: Any, number: int) -> tuple[Key, frozenset[int]]:
        """Return the key of what a loop passes on in the round in which its condition fails."""
        condition, *passed = terminator(loop.regions[0].blocks[0]).operands
        numbers, depths = self._of([condition, passed[number]])
        return ("end", *numbers), depths - {len(enclosing_loops(loop))}


def _is_computed(op: Any) -> bool:
    return op.name in _QUERIES or op.name.startswith(_COMPUTED)


def _computed_from(value: Any) -> list[Any]:
    """Return those operands of what computes a value that are computed themselves."""
    op = defining_operation(value)
    if op is None or not _is_computed(op):
        return []
    makers = ((operand, defining_operation(operand)) for operand in op.operands)
    return [operand for operand, maker in makers if maker is not None and _is_computed(maker)]
