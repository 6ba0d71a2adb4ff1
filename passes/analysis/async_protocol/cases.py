"""The cases that prove a protocol: which trip counts and branches a run has to be made for."""

from collections.abc import Iterator

from tilec.passes.analysis.async_protocol.events import (
    Branch,
    Event,
    Loop,
    Node,
    Protocol,
    ProtocolViolationError,
    Violation,
    events_of,
)
from tilec.passes.analysis.async_protocol.simulate import Simulation


def check_protocol(protocol: Protocol) -> Violation | None:
    """Run a protocol for every relevant choice of trip counts; return the first violation.

    Inner loops run 0, 1, 2, S-1, S, S+1 and 2S+1 times (S: slots of the deepest ring). Loops
    around them run 0 to 3 times, but only twice for each of those counts: a run of two rounds
    begins with the run of one, and what is left over differs by the number of rounds alone.
    Branches go both ways, but for those that rounds decide; ones that touch no ring cannot depend
    on how often inner loops run. Numbers of rounds that conditions compare with (C) are counts of
    inner loops, too, as are C-1 and C+1.
    """
    stages = max((ring.stages for ring in protocol.rings.values()), default=1)
    turns = max((_turns(role.body) for role in protocol.roles), default=1)
    marks = {mark + step for mark in protocol.constants if mark > 1 for step in (-1, 0, 1)}
    inner = sorted({0, 1, 2, max(0, stages - 1), stages, stages + 1, 2 * stages + 1} | marks)
    depth = max((_depth(role.body) for role in protocol.roles), default=0)
    runs = [(True, counts) for counts in _trip_counts(depth, inner, stages, turns)]
    branches = [branch for role in protocol.roles for branch in _open_branches(role.body)]
    if branches:
        touches_rings = any(map(_uses_rings, branches))
        few = sorted({1, *(mark for mark in protocol.constants if mark > 1)})
        counts = _trip_counts(depth, inner if touches_rings else few, stages, turns)
        runs += [(False, pair) for pair in counts]
    for taken, (around, trip) in runs:
        trips = dict.fromkeys(range(depth), around)
        trips[depth - 1] = trip
        try:
            Simulation(protocol, trips, taken=taken).run()
        except ProtocolViolationError as broken:
            return broken.violation
    return None


def _trip_counts(
    depth: int, inner: list[int], stages: int, turns: int = 1
) -> list[tuple[int, int]]:
    """Return the trip counts to run: of the outer loops and of the innermost ones.

    Where consumers take tiles in turn, each of the `turns` gets as many as a single one would.
    """
    if depth == 0:
        return [(1, 0)]
    if depth == 1:
        return [(1, trip) for trip in inner]
    ends = [(0, 1), (1, 0), (1, 1), (1, stages + 1), (3, 0), (3, 1)]
    ends += [(2 * turns - 1, stages + 1)] if turns > 1 else []
    return [*ends, *((2 * turns, trip) for trip in inner)]


def _turns(body: tuple[Node, ...]) -> int:
    """Return by how many rounds the outermost loops step at most."""
    return max((node.step for node in body if isinstance(node, Loop)), default=1)


def _depth(body: tuple[Node, ...]) -> int:
    """Return how deep loops nest in `body`."""
    deepest = 0
    for node in body:
        if isinstance(node, Branch):
            deepest = max(deepest, _depth(node.then), _depth(node.otherwise))
        elif not isinstance(node, Event):
            deepest = max(deepest, 1 + _depth(node.body))
    return deepest


def _open_branches(body: tuple[Node, ...]) -> Iterator[Branch]:
    """Yield the outermost branches of a program that trip counts do not decide."""
    for node in body:
        if isinstance(node, Branch) and node.condition is None:
            yield node
        elif isinstance(node, Branch):
            yield from _open_branches((*node.then, *node.otherwise))
        elif not isinstance(node, Event):
            yield from _open_branches(node.body)


def _uses_rings(branch: Branch) -> bool:
    """Tell whether either side of a branch does something to a ring."""
    events = events_of((*branch.then, *branch.otherwise))
    return any(event.ring is not None for event in events)
