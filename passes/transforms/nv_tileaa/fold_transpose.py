"""Replace the transpose of an operand by the major order of the matrix product.

Before:  %w = tiled_load ... : tensor<256x64xbf16>; %b = permute %w [1, 0]
         dot %a, %b {b_major = "n"}
After:   %w = tiled_load ... : tensor<256x64xbf16>
         dot %a, %w {b_major = "k"}

wgmma reads a 16-bit operand from shared memory in either order, so such a transpose costs nothing.
The operand then has its storage shape: A is MxK or KxM, B is KxN or NxK. Other types have no
M-major A and no N-major B (PTX ISA, wgmma transpose bits), so a transpose that would need one of
these stays.

An operand that threads compute is stored in shared memory as it is, and read in the other order.
The transpose would move each element to another thread, by way of shared memory as well.

First, chains of permutes are composed, and a permute moves after a view that adds or drops dims of
extent 1, such as a batch (1xKxM) or heads (1xNx1xK). It then orders only the other dims.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import PermuteOp, ViewOp
from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import defining_operation
from tilec.layout import without_units
from tilec.passes.analysis.facts.unit_views import (
    is_unit_view,
    skip_row_views,
    skip_unit_views,
)
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.mma_atoms import find_family

_OTHER = {"a": {"k": "m", "m": "k"}, "b": {"n": "k", "k": "n"}}
_OPERANDS = (("a", 0), ("b", 1))
PERMUTE = "nv_tileaa.permute"


@register_kernel_pass("nv-tileaa-fold-transpose")
def fold_transpose(function: Any, context: PassContext) -> bool:
    """Fold transposes into `a_major` and `b_major` of products."""
    if not any(_is_permute(op) or is_unit_view(op) for op in kernel_operations(function)):
        return False
    for op in filter(is_unit_view, kernel_operations(function)):
        _move_after(op)
    for op in filter(_is_permute, kernel_operations(function)):
        _compose(op)
    for op in kernel_operations(function):
        if op.name == "nv_tileaa.dot":
            for name, number in _OPERANDS:
                _fold_operand(op, name, number)
    for op in reversed(kernel_operations(function)):
        moved = _is_permute(op) or is_unit_view(op)
        if moved and not is_used(op):
            erase(op)
    return True


def _is_permute(op: Any) -> bool:
    return op is not None and op.name == PERMUTE


def _move_after(view: Any) -> None:
    """Swap a view that adds or drops unit dims with the permute before it.

    The permute then orders the other dims alone, if there is anything left to order.
    """
    permute = defining_operation(skip_unit_views(view.operands[0]))
    if not _is_permute(permute):
        return
    source = permute.operands[0]
    extents = source.type.shape
    kept = [dim for dim in permute.attributes["permutation"] if extents[dim] != 1]
    order = [sorted(kept).index(dim) for dim in kept]
    with ir.InsertionPoint(view), view.location:
        moved = skip_unit_views(source)
        if order != sorted(order):
            moved = PermuteOp.build(_viewed(moved, without_units(extents)), order)
        moved = _viewed(moved, view.results[0].type.shape)
    view.results[0].replace_all_uses_with(moved)


def _viewed(tile: Any, shape: Sequence[int]) -> Any:
    """Emit a view of `tile` with extents `shape`, unless it has them."""
    if tile.type.shape == list(shape):
        return tile
    type_ = ir.RankedTensorType.get(list(shape), tile.type.element_type)
    return ViewOp(source=tile, tile=type_).tile


def _compose(op: Any) -> None:
    """Merge a permute with the permute before it; an identity disappears."""
    order = list(op.attributes["permutation"])
    source = op.operands[0]
    before = defining_operation(source)
    if before is not None and before.name == PERMUTE:
        inner = list(before.attributes["permutation"])
        order, source = [inner[dim] for dim in order], before.operands[0]
        with ir.InsertionPoint(op), op.location:
            if order != sorted(order):
                source = PermuteOp.build(source, order)
        op.results[0].replace_all_uses_with(source)
    elif order == sorted(order):
        op.results[0].replace_all_uses_with(source)


def _fold_operand(dot: Any, name: str, number: int) -> None:
    permute = defining_operation(dot.operands[number])
    if permute is None or permute.name != PERMUTE or not _swaps_matrix_dims(permute):
        return
    attribute = f"{name}_major"
    major = _OTHER[name][dot.attributes[attribute].value]
    source = defining_operation(skip_row_views(permute.operands[0]))
    is_loaded = source is not None and source.name == "nv_tileaa.tiled_load"
    either_order = find_family(dot.opview.product_types).reads_transposed
    if not either_order and not (is_loaded and major == "k"):
        return
    dot.operands[number] = permute.operands[0]
    dot.attributes[attribute] = ir.StringAttr.get(major)


def _swaps_matrix_dims(permute: Any) -> bool:
    """Tell whether a permute swaps the last two dims and keeps the others."""
    order = list(permute.attributes["permutation"])
    rank = len(order)
    return order == [*range(rank - 2), rank - 1, rank - 2]
