"""What each role performs in one run of a protocol: its program without loops and branches."""

from collections.abc import Sequence

from tilec.passes.analysis.protocol.events import Branch, Event, Loop, Node, Protocol
from tilec.passes.analysis.protocol.quantities import Rounds, Values
from tilec.support.fast_dataclasses import replace

Programs = Sequence[Sequence[Event]]
"""The events of each role, in order, those that only an elected thread performs among them."""


class Unrolling:
    """Unrolls the programs of a protocol for one run after the other.

    Equal events are the same object, as long as this lives: of the protocol, or made here.
    """

    def __init__(self, protocol: Protocol) -> None:
        """Unroll nothing yet."""
        self._protocol = protocol
        self._settled: dict[tuple[int, int], Event] = {}

    def programs(self, values: dict[int, Values]) -> Programs:
        """Return what the roles perform in a run in which the variables have `values`."""
        variables = self._protocol.variables
        return [self._all(role.body, Rounds(values, variables)) for role in self._protocol.roles]

    def _all(self, body: tuple[Node, ...], rounds: Rounds) -> list[Event]:
        events: list[Event] = []
        for node in body:
            if isinstance(node, Event):
                events.append(node if node.per_trip is None else self._settle(node, rounds))
            elif isinstance(node, Branch):
                holds = node.condition.holds(rounds)
                events += self._all(node.then if holds else node.otherwise, rounds)
                events += node.skipped[0 if holds else 1]
            else:
                events += self._loop(node, rounds)
        return events

    def _settle(self, event: Event, rounds: Rounds) -> Event:
        """Return an advance by the rounds of a loop as one by a number of slots."""
        trips = event.per_trip.evaluate(rounds) if event.per_trip is not None else 1
        key = id(event), trips
        if key not in self._settled:
            amount = event.amount * trips
            self._settled[key] = replace(event, amount=amount, per_trip=None)
        return self._settled[key]

    def _loop(self, loop: Loop, rounds: Rounds) -> list[Event]:
        """Return what is performed in all rounds of a loop, and when it ends."""
        events: list[Event] = []
        trips = loop.trips.evaluate(rounds)
        numbers = range(loop.first, trips, loop.step)
        rounds.asked.discard(loop.depth)
        for number in numbers:
            rounds.numbers[loop.depth] = number
            events += self._all(loop.body, rounds)
            if loop.depth not in rounds.asked:  # all rounds are like the first one
                events *= len(numbers)
                break
        if not numbers:
            events += loop.skipped
        if loop.ending:
            rounds.numbers[loop.depth] = trips
            rounds.ended.add(loop.depth)
            events += self._all(loop.ending, rounds)
            rounds.ended.remove(loop.depth)
        rounds.numbers.pop(loop.depth, None)
        return events
