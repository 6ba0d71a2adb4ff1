"""What the roles of a kernel do to barriers and shared memory, without MLIR.

A role's program is a tree of events, loops and branches. `extract.py` builds it from nv_tileas IR,
`simulate.py` runs it.
"""

import enum
from collections.abc import Iterator
from functools import cached_property

from tilec.passes.analysis.protocol.accumulators import Moves
from tilec.passes.analysis.protocol.quantities import Condition, Trips, Variable
from tilec.support.fast_dataclasses import dataclass, field, replace


class Kind(enum.Enum):
    """What an event does."""

    ACQUIRE = "acquire"
    """Wait for the empty barrier of the ring's current slot."""
    EXPECT = "expect"
    """Arrive on the full barrier of the current slot and announce `amount` bytes."""
    COPY_IN = "copy_in"
    """Start an asynchronous copy of `amount` bytes into the current slot of `buffer`."""
    COPY_BY_THREADS = "copy_by_threads"
    """Let threads start to copy a tile into the current slot of `buffer` (generic proxy): each warp
    its part."""
    ARRIVE_COPIES = "arrive_copies"
    """Let each thread arrive on the full barrier of the current slot once its copies are there."""
    SEND = "send"
    """Let threads send `amount` bytes of a tile to the current slot of `buffer` of every CTA along
    `axis`: each warp an equal share (`by_all_warps`), or the first warp all."""
    WAIT = "wait"
    """Wait for the full barrier of the current slot."""
    PUBLISH = "publish"
    """Arrive on the full barrier of the current slot with each warp."""
    RELEASE = "release"
    """Arrive on the empty barrier of the current slot."""
    RELEASE_UNTIL = "release_until"
    """Release the current slot of `ring` and move on, unless cursor `other_ring` is there, too."""
    ADVANCE = "advance"
    """Move the role's position in the ring by `amount` slots."""
    READ = "read"
    """Read `buffer` into registers (generic proxy)."""
    WRITE = "write"
    """Write `buffer` from registers (generic proxy), or a part of it."""
    MMA = "mma"
    """Start an asynchronous group that reads `buffer` and `other`."""
    SKIP = "skip"
    """Read neither `buffer` nor `other`: a loop or branch leaves out what reads them."""
    MMA_WAIT = "mma_wait"
    """Wait until at most `amount` groups of this warp are in flight."""
    PASS = "pass"
    """Pass accumulators that may be in flight on through a loop or a branch."""
    TOUCH = "touch"
    """Use accumulator `source` as a tile in registers."""
    FENCE = "fence"
    """Order this thread's accesses to shared memory, and the copies of threads that it knows to be
    there, before what the async proxy does later."""
    BARRIER = "barrier"
    """Synchronise the threads of the role on named barrier `amount`."""
    COPY_OUT = "copy_out"
    """Start an asynchronous copy out of `buffer`."""
    COMMIT = "commit"
    """Close the group of copies out."""
    CLUSTER_SYNC = "cluster_sync"
    """Wait until all agents of all CTAs that still run have come here."""
    DRAIN = "drain"
    """Wait until at most `amount` groups of copies out still read their buffers (`complete`: still
    write global memory)."""
    TOKENS = "tokens"
    """Let memory tokens stand for what others do (`moves`)."""
    RING_TOKEN = "ring_token"
    """Let `token` stand for the loads that fill the ring's current slot."""
    LOAD = "load"
    """Read global memory by threads, after what the tokens `after` stand for."""
    STORE = "store"
    """Write global memory by threads, after what the tokens `after` stand for."""
    STORING = "storing"
    """Begin a store of the open group of copies out; the threads do it where `amount` is 1."""
    CLOSE = "close"
    """Close the open group of copies out, of which threads may have done some."""
    STORED = "stored"
    """Let `token` stand for the stores of the closed group, which come after `after`."""
    FENCE_GLOBAL = "fence_global"
    """Make this thread's accesses of global memory come before later ones of the async proxy."""

    __hash__ = object.__hash__  # every event looks its kind up: names take longer to hash


ONE_THREAD = frozenset({Kind.EXPECT, Kind.COPY_IN, Kind.COPY_OUT, Kind.COMMIT, Kind.DRAIN})
"""Events that one elected thread of a role, or of each of its warpgroups, performs."""

READS = frozenset({Kind.READ, Kind.MMA})
"""Events that read a tile of shared memory inside of the CTA."""

REGISTERS = frozenset({Kind.PASS, Kind.TOUCH})
"""Events that nobody but the own warp sees. Branches with these alone are tried both ways."""


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        kind: What happens.
        where: Source position for messages.
        ring: Cursor on a ring that it belongs to, if any (see `Protocol.cursors`).
        buffer: Buffer that it touches, if any.
        in_ring: Whether `buffer` is indexed by the position of `ring`.
        other: Second buffer of an mma.
        other_ring: Cursor that gives the slot of `other`, or that a release stops at, if any.
        amount: Bytes, slots, pending groups or a barrier id; elements of a tile that leaves, and of
            a part that is written of one.
        per_trip: The loop in each round of which an advance goes by `amount`; None for one that
            goes by it once.
        axis: Cluster axis along which a copy goes to the same slot of every CTA; None when only the
            own CTA gets it.
        per_warpgroup: Whether each warpgroup of the role does it for itself: with its own barrier,
            its own elected thread, its own part of `buffer`.
        by_all_warps: Whether each warp of the role sends a share of what is sent.
        origin: Where a part that is written begins in its tile; the first one begins at its origin.
        source: Accumulator that a product adds to, or that is waited for or touched, by number;
            None for one that is never in flight.
        target: What a product or a wait returns.
        passed: What is passed on: numbers of a value and of what it becomes.
        token: Number of the memory token that stands for an access of global memory afterwards.
        after: Numbers of the tokens of what must come before the access.
        moves: Tokens, and for each those whose accesses it stands for from here on.
        complete: Whether a drain waits until copies out have written global memory.
    """

    kind: Kind
    where: str
    ring: int | None = None
    buffer: int | None = None
    in_ring: bool = False
    other: int | None = None
    other_ring: int | None = None
    amount: int = 0
    axis: int | None = None
    per_trip: Trips | None = None
    per_warpgroup: bool = False
    by_all_warps: bool = False
    origin: tuple[int, ...] = ()
    source: int | None = None
    target: int | None = None
    passed: Moves = ()
    token: int = -1
    after: tuple[int, ...] = ()
    moves: tuple[tuple[int, tuple[int, ...]], ...] = ()
    complete: bool = False


@dataclass(frozen=True)
class Loop:
    """A loop.

    Its role runs every `step`-th of the rounds that `trips` counts, from number `first` on.
    `ending` is what the role does when it finds that there is no further round.
    """

    trips: Trips
    depth: int
    body: tuple["Node", ...]
    first: int = 0
    step: int = 1
    ending: tuple["Node", ...] = ()

    @cached_property
    def skipped(self) -> tuple[Event, ...]:
        """What stands for the reads of the loop where it has no rounds."""
        return skipped_reads(self.body)


@dataclass(frozen=True)
class Branch:
    """A branch, and the condition under which `then` is what happens."""

    then: tuple["Node", ...]
    otherwise: tuple["Node", ...]
    condition: Condition

    @cached_property
    def skipped(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """What stands for the reads of `otherwise` where `then` happens, and the reverse."""
        return skipped_reads(self.otherwise, self.then), skipped_reads(self.then, self.otherwise)


Node = Event | Loop | Branch


def events_of(body: tuple[Node, ...]) -> Iterator[Event]:
    """Yield every event of a program once, those of both sides of branches included."""
    for node in body:
        if isinstance(node, Event):
            yield node
        elif isinstance(node, Branch):
            yield from events_of(node.then)
            yield from events_of(node.otherwise)
        else:
            yield from events_of(node.body)


def skipped_reads(body: tuple[Node, ...], instead: tuple[Node, ...] = ()) -> tuple[Event, ...]:
    """Return what stands for the reads of a loop or a side of a branch that does not run.

    Every warp reads, so it stands for those of each warp. A check asks for it in every round.

    Args:
        body: What does not run.
        instead: The other side of the branch. What that uses, too, is not left out.
    """
    used = {event.buffer for event in events_of(instead)}
    left = (event for event in events_of(body) if event.kind in READS and event.buffer not in used)
    return tuple(replace(event, kind=Kind.SKIP) for event in left)


@dataclass(frozen=True)
class RingShape:
    """A ring: slots and the arrivals that its barriers are initialised with (0: no barrier).

    `axes` are the cluster axes along which CTAs fill each other's slots.
    """

    stages: int
    full_count: int
    empty_count: int
    where: str
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class RoleProgram:
    """A role: how many warps run its program (0: one thread runs it)."""

    name: str
    warps: int
    body: tuple[Node, ...]

    @cached_property
    def has_warpgroup_events(self) -> bool:
        """Whether some event is performed by each warpgroup for itself."""
        return any(event.per_warpgroup for event in events_of(self.body))


@dataclass(frozen=True)
class Protocol:
    """Everything that the check needs to know about a kernel.

    Attributes:
        rings: The rings by number.
        cursors: The ring of each cursor. A cursor starts at slot 0 of a ring and moves through its
            slots: a role that both fills and drains a ring has two of them.
        roles: What each role does.
        buffers: Names of the buffers, for messages.
        cluster: Rows and columns of the CTAs that run the roles together.
        variables: What trip counts and conditions of branches depend on.
    """

    rings: dict[int, RingShape]
    cursors: dict[int, int]
    roles: tuple[RoleProgram, ...]
    buffers: dict[int, str] = field(default_factory=dict)
    cluster: tuple[int, int] = (1, 1)
    variables: tuple[Variable, ...] = ()


@dataclass(frozen=True)
class Violation:
    """A broken rule: what happens and where."""

    where: str
    message: str


class ProtocolViolationError(Exception):
    """Carries the violation that ends a run."""

    def __init__(self, where: str, message: str) -> None:
        """Keep the violation."""
        self.violation = Violation(where, message)
        super().__init__(message)
