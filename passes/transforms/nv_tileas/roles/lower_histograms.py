"""Count in shared memory.

Before:  %h = histogram %x
After:   %c = alloc_shared {slots = 1}
         roles consumer: clear_counts %c; count %x, %c; %h = read_counts %c

Where a loop only adds up the counts of its rounds, they stay in shared memory until it ends:

    Before:  %r = scf.for ... iter_args(%s = %init) {
               clear_counts %c; count %x, %c; %h = read_counts %c
               %t = arith.addi %s, %h; scf.yield %t }
    After:   clear_counts %c
             scf.for ... { count %x, %c }
             %h = read_counts %c; %r = arith.addi %init, %h

The sum may have more terms, and the loop may be in another loop that does the same. Integers wrap
around, so the order of the sum does not matter.
"""

from typing import Any

from tilec.dialects.nv_tileas import AllocSharedOp
from tilec.dialects.nv_tileas.count_ops import ClearCountsOp, CountOp, ReadCountsOp, counters_type
from tilec.ir.bindings import arith, ir
from tilec.ir.removal import erase, replace_operation
from tilec.ir.structured import parent_operation
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.counters import HISTOGRAM, carried_sum, counter_copies
from tilec.passes.analysis.kernels import kernel_roles
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileas-lower-histograms")
def lower_histograms(function: Any, context: PassContext) -> bool:
    """Replace every histogram, and keep the counts of a loop in shared memory."""
    changed = False
    for roles in kernel_roles(function):
        block = roles.opview.consumer.blocks[0]
        for op in [op for op in walk_operations(block) if op.name == HISTOGRAM]:
            clear, read = _lower(op, roles)
            while (number := carried_sum(read.results[0], read.block)) is not None:
                read = _move_out(clear, read, number)
            changed = True
    return changed


def _lower(op: Any, roles: Any) -> tuple[Any, Any]:
    """Replace a histogram; return what clears its counters and what reads them."""
    (bins,) = op.results[0].type.shape
    with ir.InsertionPoint(roles), op.location:
        counters = AllocSharedOp.build(counters_type(bins, counter_copies(op)), 1)
    with ir.InsertionPoint(op), op.location:
        clear = ClearCountsOp(counters=counters)
        CountOp(source=op.operands[0], counters=counters)
        read = ReadCountsOp(counters=counters, counts=op.results[0].type)
    replace_operation(op, [read.counts])
    return clear.operation, read.operation


def _move_out(clear: Any, read: Any, number: int) -> Any:
    """Clear the counters before the loop and read them after it; return what reads them."""
    loop, (use,) = parent_operation(clear), read.results[0].uses
    add = use.owner.operation
    rest = next(operand for operand in add.operands if operand != read.results[0])
    replace_operation(add, [rest])
    clear.move_before(loop)
    result = loop.results[number]
    with ir.InsertionPoint.after(loop), read.location:
        later = ReadCountsOp(counters=read.operands[0], counts=read.results[0].type)
        total = arith.addi(result, later.counts)
    result.replace_all_uses_except(total, total.owner.operation)
    erase(read)
    return later.operation
