"""Accesses of global memory that memory tokens order, in a run of a protocol.

Every warp of a role has its own values of tokens: sets of accesses, each of them one execution of
an operation by all warps. What an access must come after is noted with the clock of who begins it.
At the end of the run, when all accesses have their marks, the clock must have all of them: then
barriers order the accesses, whatever came first in this run.

Threads and bulk copies reach global memory through different proxies. A bulk store comes after the
proxy fence after an access by threads; what comes after bulk copies waits for their completion,
which is a fence as well (PTX ISA, "Async proxy").
"""

from collections.abc import Mapping
from typing import NamedTuple

from tilec.passes.analysis.protocol.events import Event, Kind, ProtocolViolationError
from tilec.passes.analysis.protocol.state import Agent, Clock, Mark, Marks, fence
from tilec.support.fast_dataclasses import dataclass, field

TOKEN_KINDS = (
    Kind.TOKENS,
    Kind.RING_TOKEN,
    Kind.LOAD,
    Kind.STORE,
    Kind.STORING,
    Kind.CLOSE,
    Kind.STORED,
    Kind.FENCE_GLOBAL,
)
"""Events that `perform` performs."""


class Access(NamedTuple):
    """An execution of an operation that reads or writes global memory.

    Attributes:
        writes: Whether it writes.
        cta: Rank of its CTA in the cluster.
        role: Its role; -1 for loads through a ring.
        number: The token that it returns, or the ring.
        time: How often the operation was executed before, or the fill of the ring.
    """

    writes: bool
    cta: int
    role: int
    number: int
    time: int


@dataclass(slots=True)
class _Marks:
    """Marks of an access, and those among them that threads have made."""

    all: Clock = 0
    generic: Clock = 0


@dataclass(slots=True)
class _Group:
    """What a warp does in a group of bulk stores.

    Attributes:
        began: Its clock when it began the first one; None where others store.
        bulk: Whether one of them is by the async proxy.
        copied: Marks of what its threads copy out instead.
    """

    began: Clock | None = None
    bulk: bool = False
    copied: Clock = 0


@dataclass(slots=True)
class _Warp:
    """What a warp knows.

    Attributes:
        tokens: The accesses that each token stands for, by number.
        times: How often it has returned each token.
        accessed: Marks of its accesses.
        open: The group that it stores in.
        closed: The group that it has closed, if that has no token yet.
        landings: Number and mark of each group whose stores have a token.
    """

    tokens: dict[int, frozenset[Access]] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)
    accessed: Clock = 0
    open: _Group = field(default_factory=_Group)
    closed: _Group | None = None
    landings: list[tuple[int, Mark]] = field(default_factory=list)


class _Claim(NamedTuple):
    """What must have happened before an access: `asynchronous` if that is a bulk store."""

    event: Event
    clock: Clock
    accesses: frozenset[Access]
    asynchronous: bool


class GlobalMemory:
    """The ordered accesses of a run."""

    def __init__(self, marks: Marks, cursors: Mapping[int, int]) -> None:
        """Begin without accesses; `marks` makes marks, `cursors` has the ring of each cursor."""
        self._marks, self._cursors = marks, cursors
        self._accesses: dict[Access, _Marks] = {}
        self._warps: dict[str, _Warp] = {}
        self._claims: list[_Claim] = []

    def copy(self, cta: int, ring: int, fill: int, mark: Mark) -> None:
        """Note the mark of a load into the slot of `ring` in `cta` that makes fill `fill`."""
        self._of(Access(False, cta, -1, ring, fill)).all |= mark

    def perform(self, agent: Agent, event: Event) -> bool:
        """Perform an event on tokens or on global memory."""
        warp = self._warp(agent)
        if event.kind is Kind.RING_TOKEN:
            cursor = -1 if event.ring is None else event.ring
            place = self._cursors[cursor], agent.positions.get(cursor, 0) + 1
            warp.tokens[event.token] = frozenset((Access(False, agent.cta, -1, *place),))
        elif event.kind is Kind.TOKENS:
            values = [(target, _union(warp, sources)) for target, sources in event.moves]
            warp.tokens.update(values)
        elif event.kind is Kind.FENCE_GLOBAL:
            agent.clock |= fence(warp.accessed)
        elif event.kind is Kind.STORING:
            self._store_group(agent, warp, event)
        elif event.kind is Kind.CLOSE:
            warp.open, warp.closed = _Group(), warp.open
        elif event.kind is Kind.STORED:
            self._name_group(agent, warp, event)
        else:
            self._access(agent, warp, event)
        return True

    def drain(self, agent: Agent, event: Event, groups: int) -> None:
        """Retire the first `groups` groups of bulk stores of the agent."""
        for number, mark in self._warp(agent).landings if event.complete else ():
            if number <= groups:
                agent.clock |= mark

    def check(self) -> None:
        """Check at the end of a run that every access came after what its tokens stand for.

        Raises:
            ProtocolViolationError: One did not.
        """
        for claim in self._claims:
            for access in sorted(claim.accesses):
                found = self._of(access)
                missing = found.all & ~claim.clock
                if missing or not found.all:
                    self._report(claim, access, missing)
                unfenced = fence(found.generic) & ~claim.clock if claim.asynchronous else 0
                if unfenced:
                    actor = self._marks.owner(unfenced)
                    raise ProtocolViolationError(
                        claim.event.where,
                        "no proxy fence between an access of global memory by"
                        f" '{actor}' and a bulk store that must follow it",
                    )

    def _report(self, claim: _Claim, access: Access, missing: Clock) -> None:
        actor = f" of '{self._marks.owner(missing)}'" if missing else ""
        later = "load" if claim.event.kind is Kind.LOAD else "store"
        earlier = "store" if access.writes else "load"
        raise ProtocolViolationError(
            claim.event.where, f"a {later} may overtake the {earlier}{actor} that it must follow"
        )

    def _access(self, agent: Agent, warp: _Warp, event: Event) -> None:
        """Let the threads of a warp load or store."""
        writes = event.kind is Kind.STORE
        before = _union(warp, event.after)
        mandatory = before if writes else frozenset(access for access in before if access.writes)
        self._claims.append(_Claim(event, agent.clock, mandatory, asynchronous=False))
        access = self._next(agent, warp, event, writes=writes)
        self._note_threads(agent, warp, self._of(access))
        warp.tokens[event.token] = frozenset((access,)) | (frozenset() if writes else before)

    def _store_group(self, agent: Agent, warp: _Warp, event: Event) -> None:
        """Begin a bulk store, or a copy by threads instead of one (`amount`)."""
        if not event.amount and not _is_elected(agent, event):
            return
        group = warp.open
        group.began = agent.clock if group.began is None else group.began
        if event.amount:
            copied = _Marks()
            self._note_threads(agent, warp, copied)
            group.copied |= copied.all
        else:
            group.bulk = True

    def _name_group(self, agent: Agent, warp: _Warp, event: Event) -> None:
        """Let a token stand for the stores of the group that was closed last."""
        group, warp.closed = warp.closed, None
        if group is None:
            message = "a memory token stands for stores of a group that is not closed yet"
            raise ProtocolViolationError(event.where, message)
        access = self._next(agent, warp, event, writes=True)
        found = self._of(access)
        found.all |= group.copied
        found.generic |= group.copied
        if _is_elected(agent, event):
            mark = self._marks.new(f"bulk:{agent.name}")
            warp.landings.append((len(agent.stores), mark))
            found.all |= mark
        if group.began is not None:
            before = _union(warp, event.after)
            self._claims.append(_Claim(event, group.began, before, group.bulk))
        warp.tokens[event.token] = frozenset((access,))

    def _note_threads(self, agent: Agent, warp: _Warp, found: _Marks) -> None:
        mark = self._marks.new_access(agent.name)
        agent.clock |= mark
        warp.accessed |= mark
        found.all |= mark
        found.generic |= mark

    def _next(self, agent: Agent, warp: _Warp, event: Event, *, writes: bool) -> Access:
        time = warp.times.get(event.token, 0)
        warp.times[event.token] = time + 1
        return Access(writes, agent.cta, agent.role, event.token, time)

    def _of(self, access: Access) -> _Marks:
        return self._accesses.setdefault(access, _Marks())

    def _warp(self, agent: Agent) -> _Warp:
        return self._warps.setdefault(agent.name, _Warp())


def _union(warp: _Warp, tokens: tuple[int, ...]) -> frozenset[Access]:
    """Return what any of `tokens` stands for; nothing for one that depends on nothing."""
    return frozenset[Access]().union(*(warp.tokens.get(token, frozenset()) for token in tokens))


def _is_elected(agent: Agent, event: Event) -> bool:
    return agent.leads if event.per_warpgroup else agent.first
