"""Turn memory tokens into synchronisation inside the consumer role.

Before:  %t = tiled_store %view, %x, ...; %y, %u = tiled_load %view, ..., %t
After:   tiled_store ...; nv_tileas.order_memory; %y = tiled_load %view, ...

Threads of a role run apart, so a store of one thread is ordered before a load of another only by a
barrier. One is placed before every access whose token leads back to an access of the consumer role
that it conflicts with. Loads through TMA need none: see `nv-tileas-partition-roles`. Runs after the
roles are split, because only then is it known which accesses share threads.
"""

from typing import Any

from tilec.dialects.nv_tileas import OrderMemoryOp
from tilec.ir.bindings import ir
from tilec.ir.structured import terminator, walk_operations
from tilec.passes.analysis.kernels import is_tiled_access, kernel_functions, kernel_operations
from tilec.passes.registry import PassContext, register_pass


@register_pass("nv-tileas-order-memory")
def order_memory(module: Any, context: PassContext) -> None:
    """Insert a role-wide ordering point where a token orders conflicting accesses."""
    for function in kernel_functions(module):
        for roles in kernel_operations(function):
            if roles.name == "nv_tileas.roles":
                _order_role(roles.opview.consumer.blocks[0])


def _order_role(block: Any) -> None:
    for op in walk_operations(block):
        if not is_tiled_access(op) or op.opview.after is None:
            continue
        sources = _token_sources(op.opview.after)
        is_load = op.name == "nv_tileas.tiled_load"
        if any(not (is_load and source.name == "nv_tileas.tiled_load") for source in sources):
            OrderMemoryOp(loc=op.location, ip=ir.InsertionPoint(op))


def _token_sources(token: Any) -> set[Any]:
    """Return the tiled accesses that a token orders its consumer behind."""
    found: set[Any] = set()
    seen: set[Any] = set()
    pending = [token]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, ir.BlockArgument):
            pending.extend(_argument_sources(value))
            continue
        op = value.owner.operation
        if is_tiled_access(op):
            found.add(op)
            pending.extend([op.opview.after] if op.opview.after is not None else [])
        elif op.regions:
            number = ir.OpResult(value).result_number
            pending.extend(_yielded(op, number))
            if op.name == "scf.for":
                pending.append(op.operands[3 + number])
        else:
            pending.extend(op.operands)
    return found


def _argument_sources(argument: Any) -> list[Any]:
    loop = argument.owner.owner.operation
    if loop.name == "scf.for":
        number = argument.arg_number - 1
        return [loop.operands[3 + number], *_yielded(loop, number)]
    if loop.name == "scf.while":
        before, after = (terminator(region.blocks[0]) for region in loop.regions)
        number = argument.arg_number
        if argument.owner == loop.regions[0].blocks[0]:
            return [loop.operands[number], after.operands[number]]
        return [before.operands[1 + number]]
    return []


def _yielded(op: Any, number: int) -> list[Any]:
    """Return the values that result `number` of a structured operation may take."""
    if op.name == "scf.while":
        return [terminator(op.regions[0].blocks[0]).operands[1 + number]]
    return [terminator(region.blocks[0]).operands[number] for region in op.regions]
