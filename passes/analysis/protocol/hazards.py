"""What must come before an access to a tile of shared memory, as clocks tell."""

from typing import NoReturn

from tilec.passes.analysis.protocol.accumulators import NEVER
from tilec.passes.analysis.protocol.events import Event, ProtocolViolationError
from tilec.passes.analysis.protocol.state import Agent, Clock, Marks, Slot, fence


class Hazards:
    """Checks accesses; each method raises `ProtocolViolationError`."""

    def __init__(self, marks: Marks, buffers: dict[int, str]) -> None:
        """Take the marks of a run and the names of its buffers by number."""
        self._marks, self._buffers = marks, buffers

    def check_free(self, agent: Agent, users: Clock, event: Event) -> None:
        """Check that the agent is ordered after everything that has used a tile."""
        if users & ~agent.clock:
            message = "{name} may be overwritten while '{actor}' still uses it"
            self._report(agent, users, event, message)

    def check_fenced(self, agent: Agent, fences: Clock, event: Event) -> None:
        """Check that the agent is ordered after the proxy fences."""
        if fences & ~agent.clock:
            message = "no proxy fence between what '{actor}' does with {name} and a copy into it"
            self._report(agent, fences, event, message)

    def name_of(self, buffer: int | None) -> str:
        """Return the name of a buffer for messages."""
        return self._buffers.get(buffer if buffer is not None else -1, "a buffer")

    def check_readable(
        self, agent: Agent, slot: Slot, fill: int | None, event: Event, *, asynchronous: bool
    ) -> None:
        """Check that a tile holds `fill` (None: any) and that its writers come before the agent.

        An asynchronous read has to be ordered after their proxy fences, too.
        """
        if not slot.writers or (fill is not None and slot.fills != fill):
            raise ProtocolViolationError(event.where, "a slot is read that does not hold its tile")
        if slot.writers & ~agent.clock:
            late = "a tile is read before the write of '{actor}' has arrived"
            self._report(agent, slot.writers, event, late)
        fences = fence(slot.writers & slot.generic) if asynchronous else 0
        if fences & ~agent.clock:
            unfenced = "no proxy fence between the write of '{actor}' and an async read"
            self._report(agent, fences, event, unfenced)

    def check_retired(self, agent: Agent, event: Event) -> None:
        """Check that the accumulator that is touched is what a wait returned.

        Another wait is not enough: the compiler may move the use before it.
        """
        if agent.values.get(event.source if event.source is not None else NEVER, 0):
            message = "an accumulator is used while a product that writes it is in flight"
            raise ProtocolViolationError(event.where, message)

    def take(self, agent: Agent, source: int, event: Event) -> Clock:
        """Return the groups that write accumulator `source`; if there are any, it is spent."""
        writers = agent.values.get(source, 0)
        if source in agent.spent:
            message = "an accumulator in flight is used twice"
            raise ProtocolViolationError(event.where, message)
        if writers:
            agent.spent.add(source)
        return writers

    def _report(self, agent: Agent, marks: Clock, event: Event, message: str) -> NoReturn:
        """Report the first of `marks` that the agent is not ordered after."""
        actor = self._marks.owner(marks & ~agent.clock)
        message = message.format(name=self.name_of(event.buffer), actor=actor)
        raise ProtocolViolationError(event.where, message)
