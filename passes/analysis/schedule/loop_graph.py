"""The graph of an `scf.for` in the consumers: its operations, and which wait for which."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

from tilec.dialects.common.effects import has_effect
from tilec.ir.bindings import ir
from tilec.ir.structured import (
    LOOPS,
    body_operations,
    defining_operation,
    operations_inside,
    terminator,
)
from tilec.ir.values import users_of
from tilec.passes.analysis.mma.operands import is_exchanged, meets, stays_in_registers
from tilec.passes.analysis.schedule.marks import IN_ORDER
from tilec.passes.analysis.schedule.op_costs import DOT, is_name, op_cost
from tilec.plan.graph import Edge, LoopGraph

_WAIT, _RELEASE = "nv_tileas.ring_wait", "nv_tileas.ring_release"
_ADVANCE = "nv_tileas.ring_advance"
_FILLING = frozenset(
    f"nv_tileas.{name}" for name in ("ring_acquire", "store_shared", "fence_proxy", "ring_publish")
)
"""How threads fill a slot (`nv-tileas-exchange-operands`)."""


def loop_graph(loop: Any, warpgroups: int, slots: int = 2) -> LoopGraph:
    """Return the graph of a loop whose tiles `warpgroups` share by rows, and rings of `slots`."""
    ops = loop_operations(loop)
    block = loop.regions[0].blocks[0]
    carried = dict(zip(list(block.arguments)[1:], terminator(block).operands, strict=True))
    nodes = tuple(op_cost(op, warpgroups) for op in ops)
    crossing = exchanges(loop)
    return LoopGraph(
        nodes,
        edges_of(ops, carried),
        warpgroups,
        meets=any(meets(op) for op in ops if op.name == DOT),
        slots=slots,
        exchanges=crossing,
        in_order=bool(crossing) or IN_ORDER in loop.attributes,
    )


def exchanges(loop: Any) -> tuple[Edge, ...]:
    """Return the edges from what threads compute and store for a product to that product."""
    numbers = {op: number for number, op in enumerate(loop_operations(loop))}
    return tuple(
        Edge(numbers[defining_operation(dot.operands[number])], numbers[dot])
        for dot in numbers
        for number in (0, 1)
        if dot.name == DOT and is_exchanged(dot, number)
    )


def edges_of(ops: list[Any], carried: dict[Any, Any]) -> tuple[Edge, ...]:
    """Return which operations of a round wait for which.

    Args:
        ops: The operations in program order.
        carried: By what a round takes from the one before, what it passes on for that.
    """
    numbers = {op: number for number, op in enumerate(ops)}
    edges = {*_values(carried, numbers), *_effects(ops), *_slots(ops, numbers)}
    edges.update(_fragments(numbers))
    return tuple(sorted(edges, key=lambda e: (e.source, e.target, e.distance, e.result)))


def loop_operations(loop: Any) -> list[Any]:
    """Return the operations of a loop but its terminator."""
    return body_operations(loop.regions[0].blocks[0])[:-1]


def loops_of_tiles(loop: Any) -> list[Any]:
    """Return the loops inside of a loop that work on tiles.

    One that only computes scalars, as a search in a table, is an operation like others.
    """
    return [op for op in operations_inside(loop) if op.name in LOOPS and _has_tiles(op)]


def _has_tiles(loop: Any) -> bool:
    """Tell whether a loop works on tiles."""
    ops = (loop, *operations_inside(loop))
    values = [value for op in ops for value in (*op.operands, *op.results)]
    return any(isinstance(value.type, ir.RankedTensorType) for value in values)


def operands_of(op: Any) -> list[Any]:
    """Return what `op` and the operations inside of it use."""
    return [operand for one in (op, *operations_inside(op)) for operand in one.operands]


def _values(carried: dict[Any, Any], numbers: dict[Any, int]) -> Iterator[Edge]:
    """Yield the edges of values, in a round and from one round to the next.

    What reads a name of registers (`is_name`) also needs what makes the registers.
    """
    for op, number in numbers.items():
        waiting = [(value, 0) for value in operands_of(op)]
        for value, distance in waiting:
            made, rounds = _made(value, carried)
            maker = defining_operation(made)
            if maker in numbers:
                result = ir.OpResult(made).result_number
                yield Edge(numbers[maker], number, distance + rounds, result)
                if is_name(maker):
                    waiting.append((maker.operands[0], distance + rounds))


def _made(value: Any, carried: dict[Any, Any]) -> tuple[Any, int]:
    """Return the value that a round reads, as a round makes it, and how many rounds before."""
    distance = 0
    while isinstance(value, ir.BlockArgument) and value in carried and distance <= len(carried):
        value, distance = carried[value], distance + 1
    return value, distance


def _effects(ops: list[Any]) -> Iterator[Edge]:
    """Yield edges that keep the order of operations with effects, but for those of rings."""
    acting = [
        number
        for number, op in enumerate(ops)
        if op.name not in (_WAIT, _RELEASE) and any(map(has_effect, (op, *operations_inside(op))))
    ]
    filling = [number for number in acting if ops[number].name in _FILLING]
    for order in (filling, [number for number in acting if number not in filling]):
        for first, second in pairwise(order):
            yield Edge(first, second)
        if len(order) > 1:
            yield Edge(order[-1], order[0], 1)


def _fragments(numbers: dict[Any, int]) -> Iterator[Edge]:
    """Yield the edges that keep A in registers until the product that reads it is done.

    The next round computes it in the same registers.
    """
    for op, number in numbers.items():
        if op.name == DOT and stays_in_registers(op, 0):
            maker = defining_operation(op.operands[0])
            if maker in numbers:
                yield Edge(number, numbers[maker], 1)


def _slots(ops: list[Any], numbers: dict[Any, int]) -> Iterator[Edge]:
    """Yield the edges between the wait for a slot, its readers and its release."""
    for wait in (op for op in ops if op.name == _WAIT):
        ring, position = wait.operands
        inside = [op for op in users_of(position) if op in numbers and numbers[op] > numbers[wait]]
        for op in inside:
            yield Edge(numbers[wait], numbers[op])
        releases = [op for op in inside if op.name == _RELEASE and op.operands[0] == ring]
        advances = [op for op in inside if op.name == _ADVANCE and op.operands[0] == ring]
        for release, advance in product(releases, advances):
            yield Edge(numbers[release], numbers[advance])
        views = [op for op in inside if op.name == "nv_tileas.slot_view"]
        for release in releases:
            for reader in _readers(views, numbers):
                if numbers[reader] < numbers[release]:
                    yield Edge(numbers[reader], numbers[release])


def _readers(views: list[Any], numbers: dict[Any, int]) -> set[Any]:
    """Return the operations of the loop that read the slots of `views`, and what they pass on."""
    found: set[Any] = set()
    pending = list(views)
    while pending:
        op = pending.pop()
        found.add(op)
        if op.name in ("nv_tileas.slot_view", "nv_tileas.load_shared", "nv_tileas.view"):
            users = [user for result in op.results for user in users_of(result)]
            pending += [user for user in users if user in numbers and user not in found]
    return found
