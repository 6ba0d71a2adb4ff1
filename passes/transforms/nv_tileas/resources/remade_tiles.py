"""Tiles that cost nothing to make again: each use gets its own, so that uses share no layout.

CSE merges equal constants and splats, and what views and broadcasts make of them, although their
uses have nothing to do with each other. After the layouts are known, those that got the layout of
the first one are merged with it again. The others are made next to their use, so that they take no
registers on the way there.

Ranges are not made again: what is computed from them stays the same in each round of a loop, so
LLVM keeps it in registers. `flex_attention` with heads of 80 then spilled 84 bytes (2026-11-25).
Where uses of them want different layouts, `recomputed_tiles.py` computes what is needed.
"""

from typing import Any

from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, PermuteOp, SplatOp, ViewOp
from tilec.ir.bindings import ir
from tilec.ir.removal import replace_operand, replace_operation
from tilec.ir.values import is_tile, users_of
from tilec.ir.walks import walk_operations
from tilec.plan.worth import COPIES_OF_A_TILE

_MADE = ("arith.constant", SplatOp.OPERATION_NAME)
_RELABELLED = (ViewOp.OPERATION_NAME, PermuteOp.OPERATION_NAME, BroadcastOp.OPERATION_NAME)


def remake(block: Any) -> list[tuple[Any, Any]]:
    """Clone each such operation for all its users but one, in front of them.

    Returns:
        Pairs of a clone and the operation that it is a clone of; users come before what they use.
    """
    cheap: set[Any] = set()
    ops = walk_operations(block)
    for op in ops:
        if _is_cheap(op, cheap):
            cheap.add(op.results[0])
    found = []
    for op in reversed([op for op in ops if len(op.results) and op.results[0] in cheap]):
        users = list(dict.fromkeys(users_of(op.results[0])))
        for user in users[1:] if len(users) <= COPIES_OF_A_TILE else ():
            with ir.InsertionPoint(user):
                clone = op.clone()
            replace_operand(user, op.results[0], clone.results[0])
            found.append((clone, op))
    return found


def merge(clones: list[tuple[Any, Any]], unused: list[Any]) -> None:
    """Take clones out again whose results have the type of the original.

    Args:
        clones: What `remake` returned.
        unused: Operations that are about to be erased.
    """
    for clone, original in clones:
        same = clone.results[0].type == original.results[0].type
        if same and clone not in unused and original not in unused:
            replace_operation(clone, [original.results[0]])


def _is_cheap(op: Any, cheap: set[Any]) -> bool:
    if op.name in _MADE:
        return is_tile(op.results[0])
    return op.name in _RELABELLED and op.operands[0] in cheap
