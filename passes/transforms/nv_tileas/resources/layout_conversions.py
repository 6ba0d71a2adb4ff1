"""Layouts that products fix, and conversions at operations whose operands have their own."""

from typing import Any

from tilec.dialects.nv_tileas import AsyncMmaOp, ConvertLayoutOp, WarpMmaOp
from tilec.dialects.nv_tileas.tile_ops import ReduceOp, ScanOp
from tilec.ir.bindings import ir
from tilec.ir.structured import next_operation, walk_operations
from tilec.layout import RegisterLayout, wgmma_accumulator
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.layout.warp_products import WarpProduct
from tilec.passes.analysis.mma.operands import DOT, stays_in_registers
from tilec.passes.analysis.mma.wgmma_support import warp_product, why_not_wgmma

COMBINE = (ReduceOp.OPERATION_NAME, ScanOp.OPERATION_NAME)
_ASYNC, _WARP = AsyncMmaOp.OPERATION_NAME, WarpMmaOp.OPERATION_NAME
PRODUCTS = (_ASYNC, DOT)
"""Products whose operands do not share the layout of their accumulator. The planner asks while they
are dots: `nv-tileas-schedule-mma` follows the plan."""


def accumulator_layout(op: Any, warps: int) -> RegisterLayout | None:
    """Return the layout that a product gives its accumulator; None for any, or for no product.

    Args:
        op: An operation.
        warps: Warps of the role.
    """
    warpgroups = warps // WARPGROUP_WARPS
    if op.name == _ASYNC or (op.name == DOT and why_not_wgmma(op, warpgroups) is None):
        m, n = op.results[0].type.shape
        return wgmma_accumulator(m, n, warpgroups)
    shares = warp_product(op, warps) if op.name in (_WARP, DOT) else None
    return shares.accumulator if isinstance(shares, WarpProduct) else None


def register_operand(op: Any) -> Any:
    """Return the A operand that a product of wgmma takes from registers; None for any other."""
    if op.name == _ASYNC:
        return op.opview.a if op.opview.registers_hold_a else None
    return op.operands[0] if op.name == DOT and stays_in_registers(op, 0) else None


def convert_combined(block: Any) -> list[Any]:
    """Insert a conversion after each reduction and scan; return those that went in.

    What they return has the layout that follows from their sources, whatever its users want.
    """
    found = []
    for op in walk_operations(block):
        for result in op.results if op.name in COMBINE else ():
            if not isinstance(result.type, ir.RankedTensorType):
                continue
            with ir.InsertionPoint(next_operation(op)), op.location:
                converted = ConvertLayoutOp(source=result, result=result.type)
            result.replace_all_uses_except(converted.result, converted.operation)
            found.append(converted.operation)
    return found


def convert_fragments(block: Any) -> list[Any]:
    """Insert a conversion before each A operand in registers; return those that went in."""
    found = []
    for op in walk_operations(block):
        tile = register_operand(op)
        if tile is not None:
            with ir.InsertionPoint(op), op.location:
                found.append(ConvertLayoutOp(source=tile, result=tile.type).operation)
            op.operands[0] = found[-1].results[0]
    return found
