"""Interleaved timing of contenders that do the same work.

Each contender is captured into a CUDA graph that runs it on several sets of operands, one after
the other, so that nothing is left in L2 from the call before (the sets together exceed it twice).
Rounds visit all contenders; ratios are taken within a round, because large kernels are
power-limited and the clock drifts.
"""

import functools
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.bench.gpu_state import Reading

L2_BYTES = 60 << 20
"""L2 of an H200 as the driver reports it."""
MAX_SETS = 256
GRAPH_MILLISECONDS = 10.0
"""Length of a graph: long enough that the gaps between replays do not count."""
MAX_GRAPH_CALLS = 400
DURATION_MARGIN = 1.1
"""Factor on the wanted duration of a round: the clock may rise after the length was estimated."""
Call = Callable[[int], None]
"""Launches the contender's kernels on one set of operands."""


@dataclass
class Samples:
    """What was measured of one contender.

    Attributes:
        name: The contender.
        times: Milliseconds of one call, by round.
        durations: Milliseconds of GPU time that each of `times` stands for.
        readings: State of the GPU in the middle of each round.
    """

    name: str
    times: list[float] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)


def operand_sets(bytes_per_set: int) -> int:
    """Return how many sets of operands keep a call from finding its data in L2."""
    return max(1, min(MAX_SETS, -(-2 * L2_BYTES // bytes_per_set)))


def round_order(names: Sequence[str], number: int) -> list[str]:
    """Return the order of round `number`: shuffled, and reversed in the next round.

    So no contender runs after the same one each time, at the clock rate and heat that it left. With
    fixed neighbours, one kernel had 0.945 and 0.985 of a peer in one run
    (docs/measurements/2026-11-26-softmax.md).
    """
    order = list(names)
    random.Random(number // 2).shuffle(order)
    return order[::-1] if number % 2 else order


class Graph:
    """A CUDA graph that calls one contender on every set of operands, several times over."""

    def __init__(self, torch: Any, call: Call, sets: int, calls: int) -> None:
        """Warm up, then capture `calls` calls."""
        self.torch = torch
        self.calls = calls
        for number in range(sets):
            call(number)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for number in range(calls):
                call(number % sets)

    def milliseconds(self, replays: int, during: Callable[[], None] | None = None) -> float:
        """Replay and return the time of one call.

        Args:
            replays: How often to run the graph.
            during: Called on the host while the GPU works.
        """
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(replays):
            self.graph.replay()
        end.record()
        if during is not None:
            during()
        self.torch.cuda.synchronize()
        return start.elapsed_time(end) / (replays * self.calls)


def quick_time(torch: Any, call: Call, sets: int) -> float:
    """Return a first estimate of one call in milliseconds: the best of three short replays."""
    graph = Graph(torch, call, sets, sets)
    return min(graph.milliseconds(1) for _ in range(3))


def sized_graph(torch: Any, call: Call, sets: int) -> tuple[Graph, float]:
    """Return a graph of about `GRAPH_MILLISECONDS` and the estimated time of one call."""
    each = quick_time(torch, call, sets)
    count = max(sets, min(MAX_GRAPH_CALLS, int(GRAPH_MILLISECONDS / each) or 1))
    return Graph(torch, call, sets, count), each


def interleave(
    torch: Any,
    calls: Mapping[str, Call],
    sets: int,
    rounds: int,
    seconds: float,
    read: Callable[[], Reading] | None = None,
    after: Callable[[str, Callable[[], Any]], None] | None = None,
) -> dict[str, Samples]:
    """Time every contender in every round; return the samples by name.

    A visit to each comes first that does not count: it brings the GPU to the clock of the work.

    Args:
        torch: The module.
        calls: The contenders.
        sets: Number of operand sets that the calls take.
        rounds: How often to visit every contender.
        seconds: GPU time of one contender in one round, at least.
        read: Reads the state of the GPU, in the middle of every visit.
        after: Called at the end with each contender and what runs its graph once more, for checks.
    """
    visited = {name: _Visited(*sized_graph(torch, call, sets)) for name, call in calls.items()}
    samples = {name: Samples(name) for name in calls}

    def sample(name: str) -> None:
        time.sleep(seconds / 2)
        samples[name].readings.append(read() if read is not None else {})

    for contender in visited.values():
        contender.visit(seconds, None)  # an estimate from a GPU that was idle is of a low clock
    for number in range(rounds):
        for name in round_order(list(calls), number):
            took, duration = visited[name].visit(seconds, functools.partial(sample, name))
            samples[name].times.append(took)
            samples[name].durations.append(duration)
    if after is not None:
        for name, contender in visited.items():
            after(name, functools.partial(contender.graph.milliseconds, 1))
    return samples


@dataclass
class _Visited:
    """A contender between its visits: its graph, and how long a call took the last time."""

    graph: Graph
    milliseconds: float

    def visit(self, seconds: float, during: Callable[[], None] | None) -> tuple[float, float]:
        """Run it for `seconds` at least; return milliseconds of a call and of all of them."""
        wanted = 1000 * seconds * DURATION_MARGIN
        replays = math.ceil(wanted / (self.milliseconds * self.graph.calls))
        self.milliseconds = self.graph.milliseconds(replays, during)
        return self.milliseconds, self.milliseconds * replays * self.graph.calls


def summarise(values: Sequence[float]) -> dict[str, float]:
    """Return minimum, median and maximum."""
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}
