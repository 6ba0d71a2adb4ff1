"""Tiles that cost nothing to make again: each use gets its own, so that uses share no layout.

CSE merges equal constants and splats, and what views and broadcasts make of them, although their
uses have nothing to do with each other. After the layouts are known, those that got the layout of
the first one are merged with it again. The others are made next to their use, so that they take no
registers on the way there.

Ranges are not made again: what is computed from them stays the same in each round of a loop, so
LLVM keeps it in registers. `flex_attention` with heads of 80 then spilled 84 bytes (2026-11-25).
But a comparison of a range with a number of this round, as in `arange(32) == k`, is: else the mask
of the rows and that of the columns share a layout, and one of them changes it in every round.
"""

from typing import Any

from tilec.dialects.nv_tileas.tile_ops import (
    BroadcastOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.ir.structured import defining_operation, enclosing_loops, walk_operations
from tilec.ir.values import block_of
from tilec.plan.worth import COPIES_OF_A_TILE

_MADE = ("arith.constant", SplatOp.OPERATION_NAME)
_RELABELLED = (ViewOp.OPERATION_NAME, PermuteOp.OPERATION_NAME, BroadcastOp.OPERATION_NAME)
_COMPARED, _RANGE = "arith.cmpi", MakeRangeOp.OPERATION_NAME


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
        users = list(dict.fromkeys(use.owner.operation for use in op.results[0].uses))
        for user in users[1:] if len(users) <= COPIES_OF_A_TILE else ():
            with ir.InsertionPoint(user):
                clone = op.clone()
            _replace_in(user, op.results[0], clone.results[0])
            found.append((clone, op))
            found.extend(_remake_ranges(clone))
    return found


def _remake_ranges(mask: Any) -> list[tuple[Any, Any]]:
    """Give a mask that was made again ranges of its own; return them as `remake` does."""
    found = []
    for number, operand in enumerate(mask.operands):
        maker = defining_operation(operand)
        if maker is not None and maker.name == _RANGE:
            with ir.InsertionPoint(maker):
                clone = maker.clone()
            mask.operands[number] = clone.results[0]
            found.append((clone, maker))
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
            clone.results[0].replace_all_uses_with(original.results[0])
            erase(clone)


def _is_cheap(op: Any, cheap: set[Any]) -> bool:
    if op.name in _MADE:
        return isinstance(op.results[0].type, ir.RankedTensorType)
    if op.name in _RELABELLED:
        return op.operands[0] in cheap
    return op.name == _COMPARED and _is_mask_of_round(op)


def _is_mask_of_round(op: Any) -> bool:
    """Tell whether `op` compares a range with a number that changes in each round of a loop."""
    makers = [defining_operation(operand) for operand in op.operands]
    if not all(maker is not None and maker.name in (_RANGE, *_MADE) for maker in makers):
        return False
    loops = enclosing_loops(op)
    numbers = [maker.operands[0] for maker in makers if maker.name == SplatOp.OPERATION_NAME]
    return bool(loops) and loops[0].regions[0].blocks[0] in map(block_of, numbers)


def _replace_in(user: Any, old: Any, new: Any) -> None:
    for number, operand in enumerate(user.operands):
        if operand == old:
            user.operands[number] = new
