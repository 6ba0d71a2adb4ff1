"""Types and layout attributes of the nv_tileas dialect."""

from typing import Any

from tilec.dialects.common import shaped_types
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import ir
from tilec.ir.integers import i64


class LayoutAttr(NvTileAS.Attribute, name="layout"):
    """Register layout of a tile, as the encoding of its tensor type.

    The text is `tilec.layout.register.RegisterLayout.to_text()`.
    """

    text: ir.StringAttr


class SharedLayoutAttr(NvTileAS.Attribute, name="shared_layout"):
    """Shared-memory layout of a tile: the box that TMA moves and the swizzle in bytes.

    Boxes follow one another in row-major order; see `tilec.layout.shared.SharedLayout`.
    """

    box: Any
    swizzle: ir.IntegerAttr

    @classmethod
    def of(cls, box: tuple[int, ...], swizzle: int) -> "SharedLayoutAttr":
        """Return the attribute for `box` (elements, outer first) and `swizzle` (bytes, 0 none)."""
        return cls.get(ir.DenseI64ArrayAttr.get(list(box)), i64(swizzle))

    @property
    def box_shape(self) -> tuple[int, ...]:
        """Extents of a box in elements, outer first."""
        return tuple(elements_of(ir.DenseI64ArrayAttr(self.box)))

    @property
    def swizzle_bytes(self) -> int:
        """Span of the swizzle in bytes; 0 for none."""
        return ir.IntegerAttr(self.swizzle).value


class SharedTileType(NvTileAS.Type, name="smem"):
    """A tile in shared memory: a tensor type whose encoding is a `shared_layout`."""

    tile: ir.TypeAttr

    @classmethod
    def of(
        cls, shape: tuple[int, ...], element_type: Any, layout: SharedLayoutAttr
    ) -> "SharedTileType":
        """Return the type of a shared-memory tile of `shape`."""
        tensor = ir.RankedTensorType.get(
            list(shape), element_type, encoding=layout, loc=ir.Location.unknown()
        )
        return cls.get(ir.TypeAttr.get(tensor))

    tensor = shaped_types.TENSOR
    shape = shaped_types.TENSOR_SHAPE
    element_type = shaped_types.TENSOR_ELEMENT_TYPE

    @property
    def layout(self) -> SharedLayoutAttr:
        """The shared layout attribute."""
        return SharedLayoutAttr(self.tensor.encoding)


def find_tile_mismatch(shared: SharedTileType, tile: Any) -> str | None:
    """Return how register tile type `tile` differs from shared-memory tile type `shared`."""
    if tuple(tile.shape) != shared.shape:
        return "requires the same shape for tileSize and tensor value"
    if tile.element_type != shared.element_type:
        return (
            "view elementType not equal with tensor element type:"
            f" {shared.element_type} != {tile.element_type}"
        )
    return None


class RingType(NvTileAS.Type, name="ring"):
    """Slots that producers fill and consumers drain, guarded by mbarriers."""


class RingPositionType(NvTileAS.Type, name="ring_position"):
    """A role's place in a ring: slot index and phase bit. Becomes two i32 values."""


class MBarrierType(NvTileAS.Type, name="mbarrier"):
    """One or more mbarrier objects in shared memory (one per slot of a ring)."""


class TmaDescriptorType(NvTileAS.Type, name="tma_desc"):
    """Handle of a TMA descriptor; the tensor type gives the box and its element type."""

    box: ir.TypeAttr

    @classmethod
    def of(cls, box: tuple[int, ...], element_type: Any) -> "TmaDescriptorType":
        """Return the type of a descriptor that moves `box` elements (outer first)."""
        return cls.get(
            ir.TypeAttr.get(
                ir.RankedTensorType.get(list(box), element_type, loc=ir.Location.unknown())
            )
        )

    @property
    def box_shape(self) -> tuple[int, ...]:
        """Extents of the box in elements, outer first."""
        return tuple(ir.RankedTensorType(ir.TypeAttr(self.box).value).shape)


class MmaTokenType(NvTileAS.Type, name="mma_token"):
    """An asynchronous matrix-multiply group in flight."""
