"""Shared memory: buffers, slots, and copies between shared memory and registers."""

from typing import Any

from tilec.dialects.common.effects import ReadsMemory, WritesMemory
from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import SharedTileType
from tilec.ir.bindings import Operand, Pure, Result, ir


class AllocSharedOp(NvTileAS.Operation, name="alloc_shared"):
    """Reserve shared memory for `slots` tiles.

    Attributes:
        slots: Number of tiles, one after another.

    `nv-tileas-assign-buffers` adds `offset` (bytes from the start of the CTA's shared memory).
    """

    buffer: Result[Any]
    slots: ir.IntegerAttr


class SlotViewOp(NvTileAS.Operation, name="slot_view", traits=[Pure]):
    """Return the tile of a ring buffer at a ring position."""

    buffer: Operand[Any]
    position: Operand[Any]
    tile: Result[Any]

    @classmethod
    def build(cls, buffer: Any, position: Any, **where: Any) -> Any:
        """Build the op and return the tile."""
        return cls(buffer=buffer, position=position, tile=buffer.type, **where).tile


class LoadSharedOp(NvTileAS.Operation, name="load_shared", traits=[ReadsMemory]):
    """Read a shared-memory tile into registers."""

    source: Operand[Any]
    tile: Result[Any]

    @classmethod
    def build(cls, source: Any, **where: Any) -> Any:
        """Build the op and return the tile (without a register layout yet)."""
        tensor = ir.RankedTensorType.get(
            list(source.type.shape), source.type.element_type, loc=ir.Location.unknown()
        )
        return cls(source=source, tile=tensor, **where).tile

    def verify_invariants(self) -> bool:
        """Report a shape or element type that differs from the source's."""
        return _verify_same_tile(self, self.source.type, self.tile.type)


class StoreSharedOp(NvTileAS.Operation, name="store_shared", traits=[WritesMemory]):
    """Write a register tile into shared memory with ordinary stores (generic proxy)."""

    tile: Operand[Any]
    destination: Operand[Any]

    def verify_invariants(self) -> bool:
        """Report a shape or element type that differs from the destination's."""
        return _verify_same_tile(self, self.destination.type, self.tile.type)


class ConvertLayoutOp(NvTileAS.Operation, name="convert_layout"):
    """Move a tile into another register layout through shared memory.

    `nv-tileas-assign-buffers` adds `offset`, the scratch area's place.
    """

    source: Operand[Any]
    result: Result[Any]


def _verify_same_tile(op: Any, shared: Any, tile: Any) -> bool:
    if not isinstance(shared, SharedTileType):
        return report(op, f"expects a shared-memory tile, but got {shared}")
    if tuple(tile.shape) != shared.shape:
        return report(op, "requires the same shape for tileSize and tensor value")
    if tile.element_type != shared.element_type:
        return report(
            op,
            f"view elementType not equal with tensor element type:"
            f" {shared.element_type} != {tile.element_type}",
        )
    return True
