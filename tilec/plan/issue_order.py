"""The order in which a warpgroup issues the operations of a round. Pure Python."""

from tilec.plan.graph import LoopGraph, longest_ways
from tilec.plan.live_tiles import live_registers

ISSUE_CYCLES = 16.0
"""Cycles until the warps have issued the instructions of a product: 4 to 16 wgmma (estimate)."""


def order_of(graph: LoopGraph, stages: tuple[int, ...]) -> tuple[tuple[int, ...], float]:
    """Return the order of issue in a round, and the time of a round for a warpgroup alone.

    The loop as it is keeps its order. In a rotated loop, the operation that can start first comes
    next; of several, one that takes no time (a release of a slot should be early), or else the one
    on the longest way to the end of the round.
    """
    before: list[list[int]] = [[] for _ in graph.ops]
    for edge in graph.edges:
        if edge.lag(stages) == 0:
            before[edge.target].append(edge.source)
    if not any(stages):
        order = tuple(range(len(graph.ops)))
        return order, _time(graph, order, before)
    if graph.in_order:
        return _in_order(graph, stages, before)
    ways = longest_ways(graph, before)
    done: dict[int, float] = {}
    clock = tensor = 0.0
    order = []
    waiting = set(ways)
    while waiting:
        ready = [n for n in waiting if all(source in done for source in before[n])]
        start = {n: max([clock, *(done[source] for source in before[n])]) for n in ready}
        chosen = min(ready, key=lambda n: (start[n], graph.ops[n].cycles > 0, -ways[n], n))
        clock, tensor = _issue(graph, chosen, start[chosen], tensor, done)
        order.append(chosen)
        waiting.discard(chosen)
    return tuple(_late_loads(graph, order, before)), max([clock, *done.values()])


def _in_order(
    graph: LoopGraph, stages: tuple[int, ...], before: list[list[int]]
) -> tuple[tuple[int, ...], float]:
    """Return the order with stage 0 as a block where that takes the fewest registers.

    Of several such places, the one with the shortest round, and of these the first one: what stage
    1 reads of other warpgroups has most time then. Gradients of attention took 0.93 to 0.99 of the
    time of the last place (H100, docs/measurements/2026-11-28-exchanged-operands.md).
    """
    now = [n for n, stage in enumerate(stages) if stage]
    ahead = [n for n, stage in enumerate(stages) if not stage]
    orders = [(*now[:place], *ahead, *now[place:]) for place in range(len(now) + 1)]
    order = min(
        (order for order in orders if _respects(order, before)),
        key=lambda order: (live_registers(graph, stages, order), _time(graph, order, before)),
    )
    return order, _time(graph, order, before)


def _respects(order: tuple[int, ...], before: list[list[int]]) -> bool:
    """Tell whether each operation comes after those of the round that it waits for."""
    place = {n: index for index, n in enumerate(order)}
    return all(place[source] < place[n] for n in order for source in before[n])


def _late_loads(graph: LoopGraph, order: list[int], before: list[list[int]]) -> list[int]:
    """Return the order with each tile that threads load right before what first reads it.

    Its registers are then free while products run. What threads compute from such tiles alone, in
    less time than it takes to issue a product, moves with them.
    """
    light: set[int] = set()
    for n in order:
        op = graph.ops[n]
        held = [source for source in before[n] if graph.ops[source].registers or source in light]
        short = not (op.asynchronous or op.in_place) and op.cycles < ISSUE_CYCLES
        if short and (op.registers or held) and light.issuperset(held):
            light.add(n)  # one without registers names those of a light one
    found = list(order)
    for n in reversed(order):
        readers = [m for m in order if n in before[m]]
        if n in light and readers:
            found.remove(n)
            found.insert(min(map(found.index, readers)), n)
    return found


def _time(graph: LoopGraph, order: tuple[int, ...], before: list[list[int]]) -> float:
    """Return the time of a round in which a warpgroup that is alone issues in this order."""
    done: dict[int, float] = {}
    clock = tensor = 0.0
    for n in order:
        start = max([clock, *(done[source] for source in before[n])])
        clock, tensor = _issue(graph, n, start, tensor, done)
    return max([clock, *done.values()])


def _issue(
    graph: LoopGraph, n: int, start: float, tensor: float, done: dict[int, float]
) -> tuple[float, float]:
    """Perform operation `n` from `start` on; return when warps and tensor cores are free."""
    op = graph.ops[n]
    if op.asynchronous:
        tensor = max(tensor, start) + op.cycles
        done[n] = tensor + op.latency
        return start + min(ISSUE_CYCLES, op.cycles), tensor
    done[n] = start + op.cycles + op.latency
    return start + op.cycles, tensor
