"""The barriers of rings in a run: who has arrived, which phases are over, who waits for which."""

from itertools import product

from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.protocol.counts import ring_peers
from tilec.passes.analysis.protocol.events import (
    Event,
    Protocol,
    ProtocolViolationError,
)
from tilec.passes.analysis.protocol.state import Agent, Barrier, Clock, Mark, Marks

Key = tuple[int, int, int]
"""Rank of a CTA, number of a ring or buffer, number of a slot."""


class RingBarriers:
    """The full and empty barriers of all rings of all CTAs.

    Attributes:
        stages: Slots of the ring of each cursor.
        full: Barriers that loads complete.
        empty: Barriers that releases complete, of rings that are refilled.
        reached: For each CTA the last arrival of every agent of another one.
        early: A violation to report when a run shows no other: see `_check_phase`.
    """

    def __init__(self, protocol: Protocol, marks: Marks) -> None:
        """Make fresh barriers."""
        self._protocol, self._marks = protocol, marks
        self.stages = {
            cursor: protocol.rings[ring].stages for cursor, ring in protocol.cursors.items()
        }
        self.full: dict[Key, Barrier] = {}
        self.empty: dict[Key, Barrier] = {}
        self.reached: dict[int, dict[str, tuple[Mark, str]]] = {}
        self.early: ProtocolViolationError | None = None
        rows, columns = protocol.cluster
        for cta, (number, ring) in product(range(rows * columns), protocol.rings.items()):
            for slot in range(ring.stages):
                self.full[cta, number, slot] = Barrier(ring.full_count, ring.full_count)
                if ring.empty_count:
                    empty = Barrier(ring.empty_count, ring.empty_count)
                    self.empty[cta, number, slot] = empty

    def place(self, agent: Agent, event: Event) -> tuple[Key, int]:
        """Return the CTA, the ring and the slot whose barriers `event` uses, and its round."""
        cursor = known(event.ring)
        turn, slot = divmod(agent.positions.get(cursor, 0), self.stages[cursor])
        return (agent.cta, self._protocol.cursors[cursor], slot), turn

    def peers(self, agent: Agent, axes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the CTAs that the CTA of the agent shares tiles with, itself first."""
        return ring_peers(self._protocol.cluster, axes, agent.cta) if axes else (agent.cta,)

    def acquire(self, agent: Agent, event: Event) -> bool:
        """Wait until the slot's previous round was released."""
        key, turn = self.place(agent, event)
        if key not in self.empty:
            message = f"ring {key[1]} is refilled, but never emptied"
            raise ProtocolViolationError(event.where, message)
        return self._pass_phase(agent, self.empty[key], turn - 1, event)

    def wait(self, agent: Agent, event: Event) -> bool:
        """Wait until the slot of this round is filled."""
        key, turn = self.place(agent, event)
        return self._pass_phase(agent, self.full[key], turn, event)

    def expect(self, agent: Agent, event: Event) -> bool:
        """Arrive on the full barrier with a byte count."""
        barrier = self.full[self.place(agent, event)[0]]
        barrier.tx += event.amount
        self._arrive(agent, barrier, event)
        return True

    def arrive_copies(self, agent: Agent, event: Event) -> bool:
        """Arrive on the full barrier with each thread, once what it has copied is there."""
        barrier = self.full[self.place(agent, event)[0]]
        self._arrive(agent, barrier, event, agent.weight * WARP_LANES, agent.copies)
        return True

    def publish(self, agent: Agent, event: Event) -> bool:
        """Arrive on the full barrier with each warp, after what it has stored."""
        self._arrive(agent, self.full[self.place(agent, event)[0]], event)
        return True

    def release(self, agent: Agent, event: Event) -> bool:
        """Arrive on the empty barrier."""
        key, _ = self.place(agent, event)
        if key not in self.empty:
            raise ProtocolViolationError(event.where, f"ring {key[1]} has no empty barriers")
        _, number, slot = key
        for cta in self.peers(agent, self._protocol.rings[number].axes):
            mark = self._arrive(agent, self.empty[cta, number, slot], event)
            if cta != agent.cta:
                self.reached.setdefault(cta, {})[agent.name] = (mark, event.where)
        return True

    def release_until(self, agent: Agent, event: Event) -> bool:
        """Release the slot before the one that another cursor has reached, if there is one."""
        cursor = known(event.ring)
        lag = agent.positions.get(known(event.other_ring), 0) - agent.positions.get(cursor, 0)
        if not 0 <= lag <= 1:
            message = f"{lag} slots are to be released at once; one is the limit"
            raise ProtocolViolationError(event.where, message)
        if lag:
            self.release(agent, event)
            agent.positions[cursor] = agent.positions.get(cursor, 0) + 1
        return True

    def land(self, agent: Agent, key: Key, copy: Mark, event: Event) -> None:
        """Count the bytes of a copy with mark `copy` on the full barrier of a slot."""
        if event.amount <= 0:
            return
        barrier = self.full[key]
        self._check_phase(agent, barrier, event)
        barrier.tx -= event.amount
        barrier.clock |= agent.clock | copy
        self._settle(barrier, event)

    def share_of(self, agent: Agent, event: Event) -> int:
        """Return how many of the bytes that a role sends the agent does."""
        if not event.by_all_warps:
            return event.amount if agent.first else 0
        return event.amount * agent.weight // self._protocol.roles[agent.role].warps

    def advance(self, agent: Agent, event: Event) -> bool:
        """Move on in a ring."""
        ring = known(event.ring)
        agent.positions[ring] = agent.positions.get(ring, 0) + event.amount
        return True

    def _mark(self, agent: Agent) -> Mark:
        """Return a mark of the agent's present."""
        mark = self._marks.new(agent.name)
        agent.clock |= mark
        return mark

    def _pass_phase(self, agent: Agent, barrier: Barrier, phase: int, event: Event) -> bool:
        """Wait for completed phase number `phase` (negative: a fresh barrier lets it through)."""
        waits = barrier.waits.setdefault(agent.name, {})
        if phase >= 1 and phase - 1 not in waits:
            known = phase <= len(barrier.phases)
            if not known or barrier.phases[phase - 1] & ~agent.clock:
                message = f"'{agent.name}' may wait for a phase before the one before it is over"
                raise ProtocolViolationError(event.where, message)
        if phase >= 0:
            if len(barrier.phases) <= phase:
                return False
            agent.clock |= barrier.phases[phase]
        waits[phase] = self._mark(agent)
        if len(barrier.phases) > phase + 1:
            raise ProtocolViolationError(event.where, _late_message(agent.name))
        return True

    def _arrive(
        self,
        agent: Agent,
        barrier: Barrier,
        event: Event,
        arrivals: int | None = None,
        copies: Clock = 0,
    ) -> Mark:
        """Arrive, with `copies` in the past of the arrivals: one for each warp, if not said."""
        arrivals = agent.weight if arrivals is None else arrivals
        if barrier.pending < arrivals:
            raise ProtocolViolationError(
                event.where, f"more than {barrier.count} arrivals in one phase of a barrier"
            )
        self._check_phase(agent, barrier, event)
        mark = self._mark(agent)
        barrier.clock |= agent.clock | copies
        barrier.pending -= arrivals
        self._settle(barrier, event)
        return mark

    def _check_phase(self, agent: Agent, barrier: Barrier, event: Event) -> None:
        """Check that the agent knows the phase before the running one to be over.

        Else what it does may count for that one. Most faults that lead to this have other
        consequences in the same run, which say more: this one is reported if there are none.
        """
        if self.early is None and barrier.phases and barrier.phases[-1] & ~agent.clock:
            message = f"'{agent.name}' may reach a barrier before the phase before is over"
            self.early = ProtocolViolationError(event.where, message)

    def _settle(self, barrier: Barrier, event: Event) -> None:
        if not barrier.settle():
            return
        number = len(barrier.phases) - 1
        for name, waits in barrier.waits.items():
            if waits.get(number - 1, 0) & ~barrier.phases[number]:
                raise ProtocolViolationError(event.where, _late_message(name))


def _late_message(name: str) -> str:
    return f"'{name}' may be two phases late at a barrier"


def known(number: int | None) -> int:
    """Return the number of a ring or a buffer that an event must have."""
    if number is None:
        raise ValueError("an event lacks its ring or buffer")
    return number
