"""Combine in two steps what is reduced or scanned along an axis that the CTAs of a cluster share.

Before:  %s = reduce %x {axis = 1}             // 1x131072, ...|cta:8*(0,16384)
After:   %v = view %x                          // 1x8x16384, ...|cta:8*(0,1,0)
         %p = reduce %v {axis = 2}             // 1x8, ...|cta:8*(0,1): each CTA has its part
         await_cluster
         mbarrier_arrive_expect_tx %bar {tx_count = 32}
         cluster_send %p, %slot, %bar {cluster = [8, 1], multicast_axis = 0, tx_count = 4}
         ring_wait %ring, %position
         %g = load_shared %slot                // 1x8, reg:8*(0,1)|...: each CTA has all parts
         %s = reduce %g {axis = 1}

Each CTA reduces its part of the tile, sends the result to all CTAs of the cluster (st.async, which
arrives with its bytes on an mbarrier of the receiver), and combines the parts of all of them, in
the order of the elements. So all CTAs have the same bits. Operands that are reduced together share
a barrier. Elements of less than 32 bits are sent as 32 bits: floats as f32, integers zero-extended.

A scan is one of each CTA's part. Each CTA reduces its part, too, and these totals are exchanged in
the same way while the part is scanned. Then each CTA combines its elements with what comes before
them in other CTAs:

Before:  %y = scan %x {axis = 1}               // 1x131072, ...|cta:8*(0,16384)
After:   ...                                   // %v, %p, %slot as above
         %q = scan %v {axis = 2}
         ring_wait %ring, %position
         %g = load_shared %slot
         %c = combine_before %q, %g {axis = 1} // 1x8x16384, ...|cta:8*(0,1,0)
         %y = view %c

Before the first exchange, the CTAs wait until all of them have initialised their barriers. Loads
that were issued before continue meanwhile.

An exchange in a loop uses two slots alternately, and needs no empty barrier. A CTA sends to a slot
again only after it has received the parts of the round in between. The other CTAs send those parts
after a barrier, at which all of their threads have read the slot.

Where CTAs share the rounds of a loop (`nv-tileas-share-rounds`), each has a tile of its own. What
that is reduced to is taken for a row of a tile, which is reduced as above:

Before:  %s = reduce %x {axis = 0, across_ctas}   // 32, ...
After:   %p = reduce %x {axis = 0}
         %v = view %p                             // 1x32
         %a = broadcast %v                        // 8x32, ...|cta:8*(1,0)
         %s = reduce %a {axis = 0}

The pass follows the layouts of `nv-tileas-assign-register-layouts`.

Options:
    spread: CTAs that compute a block together; 1 leaves the kernel as it is.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    AwaitClusterOp,
    BarrierOp,
    ClusterSendOp,
    CombineBeforeOp,
    CreateRingOp,
    LoadSharedOp,
    MBarrierArriveExpectTxOp,
    RingAdvanceOp,
    RingBarrierOp,
    RingWaitOp,
    SlotViewOp,
)
from tilec.dialects.nv_tileas.cluster_ops import SENT_BITS
from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, ReduceOp, ScanOp, ViewOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import i64
from tilec.ir.removal import erase, replace_operation
from tilec.ir.sequences import at_level
from tilec.ir.structured import (
    body_operations,
    clone_whole,
    enclosing_loops,
)
from tilec.layout import RegisterLayout
from tilec.layout.modes import Mode, Owner
from tilec.layout.reduction import reduction
from tilec.layout.shared import row_major
from tilec.passes.analysis.kernels import ctas_of_spec, kernel_operations, read_spec, role_block
from tilec.passes.analysis.protocol.counts import full_arrivals, gather_tx_count
from tilec.passes.analysis.scratch_areas import barrier_count
from tilec.passes.analysis.shared_rounds import ACROSS_CTAS
from tilec.passes.analysis.tma.shared_layouts import (
    register_layout_of,
    shared_tile_type,
    with_register_layout,
)
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.positions import thread_position
from tilec.support.fast_dataclasses import dataclass

_SLOTS_IN_LOOPS = 2


@register_kernel_pass("nv-tileas-gather-in-clusters")
def gather_in_clusters(function: Any, context: PassContext) -> bool:
    """Exchange the results of all reductions and scans along axes that CTAs share."""
    ctas = ctas_of_spec(read_spec(function) or {})
    if ctas == 1:
        return False
    for op in kernel_operations(function):
        if ACROSS_CTAS in op.attributes:
            _combine_ctas(op, ctas)
    found = [op for op in kernel_operations(function) if _crosses_ctas(op)]
    if found:
        _await_cluster(found[0])
    for op in found:
        _split(op, ctas)
    return bool(found)


def _combine_ctas(op: Any, ctas: int) -> None:
    """Let a reduction be one of what this CTA has, and one of what all CTAs have."""
    del op.attributes[ACROSS_CTAS]
    with ir.InsertionPoint(op), op.location:
        own = clone_whole(op, {}).results[0]
        result = register_layout_of(own)
        shape = (ctas, *result.shape)
        row = result.reshape([1, *result.shape])
        kept = [mode for mode in row.modes if mode.owner is not Owner.CTA]
        rows = Mode(Owner.CTA, ctas, (1, *([0] * result.rank)))
        view = ViewOp(source=own, tile=_tile(own, row)).tile
        all_rows = _tile(own, RegisterLayout(shape, [*kept, rows]))
        total = ReduceOp.create([BroadcastOp(source=view, tile=all_rows).tile], 0, [own.type])
        _copy_body(op, total)
    replace_operation(op, [total.results[0]])


def _await_cluster(first: Any) -> None:
    """Wait for the barriers of the other CTAs as late as possible: loads come before."""
    with ir.InsertionPoint(at_level(first, role_block(first))), first.location:
        AwaitClusterOp()


def _crosses_ctas(op: Any) -> bool:
    if op.name not in (ReduceOp.OPERATION_NAME, ScanOp.OPERATION_NAME):
        return False
    terms = register_layout_of(op.operands[0]).reduction_terms(op.opview.axis.value)
    return any(term.owner is Owner.CTA for term in terms)


Finish = Callable[[list[Any]], list[Any]]
"""Emits the results of an operation from the parts of all CTAs, one tile for each operand."""


@dataclass(frozen=True)
class _Exchange:
    """How the parts of a reduction or scan meet.

    Attributes:
        ring: Its slots.
        buffers: Of the slots, one for each operand.
        ctas: CTAs that take part.
        in_loop: Whether the slots are filled more than once.
    """

    ring: Any
    buffers: list[Any]
    ctas: int
    in_loop: bool


def _split(op: Any, ctas: int) -> None:
    """Replace an operation by one of each CTA's part, an exchange, and one of the parts."""
    with ir.InsertionPoint(op), op.location:
        views = _views(op, ctas)
        parts = _reduce_parts(op, views)
        sent = [_widened(part) for part in parts]
    exchange = _make_exchange(op, sent, ctas)
    begin = _reduction if op.name == ReduceOp.OPERATION_NAME else partial(_scan, views)
    step = partial(_exchange_and_finish, op, exchange, parts, sent, begin)
    thread_position(exchange.ring, op, step, advances=exchange.in_loop)


def _views(op: Any, ctas: int) -> list[Any]:
    """Emit the operands with an axis of CTAs before that which they share."""
    axis, shape = op.opview.axis.value, list(op.operands[0].type.shape)
    shape[axis : axis + 1] = [ctas, shape[axis] // ctas]
    layout = register_layout_of(op.operands[0]).reshape(shape)
    return [ViewOp(source=operand, tile=_tile(operand, layout)).tile for operand in op.operands]


def _reduce_parts(op: Any, views: list[Any]) -> list[Any]:
    """Emit the reduction of this CTA's part of each operand; return the tiles of parts."""
    axis = op.opview.axis.value + 1
    result = reduction(register_layout_of(views[0]), axis).result
    types = [_tile(view, result) for view in views]
    reduce = ReduceOp.create(views, axis, types)
    _copy_body(op, reduce)
    return list(reduce.results)


def _copy_body(source: Any, target: Any) -> None:
    """Give `target` the function of `source`; a reduction that of a reverse scan, from the end."""
    from_end = target.operation.name == ReduceOp.OPERATION_NAME and "reverse" in source.attributes
    arguments = list(target.block.arguments)
    if from_end:
        arguments = [arguments[number ^ 1] for number in range(len(arguments))]
    mapping = dict(zip(source.opview.block.arguments, arguments, strict=True))
    with ir.InsertionPoint(target.block):
        for inner in body_operations(source.opview.block):
            clone_whole(inner, mapping)


def _make_exchange(op: Any, sent: list[Any], ctas: int) -> _Exchange:
    """Reserve slots for the parts of all CTAs, and barriers, before the roles."""
    in_loop = bool(enclosing_loops(op))
    slots = _SLOTS_IN_LOOPS if in_loop else 1
    roles = role_block(op).owner
    with ir.InsertionPoint(roles), op.location:
        buffers = []
        for tile in sent:
            kind = tile.type.element_type
            plain = row_major(tile.type.shape, element_bits(kind))
            slot = shared_tile_type(plain, kind)
            buffers.append(AllocSharedOp.build(slot, slots))
        ring = CreateRingOp.make(slots, full_arrivals(), cluster=(ctas, 1), axes=(0,))
    return _Exchange(ring, buffers, ctas, in_loop)


def _exchange_and_finish(
    op: Any,
    exchange: _Exchange,
    parts: list[Any],
    sent: list[Any],
    begin: Callable[[Any], Finish],
    position: Any,
) -> Any:
    """Emit the exchange, and what follows from it, in the place of `op`.

    Args:
        op: The reduction or scan.
        exchange: How the parts meet.
        parts: What this CTA's part of each operand gives.
        sent: The same, as it is sent.
        begin: Emits what needs no other part, and returns what emits the rest.
        position: Of the exchange in its ring.

    Returns:
        The position of the next exchange.
    """
    sizes = [prod(tile.type.shape) * element_bits(tile.type.element_type) // 8 for tile in sent]
    with ir.InsertionPoint(op), op.location:
        if exchange.in_loop and not barrier_count(parts[0].owner.operation):
            BarrierOp()
        barrier = RingBarrierOp.build(exchange.ring, position)
        MBarrierArriveExpectTxOp(barrier=barrier, tx_count=i64(gather_tx_count(sizes)))
        slots = [SlotViewOp.build(buffer, position) for buffer in exchange.buffers]
        for tile, slot, size in zip(sent, slots, sizes, strict=True):
            ClusterSendOp.build(tile, slot, barrier, exchange.ctas, size // exchange.ctas)
        finish = begin(op)
        RingWaitOp(ring=exchange.ring, position=position)
        received = map(_gathered, slots, sent)
        found = [_narrowed(tile, part) for tile, part in zip(received, parts, strict=True)]
        turns = exchange.in_loop
        following = RingAdvanceOp.build(exchange.ring, position) if turns else position
        for old, new in zip(op.results, finish(found), strict=True):
            old.replace_all_uses_with(new)
    erase(op)
    return following


def _reduction(op: Any) -> Finish:
    """Return what emits the reduction of the parts of all CTAs."""
    return lambda found: list(clone_whole(op, dict(zip(op.operands, found, strict=True))).results)


def _scan(views: list[Any], op: Any) -> Finish:
    """Emit the scan of this CTA's part; return what combines it with the parts before."""
    axis = op.opview.axis.value
    scan = ScanOp.create(views, axis + 1, [view.type for view in views])
    _copy_scan(op, scan)

    def finish(found: list[Any]) -> list[Any]:
        combined = CombineBeforeOp.build(list(scan.results), found, axis)
        _copy_scan(op, combined)
        pairs = zip(combined.results, op.results, strict=True)
        return [ViewOp(source=tile, tile=old.type).tile for tile, old in pairs]

    return finish


def _copy_scan(scan: Any, target: Any) -> None:
    """Give `target` the function and the direction of a scan."""
    _copy_body(scan, target)
    if "reverse" in scan.attributes:
        target.operation.attributes["reverse"] = ir.UnitAttr.get()


def _gathered(slot: Any, tile: Any) -> Any:
    """Emit the load of the parts of all CTAs: each thread has those of its rows."""
    layout = register_layout_of(tile)
    still = (0,) * layout.rank
    kept = [mode for mode in layout.modes if mode.owner is not Owner.CTA]
    moving = [mode for mode in layout.modes if mode.owner is Owner.CTA]
    modes = [Mode(Owner.REG, mode.extent, mode.stride) for mode in moving]
    copies = [Mode(Owner.CTA, mode.extent, still) for mode in moving]
    whole = RegisterLayout(layout.shape, [*modes, *kept, *copies])
    loaded = LoadSharedOp.build(slot)
    loaded.set_type(with_register_layout(loaded.type, whole))
    return loaded


def _widened(tile: Any) -> Any:
    """Emit `tile` with elements that CTAs can send."""
    kind = tile.type.element_type
    if element_bits(kind) in SENT_BITS:
        return tile
    is_integer = isinstance(kind, ir.IntegerType)
    wide = ir.IntegerType.get_signless(32) if is_integer else ir.F32Type.get()
    type_ = _tile(tile, register_layout_of(tile), wide)
    return arith.extui(type_, tile) if is_integer else arith.extf(type_, tile)


def _narrowed(tile: Any, part: Any) -> Any:
    """Emit `tile` with the elements that it had before `_widened`."""
    kind = part.type.element_type
    if kind == tile.type.element_type:
        return tile
    type_ = _tile(tile, register_layout_of(tile), kind)
    is_integer = isinstance(kind, ir.IntegerType)
    return arith.trunci(type_, tile) if is_integer else arith.truncf(type_, tile)


def _tile(like: Any, layout: RegisterLayout, element: Any = None) -> Any:
    """Return the type of a tile with `layout`, of the elements of `like` or of `element`."""
    kind = like.type.element_type if element is None else element
    plain = ir.RankedTensorType.get(list(layout.shape), kind, loc=ir.Location.unknown())
    return with_register_layout(plain, layout)
