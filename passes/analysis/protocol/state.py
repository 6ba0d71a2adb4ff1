"""What a run of a protocol keeps: barriers, tiles of shared memory, agents and their clocks.

Whatever happens in a run gets a mark, a bit of its own. A clock is the set of the marks that have
happened before a point: an integer, so that joining two clocks and comparing them takes one
operation each. Marks of agents are in their clocks for good, so a clock that has one of an agent's
marks has all the earlier ones, too.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.protocol.events import ONE_THREAD, Event, Protocol, RoleProgram
from tilec.passes.analysis.protocol.unroll import Programs
from tilec.support.fast_dataclasses import dataclass, field

Clock = int
Mark = int
"""A clock with one bit. The mark of an access by threads reserves the bit above: see `fence`."""


class Marks:
    """Hands out the marks of a run, and remembers whose they are."""

    def __init__(self) -> None:
        """Begin with none."""
        self._owners: list[str] = []

    def new(self, owner: str) -> Mark:
        """Return a new mark."""
        self._owners.append(owner)
        return 1 << len(self._owners) - 1

    def new_access(self, owner: str) -> Mark:
        """Return a new mark for an access by threads; the bit above it stays free."""
        mark = self.new(owner)
        self._owners.append(owner)
        return mark

    def owner(self, clock: Clock) -> str:
        """Return who owns the first mark of a clock that is not empty."""
        return self._owners[(clock & -clock).bit_length() - 1]


def fence(marks: Clock) -> Clock:
    """Return the marks of the proxy fences after accesses by threads with these marks."""
    return marks << 1


@dataclass(slots=True, eq=False)
class Barrier:
    """One mbarrier: counts of the running phase and the clocks of the completed ones."""

    count: int
    pending: int
    tx: int = 0
    clock: Clock = 0
    phases: list[Clock] = field(default_factory=list)
    waits: dict[str, dict[int, Mark]] = field(default_factory=dict)
    """Mark of each agent's wait for a phase, by name and by number of the phase."""

    def settle(self) -> bool:
        """Complete the phase when all arrivals and bytes are in; tell whether they are."""
        if self.pending or self.tx:
            return False
        self.phases.append(self.clock)
        self.pending = self.count
        return True


@dataclass(slots=True, eq=False)
class Slot:
    """One tile of shared memory: its last write, the reads since, and what is not read yet.

    Attributes:
        fills: How often it was written.
        copied: Number of the fill that the last copy made; 0 once threads have written to it.
        unread: Source position of each agent's write that nobody has read.
        excused: Agents that left out a read since they wrote.
        parts: Elements of each part that an agent has a share in, by its origin, of a tile that is
            written part by part.
        writers: Marks of what wrote the tile.
        reads: Marks of what has read it since the last copy.
        generic: Those of all these marks that are accesses by threads.
        stores: Mark of the last bulk store of each agent among these.
        replaced: Marks that the last copy had to wait for.
        fences: Marks of the proxy fences that had to come before it, too.
    """

    fills: int = 0
    copied: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    excused: set[str] = field(default_factory=set)
    parts: dict[str, dict[tuple[int, ...], int]] = field(default_factory=dict)
    writers: Clock = 0
    reads: Clock = 0
    generic: Clock = 0
    stores: dict[str, Mark] = field(default_factory=dict)
    replaced: Clock = 0
    fences: Clock = 0

    def refill(self, fill: int) -> None:
        """Begin with a copy of another tile: of what used the last one, only marks are left.

        Args:
            fill: Number of the copy.
        """
        self.replaced = self.reads | self.writers
        self.fills = self.copied = fill
        self.generic, self.reads, self.writers, self.stores = 0, 0, 0, {}


@dataclass(slots=True, eq=False)
class Agent:
    """A warp, the single producer thread, or several warps that do the same.

    Warps that run the same program and are elected for the same things meet the same barriers at
    the same time, so one agent stands for them.

    Attributes:
        name: Name for messages.
        role: Number of the role.
        first: Whether a thread of it is elected in the role.
        weight: How many warps it stands for.
        leads: Whether a thread of it is elected in its warpgroup.
        warpgroup: Warpgroup in the role: 0, or 1 for all the others.
        cta: Rank of its CTA in the cluster.
        events: What is left of its program.
        clock: What has happened before its present.
        accessed: Marks of its accesses to tiles that are not by the async proxy.
        copies: Marks of the copies that its threads have started.
        positions: Slots that it has moved on, by cursor.
        groups: Marks of the groups of mma up to each one that it has started.
        values: Marks of the groups that may write each accumulator, by its number; 0 once a wait
            has returned it.
        spent: Accumulators in flight that went on as another value.
        stores: Marks of the groups of bulk stores up to each one that it has closed.
        store: Mark of the group that is open; 0 until something is in it.
        blocked: The event that it waits at.
        done: Whether its program has ended.
    """

    name: str
    role: int
    first: bool
    weight: int
    leads: bool
    warpgroup: int
    cta: int
    events: Iterator[Event]
    clock: Clock = 0
    accessed: Clock = 0
    copies: Clock = 0
    positions: dict[int, int] = field(default_factory=dict)
    groups: list[Clock] = field(default_factory=list)
    values: dict[int, Clock] = field(default_factory=dict)
    spent: set[int] = field(default_factory=set)
    stores: list[Clock] = field(default_factory=list)
    store: Mark = 0
    blocked: Event | None = None
    done: bool = False


def make_agents(protocol: Protocol, programs: Programs) -> list[Agent]:
    """Return the agents of a run, with what each performs of the program of its role."""
    rows, columns = protocol.cluster
    ctas = rows * columns
    members = [
        (number, warps, [event for event in events if warps.perform(event)])
        for number, (role, events) in enumerate(zip(protocol.roles, programs, strict=True))
        for warps in _representatives(role)
    ]
    return [
        Agent(
            name=f"{warps.name} of CTA {cta}" if cta else warps.name,
            role=number,
            first=warps.first,
            weight=warps.weight,
            leads=warps.leads,
            warpgroup=warps.warpgroup,
            cta=cta,
            events=iter(events),
        )
        for cta in range(ctas)
        for number, warps, events in members
    ]


def meeting_groups(agents: list[Agent]) -> dict[tuple[int, ...], list[Agent]]:
    """Return who meets at the barriers of a CTA's role, and at those of a warpgroup of it."""
    groups: dict[tuple[int, ...], list[Agent]] = {}
    for agent in agents:
        for key in ((agent.cta, agent.role), (agent.cta, agent.role, agent.warpgroup)):
            groups.setdefault(key, []).append(agent)
    return groups


class _Warps(NamedTuple):
    """The fields of an agent that tell it from the other agents of its role."""

    name: str
    first: bool
    weight: int
    leads: bool
    warpgroup: int

    def perform(self, event: Event) -> bool:
        """Tell whether they perform `event`: one thread of other warps may do so."""
        elected = self.leads if event.per_warpgroup else self.first
        return elected or event.kind not in ONE_THREAD


def _representatives(role: RoleProgram) -> list[_Warps]:
    """Return the warps of a role in as few groups as do the same."""
    name, warps = role.name, role.warps
    if warps <= 1:
        return [_Warps(name, True, 1, True, 0)]
    first = _Warps(f"{name} warp 0", True, 1, True, 0)
    if warps <= WARPGROUP_WARPS or not role.has_warpgroup_events:
        return [first, _Warps(f"{name} warps 1..{warps - 1}", False, warps - 1, False, 0)]
    others = warps // WARPGROUP_WARPS - 1
    rest = WARPGROUP_WARPS - 1
    return [
        first,
        _Warps(f"{name} warps 1..{rest}", False, rest, False, 0),
        _Warps(f"first warp of {name} warpgroup 1", False, others, True, 1),
        _Warps(f"other warps of {name} warpgroup 1", False, others * rest, False, 1),
    ]
