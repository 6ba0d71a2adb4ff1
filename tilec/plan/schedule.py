"""The schedule of a loop, derived from its graph. Pure Python.

A schedule gives each operation a *pipeline stage*. In round i the rotated loop performs the
operations of stage 0 of iteration i, and those of stage 1 of iteration i - 1. So a product of
stage 0 can run while threads compute what the products of stage 1 read, and the reverse.

    stages 0:          S0 X0 P0 | S1 X1 P1 | S2 X2 P2      each operation waits for the one before
    P in stage 1: S0 X0 | S1 P0 X1 | S2 P1 X2 | P2         S1 and P0 run while threads compute X1

The *interval* is the time of a round. It is at least the time for which the warpgroups together
occupy one engine. It is more where warpgroups queue for the tensor cores while others compute: mean
value analysis of a closed queueing network (Reiser and Lavenberg, 1980) gives it, with warpgroups
as customers. Warpgroups that meet in each round, to store an operand of a product together, do
everything at the same time, unless that product runs a round later. Where the warpgroups of a
rotated loop ping-pong, they do not queue: each computes while the others multiply. Of schedules
with the same interval, the one that carries the fewest registers wins. A loop with short rounds in
which special functions or vector units bind stays as it is. The user can fix whether a loop is
rotated, and whether its warpgroups ping-pong.
"""

from collections.abc import Iterator
from itertools import product

from tilec.plan import machine
from tilec.plan.graph import Engine, LoopGraph
from tilec.plan.issue_order import order_of
from tilec.plan.live_tiles import live_registers
from tilec.plan.queueing import queueing_time
from tilec.support.fast_dataclasses import dataclass

WORTH = 0.97
"""A rotated loop is larger, so it has to take less than this part of the interval (choice)."""
SHORT_ROUND = 1700.0
"""Cycles of a round up to which a loop stays as it is where special functions bind: warpgroups hide
each other's products. Rotated, attention with heads of 64 takes 1.02 to 1.11 of the time (1024 and
1536 cycles of 2 and 3 warpgroups), and in 8 bits with heads of 128 0.98 to 1.03 of it (1024 cycles)
and 0.99 (1792) (H100, docs/measurements/2026-11-26-causal-profile.md)."""
SHORT_VECTOR_ROUND = 1000.0
"""The same where vector units bind. Rotated, 128x128x64 tiles whose weights of 8 bits are converted
take 1.15 and 1.20 of the time at 256x8192x4096 (640 cycles of 2 warpgroups), but attention with a
bias, of heads of 64, 0.97 (more than 1300) (H100, docs/measurements/2026-11-26-w8a16.md)."""
HIDDEN = 0.7
"""Part of a round up to which other warpgroups hide all products, where vector units bind: while
one multiplies, others compute. Rotated, attention with heads of 64 takes 1.07 to 1.17 of the time
where it masks documents (0.51 of a round are products), 1.07 with ALiBi (0.63), and 0.97 with a
bias that is loaded (0.76). Where special functions bind, it takes 0.98 with a soft cap (0.50)
(H100, docs/measurements/2026-11-26-user-attention.md)."""
SHOWN = 4
"""Rotated loops that lost and are kept for reports."""
MAX_CUTS = 512
"""Most assignments of stages that are tried: 9 products without edges between them."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the operations of a loop run.

    Attributes:
        stages: Stage of each operation.
        order: Operations of a round, in the order in which a warpgroup issues them.
        interval: Estimated cycles of a round.
        bound: Cycles of a round that the busiest engine takes at least.
        binds: That engine.
        registers: Most registers of a thread that the tiles of a round need at a time.
        turns: Whether the warpgroups issue the products of a round one after the other.
        carried: Registers of a thread for what stage 1 reads of the round before.
    """

    stages: tuple[int, ...]
    order: tuple[int, ...]
    interval: float
    bound: float
    binds: Engine
    registers: int
    turns: bool = False
    carried: int = 0

    @property
    def rotated(self) -> bool:
        """Whether the operations of a round belong to two iterations."""
        return any(self.stages)


@dataclass(frozen=True, slots=True)
class Lost:
    """A schedule that was not chosen, and why."""

    schedule: Schedule
    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The schedule of a loop.

    Attributes:
        best: The schedule.
        lost: The loop as it is, and at most `SHOWN` others, in the order of their intervals.
    """

    best: Schedule
    lost: tuple[Lost, ...]

    @property
    def why_not_rotated(self) -> str:
        """Why the loop stays as it is."""
        rotated = [item for item in self.lost if item.schedule.rotated]
        if not rotated:
            return "none of its operations can run one round later than others"
        return f"the best rotated loop {rotated[0].why}"


@dataclass(frozen=True, slots=True)
class TileSchedule:
    """The schedule of a loop over tiles.

    Attributes:
        graph: What a round does.
        choice: When.
    """

    graph: LoopGraph
    choice: Choice

    @property
    def waiting(self) -> int:
        """Registers of a tile that waits for the next one; 0 when none does."""
        return self.choice.best.carried

    @property
    def defers_work(self) -> bool:
        """Whether threads compute from the tile that waits, and do not only store it."""
        nodes = zip(self.graph.ops, self.choice.best.stages, strict=True)
        return any(stage == 1 and op.registers > 0 for op, stage in nodes)


def schedule_loop(
    graph: LoopGraph, registers: int, *, rotate: bool | None = None, turns: bool | None = None
) -> Choice:
    """Return the schedule of a loop.

    Args:
        graph: The loop.
        registers: Registers of a thread for tiles. The loop as it is may need more.
        rotate: Whether the loop is rotated where that is possible; None to choose.
        turns: Whether the warpgroups of a rotated loop ping-pong; None to choose.
    """
    plain = evaluate(graph, (0,) * len(graph.ops), turns)
    limit = max(registers, _allocated(plain))
    rotated = [evaluate(graph, stages, turns) for stages in _assignments(graph) if any(stages)]
    rotated.sort(key=_rank)
    worth = 1.0 if graph.cuts else WORTH  # a loop around another one is not copied
    least = float("inf") if rotate else worth * plain.interval
    good = [
        item
        for item in rotated
        if item.interval < least
        and _allocated(item) <= limit
        and (rotate or graph.cuts or not _why_as_it_is(graph, item, plain))
    ]
    best = good[0] if good and rotate is not False else plain
    others = [item for item in rotated if item is not best][:SHOWN]
    shown = sorted([*others, plain][: len(others) + best.rotated], key=_rank)
    whys = (_why_lost(graph, item, best, limit, rotate) for item in shown)
    return Choice(best, tuple(Lost(item, why) for item, why in zip(shown, whys, strict=True)))


def splits_loop(rotated: bool, asked: bool | None) -> bool:
    """Tell whether the first rounds of a loop, which have no mask, become a loop of their own.

    Only of a rotated loop: where warpgroups hide each other's products, as in attention with heads
    of 64, a branch in a round costs nothing (docs/measurements/2026-11-25-attention-forward.md).
    """
    return rotated if asked is None else asked


def _why_as_it_is(graph: LoopGraph, item: Schedule, plain: Schedule) -> str:
    """Return why a loop does not become `item`, whatever it gains; empty if it may."""
    if _ahead(graph, item) < (1 - WORTH) * plain.interval:
        return "does almost nothing for the next iteration"
    short_rounds = {Engine.SPECIAL: SHORT_ROUND, Engine.VECTOR: SHORT_VECTOR_ROUND}
    short = plain.bound < short_rounds.get(plain.binds, 0.0)
    products = graph.demand(Engine.TENSOR) * graph.warpgroups
    few = plain.binds is Engine.VECTOR and products <= HIDDEN * plain.bound
    if graph.warpgroups > 1 and not graph.meets and (short or few):
        binds = plain.binds.value
        return f"hides products that other warpgroups hide anyway: {binds} bind"
    return ""


def _ahead(graph: LoopGraph, schedule: Schedule) -> float:
    """Return the cycles of what a rotated loop does for the next iteration: all that it can hide.

    Gradients of attention with nothing ahead took 0.96 (no mask) and 1.06 (causal) of the time of
    the loop as it is (H100, 2026-11-25, docs/measurements/2026-11-25-attention-backward.md).
    """
    nodes = zip(graph.ops, schedule.stages, strict=True)
    return graph.warpgroups * sum(op.cycles for op, stage in nodes if stage == 0)


def _allocated(schedule: Schedule) -> int:
    """Return the registers of a thread for tiles, in the steps in which threads get them."""
    return -(-schedule.registers // machine.REGISTER_STEP) * machine.REGISTER_STEP


def _rank(item: Schedule) -> tuple[int, int]:
    """Return what orders schedules: the best one has least."""
    return round(item.interval), item.registers


def _why_lost(
    graph: LoopGraph, item: Schedule, best: Schedule, limit: int, rotate: bool | None
) -> str:
    """Return why `best` was chosen and not `item`."""
    if _allocated(item) > limit:
        return f"needs {_allocated(item)} registers for tiles, of {limit}"
    if rotate is not None and item.rotated is not rotate:
        return f"is excluded by rotate = {str(rotate).lower()}"
    if _rank(item) == _rank(best):
        return "gains nothing"
    if round(item.interval) == round(best.interval):
        return f"is as fast, with {item.registers} registers for tiles instead of {best.registers}"
    percent = 100 * (item.interval / best.interval - 1)
    if percent < 0 and item.rotated and _why_as_it_is(graph, item, best):
        return _why_as_it_is(graph, item, best)
    if percent < 0:
        return f"is {-percent:.1f}% faster, less than {100 * (1 - WORTH):.0f}%"
    return f"is {percent:.1f}% slower"


def evaluate(graph: LoopGraph, stages: tuple[int, ...], turns: bool | None = None) -> Schedule:
    """Return the schedule with these stages; `turns` as in `schedule_loop`."""
    order, alone = order_of(graph, stages)
    demands = {e: graph.demand(e) * graph.warpgroups for e in Engine if e is not Engine.NONE}
    binds = max(demands, key=lambda engine: demands[engine])
    bound = demands[binds]
    tensor = graph.demand(Engine.TENSOR)
    meets = graph.meets_with(stages)
    together = graph.warpgroups * alone if meets else 0.0
    free = max(bound, together or queueing_time(tensor, alone, graph.warpgroups))
    ordered = max(bound, alone, graph.warpgroups * (tensor + machine.NAMED_BARRIER_CYCLES))
    possible = graph.warpgroups > 1 and any(stages) and not graph.meets
    takes = possible and (ordered < free if turns is None else turns)
    interval = ordered if takes else free
    registers = live_registers(graph, stages, order)
    late = [e for e in graph.edges if e.lag(stages) > e.distance]
    waiting = {graph.read_by(e) for e in late if graph.is_carried(e, stages)}
    carried = sum(graph.ops[n].results[number] for n, number in waiting)
    return Schedule(stages, order, interval, bound, binds, registers, takes, carried)


def _assignments(graph: LoopGraph) -> Iterator[tuple[int, ...]]:
    """Yield stages that respect the edges, one assignment for each cut or choice for the products.

    An operation that no choice fixes goes where its operands are made, so that little is carried,
    but to stage 1 if only operations of stage 1 need it and it makes no tile smaller.
    """
    free = [n for n, op in enumerate(graph.ops) if op.asynchronous and op.stage is None]
    choices: list[dict[int, int]] = [
        {edge.target: 1 for edge in graph.edges if edge.source == n} for n in graph.cuts
    ]
    if not graph.cuts:
        stages_of_free = list(product((0, 1), repeat=len(free)))[:MAX_CUTS]
        choices = [dict(zip(free, item, strict=True)) for item in stages_of_free]
    for choice in choices:
        possible = all(graph.ops[n].stage in (None, stage) for n, stage in choice.items())
        stages = _complete(graph, choice) if possible else None
        if stages is not None and (graph.slots > 1 or _arrive_in_turn(graph, stages)):
            yield stages


def _arrive_in_turn(graph: LoopGraph, stages: tuple[int, ...]) -> bool:
    """Tell whether all tiles of stage 0 arrive before those of stage 1.

    A producer fills slots in the order of the program. Where a ring has one slot, it waits at a
    tile of stage 1 until that of the round before was read, which may come after the consumers
    have waited for all tiles of stage 0. So none of these may come later.
    """
    arrivals = [stage for op, stage in zip(graph.ops, stages, strict=True) if op.arrives]
    return arrivals == sorted(arrivals)


def _complete(graph: LoopGraph, chosen: dict[int, int]) -> tuple[int, ...] | None:
    """Return the stages of all operations, given those of the products; None where none exist."""
    fixed = {n: op.stage for n, op in enumerate(graph.ops) if op.stage is not None} | chosen
    low = [fixed.get(n, 0) for n in range(len(graph.ops))]
    changed = True
    while changed:
        changed = False
        for edge in graph.edges:
            least = low[edge.source] - edge.distance
            if low[edge.target] < least:
                low[edge.target], changed = least, True
            if graph.ops[edge.source].in_place and low[edge.source] < low[edge.target]:
                low[edge.source], changed = low[edge.target], True
    if any(stage > 1 or fixed.get(n, stage) != stage for n, stage in enumerate(low)):
        return None
    stages = _late(graph, low, fixed)
    return stages if all(edge.lag(stages) >= 0 for edge in graph.edges) else None


def _late(graph: LoopGraph, low: list[int], fixed: dict[int, int]) -> tuple[int, ...]:
    """Move operations to stage 1 where only that needs them, and less is carried then.

    Not where warpgroups meet: what they do for a product at the start of its round, nothing hides.
    """
    stages = list(low)
    if graph.meets:
        return tuple(stages)
    kept = {*fixed, *(_from_products(graph) if graph.cuts else ())}  # a cut says what waits
    for n in reversed(range(len(stages))):
        readers = [edge for edge in graph.edges if edge.source == n]
        if n in kept or stages[n] or not readers or any(e.distance for e in readers):
            continue
        inputs = {e.source for e in graph.edges if e.target == n and not e.distance}
        crossing = {e.source for e in graph.edges if stages[e.target] and not e.distance}
        carried = sum(graph.ops[i].registers for i in inputs - crossing if stages[i] == 0)
        most = float("inf") if graph.ops[n].in_place else graph.ops[n].registers
        if all(stages[e.target] for e in readers) and carried <= most:
            stages[n] = 1
    return tuple(stages)


def _from_products(graph: LoopGraph) -> set[int]:
    """Return the products of a round, and what is computed from them; in program order."""
    found: set[int] = set()
    for n, op in enumerate(graph.ops):
        sources = {edge.source for edge in graph.edges if edge.target == n and not edge.distance}
        if op.asynchronous or sources & found:
            found.add(n)
    return found
