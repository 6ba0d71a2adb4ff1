"""The graph of a loop: what its operations cost, and which of them wait for which. Pure Python.

A schedule is derived from this graph alone (`tilec/plan/schedule.py`). Costs are those of one
warpgroup's share, in cycles of an SM. An operation has an *occupancy* (how long it keeps its engine
busy) and a *latency* (from its issue until its result is there). Products and loads are
asynchronous: the warps go on after the issue.
"""

from collections.abc import Iterator
from enum import Enum

from tilec.support.fast_dataclasses import dataclass


class Engine(Enum):
    """The part of an SM that performs an operation."""

    TENSOR = "tensor cores"
    SPECIAL = "special functions"
    VECTOR = "vector units"
    NONE = "nothing"


@dataclass(frozen=True, slots=True)
class Op:
    """An operation of the loop.

    Attributes:
        name: For reports.
        engine: What performs it.
        cycles: How long it occupies the engine.
        latency: Cycles from its issue until its result is there.
        registers: Of a thread, for its result.
        stage: Fixed stage; None where the schedule may choose.
        in_place: Whether the result is a tile in a slot of a ring, or a mask in predicates. It is
            not carried around the loop: what reads it has the same stage.
        in_pieces: Whether it runs in pieces, so that its result takes registers only where it is
            carried around the loop.
        shares: Of the registers, those of each result, if it has several.
        arrives: Whether the result is a tile that a producer puts into a slot of a ring.
    """

    name: str
    engine: Engine = Engine.NONE
    cycles: float = 0.0
    latency: float = 0.0
    registers: int = 0
    stage: int | None = None
    in_place: bool = False
    in_pieces: bool = False
    shares: tuple[int, ...] = ()
    arrives: bool = False

    @property
    def results(self) -> tuple[int, ...]:
        """Registers of a thread for each result, or for all of them together."""
        return self.shares or (self.registers,)

    @property
    def asynchronous(self) -> bool:
        """Whether the warps go on while it runs."""
        return self.engine is Engine.TENSOR


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` needs what `source` did `distance` rounds before.

    Attributes:
        source: Index of an operation.
        target: Index of an operation.
        distance: Rounds of the loop.
        result: Which result of the source it reads.
    """

    source: int
    target: int
    distance: int = 0
    result: int = 0

    def lag(self, stages: tuple[int, ...]) -> int:
        """Return how many rounds after its source the target runs, with a stage for each."""
        return self.distance + stages[self.target] - stages[self.source]


@dataclass(frozen=True, slots=True)
class LoopGraph:
    """A loop.

    Attributes:
        ops: Its operations in program order.
        edges: What they wait for.
        warpgroups: How many share the engines, each with its own rows.
        cuts: Operations after which stage 1 may begin, if that is the choice and not the stages of
            products: all that reads their results then has stage 1.
        exchanges: From what threads compute for a product, and store in shared memory, to that
            product, if a ring can hold it for a round. The warpgroups do not meet for a product of
            the next round.
        in_order: Whether each stage keeps the order of the program.
        meets: Whether the warpgroups meet at barriers in each round, around what they store for a
            product. So none of them multiplies while another one computes.
        slots: Slots of the rings that its tiles arrive in.
    """

    ops: tuple[Op, ...]
    edges: tuple[Edge, ...]
    warpgroups: int = 1
    cuts: tuple[int, ...] = ()
    meets: bool = False
    exchanges: tuple[Edge, ...] = ()
    in_order: bool = False
    slots: int = 2

    def meets_with(self, stages: tuple[int, ...]) -> bool:
        """Tell whether the warpgroups meet in a round with these stages."""
        late = self.exchanges and all(edge.lag(stages) > 0 for edge in self.exchanges)
        return self.meets and not late

    def is_carried(self, edge: Edge, stages: tuple[int, ...]) -> bool:
        """Tell whether registers hold what an edge reads until a later round reads it."""
        return edge.lag(stages) > 0 and edge not in self.exchanges

    def read_by(self, edge: Edge) -> tuple[int, int]:
        """Return the operation that an edge reads, and which of its results with registers."""
        return edge.source, edge.result if self.ops[edge.source].shares else 0

    def results(self) -> Iterator[tuple[int, int, int]]:
        """Yield the results with registers: their operation, their number, and their registers."""
        for n, op in enumerate(self.ops):
            for number, size in enumerate(op.results):
                yield n, number, size

    def demand(self, engine: Engine) -> float:
        """Return the cycles of a round that one warpgroup occupies `engine`."""
        return sum(op.cycles for op in self.ops if op.engine is engine)


def longest_ways(graph: LoopGraph, before: list[list[int]]) -> dict[int, float]:
    """Return the longest way from each operation to the end of the round, in cycles.

    Args:
        graph: The loop.
        before: For each operation, those of the same round that it waits for.
    """
    sorted_ops: list[int] = []
    waits = [len(sources) for sources in before]
    after: list[list[int]] = [[] for _ in graph.ops]
    for target, sources in enumerate(before):
        for source in sources:
            after[source].append(target)
    ready = [n for n, count in enumerate(waits) if not count]
    while ready:
        sorted_ops.append(ready.pop())
        for target in after[sorted_ops[-1]]:
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    ways: dict[int, float] = {}
    for n in reversed(sorted_ops):
        rest = max((ways[m] for m in after[n]), default=0.0)
        ways[n] = graph.ops[n].cycles + graph.ops[n].latency + rest
    return ways
