"""Between shared-memory tile types in the IR and the layout algebra."""

from functools import lru_cache
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.dialects.nv_tileas.types import LayoutAttr, SharedLayoutAttr, SharedTileType
from tilec.ir.bindings import ir
from tilec.layout import LayoutError, RegisterLayout, SharedLayout, Swizzle

_register_layout = lru_cache(maxsize=256)(RegisterLayout.from_text)
_shared_layout = lru_cache(maxsize=256)(SharedLayout)
"""Every rule asks for the layouts of its tiles, of which a kernel has a handful."""


def layout_of_shared(tile: Any) -> SharedLayout:
    """Return the layout of a `!nv_tileas.smem` type."""
    attribute = tile.layout
    return _shared_layout(
        tuple(tile.shape),
        element_bits(tile.element_type),
        tuple(attribute.box_shape),
        Swizzle(attribute.swizzle_bytes),
    )


def shared_attribute(layout: SharedLayout) -> SharedLayoutAttr:
    """Return the attribute that records `layout`."""
    return SharedLayoutAttr.of(layout.box, layout.swizzle.value)


def shared_tile_type(layout: SharedLayout, element_type: Any) -> SharedTileType:
    """Return the type of a tile with `layout`."""
    return SharedTileType.of(layout.shape, element_type, shared_attribute(layout))


def register_layout_of(value: Any) -> RegisterLayout:
    """Return the register layout in the encoding of a tile value's type."""
    encoding = ir.RankedTensorType(value.type).encoding
    return _register_layout(ir.StringAttr(LayoutAttr(encoding).text).value)


def has_register_layout(value: Any) -> bool:
    """Tell whether a tile value carries a register layout."""
    return ir.RankedTensorType(value.type).encoding is not None


def with_register_layout(tensor: Any, layout: RegisterLayout) -> Any:
    """Return tensor type `tensor` with `layout` as its encoding.

    Raises:
        LayoutError: The layout is one of tiles of another shape.
    """
    if tuple(tensor.shape) != layout.shape:
        raise LayoutError(f"a tile of shape {tuple(tensor.shape)} cannot have layout {layout}")
    attribute = LayoutAttr.get(ir.StringAttr.get(layout.to_text()))
    return ir.RankedTensorType.get(
        list(tensor.shape), tensor.element_type, encoding=attribute, loc=ir.Location.unknown()
    )
