"""Let threads combine rows one after another where other warps fill the gaps.

Before:  %t = reduce %s; %p = exp2 (fma %s, %c, (broadcast %t)); %sum = reduce (view %p)
After:   %t = reduce %s {serial, row_by_row}; ...; %sum = reduce (view %p) {serial}

A thread combines its elements in pairs by default. Chains are better in a loop with products that
many warpgroups share (`tilec/plan/reductions.py` says when): an addition follows its special
function, and lanes exchange the largest score of the first row of a thread while it looks for that
of the next row.

The pass marks reductions of 32-bit floats along rows from which a special function of the same
round is computed, or which combine its results. `nv-tileas-straddle-waits` marks those of loops
in which a product hides special functions.
"""

from typing import Any

from tilec.dialects.nv_tileas import AsyncMmaOp
from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation, parent_operation
from tilec.ir.values import makers_of
from tilec.passes.analysis.kernels import kernel_operations, read_spec, warpgroups_of_spec
from tilec.passes.analysis.schedule.op_costs import is_special, registers_of
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.reductions import chains_rows

_PRODUCT = AsyncMmaOp.OPERATION_NAME


@register_kernel_pass("nv-tileas-chain-reductions")
def chain_reductions(function: Any, context: PassContext) -> bool:
    """Mark reductions of every loop in which many warpgroups multiply."""
    if not chains_rows(warpgroups_of_spec(read_spec(function) or {})):
        return False
    products = [op for op in kernel_operations(function) if op.name == _PRODUCT]
    loops = {parent_operation(op) for op in products}
    changed = [_mark(loop) for loop in loops if loop.name == "scf.for"]
    return any(changed)


def _mark(loop: Any) -> bool:
    """Mark the reductions of a loop; tell whether there are any."""
    block = loop.regions[0].blocks[0]
    ops = body_operations(block)
    special = {op for op in ops if is_special(op) and op.results[0].type.shape[-1] > 1}
    read = [value for op in special for value in op.operands]
    before = makers_of(read, lambda op: op.block == block)
    sums, tops = [], []
    for op in filter(_is_along_rows, ops):
        if defining_operation(registers_of(op.operands[0])) in special:
            sums.append(op)
        elif op in before:
            tops.append(op)
    for op in sums:
        op.opview.make_serial()
    for op in tops:
        op.opview.make_serial(row_by_row=True)
    return bool(sums or tops)


def _is_along_rows(op: Any) -> bool:
    """Tell whether an operation is a reduction of 32-bit floats along the rows of a tile."""
    if op.name != ReduceOp.OPERATION_NAME or len(op.operands) != 1:
        return False
    type_ = op.operands[0].type
    return isinstance(type_.element_type, ir.F32Type) and op.opview.axis.value > 0
