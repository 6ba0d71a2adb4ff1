"""Accesses to single elements: gather, scatter, atomics.

Indices take the storage order of the memref. The dims of tiles stay as they are.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.nv_tileaa.element_ops import AtomicOp, GatherOp, ScatterOp
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.memory import copy_order
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    RULES,
    Conversion,
    View,
    segments,
    text,
)


def _in_storage_order(indices: Sequence[Any], view: View, state: Conversion) -> list[Any]:
    return [state.get(indices[dim]) for dim in view.order]


def _optional(values: Sequence[Any], state: Conversion) -> Any:
    """Return the replacement of an optional operand; None where it is absent."""
    return state.get(values[0]) if values else None


def _describe(op: Any, target: Any) -> Any:
    """Carry what is said about an access over to its replacement and return that."""
    copy_order(op, target)
    if "unchecked" in op.attributes:
        target.attributes["unchecked"] = op.attributes["unchecked"]
    return target


@RULES.converts(cuda_tile.LoadElementsTkoOp)
def convert_load_elements(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a gather."""
    (source,), indices, mask, padding, after = segments(op)
    view = state.views[source]
    gather = GatherOp.build(
        view.memref,
        _in_storage_order(indices, view, state),
        *(_optional(values, state) for values in (mask, padding, after)),
    )
    return list(_describe(op, gather).results)


@RULES.converts(cuda_tile.StoreElementsTkoOp)
def convert_store_elements(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a scatter."""
    (target,), (value,), indices, mask, after = segments(op)
    view = state.views[target]
    scatter = ScatterOp.build(
        view.memref,
        state.get(value),
        _in_storage_order(indices, view, state),
        *(_optional(values, state) for values in (mask, after)),
    )
    return list(_describe(op, scatter).results)


@RULES.converts(cuda_tile.AtomicElementsTkoOp)
def convert_atomic_elements(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an atomic operation."""
    (target,), indices, values, mask, after = segments(op)
    view = state.views[target]
    atomic = AtomicOp.build(
        view.memref,
        _in_storage_order(indices, view, state),
        [state.get(value) for value in values],
        *(_optional(operands, state) for operands in (mask, after)),
        mode=text(op, "mode"),
    )
    return list(_describe(op, atomic).results)
