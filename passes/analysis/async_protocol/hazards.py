"""What must come before an access to a tile of shared memory, as clocks tell."""

from tilec.passes.analysis.async_protocol.events import Event, ProtocolViolationError
from tilec.passes.analysis.async_protocol.state import Agent, Clock, Marks, Slot, fence


class Hazards:
    """Checks accesses; each method raises `ProtocolViolationError`."""

    def __init__(self, marks: Marks, buffers: dict[int, str]) -> None:
        """Take the marks of a run and the names of its buffers by number."""
        self._marks, self._buffers = marks, buffers

    def check_free(self, agent: Agent, users: Clock, event: Event) -> None:
        """Check that the agent comes behind the marks of what has used a tile."""
        missing = users & ~agent.clock
        if missing:
            name, actor = self.name_of(event.buffer), self._marks.owner(missing)
            message = f"{name} may be overwritten while '{actor}' still uses it"
            raise ProtocolViolationError(event.where, message)

    def check_fenced(self, agent: Agent, fences: Clock, event: Event) -> None:
        """Check that the agent comes behind the marks of proxy fences."""
        missing = fences & ~agent.clock
        if missing:
            name, actor = self.name_of(event.buffer), self._marks.owner(missing)
            message = f"no proxy fence between what '{actor}' does with {name} and a copy into it"
            raise ProtocolViolationError(event.where, message)

    def name_of(self, buffer: int | None) -> str:
        """Return the name of a buffer for messages."""
        return self._buffers.get(buffer if buffer is not None else -1, "a buffer")

    def check_readable(
        self, agent: Agent, slot: Slot, fill: int | None, event: Event, *, asynchronous: bool
    ) -> None:
        """Check that a tile holds `fill` (None: any) and that its writers come before the agent.

        An asynchronous read has to come behind their proxy fences, too.
        """
        if not slot.writers or (fill is not None and slot.fills != fill):
            raise ProtocolViolationError(event.where, "a slot is read that does not hold its tile")
        missing = slot.writers & ~agent.clock
        if missing:
            actor = self._marks.owner(missing)
            message = f"a tile is read before the write of '{actor}' has arrived"
            raise ProtocolViolationError(event.where, message)
        unordered = fence(slot.writers & slot.generic) & ~agent.clock
        if unordered and asynchronous:
            actor = self._marks.owner(unordered)
            message = f"no proxy fence between the write of '{actor}' and an async read"
            raise ProtocolViolationError(event.where, message)
