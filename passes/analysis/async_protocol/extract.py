"""Builds the protocol of a kernel from its nv_tileas IR."""

from typing import Any

from tilec.dialects.nv_tileas.ring_ops import start_of_position
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation
from tilec.passes.analysis.async_protocol.events import (
    Branch,
    Event,
    Kind,
    Loop,
    Node,
    Protocol,
    RingShape,
    RoleProgram,
)
from tilec.passes.analysis.kernels import kernel_operations, span_of


def where(op: Any) -> str:
    """Return the source position of `op` for messages."""
    return str(span_of(op) or "")


class Extraction:
    """Numbers the rings and buffers of a kernel and translates its roles."""

    def __init__(self, function: Any) -> None:
        """Collect rings and buffers."""
        ops = kernel_operations(function)
        self.rings: dict[Any, int] = {}
        self.walks: dict[Any, int] = {}
        self.buffers: dict[Any, int] = {}
        self.shapes: dict[int, RingShape] = {}
        self.names: dict[int, str] = {}
        for op in ops:
            if op.name == "nv_tileas.create_ring":
                number = self.rings.setdefault(op.results[0], len(self.rings))
                self.shapes[number] = _ring_shape(op)
            elif op.name == "nv_tileas.alloc_shared":
                number = self.buffers.setdefault(op.results[0], len(self.buffers))
                tile = op.results[0].type
                shape = "x".join(map(str, tile.shape))
                self.names[number] = f"the {shape} {tile.element_type} buffer"
        self.roles = [op for op in ops if op.name == "nv_tileas.roles"]

    def protocol(self) -> Protocol | None:
        """Return the protocol; None for a kernel without roles."""
        if not self.roles:
            return None
        roles = self.roles[0].opview
        programs = []
        if roles.producer_warps.value:
            programs.append(RoleProgram("producer", 0, self._body(roles.producer.blocks[0], 0)))
        warps = roles.consumer_warps.value
        programs.append(RoleProgram("consumer", warps, self._body(roles.consumer.blocks[0], 0)))
        walks = {
            number: self.rings[defining_operation(start).operands[0]]
            for start, number in self.walks.items()
        }
        return Protocol(self.shapes, walks, tuple(programs), self.names)

    def _body(self, block: Any, depth: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for op in body_operations(block):
            if op.name in ("scf.for", "scf.while"):
                bodies = [self._body(region.blocks[0], depth + 1) for region in op.regions]
                body = tuple(node for part in bodies for node in part)
                if body:
                    nodes.append(Loop(0, depth, body))
            elif op.name == "scf.if":
                then, *rest = [
                    self._body(region.blocks[0], depth) if len(region.blocks) else ()
                    for region in op.regions
                ]
                otherwise = rest[0] if rest else ()
                if then or otherwise:
                    nodes.append(Branch(0, then, otherwise))
            else:
                nodes.extend(self._events(op))
        return tuple(nodes)

    def _buffer(self, tile: Any) -> tuple[int, int | None]:
        """Return the buffer of a shared-memory tile and the walk that indexes it."""
        op = defining_operation(tile)
        if op.name == "nv_tileas.slot_view":
            return self.buffers[op.operands[0]], self._walk(op)
        return self.buffers[tile], None

    def _walk(self, op: Any) -> int:
        """Return the walk that the position of `op`, its second operand, belongs to."""
        return self.walks.setdefault(start_of_position(op.operands[1]), len(self.walks))

    def _events(self, op: Any) -> list[Event]:
        short = op.name.removeprefix("nv_tileas.")
        place = where(op)
        if short in _RING_EVENTS:
            return [Event(_RING_EVENTS[short], place, ring=self._walk(op))]
        if short == "ring_advance":
            count = op.opview.count.value
            return [Event(Kind.ADVANCE, place, ring=self._walk(op), amount=count)]
        if short == "mbarrier_arrive_expect_tx":
            ring = self._walk(defining_operation(op.operands[0]))
            return [Event(Kind.EXPECT, place, ring=ring, amount=op.opview.tx_count.value)]
        if short in _TILE_EVENTS:
            return self._tile_events(op, short, place)
        if short in ("async_mma", "simt_mma"):
            return self._product_events(op, short, place)
        return _thread_events(op, short, place)

    def _tile_events(self, op: Any, short: str, place: str) -> list[Event]:
        kind, operand = _TILE_EVENTS[short]
        buffer, ring = self._buffer(op.operands[operand])
        amount = op.opview.tx_count.value if kind is Kind.COPY_IN else 0
        return [Event(kind, place, ring, buffer, in_ring=ring is not None, amount=amount)]

    def _product_events(self, op: Any, short: str, place: str) -> list[Event]:
        (a, a_ring), (b, b_ring) = (self._buffer(operand) for operand in list(op.operands)[:2])
        if short == "async_mma":
            return [Event(Kind.MMA, place, a_ring, a, a_ring is not None, b, b_ring)]
        return [
            Event(Kind.READ, place, ring, buffer, ring is not None)
            for buffer, ring in ((a, a_ring), (b, b_ring))
        ]


_RING_EVENTS = {
    "ring_acquire": Kind.ACQUIRE,
    "ring_wait": Kind.WAIT,
    "ring_release": Kind.RELEASE,
}
_TILE_EVENTS = {
    "async_tiled_tma_load": (Kind.COPY_IN, 1),
    "async_tiled_tma_store": (Kind.COPY_OUT, 1),
    "load_shared": (Kind.READ, 0),
    "copy_out": (Kind.READ, 0),
    "store_shared": (Kind.WRITE, 1),
}


def _ring_shape(op: Any) -> RingShape:
    ring = op.opview
    counts = []
    for barriers in (ring.full, ring.empty):
        alloc = defining_operation(barriers) if barriers is not None else None
        counts.append(alloc.opview.count.value if alloc is not None else 0)
    return RingShape(ring.stages.value, counts[0], counts[1], where(op))


def _thread_events(op: Any, short: str, place: str) -> list[Event]:
    if short == "mma_wait":
        return [Event(Kind.MMA_WAIT, place, amount=op.opview.pending.value)]
    if short == "fence_proxy":
        shared = ir.StringAttr(op.attributes["space"]).value == "shared"
        return [Event(Kind.FENCE, place)] if shared else []
    if short == "barrier":
        identity = ir.IntegerAttr(op.attributes["id"]).value if "id" in op.attributes else 0
        return [Event(Kind.BARRIER, place, amount=identity)]
    if short == "order_memory":
        return [Event(Kind.DRAIN, place), Event(Kind.BARRIER, place)]
    if short in ("convert_layout", "cat", "extract"):
        return [Event(Kind.BARRIER, place), Event(Kind.BARRIER, place)]
    if short == "bulk_commit":
        return [Event(Kind.COMMIT, place)]
    if short == "bulk_wait":
        return [Event(Kind.DRAIN, place, amount=op.opview.pending.value)]
    return []
