"""Conversions of layouts at operations whose operands or results have layouts of their own."""

from typing import Any

from tilec.dialects.nv_tileas import AsyncMmaOp, ConvertLayoutOp
from tilec.dialects.nv_tileas.tile_ops import ReduceOp, ScanOp
from tilec.ir.bindings import ir
from tilec.ir.structured import next_operation, walk_operations

COMBINE = (ReduceOp.OPERATION_NAME, ScanOp.OPERATION_NAME)
PRODUCT = AsyncMmaOp.OPERATION_NAME


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
        if op.name == PRODUCT and op.opview.registers_hold_a:
            with ir.InsertionPoint(op), op.location:
                tile = op.opview.a
                found.append(ConvertLayoutOp(source=tile, result=tile.type).operation)
            op.operands[0] = found[-1].results[0]
    return found
