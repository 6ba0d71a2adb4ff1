"""Turn memory tokens into barriers inside the consumer role.

Before:  %t = tiled_store %view, %x; %y = tiled_load %view, %t
After:   tiled_store %view, %x; order_memory; %y = tiled_load %view

The threads of a role run independently, so only a barrier orders a store of one thread before a
load of another. A barrier is placed before each access whose token leads back to a conflicting
access of the consumer role, unless one stands between the two already: loads of several arrays
after one acquire need no more than one. TMA loads need none (see
`nv-tileas-partition-roles`). The pass runs after the roles are split, because only then is it known
which accesses share threads.

A barrier also waits for what TMA stores, and fences the proxies. Where only threads access what the
token orders, it has the attribute `by_threads` and does neither. Otherwise a running sum, which
publishes the total of each tile, would wait for the store of the tile before.
"""

from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.nv_tileas import OrderMemoryOp
from tilec.ir.bindings import ir
from tilec.ir.structured import STRUCTURED, body_operations, enclosing_operations, parent_operation
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.memory_tokens import comes_before_loads, token_sources
from tilec.passes.analysis.kernels import consumer_blocks, tiled_access
from tilec.passes.registry import PassContext, register_kernel_pass

_TILED = ("nv_tileas.tiled_load", "nv_tileas.tiled_store")


@register_kernel_pass("nv-tileas-order-memory")
def order_memory(function: Any, context: PassContext) -> bool:
    """Insert a role-wide ordering point where a token orders conflicting accesses."""
    changed = [_order_role(block) for block in consumer_blocks(function)]
    return any(changed)


def _order_role(block: Any) -> bool:
    """Insert the ordering points of a role, and tell whether there are any."""
    changed = False
    for op in walk_operations(block):
        if global_access(op) is None or op.opview.after is None:
            continue
        sources = token_sources(op.opview.after)
        if any(comes_before_loads(op) or comes_before_loads(source) for source in sources):
            by_threads = all(map(_is_by_threads, (op, *sources)))
            if _is_ordered(op, sources, by_threads=by_threads):
                continue
            made = OrderMemoryOp(loc=op.location, ip=ir.InsertionPoint(op))
            if by_threads:
                made.operation.attributes["by_threads"] = ir.UnitAttr.get()
            changed = True
    return changed


def _is_ordered(op: Any, sources: set[Any], *, by_threads: bool) -> bool:
    """Tell whether an ordering point stands between `sources` and `op`, before one of its holders.

    A source after `op`, in a loop around both, is one of the round before: a point in that loop is
    between, one before the loop is not.
    """
    holders = {around for source in sources for around in (source, *enclosing_operations(source))}
    while True:
        ops = body_operations(op.block)
        for before in reversed(ops[: ops.index(op)]):
            if before in holders:
                return False
            is_point = before.name == OrderMemoryOp.OPERATION_NAME
            if is_point and (by_threads or not before.opview.is_by_threads):
                return True
        op = parent_operation(op)
        if op in holders or op.name not in STRUCTURED:
            return False


def _is_by_threads(op: Any) -> bool:
    """Tell whether threads perform an access, now and in later passes."""
    return is_element_access(op) or (op.name in _TILED and not tiled_access(op).uses_tma)
