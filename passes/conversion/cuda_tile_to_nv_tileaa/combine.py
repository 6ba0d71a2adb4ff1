"""Reductions and scans: their bodies compute on scalars already and are rebuilt."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.common.combine_ops import source_fields
from tilec.dialects.nv_tileaa.tile_ops import ReduceOp, ScanOp, YieldValuesOp
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.control_flow import convert_block
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import RULES, Conversion, result_types


@RULES.converts(cuda_tile.ReduceOp, cuda_tile.ScanOp)
def convert_combine(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a reduction or scan. The identities go: no tile is empty."""
    view = op.opview
    kind = ScanOp if op.name == cuda_tile.ScanOp.OPERATION_NAME else ReduceOp
    created = kind.create(state.operands(op), view.dim.value, result_types(op))
    if "reverse" in op.attributes:
        created.attributes["reverse"] = op.attributes["reverse"]
    convert_block(view.block, created.block, state)
    return created.tiles


@RULES.converts(cuda_tile.YieldOp)
def convert_yield(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the end of a body."""
    YieldValuesOp(**source_fields(state.operands(op)))
    return []
