"""Drop the order between accesses of one array whose tiles share no element.

Before:  %s = tiled_store %Y, %a, (%i * 64), %t; %u = tiled_store %Y, %b, (%i * 64 + 32), %s
After:   %s = tiled_store %Y, %a, (%i * 64), %t; %u = tiled_store %Y, %b, (%i * 64 + 32), %t
         %v = join_mem_token %s, %u                      // for what comes after both

Accesses of one array come one after the other (`cuda-tile-order-tokens`). Where a block stores
several tiles, each store would wait until the one before it has written all of its tile, and a load
between two stores could not use TMA. Tiles share no element if their coordinates along an axis
differ by a constant that is at least their extent. Both are tiles of one round: the token of an
earlier round is an argument of the loop, and stays. An array is taken not to overlap itself
(a stride of 0, say): its strides are known only to a launch.

Accesses that other blocks may rely on (`relaxed`, `acquire`, `release`) keep their order.
"""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.common.accesses import WEAK, global_access, writes_global
from tilec.dialects.nv_tileaa.memory_ops import JoinMemTokenOp
from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.linear import Linear, linear_form
from tilec.passes.analysis.kernels import kernel_operations, tiled_access
from tilec.passes.registry import PassContext, register_kernel_pass

_JOIN = JoinMemTokenOp.OPERATION_NAME
_TILED = ("nv_tileaa.tiled_load", "nv_tileaa.tiled_store")
_WRAP = 1 << 32
"""Coordinates are i32, and sums of them wrap around."""


@register_kernel_pass("nv-tileaa-separate-tiles")
def separate_tiles(function: Any, context: PassContext) -> bool:
    """Let accesses wait only for those that may reach the same elements."""
    changed = [_separate(op) for op in kernel_operations(function) if _is_free(op)]
    return any(changed)


def _is_free(op: Any) -> bool:
    """Tell whether `op` accesses a tile in an order that only its own block sees."""
    access = global_access(op) if op.name in _TILED else None
    return access is not None and access.order_of(op) == WEAK


def _separate(op: Any) -> bool:
    """Let an access wait for what its token stands for, less the tiles it does not touch."""
    token = op.opview.after
    if token is None:
        return False
    needed = list(dict.fromkeys(_needed(op, token)))
    if needed == [token] or _names_the_same(token, needed):
        return False
    with ir.InsertionPoint(op), op.location:
        op.operands[len(op.operands) - 1] = _joined(needed)
    result = op.results[len(op.results) - 1]
    if list(result.uses):
        with ir.InsertionPoint.after(op), op.location:
            both = _joined([token, result])
        result.replace_all_uses_except(both, both.owner.operation)
    return True


def _needed(op: Any, token: Any) -> Iterator[Any]:
    """Yield the tokens that `op` has to wait for, of what `token` stands for."""
    source = defining_operation(token)
    if source is None:
        yield token
    elif source.name == _JOIN:
        for part in source.operands:
            yield from _needed(op, part)
    elif _is_free(source) and source.opview.after is not None and _agree(op, source):
        yield from _needed(op, source.opview.after)
    else:
        yield token


def _agree(op: Any, other: Any) -> bool:
    """Tell whether two accesses may happen in any order."""
    if not (writes_global(op) or writes_global(other)):
        return True
    first, second = tiled_access(op), tiled_access(other)
    if first.view != second.view:
        return False
    extents = zip(first.tile_type.shape, second.tile_type.shape, strict=True)
    places = zip(first.coords, second.coords, strict=True)
    return any(
        _lie_apart(linear_form(b) - linear_form(a), *sizes)
        for (a, b), sizes in zip(places, extents, strict=True)
    )


def _lie_apart(distance: Linear, extent: int, other: int) -> bool:
    """Tell whether an interval and another one, at this distance after its begin, do not meet."""
    return not distance.terms and extent <= distance.constant % _WRAP <= _WRAP - other


def _joined(tokens: list[Any]) -> Any:
    return tokens[0] if len(tokens) == 1 else JoinMemTokenOp.build(tokens)


def _names_the_same(token: Any, needed: list[Any]) -> bool:
    source = defining_operation(token)
    return source is not None and source.name == _JOIN and list(source.operands) == needed
