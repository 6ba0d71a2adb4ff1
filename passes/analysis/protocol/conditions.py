"""Reads how often loops run and which way branches go from the IR of a role.

Sums, differences and multiples of what is known stay exact, so that two loops whose bounds differ
by one differ by one in every run of the check. What is left of a bound or of a comparison, a
combination of values that nobody knows, becomes a variable (`quantities.py`): the same one
wherever the same combination occurs, in whatever role.
"""

from collections import Counter
from collections.abc import Iterable
from math import gcd
from typing import Any, TypeVar

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import LOOPS, defining_operation, enclosing_loops, terminator
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.mma.loop_guards import guarded_loops
from tilec.passes.analysis.protocol.events import REGISTERS, Node, events_of
from tilec.passes.analysis.protocol.nesting import Nesting
from tilec.passes.analysis.protocol.quantities import (
    MOST_ROUNDS,
    Choice,
    Combination,
    Comparison,
    Condition,
    Goes,
    Number,
    Runs,
    Trips,
    Truth,
    Variable,
)
from tilec.passes.analysis.protocol.values import ValueNumbers
from tilec.support.fast_dataclasses import dataclass, field

_PREDICATES = {
    getattr(arith.CmpIPredicate, name): name for name in ("eq", "ne", "slt", "sle", "sgt", "sge")
}
_COMBINATIONS = {"arith.andi": "and", "arith.ori": "or", "arith.xori": "xor"}
_ORDERS = {"arith.minsi": "slt", "arith.maxsi": "sgt"}
_CASTS = ("arith.index_cast", "arith.extsi")
_Term = TypeVar("_Term")
_NEAR = 8
"""Constants this close to the bound of a long loop, and closer than to 0, are relative to it."""


@dataclass
class _Form:
    """A sum while it is read: coefficients of values by number, of rounds by depth, of choices."""

    constant: int = 0
    unknown: Counter[int] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    choices: Counter[Choice] = field(default_factory=Counter)

    def add(self, other: "_Form", factor: int = 1) -> "_Form":
        """Return this sum and `factor` times another one."""
        return _Form(
            self.constant + factor * other.constant,
            _merged(self.unknown, other.unknown, factor),
            _merged(self.rounds, other.rounds, factor),
            _merged(self.choices, other.choices, factor),
        )

    @property
    def is_constant(self) -> bool:
        """Whether it is the same in every run."""
        return not (self.unknown or self.rounds or self.choices)


def _merged(own: Counter[_Term], more: Counter[_Term], factor: int) -> Counter[_Term]:
    merged = Counter(own)
    for term, count in more.items():
        merged[term] += factor * count
        if not merged[term]:
            del merged[term]
    return merged


class Conditions:
    """Reads numbers and conditions of all roles of a kernel.

    Attributes:
        variables: The variables found so far.
        values: Which values are equal.
    """

    def __init__(self, longest: int, ops: Iterable[Any] = ()) -> None:
        """Start without variables.

        Args:
            longest: Most rounds that a loop with constant bounds runs in the check; a longer one
                runs as often as a variable says.
            ops: Operations of all roles, which have to read a constant in the same way.
        """
        self.variables: list[Variable] = []
        self.values = ValueNumbers()
        self._longest = longest
        self._keys: dict[Any, int] = {}
        self._long: set[int] = set()
        self._ends: dict[Any, int] = {}
        self._later: dict[Any, int] = {}
        self._forms: dict[Any, _Form] = {}
        self._nesting = Nesting()
        for op in ops:
            if op.name == "scf.for":
                self._take_long_loop(op)

    def enter(self, block: Any, team: int = 0, teams: int = 1) -> None:
        """Read the role whose operations `block` has, for one of its teams."""
        self.values.enter(team, teams)
        self._forms.clear()
        for op in walk_operations(block):
            if op.name == "scf.while":
                depth = len(enclosing_loops(op))
                self._ends[terminator(op.regions[0].blocks[0]).operands[0]] = depth
                self._take_later_rounds(op, depth)

    def _take_long_loop(self, loop: Any) -> None:
        lower, upper, step = map(constant_value, list(loop.operands)[:3])
        if lower is None or upper is None or not step:
            return
        if (upper - lower) // step > self._longest:
            self._long.add(upper)

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

    def trips_of(self, loop: Any) -> Trips:
        """Return how often an `scf.for` or `scf.while` operation runs, for all its teams."""
        counted = self.values.range_of(loop)
        if counted is not None:
            return self.trips(counted.lower, counted.upper, counted.step)
        condition = self.values.number(terminator(loop.regions[0].blocks[0]).operands[0])
        return Trips(Number(variable=(self._variable(("while", condition), {condition}), 1)))

    def trips(self, lower: Any, upper: Any, step: Any) -> Trips:
        """Return how often a loop from `lower` to `upper` by `step` runs."""
        distance = self._form(upper).add(self._form(lower), -1)
        advance = self.constant(step)
        if advance is not None and advance > 0:
            return Trips(self._number(distance), advance)
        number = self.values.number(step)
        parts = (distance.constant, tuple(sorted(distance.unknown.items())), number)
        varies = {number, *distance.unknown}
        return Trips(Number(variable=(self._variable(("trips", *parts), varies), 1)))

    def of_branch(self, branch: Any, nodes: tuple[Node, ...] = ()) -> Condition:
        """Return what decides the `scf.if` operation `branch`, on whose sides `nodes` are.

        Whether a loop in it runs at all is known whatever its bounds are. Sides that only the own
        warp sees are both tried, whatever the condition is: nothing else depends on it.
        """
        for loop in guarded_loops(branch):
            return Runs(self.trips_of(loop))
        if nodes and all(event.kind in REGISTERS for event in events_of(nodes)):
            return self._flag(branch.operands[0])
        return self.read(branch.operands[0])

    def read(self, value: Any) -> Condition:
        """Return the condition that the i1 `value` is."""
        if value in self._ends:
            return Goes(self._ends[value])
        if value in self._later:
            return Comparison("sgt", Number(rounds=((self._later[value], 1),)))
        truth = _truth(value)
        if truth is not None:
            return Truth(truth)
        op = defining_operation(value)
        if not self._nesting.is_simple(value):
            return self._flag(value)
        if op is not None and op.name == "arith.cmpi" and _is_integer(op.operands[0]):
            predicate = _PREDICATES.get(arith.CmpIPredicate(integer(op, "predicate")))
            if predicate is not None:
                left, right = map(self._form, op.operands)
                difference = self._number(left.add(right, -1))
                if not _is_far(difference):
                    return Comparison(predicate, difference)
        if op is not None and op.name in _COMBINATIONS:
            return Combination(_COMBINATIONS[op.name], *map(self.read, op.operands))
        return self._flag(value)

    def _flag(self, value: Any) -> Condition:
        """Return a condition that goes both ways, as often as the i1 `value` can change."""
        number = self.values.number(value)
        variable = self._variable(("flag", number), {number}, flag=True)
        return Comparison("ne", Number(variable=(variable, 1)))

    def constant(self, value: Any) -> int | None:
        """Return an integer that is the same in every run, or None."""
        form = self._form(value)
        return form.constant if form.is_constant else None

    def _form(self, value: Any) -> _Form:
        """Return the integer `value` as a sum."""
        if value not in self._forms:
            simple = self._nesting.is_simple(value)
            self._forms[value] = self._read_form(value) if simple else self._unknown(value)
        return self._forms[value]

    def _read_form(self, value: Any) -> _Form:
        constant = constant_value(value)
        if constant is not None:
            return self._constant(constant)
        op = defining_operation(value)
        if op is None:
            return self._counter(value)
        if op.name in ("arith.addi", "arith.subi"):
            left, right = map(self._form, op.operands)
            return left.add(right, 1 if op.name == "arith.addi" else -1)
        if op.name == "arith.muli":
            left, right = map(self._form, op.operands)
            if right.is_constant:
                return _Form().add(left, right.constant)
            if left.is_constant:
                return _Form().add(right, left.constant)
        if op.name in _CASTS:
            return self._form(op.operands[0])
        if op.name == "arith.select":
            return self._choice(self.read(op.operands[0]), *list(op.operands)[1:])
        if op.name in _ORDERS:
            left, right = map(self._form, op.operands)
            condition = Comparison(_ORDERS[op.name], self._number(left.add(right, -1)))
            return self._choice(condition, *op.operands)
        return self._unknown(value)

    def _unknown(self, value: Any) -> _Form:
        return _Form(unknown=Counter({self.values.number(value): 1}))

    def _constant(self, constant: int) -> _Form:
        for bound in sorted(self._long):
            if abs(constant - bound) <= min(_NEAR, abs(constant) - 1):
                number = self.values.long_bound(bound)
                return _Form(constant - bound, Counter({number: 1}))
        return _Form(constant)

    def _counter(self, argument: Any) -> _Form:
        """Return a block argument as a sum: that of a loop by a constant step is known."""
        loop = argument.owner.owner.operation
        counted = self.values.range_of(loop) if loop.name in LOOPS else None
        if counted is not None and argument in counted.counters:
            advance = self.constant(counted.step)
            if advance is not None:
                depth = len(enclosing_loops(loop))
                return self._form(counted.lower).add(_Form(rounds=Counter({depth: advance})))
        return self._unknown(argument)

    def _choice(self, condition: Condition, then: Any, otherwise: Any) -> _Form:
        numbers = (self._number(self._form(value)) for value in (then, otherwise))
        return _Form(choices=Counter({Choice(condition, *numbers): 1}))

    def _number(self, form: _Form) -> Number:
        """Return a sum as a number: its unknown part becomes a variable."""
        variable = None
        if form.unknown:
            terms = sorted(form.unknown.items())
            factor = gcd(*(count for _, count in terms))
            factor = factor if terms[0][1] > 0 else -factor
            key = tuple((number, count // factor) for number, count in terms)
            variable = (self._variable(key, set(form.unknown)), factor)
        rounds, choices = tuple(sorted(form.rounds.items())), tuple(form.choices.items())
        return Number(form.constant, rounds, variable, choices)

    def _variable(self, key: Any, numbers: set[int], *, flag: bool = False) -> int:
        """Return the variable that `key` describes, a combination of values with these numbers."""
        if key not in self._keys:
            self._keys[key] = len(self.variables)
            depths = frozenset().union(*(self.values.depths[number] for number in numbers))
            long = any(self.values.is_long(number) for number in numbers)
            self.variables.append(Variable(tuple(sorted(depths)), flag, long))
        return self._keys[key]


def _is_far(number: Number) -> bool:
    """Tell whether a round would have to be larger than any in a run to make a number zero."""
    if not number.rounds or number.variable is not None or number.choices:
        return False
    return abs(number.constant) > MOST_ROUNDS * max(abs(factor) for _, factor in number.rounds)


def _is_integer(value: Any) -> bool:
    return str(value.type) != "i1"


def _truth(value: Any) -> bool | None:
    """Return the value of an i1 constant; None for anything else."""
    op = defining_operation(value)
    if op is None or op.name != "arith.constant" or str(value.type) != "i1":
        return None
    return ir.BoolAttr(op.attributes["value"]).value
