"""Runs a kernel's protocol and proves that it is safe, for one choice of variables at a time.

Warps are agents with clocks. What runs asynchronously (TMA copies, wgmma groups, bulk stores) has
marks of its own in the clocks, so that "has happened" means "is ordered before by barriers", not
"came first in this run". The agents communicate through barriers only, and a
barrier's outcome does not depend on who comes first; so one maximal run decides each case.

Checked: no deadlock; each overwrite of a buffer is ordered after every read of it; each read is
ordered after the write of the tile it means; a proxy fence stands between an access by threads
and a later one of the async proxy; no CTA exits before others are done with it; whatever is written
is read; nobody is two phases late at a barrier; all barriers end with full arrival and byte
counts; global memory is accessed in the order that memory tokens give (`global_memory.py`).

Barrier rules: PTX ISA, mbarrier (phase completion, parity waits) and "Async proxy".
"""

from collections import defaultdict
from itertools import chain

from tilec.passes.analysis.protocol.accumulators import NEVER
from tilec.passes.analysis.protocol.barriers import Key, RingBarriers, known
from tilec.passes.analysis.protocol.ending import check_ending
from tilec.passes.analysis.protocol.events import (
    Event,
    Kind,
    Protocol,
    ProtocolViolationError,
)
from tilec.passes.analysis.protocol.global_memory import TOKEN_KINDS, GlobalMemory
from tilec.passes.analysis.protocol.hazards import Hazards
from tilec.passes.analysis.protocol.state import (
    Agent,
    Mark,
    Marks,
    Slot,
    fence,
    make_agents,
    meeting_groups,
)
from tilec.passes.analysis.protocol.unroll import Programs
from tilec.support.fast_dataclasses import replace


class Simulation:
    """One run of a protocol."""

    def __init__(self, protocol: Protocol, programs: Programs) -> None:
        """Prepare barriers and agents for a run in which the roles perform `programs`."""
        self.protocol = protocol
        self.slots: defaultdict[Key, Slot] = defaultdict(Slot)
        self.parts: defaultdict[tuple[int, ...], Slot] = defaultdict(Slot)
        self.copies = 0
        self.gathered: dict[tuple[int, ...], list[Agent]] = {}
        self.marks = Marks()
        self.barriers = RingBarriers(protocol, self.marks)
        self.hazards = Hazards(self.marks, protocol.buffers)
        self.memory = GlobalMemory(self.marks, protocol.cursors)
        self.agents = make_agents(protocol, programs)
        self.groups = meeting_groups(self.agents)
        self.actions = {
            Kind.ACQUIRE: self.barriers.acquire,
            Kind.EXPECT: self.barriers.expect,
            Kind.COPY_IN: self.copy_in,
            Kind.COPY_BY_THREADS: self.copy_by_threads,
            Kind.ARRIVE_COPIES: self.barriers.arrive_copies,
            Kind.SEND: self.send,
            Kind.WAIT: self.barriers.wait,
            Kind.PUBLISH: self.barriers.publish,
            Kind.RELEASE: self.barriers.release,
            Kind.RELEASE_UNTIL: self.barriers.release_until,
            Kind.ADVANCE: self.barriers.advance,
            Kind.READ: self.read,
            Kind.WRITE: self.write,
            Kind.MMA: self.mma,
            Kind.SKIP: self.skip,
            Kind.MMA_WAIT: self.mma_wait,
            Kind.PASS: self.pass_on,
            Kind.TOUCH: self.touch,
            Kind.FENCE: self.fence,
            Kind.BARRIER: self.barrier,
            Kind.COPY_OUT: self.copy_out,
            Kind.COMMIT: self.commit,
            Kind.DRAIN: self.drain,
            Kind.CLUSTER_SYNC: self.cluster_sync,
            **dict.fromkeys(TOKEN_KINDS, self.memory.perform),
        }

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
        if self.barriers.early is not None:
            raise self.barriers.early

    def _advance(self, agent: Agent) -> bool:
        """Perform the agent's events until one blocks it; tell whether there were any."""
        if agent.done:
            return False
        first = () if agent.blocked is None else (agent.blocked,)
        agent.blocked = None
        moved = False
        for event in chain(first, agent.events):
            if not self.actions[event.kind](agent, event):
                agent.blocked = event
                return moved
            moved = True
        agent.done = True
        return True

    def copy_in(self, agent: Agent, event: Event) -> bool:
        """Start a copy into the slot; its bytes count on the full barrier."""
        ring, buffer = known(event.ring), known(event.buffer)
        (_, number, place), _ = self.barriers.place(agent, event)
        fill = agent.positions.get(ring, 0) + 1
        for cta in self.barriers.peers(agent, () if event.axis is None else (event.axis,)):
            slot = self.slots[cta, buffer, place]
            if slot.copied != fill:  # else another box of the same tile
                slot.fences = fence(slot.generic)
                slot.refill(fill)
                slot.writers = self.marks.new(f"copy:{cta}:{buffer}:{place}")
            self.memory.copy(cta, number, fill, slot.writers)
            self.hazards.check_free(agent, slot.replaced, event)
            self.hazards.check_fenced(agent, slot.fences, event)
            self.barriers.land(agent, (cta, number, place), slot.writers, event)
        return True

    def copy_by_threads(self, agent: Agent, event: Event) -> bool:
        """Start to copy the agent's part of a tile into the slot: it is there some time later."""
        buffer, fill = known(event.buffer), agent.positions.get(known(event.ring), 0) + 1
        (cta, _, place), _ = self.barriers.place(agent, event)
        slot = self.slots[cta, buffer, place]
        if slot.copied != fill:
            slot.refill(fill)
        self.hazards.check_free(agent, slot.replaced, event)
        mark = self.marks.new_access(agent.name)
        agent.copies |= mark
        self.copies |= mark
        slot.generic |= mark
        slot.writers |= mark
        return True

    def send(self, agent: Agent, event: Event) -> bool:
        """Write the agent's part of a tile to the slot in every CTA; the bytes arrive later."""
        buffer, fill = known(event.buffer), agent.positions.get(known(event.ring), 0) + 1
        (_, number, place), _ = self.barriers.place(agent, event)
        share = self.barriers.share_of(agent, event)
        for cta in self.barriers.peers(agent, () if event.axis is None else (event.axis,)):
            slot = self.slots[cta, buffer, place]
            if slot.copied != fill:
                slot.refill(fill)
            self.hazards.check_free(agent, slot.replaced, event)
            if share:
                mark = self._access(agent, slot)
                slot.writers |= mark
                self.barriers.land(agent, (cta, number, place), mark, replace(event, amount=share))
        return True

    def _view(self, agent: Agent, event: Event) -> tuple[Slot, int | None]:
        """Return the tile that `event` uses and the fill it must hold (None: any)."""
        if event.per_warpgroup:
            key = (agent.cta, known(event.buffer), agent.role, agent.warpgroup)
            return self.parts[key], None
        return self._tile(agent, known(event.buffer), event.ring if event.in_ring else None)

    def _tile(self, agent: Agent, buffer: int, ring: int | None) -> tuple[Slot, int | None]:
        if ring is None:
            return self.slots[agent.cta, buffer, 0], None
        position = agent.positions.get(ring, 0)
        return self.slots[agent.cta, buffer, position % self.barriers.stages[ring]], position + 1

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
        slot, fill = self._view(agent, event)
        if fill is not None and slot.copied != fill:  # else another agent's part of the same tile
            slot.refill(fill)
        users = slot.reads if fill is None else slot.replaced
        self.hazards.check_free(agent, users, event)
        lost = agent.name in slot.unread and agent.name not in slot.excused
        if lost and not any(event.origin):
            message = (
                f"{self.hazards.name_of(event.buffer)} is overwritten before anything reads it"
            )
            raise ProtocolViolationError(event.where, message)
        slot.unread[agent.name] = event.where
        slot.excused.discard(agent.name)
        if event.amount:
            parts = slot.parts.setdefault(agent.name, {})
            if event.origin in parts:
                message = f"a part of {self.hazards.name_of(event.buffer)} is written twice"
                raise ProtocolViolationError(event.where, message)
            parts[event.origin] = event.amount
        slot.writers |= self._access(agent, slot)
        if fill is None:
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
            slot, fill = self._tile(agent, known(buffer), ring)
            self.hazards.check_readable(agent, slot, fill, event, asynchronous=True)
            slot.unread.clear()
            slot.reads |= mark
        if event.target is not None:
            if event.source is not None:
                self.hazards.take(agent, event.source, event)
            agent.values[event.target] = mark
            agent.spent.discard(event.target)
        return True

    def skip(self, agent: Agent, event: Event) -> bool:
        """Note that the agent's part of a tile may stay unread."""
        pairs = ((event.buffer, event.in_ring), (event.other, event.other_ring is not None))
        for buffer, in_ring in pairs:
            if buffer is not None and not in_ring:
                self.slots[agent.cta, buffer, 0].excused.add(agent.name)
        return True

    def mma_wait(self, agent: Agent, event: Event) -> bool:
        """Retire all but the newest groups."""
        retired = len(agent.groups) - event.amount
        if retired > 0:
            agent.clock |= agent.groups[retired - 1]
        if event.source is not None:
            writers = self.hazards.take(agent, event.source, event)
            if event.target is not None:
                agent.values[event.target] = writers if writers & ~agent.clock else 0
                agent.spent.discard(event.target)
        return True

    def pass_on(self, agent: Agent, event: Event) -> bool:
        """Pass accumulators on, all at once."""
        passed = {
            target: self.hazards.take(agent, source, event) if source != NEVER else 0
            for source, target in event.passed
        }
        agent.values.update(passed)
        agent.spent.difference_update(passed)
        return True

    def touch(self, agent: Agent, event: Event) -> bool:
        """Use an accumulator as a tile."""
        self.hazards.check_retired(agent, event)
        return True

    def fence(self, agent: Agent, event: Event) -> bool:
        """Order the agent's accesses before later ones of the async proxy.

        And copies of threads that it knows to be there: a fence anywhere on the way will do.
        """
        agent.clock |= fence(agent.accessed | self.copies & agent.clock)
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
