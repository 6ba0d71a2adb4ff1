"""Operations by which a kernel reports to the host: they get the coordinates of the block."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.common.program_ops import GRID_AXES
from tilec.dialects.nv_tileaa.report_ops import AssertOp, PrintOp
from tilec.dialects.nv_tileaa.tile_ops import GetProgramIdOp
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import RULES, Conversion


@RULES.converts(cuda_tile.AssertOp)
def convert_assert(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an assertion."""
    x, y, z = (GetProgramIdOp.build(axis) for axis in range(GRID_AXES))
    condition = state.get(op.operands[0])
    AssertOp(condition=condition, x=x, y=y, z=z, message=op.attributes["message"])
    return []


@RULES.converts(cuda_tile.PrintOp)
def convert_print(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a print."""
    x, y, z = (GetProgramIdOp.build(axis) for axis in range(GRID_AXES))
    PrintOp(
        x=x,
        y=y,
        z=z,
        value=next(iter(state.operands(op)), None),
        template=op.attributes["template"],
        dtype=op.attributes["dtype"],
        starts=op.attributes["starts"],
    )
    return []
