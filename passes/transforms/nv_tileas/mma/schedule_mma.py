"""Turn each product into an asynchronous group of the tensor cores and its wait.

Before:  %a = load_shared %slot_a; %b = load_shared %slot_b; %d = dot %a, %b, %acc
After:   %g, %t = async_mma %slot_a, %slot_b, %acc; %d = mma_wait %g, %t {pending = 0}

wgmma reads its operands from shared memory, and A also from registers. An operand in a ring slot is
read in place. An A operand that threads compute stays in their registers. Any other operand (a
computed B, or what is loaded without TMA) is staged: it is stored into a buffer with ordinary
stores, fenced for the async proxy, and guarded by barriers of the role. It is staged once for all
products that read it, and before the loops that do not compute it. A product that wgmma cannot
do (`why_not_wgmma`) reads such buffers, too. It becomes a `warp_mma`, which each warp computes from
registers (`mma.sync`), or a `simt_mma`, which multiplies on the CUDA cores. Remark T0542 reports
the first, warning T0541 the second.

A wait comes after the last operation on tiles, or product, that needs no result of its group, so
that these overlap with the group. The slots and buffers that the group reads are released after the
wait. Products that were issued since stay in flight:

    %g, %t = async_mma ...; %h, %u = async_mma ...; mma_wait %g, %t {pending = 1}; softmax
    mma_wait %h, %u {pending = 0}

A rotated loop computes an operand of the next round while the product runs, and stores it when that
is done: its buffer has one place. An anchor keeps the wait after what is computed. The product that
follows the loop finds its operand in the same buffer:

    scf.for iter_args(%b) { store_shared %b, %buffer; fence_proxy; barrier
      %g, %t = async_mma %a, %buffer, %acc; %next = ...; anchor %next; mma_wait %g, %t; barrier
      yield %next }

The start of the next round can hide a product, too: the tensor cores then have work while a
warpgroup waits for its next slot. This pays if no other warpgroup fills the gap. If the plan says
so, the group that a round issues last stays in flight until the next round has issued it again:

    %r:3 = scf.for ... iter_args(%acc, %p, %h) {
      ring_wait %ring, %p; %g, %t = async_mma %a, %b, %acc; %d = mma_wait %g, %t {pending = 1}
      %i = ring_release_until %ring, %h, %p; %n = ring_advance %ring, %p; yield %d, %n, %i }
    if it ran: %s = mma_drain %r#0; ring_release_until %ring, %r#2, %r#1

A slot is held for one round longer (`passes/transforms/nv_tileas/mma/next_round.py`). Inside of the
loop, only the next product may use the accumulator, only the product may use the operands of a
slot, and A may not come from registers: the next round writes these. No other group stays in flight
at the end of its block.

Options:
    mma_pending: Groups that stay in flight over the end of a round; 0 waits for all of them.
"""

import contextlib
from typing import Any

from tilec.dialects.common.matmul_ops import copy_product
from tilec.dialects.nv_tileas import AsyncMmaOp, MmaTokenType, SharedViewOp, SimtMmaOp, WarpMmaOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import defining_operation
from tilec.layout import LayoutError
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.shared import SharedLayout, row_major, tma_boxes
from tilec.passes.analysis.facts.unit_views import is_row_view
from tilec.passes.analysis.kernels import kernel_operations, read_spec, span_of
from tilec.passes.analysis.mma.operands import loaded_operand, operand_parts, stays_in_registers
from tilec.passes.analysis.mma.wgmma_support import warp_product, way_to_wgmma, why_not_wgmma
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared, shared_tile_type
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.mma.staging import Staging
from tilec.passes.transforms.nv_tileas.mma.waits import ASYNC_MMA, Issued, place_waits
from tilec.passes.transforms.nv_tileas.plan.assign_operand_layouts import operand_layout
from tilec.support.diagnostics import Diagnostic, remark, warning


@register_kernel_pass("nv-tileas-schedule-mma")
def schedule_mma(function: Any, context: PassContext) -> None:
    """Replace every dot by an asynchronous mma group and its wait."""
    spec = read_spec(function) or {}
    dots = [op for op in kernel_operations(function) if op.name == "nv_tileas.dot"]
    staging = Staging()
    products = [_issue(op, spec["consumer_warps"], staging, context) for op in dots]
    barriers = staging.protect()
    issued = [Issued(op, barriers.get(op)) for op in products if op.name == ASYNC_MMA]
    place_waits(issued, spec.get("mma_pending", 0))


def _issue(op: Any, warps: int, staging: Staging, context: PassContext) -> Any:
    """Replace a dot by a product of tiles where they lie; return the product."""
    dot = op.opview
    kind = _kind(op, warps, context)
    operands = [_operand(op, number, kind, warps, staging) for number in (0, 1)]
    staging.show(op)
    with ir.InsertionPoint(op), op.location:
        product = _make_product(op, kind, operands).operation
    op.results[0].replace_all_uses_with(product.results[0])
    staging.note_reader(product)
    tiles = {dot.a, dot.b}  # one, if the product multiplies a tile by itself
    erase(op)
    for tile in tiles:
        _erase_if_unused(tile)
    return product


def _kind(op: Any, warps: int, context: PassContext) -> Any:
    """Return the operation that a product becomes; say so where it is not the fastest one."""
    defect = why_not_wgmma(op, warps // WARPGROUP_WARPS)
    if defect is None:
        return AsyncMmaOp
    if isinstance(warp_product(op, warps), str):
        context.sink.emit(_slow_product(op, defect))
        return SimtMmaOp
    message = f"mma runs by mma.sync, one warp at a time, not by wgmma: {defect}"
    context.sink.emit(remark("T0542", message, span_of(op)))
    return WarpMmaOp


def _make_product(op: Any, kind: Any, operands: list[Any]) -> Any:
    """Emit the product of shared-memory tiles that `op` becomes."""
    dot = op.opview
    a, b = operands
    token: dict[str, Any] = {"token": MmaTokenType.get()} if kind is AsyncMmaOp else {}
    product = kind(
        a=a,
        b=b,
        acc=dot.c,
        result=dot.d.type,
        **token,
        a_major=dot.a_major,
        b_major=dot.b_major,
    )
    copy_product(op, product)
    return product


def _slow_product(op: Any, defect: str) -> Diagnostic:
    """Return the warning that a product runs on the CUDA cores, and what would change that."""
    dot = op.opview
    m, n, k = dot.extents
    message = f"mma of {m} x {n} x {k}, {dot.product_types}, runs on the CUDA cores: {defect}"
    return warning("T0541", message, span_of(op), hint=way_to_wgmma(op))


def _operand(op: Any, number: int, kind: Any, warps: int, staging: Staging) -> Any:
    """Return what holds operand `number`: registers, or a tile in shared memory.

    An operand that is in neither as the product reads it is staged.

    Args:
        op: The product.
        number: 0 for A, 1 for B.
        kind: What the product becomes.
        warps: Warps of the role.
        staging: Stages operands.
    """
    tile = op.operands[number]
    if kind is AsyncMmaOp and stays_in_registers(op, number):
        return tile
    held = loaded_operand(tile)
    source = defining_operation(held)
    if source is not None and source.name == "nv_tileas.load_shared":
        return _in_place(source.operands[0], tile, op)
    return staging.buffer_of(op, tile, _staged_layout(op, tile, kind, warps))


def _staged_layout(op: Any, tile: Any, kind: Any, warps: int) -> SharedLayout:
    """Return how a staged operand lies: as wgmma reads it, or swizzled where rows allow that."""
    shape, bits = tuple(tile.type.shape), element_bits(tile.type.element_type)
    if kind is AsyncMmaOp:
        return operand_layout(shape, bits, operand_parts(op, tile, warps // WARPGROUP_WARPS))
    with contextlib.suppress(LayoutError):  # TMA could not move such a tile
        if kind is WarpMmaOp:
            return tma_boxes(shape, bits)
    return row_major(shape, bits)


def _in_place(slot: Any, tile: Any, op: Any) -> Any:
    """Return the shared-memory tile `slot` with the dims of operand `tile`."""
    shape = tuple(tile.type.shape)
    layout = layout_of_shared(slot.type)
    if layout.shape == shape:
        return slot
    with ir.InsertionPoint(op), op.location:
        result = shared_tile_type(layout.viewed(shape), tile.type.element_type)
        return SharedViewOp(source=slot, result=result).result


def _erase_if_unused(tile: Any) -> None:
    """Erase the load of an operand that is read in place, and the views on the way to it."""
    source = defining_operation(tile)
    if source is None or is_used(source):
        return
    if is_row_view(source):
        held = source.operands[0]
        erase(source)
        _erase_if_unused(held)
    elif source.name == "nv_tileas.load_shared":
        erase(source)
