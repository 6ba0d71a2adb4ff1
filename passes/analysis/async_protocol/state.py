"""What a run of a protocol keeps: barriers, tiles of shared memory, agents and their clocks.

A clock says how much of each actor's past has happened before a point: its tick of every actor.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tilec.passes.analysis.async_protocol.events import Branch, Event, Node, Protocol, RoleProgram

Clock = dict[str, int]


def join(into: Clock, other: Clock) -> None:
    """Add to clock `into` what `other` knows."""
    for actor, tick in other.items():
        if tick > into.get(actor, 0):
            into[actor] = tick


@dataclass
class Barrier:
    """One mbarrier: counts of the running phase and the clocks of the completed ones."""

    count: int
    pending: int
    tx: int = 0
    clock: Clock = field(default_factory=dict)
    phases: list[Clock] = field(default_factory=list)
    waits: dict[str, list[int]] = field(default_factory=dict)

    def settle(self) -> None:
        """Complete the phase when all arrivals and bytes are in."""
        if self.pending == 0 and self.tx == 0:
            self.phases.append(self.clock)
            self.clock = dict(self.clock)
            self.pending = self.count


@dataclass
class Slot:
    """One tile of shared memory: its last write and the reads since."""

    fills: int = 0
    writers: dict[str, int] = field(default_factory=dict)
    generic: bool = False
    reads: dict[str, int] = field(default_factory=dict)


@dataclass
class Agent:
    """A warp, the single producer thread, or all warps of a role but its first.

    Those warps run the same program and none of them is elected for anything, so one agent stands
    for them; `weight` is how many they are.
    """

    name: str
    role: int
    first: bool
    weight: int
    events: Iterator[Event]
    clock: Clock = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)
    groups: list[int] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)
    blocked: Event | None = None
    done: bool = False

    def tick(self) -> int:
        """Advance the agent's own time."""
        self.clock[self.name] = self.clock.get(self.name, 0) + 1
        return self.clock[self.name]


def make_agents(protocol: Protocol, trips: dict[int, int], *, taken: bool) -> list[Agent]:
    """Return the agents of a run; `trips` gives loops by depth, `taken` decides branches."""
    return [
        Agent(name, number, first, weight, _unroll(role.body, trips, taken))
        for number, role in enumerate(protocol.roles)
        for name, first, weight in _representatives(role)
    ]


def _representatives(role: RoleProgram) -> list[tuple[str, bool, int]]:
    """Return (name, whether it is elected, number of warps) of the agents of a role."""
    if role.warps <= 1:
        return [(role.name, True, 1)]
    rest = (f"{role.name} warps 1..{role.warps - 1}", False, role.warps - 1)
    return [(f"{role.name} warp 0", True, 1), rest]


def _unroll(body: tuple[Node, ...], trips: dict[int, int], taken: bool) -> Iterator[Event]:
    """Yield the events of a program with every loop run `trips[depth]` times."""
    for node in body:
        if isinstance(node, Event):
            yield node
        elif isinstance(node, Branch):
            yield from _unroll(node.then if taken else node.otherwise, trips, taken)
        else:
            for _ in range(trips[node.depth]):
                yield from _unroll(node.body, trips, taken)
