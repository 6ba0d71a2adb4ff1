"""Merge loads of one tile between which nothing is stored.

Before:  %x, %a = load_view_tko %view[%i], %t
         %y, %b = load_view_tko %view[%i], %t
After:   %x, %a = load_view_tko %view[%i], %t     (%y becomes %x, %b becomes %a)

Two weak loads with one token come after the same stores (`cuda-tile-order-tokens`), so they give
the same tile. The second one must stand where the first has run on every path. This serves kernels
that read a row in several loops: where the row is one tile, `canonicalize` has replaced the loops
by their bodies, and the tile is loaded once.
"""

from typing import Any

from tilec.dialects.cuda_tile import LoadViewTkoOp
from tilec.ir.removal import replace_operation
from tilec.ir.structured import body_operations
from tilec.passes.registry import PassContext, register_pass

_WEAK = "weak"
_Key = tuple[Any, ...]


@register_pass("cuda-tile-merge-loads")
def merge_loads(module: Any, context: PassContext) -> bool:
    """Replace each weak load by an equal one that runs before it, if there is one."""
    return _merge(module.body, {})


def _merge(block: Any, above: dict[_Key, Any]) -> bool:
    """Merge the loads of a block; `above` holds those that have run when the block is entered."""
    known, changed = dict(above), False
    for op in body_operations(block):
        for region in op.regions:
            for inner in region.blocks:
                changed |= _merge(inner, known)
        if op.name != LoadViewTkoOp.OPERATION_NAME or not _is_mergeable(op):
            continue
        first = known.setdefault(_key(op), op)
        if first is not op:
            replace_operation(op, first.results)
            changed = True
    return changed


def _is_mergeable(load: Any) -> bool:
    return load.opview.token is not None and load.opview.ordering.value == _WEAK


def _key(load: Any) -> _Key:
    """Return what equal loads have in common."""
    attributes = sorted((name, str(item)) for name, item in load.attributes.items())
    return (*load.operands, *attributes, *(result.type for result in load.results))
