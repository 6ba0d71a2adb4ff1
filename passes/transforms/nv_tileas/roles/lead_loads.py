"""Let consumers that load for themselves request tiles as soon as their places are known.

Before:  %a = tiled_load %A, %i; send %a; %x = receive; tiled_store %Y, (f %x), %i
         %b = tiled_load %A, %j; send %b; %y = receive; tiled_store %Y, (f %y), %j
After:   %a = tiled_load %A, %i; send %a; %b = tiled_load %A, %j; send %b
         %x = receive; tiled_store %Y, (f %x), %i; %y = receive; tiled_store %Y, (f %y), %j

Outside of loops each tile has a slot of its own, so its TMA load can start before anything else,
and costs no register until the tile is read. Otherwise each tile would arrive only after all that
the source says before it was done, and a block would have one tile in flight at a time.

A TMA load never has to wait for a store of its kernel (`nv-tileas-partition-roles`), so only what
its coordinates are computed from holds it back. Loads keep their order and their branch: the
side of an `if` is such a block, too, as after an early `return`. Where threads load other tiles
into registers, nothing moves: these are in flight already, and coordinates that live from the front
on took the last registers of a stencil of 27 points.
"""

from typing import Any

from tilec.ir.structured import body_operations, defining_operation
from tilec.passes.analysis.kernels import consumer_blocks
from tilec.passes.registry import PassContext, register_kernel_pass

_LOAD = "nv_tileas.tiled_load"


@register_kernel_pass("nv-tileas-lead-loads")
def lead_loads(function: Any, context: PassContext) -> bool:
    """Move the loads outside of loops that a role sends to itself to the front of the role."""
    changed = [_lead(block) for block in consumer_blocks(function)]
    return any(changed)


def _lead(block: Any) -> bool:
    """Move the loads of a block, and those of branches in it; tell whether one moved."""
    moved, front = False, 0
    ops = body_operations(block)
    for branch in [op for op in ops if op.name == "scf.if"]:
        for side in (block for region in branch.regions for block in region.blocks):
            moved |= _lead(side)
    sends = [op for op in ops if op.name == "nv_tileas.send"]
    sent = {defining_operation(send.operands[0]) for send in sends}
    if any(op.name == _LOAD and op not in sent for op in ops):
        return moved
    for send in sends:
        load = defining_operation(send.operands[0])
        makers = map(defining_operation, load.operands)
        made = [ops.index(op) for op in makers if op is not None and op.block == block]
        front = max([front, *(place + 1 for place in made)])
        if front < ops.index(load):
            for op in (load, send):
                op.move_before(ops[front])
            ops = body_operations(block)
            moved = True
        front = ops.index(send) + 1
    return moved
