"""Choose the shared-memory layout of each tile that TMA moves.

Before:  tiled_load %r[%i, %j] {atom = <tma_load>} : tensor<64x256xbf16>
After:   tiled_load %r[%i, %j] {atom = <tma_load>, shared_layout = <box [64, 64], swizzle 128>}

An operand of a product gets a layout that wgmma can read through a descriptor: columns of one
swizzle span, with all rows of a column together. Dims of extent 1, wherever the tile has them, are
1 in the box, and the rows may be several dims of the tile: pixels of images. Every other tile gets
as few boxes as TMA allows. The layout fixes the boxes, and so the number of copies. If the
consumers share the columns of a product, no span of B and no swizzled box of the result holds
columns of two consumers.

The CTAs that share a tile of a cluster take equal runs of its boxes. A tile of one box is cut
between its rows, in multiples of the 8 rows of a core matrix; this moves no byte of the tile. Three
boxes among two CTAs do not divide, but where the rows are steps of K, all boxes are cut between
them: a wgmma reads one step. If nothing divides (K contiguous, three boxes along K), the sharing
ends: `multicast_axis` is removed, and every CTA loads the whole tile.
"""

import contextlib
from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.layout import (
    LayoutError,
    SharedLayout,
    matmul_operand,
    tma_boxes,
    warpgroup_share,
    without_units,
)
from tilec.passes.analysis.kernels import (
    TiledAccess,
    array_of_view,
    cluster_of_spec,
    is_tiled_access,
    kernel_operations,
    read_spec,
    span_of,
    tiled_access,
    warpgroups_of_spec,
)
from tilec.passes.analysis.mma.operands import dot_uses, operand_parts
from tilec.passes.analysis.tma.multicast import MULTICAST_AXIS, multicast_axis, multicast_layout
from tilec.passes.analysis.tma.shared_layouts import shared_attribute
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.diagnostics import remark


@register_kernel_pass("nv-tileas-assign-operand-layouts")
def assign_operand_layouts(function: Any, context: PassContext) -> None:
    """Give every tile that TMA moves its shared-memory layout."""
    spec = read_spec(function) or {}
    cluster = cluster_of_spec(spec)
    warpgroups = warpgroups_of_spec(spec)
    for op in kernel_operations(function):
        if op.name == "nv_tileas.prefetch" and tiled_access(op).uses_tma:
            access = tiled_access(op)
            op.attributes["shared_layout"] = shared_attribute(_layout_of(access, function, 1))
        if not is_tiled_access(op):
            continue
        access = tiled_access(op)
        if access.uses_tma:
            layout = _layout_of(access, function, warpgroups)
            divided = _divided(op, layout, cluster)
            if divided is None:
                _remark_on_own_tile(access, layout, function, context)
            op.attributes["shared_layout"] = shared_attribute(divided or layout)


def _layout_of(access: Any, function: Any, warpgroups: int) -> SharedLayout:
    shape = tuple(access.tile_type.shape)
    bits = element_bits(access.tile_type.element_type)
    if access.is_load and not access.is_prefetch:
        layout = layout_for_products(access.op.results[0], warpgroups)
        if layout is not None:
            return layout
    return tma_boxes(
        shape, bits, 1 if access.is_load else _result_parts(function, shape, warpgroups)
    )


def layout_for_products(tile: Any, warpgroups: int) -> SharedLayout | None:
    """Return the layout in which wgmma reads a loaded tile; None where none does.

    Args:
        tile: The tile, in registers.
        warpgroups: Warpgroups that share the product.
    """
    bits = element_bits(tile.type.element_type)
    for dot, operand in dot_uses(tile):
        with contextlib.suppress(LayoutError):  # no wgmma reads it: any layout will do
            parts = operand_parts(dot, operand, warpgroups)
            layout = operand_layout(tuple(operand.type.shape), bits, parts)
            return layout.viewed(tuple(tile.type.shape))
    return None


def _result_parts(function: Any, shape: tuple[int, ...], warpgroups: int) -> int:
    """Return into how many parts warpgroups split the columns of products of `shape`."""
    for op in kernel_operations(function):
        if op.name != "nv_tileas.dot":
            continue
        m, n, _ = op.opview.extents
        if (m, n) == without_units(shape):
            with contextlib.suppress(LayoutError):  # no wgmma computes it
                return n // warpgroup_share(m, n, warpgroups)[1]
    return 1


def _divided(load: Any, layout: SharedLayout, cluster: Sequence[int]) -> SharedLayout | None:
    """Return the layout in boxes that the CTAs which share the tile of `load` divide among them.

    None when the tile does not divide: then every CTA loads it for itself.
    """
    axis = multicast_axis(load)
    if axis is None:
        return layout
    divided = multicast_layout(layout, cluster[axis], rows_are_k=_rows_are_k(load))
    if divided is None:
        del load.attributes[MULTICAST_AXIS]
    return divided


def _rows_are_k(load: Any) -> bool:
    """Tell whether every product that reads the tile of `load` has K along its rows."""
    majors = [
        (dot.opview.a_major if operand == dot.opview.a else dot.opview.b_major).value
        for dot, operand in dot_uses(load.results[0])
    ]
    return bool(majors) and "k" not in majors


def _remark_on_own_tile(
    access: TiledAccess, layout: SharedLayout, function: Any, context: PassContext
) -> None:
    name = array_of_view(access.view, function)
    message = (
        f"every CTA of the cluster loads its own tile of '{name}': its {layout.box_count} boxes of"
        f" {' x '.join(map(str, layout.box))} do not divide among them"
    )
    context.sink.emit(remark("T0523", message, span_of(access.op)))


def operand_layout(shape: tuple[int, ...], bits: int, parts: int = 1) -> SharedLayout:
    """Return the layout of a matrix operand whose contiguous dimension is the last one.

    Args:
        shape: Extents of the operand as it lies in memory.
        bits: Size of an element.
        parts: Into how many parts warpgroups split the contiguous dimension.

    Raises:
        LayoutError: wgmma cannot read such an operand.
    """
    if len(shape) != 2:
        raise LayoutError(f"a wgmma operand has two dims, not {len(shape)}")
    return matmul_operand(shape[0], shape[1], bits, parts)
