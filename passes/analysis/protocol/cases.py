"""The cases that prove a protocol: which values of its variables a run has to be made for.

A ring repeats itself after as many rounds as it has slots, so a loop that uses rings has to run 0,
1, 2, S-1, S, S+1 and 2S+1 times (S: slots of the deepest ring). Loops around them run 0 to 3
times, but only twice for each of those counts: a run of two rounds begins with the run of one, and
what is left over differs by the number of rounds alone. Where several innermost loops have
variables of their own, each gets all counts while the others run 0, 1 and S+1 times; so do loops
around them with 0 to 3. A variable that may change from tile to tile also takes values in
alternation. Comparisons with constants are tried once for each way in which they may come out,
truth values both ways.
"""

from collections import defaultdict
from collections.abc import Iterator

from tilec.passes.analysis.protocol.events import (
    Branch,
    Loop,
    Node,
    Protocol,
    ProtocolViolationError,
    Violation,
    events_of,
)
from tilec.passes.analysis.protocol.quantities import (
    MOST_ROUNDS,
    Combination,
    Comparison,
    Condition,
    Number,
    Trips,
    Values,
    loop_key,
)
from tilec.passes.analysis.protocol.simulate import Simulation
from tilec.passes.analysis.protocol.unroll import Unrolling

LONGEST_BOUND = 4 * MOST_ROUNDS
"""Rounds that a loop runs at most where its bound is the least of two numbers: 2S+1 rounds of one
with a step 8 times as long fit, for S = 16 slots (choice: bounds the time of the check)."""
Case = dict[int, Values]
"""The values of every variable, see `Rounds.values`."""


def check_protocol(protocol: Protocol) -> Violation | None:
    """Run a protocol for every relevant choice of values; return the first violation.

    A third of the choices lets all roles perform what they do for an earlier one: no run needed.
    """
    unrolling = Unrolling(protocol)
    done: set[tuple[tuple[int, ...], ...]] = set()
    for case in distinct_cases(protocol):
        programs = unrolling.programs(case)
        key = tuple(tuple(map(id, events)) for events in programs)
        if key in done:
            continue
        done.add(key)
        try:
            Simulation(protocol, programs).run()
        except ProtocolViolationError as broken:
            return broken.violation
    return None


def distinct_cases(protocol: Protocol) -> Iterator[Case]:
    """Yield every relevant choice of values once."""
    done: set[tuple[tuple[int, Values], ...]] = set()
    for case in Cases(protocol).all():
        key = tuple(sorted(case.items()))
        if key not in done:
            done.add(key)
            yield case


class Cases:
    """Makes the cases of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        """Find out what each variable is used for."""
        self._protocol = protocol
        self._inner: defaultdict[int, list[Trips]] = defaultdict(list)
        self._outer: defaultdict[int, list[Trips]] = defaultdict(list)
        self._cuts: defaultdict[int, set[int]] = defaultdict(set)
        self._rounds: set[int] = set()
        self._decides_rings: set[int] = set()
        self._decides_bounds: set[int] = set()
        self._turns = 1
        for role in protocol.roles:
            self._take(role.body)
        for number in self._outer:  # a role may need nothing of what another one loops over inside
            self._inner.pop(number, None)
        stages = max((ring.stages for ring in protocol.rings.values()), default=1)
        self._stages = stages
        marks = {mark + near for mark in self._rounds if mark > 1 for near in (-1, 0, 1)}
        counts = {0, 1, 2, max(0, stages - 1), stages, stages + 1, 2 * stages + 1}
        self._counts = sorted(counts | marks)
        self._few = sorted({1, stages + 1, max(self._rounds, default=1)})
        numbers = range(len(protocol.variables))
        self._choices = [n for n in numbers if n not in self._inner and n not in self._outer]

    def all(self) -> Iterator[Case]:
        """Yield every case, the most telling ones first; some twice."""
        yield from self._of_counts(self._counts, 0)
        yield from self._of_choices()
        yield from self._of_single_loops()
        yield from self._of_changes()

    def _take(self, body: tuple[Node, ...]) -> None:
        """Take what the nodes of a program use variables for."""
        for node in body:
            if isinstance(node, Branch):
                touches = any(event.ring is not None for event in events_of((node,)))
                self._take_condition(node.condition, touches=touches)
                self._take(node.then)
                self._take(node.otherwise)
            elif isinstance(node, Loop):
                uses = self._outer if _holds_loops(node.body) else self._inner
                self._take_trips(node.trips, uses)
                self._turns = max(self._turns, node.step)
                self._take(node.body)
            elif node.per_trip is not None:
                self._take_trips(node.per_trip, self._inner)

    def _take_trips(self, trips: Trips, uses: defaultdict[int, list[Trips]]) -> None:
        if trips.distance.variable is not None:
            found = uses[trips.distance.variable[0]]
            if trips not in found:
                found.append(trips)
        self._decides_bounds |= _compared(trips.distance)
        self._take_choices(trips.distance)

    def _take_choices(self, number: Number, *, touches: bool = True) -> None:
        for choice, _ in number.choices:
            self._take_condition(choice.condition, touches=touches)
            self._take_choices(choice.then, touches=touches)
            self._take_choices(choice.otherwise, touches=touches)

    def _take_condition(self, condition: Condition, *, touches: bool) -> None:
        if isinstance(condition, Combination):
            self._take_condition(condition.left, touches=touches)
            self._take_condition(condition.right, touches=touches)
        elif isinstance(condition, Comparison):
            difference = condition.difference
            self._take_choices(difference, touches=touches)
            if difference.variable is not None:
                number, factor = difference.variable
                self._cuts[number] |= _cuts(condition.predicate, difference.constant, factor)
                if touches:
                    self._decides_rings.add(number)
            elif difference.rounds:
                self._rounds.add(abs(difference.constant // difference.rounds[0][1]))

    def _levels(self, number: int) -> list[int]:
        """Return a value for each way in which the comparisons of a variable may come out."""
        if self._protocol.variables[number].flag:
            return [1, 0]
        cuts = sorted(self._cuts[number])
        return [*cuts, cuts[0] - 1] if cuts else [0]

    def _case(self, around: int, trip: int, level: int = 0) -> Case:
        """Return the case of so many rounds of outer and of innermost loops, and a level."""
        case: Case = {}
        for number in range(len(self._protocol.variables)):
            if number in self._inner:
                case[number] = (self._value(number, self._inner[number][0], trip),)
            elif number in self._outer:
                case[number] = (self._value(number, self._outer[number][0], around),)
            else:
                levels = self._levels(number)
                case[number] = (levels[min(level, len(levels) - 1)],)
        return case

    def _value(self, number: int, trips: Trips, count: int) -> int:
        """Return the value of a variable with which a loop runs `count` times."""
        factor = trips.distance.variable[1] if trips.distance.variable else 1
        if self._protocol.variables[number].long:
            count = max(count, self._stages)
        distance = count * trips.step - trips.distance.constant
        return distance // factor if factor > 0 else -(distance // -factor)

    def _of_counts(self, counts: list[int], level: int) -> Iterator[Case]:
        if self._outer:
            ends = [(0, 1), (1, 0), (1, 1), (1, self._stages + 1), (3, 0), (3, 1)]
            # Where consumers share tiles out, each of them gets as many as a single one would.
            ends += [(2 * self._turns - 1, self._stages + 1)] if self._turns > 1 else []
            for around, trip in ends:
                yield self._case(around, trip, level)
        for trip in counts:
            yield self._case(2 * self._turns, trip, level)

    def _of_choices(self) -> Iterator[Case]:
        """Yield the cases of other values of what conditions compare."""
        most = max((len(self._levels(number)) for number in self._choices), default=1)
        touches = any(number in self._decides_rings for number in self._choices)
        for level in range(1, most):
            if touches or level == most - 1:
                yield from self._of_counts(self._counts if touches else self._few, level)
            else:
                yield self._case(2 * self._turns, self._few[-1], level)
        for number in self._choices if len(self._choices) > 1 else ():
            for value in self._levels(number)[1:]:
                yield {**self._case(2 * self._turns, self._stages + 1), number: (value,)}

    def _of_single_loops(self) -> Iterator[Case]:
        """Yield the cases in which the loops of one variable run as often as no others do."""
        for number, loops in self._inner.items():
            values = {self._value(number, loop, count) for loop in loops for count in self._counts}
            others = (0, 1, self._stages + 1) if len(self._inner) > 1 else (1,)
            for value in sorted({*values, *(self._levels(number) if number in self._cuts else ())}):
                if self._may_run(number, value):
                    for trip in others:
                        yield self._with(self._case(2 * self._turns, trip), number, value)
        for number, loops in self._outer.items():
            counts = (0, 1, 2, 3) if len(self._outer) > 1 else ()
            values = {self._value(number, loop, count) for loop in loops for count in counts}
            for value in sorted({*values, *(self._levels(number) if number in self._cuts else ())}):
                if self._may_run(number, value):
                    yield self._with(self._case(2 * self._turns, 1), number, value)

    def _may_run(self, number: int, value: int) -> bool:
        """Tell whether loops may run by a value of their variable, or by fewer rounds instead.

        Not where the bound of a loop is the least of two numbers and the value takes too long:
        loops that run fewer rounds than such a comparison says would not fit together.
        """
        return number not in self._decides_bounds or self._longest(number, value) <= LONGEST_BOUND

    def _longest(self, number: int, value: int) -> int:
        """Return the rounds of the loop that runs longest by a value of a variable."""
        loops = [*self._inner.get(number, ()), *self._outer.get(number, ())]
        return max(loop.of(value) for loop in loops)

    def _with(self, case: Case, number: int, value: int) -> Case:
        """Return a case with another value of one loop variable; loops run no longer than they may.

        What is compared with a large number comes out both ways all the same.
        """
        too_long = self._longest(number, value) > MOST_ROUNDS
        apart = too_long and number not in self._decides_bounds
        few = {loop_key(number): case[number]} if apart else {}
        return {**case, number: (value,), **few}

    def _of_changes(self) -> Iterator[Case]:
        """Yield the cases in which a variable changes from round to round."""
        around, trip = 2 * self._turns + 1, self._stages + 1
        for number, variable in enumerate(self._protocol.variables):
            if not variable.depths:
                continue
            if number in self._choices:
                levels = self._levels(number)
                values = levels if number in self._decides_rings else {min(levels), max(levels)}
            else:
                loop = (self._inner.get(number) or self._outer[number])[0]
                values = sorted({self._value(number, loop, count) for count in (0, 1, trip)})
            for first in values:
                for second in values:
                    if first != second:
                        yield {**self._case(around, trip), number: (first, second)}


def _compared(number: Number) -> set[int]:
    """Return the variables that decide which one of two numbers a number is."""
    found: set[int] = set()
    for choice, _ in number.choices:
        found |= _variables(choice.condition)
        found |= _compared(choice.then) | _compared(choice.otherwise)
    return found


def _variables(condition: Condition) -> set[int]:
    """Return the variables that a condition compares."""
    if isinstance(condition, Combination):
        return _variables(condition.left) | _variables(condition.right)
    if isinstance(condition, Comparison):
        difference = condition.difference
        own = set() if difference.variable is None else {difference.variable[0]}
        return own | _compared(difference)
    return set()


def _cuts(predicate: str, constant: int, factor: int) -> set[int]:
    """Return the values at which `constant + factor * value <predicate> 0` may change, going up."""
    shifts = {"slt": (0,), "sge": (0,), "sle": (1,), "sgt": (1,)}.get(predicate, (0, 1))
    if factor > 0:  # it is at least `shift` from this value on
        return {-((constant - shift) // factor) for shift in shifts}
    return {(constant - shift) // -factor + 1 for shift in shifts}


def _holds_loops(body: tuple[Node, ...]) -> bool:
    """Tell whether a program has a loop somewhere."""
    for node in body:
        if isinstance(node, Loop):
            return True
        if isinstance(node, Branch) and (_holds_loops(node.then) or _holds_loops(node.otherwise)):
            return True
    return False
