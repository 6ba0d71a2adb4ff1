"""Interleaved timing of contenders that do the same work.

Each contender is captured into a CUDA graph that runs it on several sets of operands in turn, so
that nothing is left in L2 from the call before (the sets together exceed it twice). Rounds visit
the contenders in turn; ratios are taken within a round, because large kernels are power-limited
and the clock drifts.
"""

import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

L2_BYTES = 60 << 20
"""L2 of an H200 as the driver reports it."""
Call = Callable[[int], None]
"""Launches the contender's kernel on one set of operands."""


@dataclass
class Samples:
    """Times of one contender: milliseconds of one call, by round."""

    name: str
    times: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median time in milliseconds."""
        return statistics.median(self.times)

    def ratios(self, other: "Samples") -> list[float]:
        """Return how many times faster this one was than `other`, round by round."""
        return [theirs / own for own, theirs in zip(self.times, other.times, strict=True)]


def operand_sets(bytes_per_set: int) -> int:
    """Return how many sets of operands keep a call from finding its data in L2."""
    return max(1, min(64, -(-2 * L2_BYTES // bytes_per_set)))


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

    def milliseconds(self, replays: int) -> float:
        """Replay and return the time of one call."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(replays):
            self.graph.replay()
        end.record()
        self.torch.cuda.synchronize()
        return start.elapsed_time(end) / (replays * self.calls)


def interleave(
    torch: Any, calls: dict[str, Call], sets: int, rounds: int, seconds: float
) -> dict[str, Samples]:
    """Time every contender in every round for about `seconds`; return the samples by name."""
    graphs: dict[str, tuple[Graph, int]] = {}
    for name, call in calls.items():
        probe = Graph(torch, call, sets, sets)
        probe.milliseconds(1)
        each = probe.milliseconds(3)
        count = max(sets, min(200, int(10.0 / each) or 1))
        graph = Graph(torch, call, sets, count)
        graphs[name] = (graph, max(1, int(1000 * seconds / (each * count))))
    samples = {name: Samples(name) for name in calls}
    for _ in range(rounds):
        for name, (graph, replays) in graphs.items():
            samples[name].times.append(graph.milliseconds(replays))
    return samples


def summarise(values: Sequence[float]) -> dict[str, float]:
    """Return minimum, median and maximum."""
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def gpu_state() -> dict[str, str]:
    """Return clocks and power of the GPU as `nvidia-smi` reports them (empty without it)."""
    names = ("name", "driver_version", "clocks.sm", "clocks.mem", "power.draw", "temperature.gpu")
    command = ["nvidia-smi", f"--query-gpu={','.join(names)}", "--format=csv,noheader"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(
        zip(names, (item.strip() for item in output.splitlines()[0].split(",")), strict=True)
    )
