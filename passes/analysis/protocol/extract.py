"""Builds the protocol of a kernel from its nv_tileas IR."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.effects import has_effect, is_unseen
from tilec.dialects.nv_tileas.cluster_ops import cluster_of
from tilec.dialects.nv_tileas.count_ops import COUNTING
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.role_ops import PRODUCER_WARP, producer_warps
from tilec.ir.attributes import elements_of, integer_or
from tilec.ir.bindings import ir
from tilec.ir.errors import source_span
from tilec.ir.structured import body_operations, defining_operation, terminator
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.protocol import teams
from tilec.passes.analysis.protocol.accumulators import Accumulators, find_misuse
from tilec.passes.analysis.protocol.boxes import BoxGroups
from tilec.passes.analysis.protocol.clusters import is_sent_by_all_warps
from tilec.passes.analysis.protocol.conditions import Conditions
from tilec.passes.analysis.protocol.counters import counter_events
from tilec.passes.analysis.protocol.events import (
    Branch,
    Event,
    Kind,
    Loop,
    Node,
    Protocol,
    RingShape,
    RoleProgram,
    Violation,
)
from tilec.passes.analysis.protocol.positions import Positions
from tilec.passes.analysis.protocol.tokens import Tokens
from tilec.passes.analysis.scratch_areas import barrier_count, uses_scratch
from tilec.passes.analysis.tma.multicast import control_operands, dependences, multicast_axis
from tilec.support.fast_dataclasses import replace


def where(op: Any, buffer: str) -> str:
    """Return the source position of `op` for messages; `buffer` is the file MLIR calls `-`."""
    return str(source_span(op.location, buffer) or "")


class Extraction:
    """Numbers the rings and buffers of a kernel and translates its roles.

    Attributes:
        violation: The first rule that the IR breaks, whatever the order of events: an operation
            that uses a stale ring position, or copies that miss a box of their tile.
    """

    def __init__(self, function: Any, buffer: str) -> None:
        """Collect rings, cursors and buffers; `buffer` is the name of the file MLIR calls `-`."""
        ops = kernel_operations(function)
        self.file = buffer
        self.violation: Violation | None = None
        self.rings: dict[Any, int] = {}
        self.buffers: dict[Any, int] = {}
        self.shapes: dict[int, RingShape] = {}
        self.names: dict[int, str] = {}
        self.positions = Positions(self._report)
        self.cluster = (1, 1)
        self.multicast: set[int] = set()
        self.coordinates = {op for op in ops if op.name == "nv_tileas.cluster_coord"}
        for op in ops:
            if op.name == "nv_tileas.create_ring":
                number = self.rings.setdefault(op.results[0], len(self.rings))
                self.shapes[number] = _ring_shape(op, where(op, buffer))
                if "cluster" in op.attributes:
                    self._take_cluster(op)
            elif op.name == "nv_tileas.ring_start":
                self.positions.add_start(op, self.rings[op.operands[0]])
            elif op.name == "nv_tileas.alloc_shared":
                number = self.buffers.setdefault(op.results[0], len(self.buffers))
                tile = op.results[0].type
                shape = "x".join(map(str, tile.shape))
                self.names[number] = f"the {shape} {tile.element_type} buffer"
            elif op.name == _LOAD and multicast_axis(op) is not None:
                view = defining_operation(op.operands[1])
                self.multicast.add(self.buffers[view.operands[0]])
                self._take_cluster(op)
        self.roles = [op for op in ops if op.name == "nv_tileas.roles"]
        self.team, self.teams = 0, 1
        stages = max((shape.stages for shape in self.shapes.values()), default=1)
        self.conditions = Conditions(2 * stages + 2, ops)

    def protocol(self) -> Protocol | None:
        """Return the protocol; None for a kernel without roles."""
        if not self.roles:
            return None
        roles = self.roles[0].opview
        programs = []
        if roles.producer_warps.value:
            programs.append(RoleProgram("producer", 0, self._role(roles.producer.blocks[0])))
            for op in producer_warps(self.roles[0]):
                body = self._role(op.opview.body.blocks[0])
                programs.append(RoleProgram(f"producer warp {op.opview.warp.value}", 0, body))
        warps, block = roles.consumer_warps.value, roles.consumer.blocks[0]
        self.teams = roles.team_count
        for team in range(self.teams):
            self.team = team
            self.positions.restart()
            name = f"consumer team {team}" if self.teams > 1 else "consumer"
            programs.append(RoleProgram(name, warps, self._role(block)))
        cursors, roles = self.positions.rings, tuple(programs)
        variables = tuple(self.conditions.variables)
        return Protocol(self.shapes, cursors, roles, self.names, self.cluster, variables)

    def _role(self, block: Any) -> tuple[Node, ...]:
        """Return the program of the role whose operations `block` has."""
        self.conditions.enter(block, self.team, self.teams)
        self.accumulators, self.tokens = Accumulators(block), Tokens(block)
        return self._body(block, 0)

    def _report(self, op: Any, message: str) -> None:
        if self.violation is None:
            self.violation = Violation(where(op, self.file), message)

    def _take_cluster(self, op: Any) -> None:
        """Take the extents of the cluster from an operation that reaches into other CTAs."""
        extents = cluster_of(op)
        if self.cluster not in ((1, 1), extents):
            self._report(op, f"a cluster of {extents} in one of {self.cluster} CTAs")
        self.cluster = extents

    def _body(self, block: Any, depth: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        boxes = BoxGroups(self._report)
        for op in body_operations(block):
            nodes += self._touches(op)
            nodes += self.tokens.events(op, where(op, self.file))
            if op.name == "scf.for":
                nodes += self._for(op, depth)
            elif op.name == "scf.while":
                nodes += self._while(op, depth)
            elif op.name == "scf.if":
                nodes += self._if(op, depth)
            elif op.name.startswith("nv_tileas.") and op.name != PRODUCER_WARP:
                boxes.add(op)
                if op.name == "nv_tileas.ring_start" and depth:
                    ring = self.rings[op.operands[0]]
                    self._report(op, f"ring {ring} starts at slot 0 in every round of a loop")
                nodes += self._events(op)
            elif has_effect(op) and op.name != PRODUCER_WARP:
                self._report(op, f"it is not known what '{op.name}' does to the protocol")
        boxes.close()
        return tuple(nodes)

    def _for(self, op: Any, depth: int) -> list[Node]:
        body = op.regions[0].blocks[0]
        step = self.conditions.constant(op.operands[2])
        if step is not None and step <= 0:
            self._report(op, f"a loop never ends: its step is {step}")
        carried, last = list(body.arguments)[1:], list(terminator(body).operands)
        nodes = self.positions.read_for(op, lambda inner: self._body(inner, depth + 1))
        nodes += tuple(self._pass(op, last, carried))
        if not nodes:
            return []
        turns = (0, 1) if depth else self._turns(op)
        first = self._pass(op, list(op.operands)[3:], carried)
        ended = self._pass(op, carried, list(op.results))
        return [*first, Loop(self.conditions.trips_of(op), depth, nodes, *turns), *ended]

    def _while(self, op: Any, depth: int) -> list[Node]:
        before, after = (region.blocks[0] for region in op.regions)
        passed = list(terminator(before).operands)[1:]
        last = list(terminator(after).operands)
        test, body = self.positions.read_while(op, lambda inner: self._body(inner, depth + 1))
        test += tuple(self._pass(op, passed, list(after.arguments)))
        body += tuple(self._pass(op, last, list(before.arguments)))
        if not test and not body:
            return []
        first = self._pass(op, list(op.operands), list(before.arguments))
        ended = self._pass(op, list(after.arguments), list(op.results))
        loop = Loop(self.conditions.trips_of(op), depth, (*test, *body), ending=test)
        return [*first, loop, *ended]

    def _if(self, op: Any, depth: int) -> list[Node]:
        sides = self.positions.read_if(op, lambda inner: self._body(inner, depth))
        for number, region in enumerate(op.regions):
            if len(region.blocks):
                values = list(terminator(region.blocks[0]).operands)
                sides[number] += tuple(self._pass(op, values, list(op.results)))
        then, otherwise = (*sides, ())[:2]
        if not then and not otherwise:
            return []
        return [Branch(then, otherwise, self.conditions.of_branch(op, (*then, *otherwise)))]

    def _pass(self, op: Any, values: list[Any], targets: list[Any]) -> list[Event]:
        """Return the event by which `op` passes accumulators in flight on, if it does."""
        moves = self.accumulators.passed(values, targets)
        return [Event(Kind.PASS, where(op, self.file), passed=moves)] if moves else []

    def _touches(self, op: Any) -> list[Event]:
        numbers = self.accumulators.touched(op)
        return [Event(Kind.TOUCH, where(op, self.file), source=number) for number in numbers]

    def _turns(self, loop: Any) -> tuple[int, int]:
        """Return the first round of the loop over tiles that the team runs, and its step."""
        if self.teams == 1:
            return 0, 1
        if teams.whole_loop(tuple(loop.operands)[:3], self.teams) is None:
            self._report(loop, f"the {self.teams} teams of a role do not ping-pong")
        return self.team, self.teams

    def _skip(self, op: Any, cursor: int) -> Event:
        """Return the advance by the slots that a team skips."""
        tiles, view = teams.skipped_tiles(op, self.team), op.opview
        if tiles is None:
            self._report(op, "it is not known how many slots a team skips")
        self.positions.advance(op)
        amount = (tiles or 0) * view.count.value
        trips = self.conditions.trips(view.lower, view.upper, view.step)
        return Event(Kind.ADVANCE, where(op, self.file), cursor, amount=amount, per_trip=trips)

    def _buffer(self, op: Any, tile: Any) -> tuple[int, int | None]:
        """Return the buffer of the tile in shared memory that `op` uses and the cursor in it."""
        view = defining_operation(tile)
        if view.name == "nv_tileas.shared_view":
            return self._buffer(op, view.operands[0])
        if view.name == "nv_tileas.slot_view":
            return self.buffers[view.operands[0]], self.positions.use_of(op, tile)
        if view.name == "nv_tileas.warpgroup_view":
            return self._part(view), None
        return self.buffers[tile], None

    def _part(self, view: Any) -> int:
        """Return the number of a warpgroup's own tile: one for each slot, as none are shared."""
        key = (view.operands[0], view.opview.slot.value)
        if key not in self.buffers:
            number = self.buffers.setdefault(key, len(self.buffers))
            self.names[number] = f"{self.names[self.buffers[view.operands[0]]]}, slot {key[1]}"
        return self.buffers[key]

    def _events(self, op: Any) -> Sequence[Node]:
        short = op.name.removeprefix("nv_tileas.")
        place = where(op, self.file)
        if short in _RING_OPERATIONS:
            return self._ring_events(op, short, place)
        if short == "slot_view":
            self.positions.use(op, op.operands[1])
            return []
        if short in _ARRIVALS:
            cursor = self.positions.use_of(op, op.operands[0])
            amount = getattr(op.attributes.get("tx_count"), "value", 0)
            return [Event(_ARRIVALS[short], place, ring=cursor, amount=amount)]
        if op.name in COUNTING:
            return counter_events(op, place, self._buffer(op, list(op.operands)[-1])[0])
        if short in _TILE_EVENTS:
            return self._tile_events(op, short, place)
        if short in ("async_mma", "warp_mma", "simt_mma"):
            return self._product_events(op, short, place)
        if short in ("mma_wait", "mma_drain"):
            pending = op.opview.pending.value if short == "mma_wait" else 0
            source, target = self.accumulators.product(op)
            return [Event(Kind.MMA_WAIT, place, amount=pending, source=source, target=target)]
        events = _thread_events(op, short, place)
        if events is None and has_effect(op) and not is_unseen(op):
            self._report(op, f"it is not known what '{op.name}' does to the protocol")
        return events or []

    def _ring_events(self, op: Any, short: str, place: str) -> Sequence[Node]:
        cursor = self.positions.use_in(op, self.rings[op.operands[0]])
        if short == "ring_advance":
            self.positions.advance(op)
            return [Event(Kind.ADVANCE, place, ring=cursor, amount=op.opview.count.value)]
        if short == "ring_skip":
            return [self._skip(op, cursor)]
        if short == "ring_release_until":
            end = self.positions.use(op, op.operands[2])
            self.positions.advance(op)
            return [Event(Kind.RELEASE_UNTIL, place, ring=cursor, other_ring=end)]
        if short == "ring_token":
            return self.tokens.loaded(op, cursor, place)
        events = [Event(_RING_EVENTS[short], place, ring=cursor)] if short in _RING_EVENTS else []
        if short == "ring_release" and op.opview.when is not None:
            return [Branch(tuple(events), (), self.conditions.read(op.opview.when))]
        return events

    def _tile_events(self, op: Any, short: str, place: str) -> list[Event]:
        kind, operand = _TILE_EVENTS[short]
        buffer, cursor = self._buffer(op, op.operands[operand])
        amount, axis = 0, None
        if kind in (Kind.COPY_IN, Kind.SEND):
            amount, axis = op.opview.tx_count.value, multicast_axis(op)
            if axis is not None and dependences(control_operands(op), self.coordinates):
                self._report(op, "CTAs that share a tile may not all load it")
            if self.positions.use_of(op, op.opview.barrier) != cursor:
                self._report(op, "a copy completes on the barrier of another slot than it fills")
        if kind is Kind.READ:
            self._check_thread_read(op, buffer)
        own = defining_operation(op.operands[operand]).name == "nv_tileas.warpgroup_view"
        if own != is_per_warpgroup(op) and kind is not Kind.WRITE:
            self._report(op, "a warpgroup's own tile is used by the whole role, or the reverse")
        origin: tuple[int, ...] = ()
        if kind is Kind.WRITE and "origin" in op.attributes:
            origin = tuple(elements_of(op.attributes["origin"]))
            amount = prod(op.operands[0].type.shape)
        elif kind is Kind.COPY_OUT:
            amount = prod(op.operands[operand].type.shape)
        event = Event(kind, place, cursor, buffer, cursor is not None, amount=amount, axis=axis)
        by_all = is_sent_by_all_warps(op)
        return [replace(event, per_warpgroup=own, origin=origin, by_all_warps=by_all)]

    def _product_events(self, op: Any, short: str, place: str) -> list[Event]:
        places = [self._buffer(op, tile) for tile in op.opview.shared_operands]
        if short == "async_mma":
            (a, a_cursor), (b, b_cursor) = places[0], places[-1]
            source, target = self.accumulators.product(op)
            if (misuse := find_misuse(op)) is not None:
                self._report(op, misuse)
            event = Event(Kind.MMA, place, a_cursor, a, a_cursor is not None, b, b_cursor)
            return [replace(event, source=source, target=target)]
        for buffer, _ in places:
            self._check_thread_read(op, buffer)
        return [
            Event(Kind.READ, place, cursor, buffer, cursor is not None) for buffer, cursor in places
        ]

    def _check_thread_read(self, op: Any, buffer: int) -> None:
        """Report a read by threads that a release in another CTA does not order.

        Releases have the scope of the CTA; a read of wgmma is over when its group was waited for.
        """
        if buffer in self.multicast:
            self._report(op, "threads read a tile that other CTAs overwrite: only wgmma may")


_LOAD = "nv_tileas.async_tiled_tma_load"
_RING_EVENTS = {
    "ring_acquire": Kind.ACQUIRE,
    "ring_wait": Kind.WAIT,
    "ring_publish": Kind.PUBLISH,
    "ring_release": Kind.RELEASE,
}
_RING_OPERATIONS = frozenset(_RING_EVENTS) | {
    f"ring_{name}" for name in ("release_until", "barrier", "advance", "skip", "token")
}
"""Operations whose operands are a ring and a position."""
_ARRIVALS = {"mbarrier_arrive_expect_tx": Kind.EXPECT, "mbarrier_arrive_copies": Kind.ARRIVE_COPIES}
_TILE_EVENTS = {
    "async_tiled_tma_load": (Kind.COPY_IN, 1),
    "async_tiled_tma_store": (Kind.COPY_OUT, 1),
    "async_gather": (Kind.COPY_BY_THREADS, 1),
    "load_shared": (Kind.READ, 0),
    "copy_out": (Kind.READ, 0),
    "store_shared": (Kind.WRITE, 1),
    "cluster_send": (Kind.SEND, 1),
}

_OTHERS = (
    "set_registers",
    "sleep",
    *("tiled_store", "gather", "scatter", "atomic"),
    *("store_partial", "arrive_partial", "await_partials", "reset_partials"),
    "await_cluster",
    "yield",
)
"""Operations with effects that rings, buffers and barriers do not see."""


def _ring_shape(op: Any, place: str) -> RingShape:
    ring = op.opview
    counts = []
    for barriers in (ring.full, ring.empty):
        alloc = defining_operation(barriers) if barriers is not None else None
        counts.append(alloc.opview.count.value if alloc is not None else 0)
    axes = tuple(op.attributes["multicast_axes"]) if "multicast_axes" in op.attributes else ()
    return RingShape(ring.stages.value, counts[0], counts[1], place, axes)


def _thread_events(op: Any, short: str, place: str) -> list[Event] | None:
    """Return what an operation does to threads and copies; None for one that is not known."""
    own = is_per_warpgroup(op)
    if uses_scratch(op):
        return [Event(Kind.BARRIER, place)] * barrier_count(op)
    if short in _OTHERS:
        return []
    if short == "fence_proxy":
        shared = ir.StringAttr(op.attributes["space"]).value == "shared"
        return [Event(Kind.FENCE, place)] if shared else []
    if short == "barrier":
        identity = integer_or(op, "id", 0)
        return [Event(Kind.BARRIER, place, amount=identity, per_warpgroup=own)]
    if short == "order_memory":
        # The first warp of a role is the first one of its warpgroup, too.
        drain = Event(Kind.DRAIN, place, per_warpgroup=True, complete=True)
        return [*([] if op.opview.is_by_threads else [drain]), Event(Kind.BARRIER, place)]
    if short == "cluster_sync":
        return [Event(Kind.CLUSTER_SYNC, place)]
    if short == "bulk_commit":
        return [Event(Kind.COMMIT, place, per_warpgroup=own)]
    if short == "bulk_wait":
        pending, read = op.opview.pending.value, ir.BoolAttr(op.opview.read).value
        return [Event(Kind.DRAIN, place, amount=pending, per_warpgroup=own, complete=not read)]
    return None
