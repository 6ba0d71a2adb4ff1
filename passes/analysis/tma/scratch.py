"""What moves a tile through shared memory, as far as that is known before layouts are assigned."""

from typing import Any

from tilec.ir.values import is_tile
from tilec.passes.analysis.epilogue.accumulator_stores import Axes, accumulator_axes
from tilec.passes.analysis.facts.exchanges import returns_once
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.fragments import joined_in_fragments
from tilec.passes.analysis.mma.operands import DOT, stays_in_registers

_THROUGH_SHARED_MEMORY = (
    "nv_tileas.cat",
    "nv_tileas.extract",
    "nv_tileas.reduce",
    "nv_tileas.scan",
)
"""Operations for which the threads of a role meet at a scratch area."""


def may_need_scratch(function: Any) -> bool:
    """Tell whether values of a kernel might move between threads, before layouts are known."""
    known: dict[Any, Axes] = {}
    return any(_might_move(op, known) for op in kernel_operations(function))


def moves_through_shared_memory(function: Any) -> bool:
    """Tell whether the threads of a role meet at a scratch area, as far as is known."""
    free = joined_in_fragments(function)
    ops = (op for op in kernel_operations(function) if op not in free)
    return any(op.name in _THROUGH_SHARED_MEMORY for op in ops)


def _might_move(op: Any, known: dict[Any, Axes]) -> bool:
    if op.name == DOT:
        return stays_in_registers(op, 0)
    is_moved = returns_once(op) or op.name in _THROUGH_SHARED_MEMORY
    return is_moved or _joins_transposed(op, known)


def _joins_transposed(op: Any, known: dict[Any, Axes]) -> bool:
    if op.name.split(".")[0] not in ("arith", "math"):
        return False
    tiles = [value for value in op.operands if is_tile(value)]
    found = {accumulator_axes(tile, known) for tile in tiles} if len(tiles) > 1 else set()
    return len(found - {None}) > 1
