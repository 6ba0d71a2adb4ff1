"""Runs a kernel's protocol and proves that it is safe, for one choice of trip counts at a time.

Warps are agents with clocks. What runs beside the warps (TMA copies, wgmma groups, bulk stores) has
marks of its own in the clocks, so that "has happened" means "is ordered before by barriers", not
"came first in this run". The agents communicate through barriers only, and a
barrier's outcome does not depend on who comes first; so one maximal run decides each case.

Checked: no deadlock; each overwrite of a buffer is ordered behind every read of it; each read is
ordered behind the write of the tile it means; a proxy fence stands between an access by threads
and a later one of the async proxy; no CTA exits before others are done with it; whatever is written
is read; nobody waits two phases behind; all barriers end with full arrival and byte counts; global
memory is accessed in the order that memory tokens give (`global_memory.py`).

Barrier rules: PTX ISA, mbarrier (phase completion, parity waits) and "Async proxy".
"""

from collections import defaultdict
from itertools import chain, product

from tilec.passes.analysis.async_protocol.ending import check_ending
from tilec.passes.analysis.async_protocol.events import (
    Event,
    Kind,
    Protocol,
    ProtocolViolationError,
)
from tilec.passes.analysis.async_protocol.global_memory import TOKEN_KINDS, GlobalMemory, perform
from tilec.passes.analysis.async_protocol.hazards import Hazards
from tilec.passes.analysis.async_protocol.state import (
    Agent,
    Barrier,
    Mark,
    Marks,
    Slot,
    fence,
    make_agents,
    meeting_groups,
)
from tilec.passes.analysis.protocol import ring_peers

Key = tuple[int, int, int]
"""Rank of a CTA, number of a ring or buffer, number of a slot."""


class Simulation:
    """One run of a protocol."""

    def __init__(self, protocol: Protocol, trips: dict[int, int], *, taken: bool) -> None:
        """Prepare barriers and agents; `trips` gives loops by depth, `taken` decides branches."""
        self.protocol = protocol
        self.full: dict[Key, Barrier] = {}
        self.empty: dict[Key, Barrier] = {}
        rows, columns = protocol.cluster
        places = product(range(rows * columns), protocol.rings.items())
        for cta, (number, ring) in places:
            for slot in range(ring.stages):
                self.full[cta, number, slot] = Barrier(ring.full_count, ring.full_count)
                if ring.empty_count:
                    empty = Barrier(ring.empty_count, ring.empty_count)
                    self.empty[cta, number, slot] = empty
        self.slots: defaultdict[Key, Slot] = defaultdict(Slot)
        self.parts: defaultdict[tuple[int, ...], Slot] = defaultdict(Slot)
        self.reached: dict[int, dict[str, tuple[Mark, str]]] = {}
        self.gathered: dict[tuple[int, ...], list[Agent]] = {}
        self.marks = Marks()
        self.hazards = Hazards(self.marks, protocol.buffers)
        self.memory = GlobalMemory(self.marks, protocol.walks)
        self.trips = trips
        self.stages = {walk: protocol.rings[ring].stages for walk, ring in protocol.walks.items()}
        self.agents = make_agents(protocol, trips, taken=taken)
        self.groups = meeting_groups(self.agents)

    def run(self) -> None:
        """Run until every agent is done.

        Raises:
            ProtocolViolationError: A rule is broken.
        """
        moving = True
        while moving:
            moving = False
            for agent in self.agents:
                moving |= self._advance(agent)
        stuck = [agent for agent in self.agents if not agent.done]
        if stuck:
            event = stuck[0].blocked
            where = event.where if event else ""
            what = ", ".join(
                f"{agent.name} at {agent.blocked.kind.value}" for agent in stuck if agent.blocked
            )
            raise ProtocolViolationError(where, f"deadlock: {what} never continue")
        check_ending(self)

    def _advance(self, agent: Agent) -> bool:
        """Perform the agent's events until one blocks it; tell whether there were any."""
        if agent.done:
            return False
        first = () if agent.blocked is None else (agent.blocked,)
        agent.blocked = None
        moved = False
        for event in chain(first, agent.events):
            if not _ACTIONS[event.kind](self, agent, event):
                agent.blocked = event
                return moved
            moved = True
        agent.done = True
        return True

    def _mark(self, agent: Agent) -> Mark:
        """Return a mark of the agent's present."""
        mark = self.marks.new(agent.name)
        agent.clock |= mark
        return mark

    def _place(self, agent: Agent, event: Event) -> tuple[Key, int]:
        """Return the CTA, the ring and the slot whose barriers `event` uses, and its round."""
        walk = _known(event.ring)
        turn, slot = divmod(agent.positions.get(walk, 0), self.stages[walk])
        return (agent.cta, self.protocol.walks[walk], slot), turn

    def _peers(self, agent: Agent, axes: tuple[int, ...]) -> tuple[int, ...]:
        return ring_peers(self.protocol.cluster, axes, agent.cta) if axes else (agent.cta,)

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
            raise ProtocolViolationError(event.where, _behind(agent.name))
        return True

    def acquire(self, agent: Agent, event: Event) -> bool:
        """Wait until the slot's previous round was released."""
        key, turn = self._place(agent, event)
        if key not in self.empty:
            message = f"ring {key[1]} is refilled, but never emptied"
            raise ProtocolViolationError(event.where, message)
        return self._pass_phase(agent, self.empty[key], turn - 1, event)

    def wait(self, agent: Agent, event: Event) -> bool:
        """Wait until the slot of this round is filled."""
        key, turn = self._place(agent, event)
        return self._pass_phase(agent, self.full[key], turn, event)

    def expect(self, agent: Agent, event: Event) -> bool:
        """Arrive on the full barrier with a byte count."""
        barrier = self.full[self._place(agent, event)[0]]
        barrier.tx += event.amount
        self._arrive(agent, barrier, event)
        return True

    def release(self, agent: Agent, event: Event) -> bool:
        """Arrive on the empty barrier."""
        key, _ = self._place(agent, event)
        if key not in self.empty:
            raise ProtocolViolationError(event.where, f"ring {key[1]} has no empty barriers")
        _, number, slot = key
        for cta in self._peers(agent, self.protocol.rings[number].axes):
            mark = self._arrive(agent, self.empty[cta, number, slot], event)
            if cta != agent.cta:
                self.reached.setdefault(cta, {})[agent.name] = (mark, event.where)
        return True

    def release_until(self, agent: Agent, event: Event) -> bool:
        """Release the slot behind the one that another walk has come to, if there is one."""
        walk = _known(event.ring)
        behind = agent.positions.get(_known(event.other_ring), 0) - agent.positions.get(walk, 0)
        if not 0 <= behind <= 1:
            message = f"{behind} slots are to be released at once, of at most one"
            raise ProtocolViolationError(event.where, message)
        if behind:
            self.release(agent, event)
            agent.positions[walk] = agent.positions.get(walk, 0) + 1
        return True

    def _arrive(self, agent: Agent, barrier: Barrier, event: Event) -> Mark:
        if barrier.pending < agent.weight:
            raise ProtocolViolationError(
                event.where, f"more than {barrier.count} arrivals in one phase of a barrier"
            )
        mark = self._mark(agent)
        barrier.clock |= agent.clock
        barrier.pending -= agent.weight
        self._settle(barrier, event)
        return mark

    def _settle(self, barrier: Barrier, event: Event) -> None:
        if not barrier.settle():
            return
        number = len(barrier.phases) - 1
        for name, waits in barrier.waits.items():
            if waits.get(number - 1, 0) & ~barrier.phases[number]:
                raise ProtocolViolationError(event.where, _behind(name))

    def copy_in(self, agent: Agent, event: Event) -> bool:
        """Start a copy into the slot; its bytes count on the full barrier."""
        ring, buffer = _known(event.ring), _known(event.buffer)
        (_, number, place), _ = self._place(agent, event)
        fill = agent.positions.get(ring, 0) + 1
        for cta in self._peers(agent, () if event.axis is None else (event.axis,)):
            slot = self.slots[cta, buffer, place]
            if slot.copied != fill:  # else another box of the same tile
                slot.replaced = slot.reads | slot.writers
                slot.fences = fence(slot.generic)
                slot.fills = slot.copied = fill
                slot.generic, slot.reads, slot.stores = 0, 0, {}
                slot.writers = self.marks.new(f"copy:{cta}:{buffer}:{place}")
            self.memory.copy(cta, number, fill, slot.writers)
            self.hazards.check_free(agent, slot.replaced, event)
            self.hazards.check_fenced(agent, slot.fences, event)
            barrier = self.full[cta, number, place]
            if event.amount > 0:
                barrier.tx -= event.amount
                barrier.clock |= agent.clock | slot.writers
                self._settle(barrier, event)
        return True

    def _view(self, agent: Agent, event: Event) -> tuple[Slot, int | None]:
        """Return the tile that `event` uses and the fill it must hold (None: any)."""
        if event.per_warpgroup:
            key = (agent.cta, _known(event.buffer), agent.role, agent.warpgroup)
            return self.parts[key], None
        return self._tile(agent, _known(event.buffer), event.ring if event.in_ring else None)

    def _tile(self, agent: Agent, buffer: int, ring: int | None) -> tuple[Slot, int | None]:
        if ring is None:
            return self.slots[agent.cta, buffer, 0], None
        position = agent.positions.get(ring, 0)
        return self.slots[agent.cta, buffer, position % self.stages[ring]], position + 1

    def read(self, agent: Agent, event: Event) -> bool:
        """Read a tile into registers."""
        slot, fill = self._view(agent, event)
        self.hazards.check_readable(agent, slot, fill, event, asynchronous=False)
        slot.parts.clear()
        slot.unread.clear()
        slot.reads |= self._access(agent, slot)
        return True

    def write(self, agent: Agent, event: Event) -> bool:
        """Write the agent's part of a tile from registers."""
        slot, _ = self._view(agent, event)
        self.hazards.check_free(agent, slot.reads, event)
        if agent.name in slot.unread and not any(event.origin):
            message = (
                f"{self.hazards.name_of(event.buffer)} is overwritten before anything reads it"
            )
            raise ProtocolViolationError(event.where, message)
        slot.unread[agent.name] = event.where
        if event.amount:
            parts = slot.parts.setdefault(agent.name, {})
            if event.origin in parts:
                message = f"a part of {self.hazards.name_of(event.buffer)} is written twice"
                raise ProtocolViolationError(event.where, message)
            parts[event.origin] = event.amount
        slot.writers |= self._access(agent, slot)
        slot.copied = 0
        slot.fills += 1
        return True

    def _access(self, agent: Agent, slot: Slot) -> Mark:
        """Return the mark of an access by threads, which a proxy fence can follow."""
        mark = self.marks.new_access(agent.name)
        agent.clock |= mark
        agent.accessed |= mark
        slot.generic |= mark
        return mark

    def mma(self, agent: Agent, event: Event) -> bool:
        """Start an asynchronous group that reads two tiles."""
        mark = self.marks.new(f"mma:{agent.name}")
        agent.groups.append((agent.groups[-1] if agent.groups else 0) | mark)
        pairs = [(event.buffer, event.ring if event.in_ring else None)]
        pairs.append((event.other, event.other_ring))
        for buffer, ring in pairs:
            slot, fill = self._tile(agent, _known(buffer), ring)
            self.hazards.check_readable(agent, slot, fill, event, asynchronous=True)
            slot.unread.clear()
            slot.reads |= mark
        return True

    def mma_wait(self, agent: Agent, event: Event) -> bool:
        """Retire all but the newest groups."""
        retired = len(agent.groups) - event.amount
        if retired > 0:
            agent.clock |= agent.groups[retired - 1]
        return True

    def fence(self, agent: Agent, event: Event) -> bool:
        """Order the agent's accesses before later ones of the async proxy."""
        agent.clock |= fence(agent.accessed)
        return True

    def barrier(self, agent: Agent, event: Event) -> bool:
        """Meet the other warps of the role, or of the warpgroup."""
        group = (agent.cta, agent.role)
        if event.per_warpgroup:
            group = (agent.cta, agent.role, agent.warpgroup)
        return self._meet(agent, (event.amount, *group), self.groups[group])

    def cluster_sync(self, agent: Agent, event: Event) -> bool:
        """Meet all agents of the cluster that still run."""
        return self._meet(agent, (), [other for other in self.agents if not other.done])

    def _meet(self, agent: Agent, key: tuple[int, ...], members: list[Agent]) -> bool:
        """Let `members` go on together once all of them have come."""
        here = self.gathered.setdefault(key, [])
        if agent not in here:
            here.append(agent)
        if len(here) < len(members):
            return False
        merged = 0
        for other in members:
            merged |= other.clock
        for other in members:
            other.clock = merged
            if other is not agent:
                other.blocked = None
        self.gathered[key] = []
        return True

    def copy_out(self, agent: Agent, event: Event) -> bool:
        """Start a copy out of a buffer."""
        slot, _ = self._view(agent, event)
        agent.store = agent.store or self.marks.new(f"bulk:{agent.name}")
        if not slot.unread and slot.stores.get(agent.name, agent.store) != agent.store:
            name = self.hazards.name_of(event.buffer)
            message = f"{name} is copied out again before anything is written"
            raise ProtocolViolationError(event.where, message)
        self.hazards.check_readable(agent, slot, None, event, asynchronous=True)
        if any(sum(parts.values()) != event.amount for parts in slot.parts.values()):
            message = f"{self.hazards.name_of(event.buffer)} is copied out with parts missing"
            raise ProtocolViolationError(event.where, message)
        slot.parts.clear()
        slot.unread.clear()
        slot.stores[agent.name] = agent.store
        slot.reads |= agent.store
        return True

    def commit(self, agent: Agent, event: Event) -> bool:
        """Close a group of copies out."""
        agent.stores.append((agent.stores[-1] if agent.stores else 0) | agent.store)
        agent.store = 0
        return True

    def drain(self, agent: Agent, event: Event) -> bool:
        """Retire all but the newest groups of copies out."""
        retired = len(agent.stores) - event.amount
        if retired > 0:
            agent.clock |= agent.stores[retired - 1]
            self.memory.drain(agent, event, retired)
        return True

    def advance(self, agent: Agent, event: Event) -> bool:
        """Move on in a ring."""
        ring = _known(event.ring)
        trips = 1 if event.per_trip is None else self.trips[event.per_trip]
        agent.positions[ring] = agent.positions.get(ring, 0) + event.amount * trips
        return True


_ACTIONS = {
    Kind.ACQUIRE: Simulation.acquire,
    Kind.EXPECT: Simulation.expect,
    Kind.COPY_IN: Simulation.copy_in,
    Kind.WAIT: Simulation.wait,
    Kind.RELEASE: Simulation.release,
    Kind.RELEASE_UNTIL: Simulation.release_until,
    Kind.ADVANCE: Simulation.advance,
    Kind.READ: Simulation.read,
    Kind.WRITE: Simulation.write,
    Kind.MMA: Simulation.mma,
    Kind.MMA_WAIT: Simulation.mma_wait,
    Kind.FENCE: Simulation.fence,
    Kind.BARRIER: Simulation.barrier,
    Kind.COPY_OUT: Simulation.copy_out,
    Kind.COMMIT: Simulation.commit,
    Kind.DRAIN: Simulation.drain,
    Kind.CLUSTER_SYNC: Simulation.cluster_sync,
    **dict.fromkeys(TOKEN_KINDS, perform),
}


def _behind(name: str) -> str:
    return f"'{name}' may fall two phases behind a barrier"


def _known(number: int | None) -> int:
    if number is None:
        raise ValueError("an event lacks its ring or buffer")
    return number
