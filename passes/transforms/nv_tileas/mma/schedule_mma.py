"""Turn each product into an asynchronous group of the tensor cores and its wait.

Before:  %a = load_shared %slot_a; %b = load_shared %slot_b; %d = dot %a, %b, %acc
After:   %g, %t = async_mma %slot_a, %slot_b, %acc; %d = mma_wait %g, %t {pending = 0}

wgmma reads its operands from shared memory. An operand in a ring slot is read in place. Any other
operand (computed, or loaded without TMA) is staged: it is stored into a buffer with ordinary
stores, fenced for the async proxy, and guarded by barriers of the role. A product that wgmma cannot
do (`why_not_wgmma`) becomes a `simt_mma`, which multiplies on the CUDA cores from the same buffers;
remark T0541 says so.

Each wait follows its group at once. Only the store of another tile (`nv-tileas-defer-stores`) may
run between them. Later passes change `pending`.
"""

from typing import Any

from tilec.dialects.nv_tileas import (
    AllocSharedOp,
    AsyncMmaOp,
    BarrierOp,
    FenceProxyOp,
    MmaTokenType,
    MmaWaitOp,
    SharedViewOp,
    SimtMmaOp,
    StoreSharedOp,
)
from tilec.dialects.nv_tileas.mma_ops import IN_SHADOW
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import (
    defining_operation,
    enclosing_loops,
    next_operation,
    parent_operation,
)
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.shared import row_major
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec, span_of
from tilec.passes.analysis.mma.operands import is_unit_view, loaded_operand
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared, shared_tile_type
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.plan.assign_operand_layouts import (
    operand_layout,
    operand_parts,
)
from tilec.support.diagnostics import remark


@register_pass("nv-tileas-schedule-mma")
def schedule_mma(module: Any, context: PassContext) -> None:
    """Replace every dot by an asynchronous mma group and its wait."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        for op in kernel_operations(function):
            if op.name == "nv_tileas.dot":
                _schedule(op, spec["consumer_warps"] // WARPGROUP_WARPS, context)


def _schedule(op: Any, warpgroups: int, context: PassContext) -> None:
    dot = op.opview
    defect = why_not_wgmma(op, warpgroups)
    if defect is not None:
        context.sink.emit(
            remark("T0541", f"mma runs on the CUDA cores, not on wgmma: {defect}", span_of(op))
        )
    staged: list[Any] = []
    groups = warpgroups if defect is None else None
    operands = [_shared_operand(op, tile, groups, staged) for tile in (dot.a, dot.b)]
    behind = _behind_shadow(op)
    majors = {"a_major": dot.a_major, "b_major": dot.b_major}
    with ir.InsertionPoint(op), op.location:
        if staged:
            FenceProxyOp(space=ir.StringAttr.get("shared"))
            BarrierOp()
        if defect is None:
            group = AsyncMmaOp(
                a=operands[0],
                b=operands[1],
                acc=dot.c,
                result=dot.d.type,
                token=MmaTokenType.get(),
                **majors,
            )
            with ir.InsertionPoint(behind):
                result = MmaWaitOp.build(group.result, group.token, 0)
        else:
            a, b = operands
            product = SimtMmaOp(a=a, b=b, acc=dot.c, result=dot.d.type, **majors)
            _copy_signedness(op, product)
            result = product.result
    with ir.InsertionPoint(behind), op.location:
        if staged and enclosing_loops(op):
            BarrierOp()
    op.results[0].replace_all_uses_with(result)
    tiles = {dot.a, dot.b}  # one, if the product multiplies a tile by itself
    erase(op)
    for tile in tiles:
        _erase_if_unused(tile)


def _behind_shadow(dot: Any) -> Any:
    """Return the operation before which the group of `dot` is waited for."""
    following = next_operation(dot)
    return next_operation(following) if IN_SHADOW in following.attributes else dot


def _shared_operand(op: Any, tile: Any, warpgroups: int | None, staged: list[Any]) -> Any:
    """Return the shared-memory tile that holds operand `tile`, staging it if there is none.

    `warpgroups` share the product by wgmma; None for one on the CUDA cores.
    """
    held = loaded_operand(tile)
    source = defining_operation(held)
    if source is not None and source.name == "nv_tileas.load_shared":
        return _in_place(source.operands[0], tile, op)
    shape, bits = tuple(tile.type.shape), element_bits(tile.type.element_type)
    if warpgroups is None:
        layout = row_major(shape, bits)
    else:
        layout = operand_layout(shape, bits, operand_parts(op, tile, warpgroups))
    roles = op
    while roles.name != "nv_tileas.roles":
        roles = parent_operation(roles)
    i64 = ir.IntegerType.get_signless(64)
    with ir.InsertionPoint(roles), op.location:
        buffer = AllocSharedOp(
            buffer=shared_tile_type(layout, tile.type.element_type),
            slots=ir.IntegerAttr.get(i64, 1),
        ).buffer
    with ir.InsertionPoint(op), op.location:
        StoreSharedOp(tile=tile, destination=buffer)
    staged.append(buffer)
    return buffer


def _copy_signedness(source: Any, target: Any) -> None:
    for name in ("signedness_a", "signedness_b"):
        if name in source.attributes:
            target.attributes[name] = source.attributes[name]


def _in_place(slot: Any, tile: Any, op: Any) -> Any:
    """Return the shared-memory tile `slot` with the dims of operand `tile`."""
    shape = tuple(tile.type.shape)
    layout = layout_of_shared(slot.type)
    if layout.shape == shape:
        return slot
    with ir.InsertionPoint(op), op.location:
        result = shared_tile_type(layout.with_units(shape), tile.type.element_type)
        return SharedViewOp(source=slot, result=result).result


def _erase_if_unused(tile: Any) -> None:
    """Erase the load of an operand that is read in place, and the views on the way to it."""
    source = defining_operation(tile)
    if source is None or next(iter(tile.uses), None) is not None:
        return
    if is_unit_view(source):
        held = source.operands[0]
        erase(source)
        _erase_if_unused(held)
    elif source.name == "nv_tileas.load_shared":
        erase(source)
