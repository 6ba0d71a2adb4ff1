"""The registers that the tiles of a round take. Pure Python."""

from tilec.plan.graph import LoopGraph


def live_registers(graph: LoopGraph, stages: tuple[int, ...], order: tuple[int, ...]) -> int:
    """Return the most registers that the results of a round need at a time.

    A register can hold one value of a chain after the other, so an operation needs those of its
    result or those of the operands that end with it, whichever are more.
    """
    place = {n: index for index, n in enumerate(order)}
    end = len(order)
    ranges: list[tuple[int, int, int]] = []  # first and last place of a value, and its registers
    for n, number, size in graph.results():
        readers = [edge for edge in graph.edges if graph.read_by(edge) == (n, number)]
        now = [place[edge.target] for edge in readers if edge.lag(stages) == 0]
        crossing = [edge for edge in readers if graph.is_carried(edge, stages)]
        later = [place[edge.target] for edge in crossing]
        if not graph.ops[n].in_pieces:
            ranges.append((place[n], end if later else max(now, default=place[n]), size))
        if later:
            ranges.append((-1, max(later), size))
    most = 0
    for index in range(end):
        through = sum(size for first, last, size in ranges if first < index < last)
        ending = sum(size for first, last, size in ranges if first < index == last)
        made = sum(size for first, _, size in ranges if first == index)
        most = max(most, through + max(ending, made))
    return most
