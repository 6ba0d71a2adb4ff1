"""What moves a tile through shared memory, as far as that is known before layouts are assigned."""

from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.bindings import ir
from tilec.passes.analysis.epilogue.accumulator_stores import accumulator_axes
from tilec.passes.analysis.facts.exchanges import exchanged_bytes, returns_once
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.fragments import joined_in_fragments

_THROUGH_SHARED_MEMORY = (
    "nv_tileas.cat",
    "nv_tileas.extract",
    "nv_tileas.reduce",
    "nv_tileas.scan",
)
"""Operations for which the threads of a role meet at a scratch area."""


def expected_scratch_bytes(function: Any) -> int:
    """Return the bytes of the scratch area that a kernel will have, for each team.

    Some operations always have one. Those that join an accumulator with a transposed one have one,
    too: their layouts are fixed, so one of the two has to be converted.
    An access whose result one thread may get counts as if others need it.
    """
    free = joined_in_fragments(function)
    ops = (op for op in kernel_operations(function) if op not in free)
    return max(map(_scratch_bytes, ops), default=0)


def moves_through_shared_memory(function: Any) -> bool:
    """Tell whether the threads of a role meet at a scratch area, as far as is known."""
    free = joined_in_fragments(function)
    ops = (op for op in kernel_operations(function) if op not in free)
    return any(op.name in _THROUGH_SHARED_MEMORY for op in ops)


def _scratch_bytes(op: Any) -> int:
    if returns_once(op):
        return exchanged_bytes(op)
    values = [v for v in (*op.operands, *op.results) if isinstance(v.type, ir.RankedTensorType)]
    if op.name not in _THROUGH_SHARED_MEMORY and not _joins_transposed(op):
        return 0
    return max(box_bytes(value.type.shape, value.type.element_type) for value in values)


def _joins_transposed(op: Any) -> bool:
    if op.name.split(".")[0] not in ("arith", "math"):
        return False
    tiles = [value for value in op.operands if isinstance(value.type, ir.RankedTensorType)]
    found = {accumulator_axes(tile) for tile in tiles} if len(tiles) > 1 else set()
    return len(found - {None}) > 1
