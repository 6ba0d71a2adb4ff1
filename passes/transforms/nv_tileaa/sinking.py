"""Moving the computation of tiles into the branch that needs them."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import (
    body_operations,
    clone_operation,
    defining_operation,
    enclosing_operations,
)
from tilec.ir.values import is_tile
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.round_places import only_computes


def sink_into(block: Any) -> None:
    """Compute in a block of a branch the tiles that only operations of the block read.

    What has no tiles as operands costs next to nothing, and is computed again for each use: rows
    and columns hold the same numbers in different layouts.
    """
    pending = [value for op in walk_operations(block) for value in op.operands]
    while pending:
        op = defining_operation(pending.pop(0))
        if op is None or not _is_sinkable(op) or _is_inside(op, block):
            continue
        inside = [use for use in op.results[0].uses if _is_inside(use.owner.operation, block)]
        if not any(is_tile(operand) for operand in op.operands):
            for use in inside:
                with ir.InsertionPoint.at_block_begin(block):
                    copy = clone_operation(op, {})
                use.owner.operation.operands[use.operand_number] = copy.results[0]
            if not is_used(op):
                pending = [value for value in pending if value not in list(op.results)]
                erase(op)
        elif len(inside) == len(list(op.results[0].uses)):
            op.move_before(body_operations(block)[0])
            pending += op.operands


def _is_inside(op: Any, block: Any) -> bool:
    """Tell whether `op` is in a block, or in an operation of it."""
    return any(around.block == block for around in (op, *enclosing_operations(op)[:-1]))


def _is_sinkable(op: Any) -> bool:
    return only_computes(op) and len(op.results) == 1 and is_tile(op.results[0])
