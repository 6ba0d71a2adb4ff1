"""Shared memory: buffers, slots, and copies between shared memory and registers."""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.effects import ReadsMemory, WritesMemory
from tilec.dialects.common.element_access import COMBINE, find_combination_error
from tilec.dialects.nv_tileas.base import (
    POSITION,
    REGISTERS,
    SHARED,
    CheckedOperation,
    find_box_error,
    find_count_error,
)
from tilec.dialects.nv_tileas.types import find_tile_mismatch
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64


class AllocSharedOp(CheckedOperation, name="alloc_shared"):
    """Reserve shared memory for `slots` tiles.

    Attributes:
        slots: Number of tiles, one after another.

    `nv-tileas-assign-buffers` adds `offset` (bytes from the start of the CTA's shared memory).
    """

    TYPES = (("buffer", SHARED),)

    buffer: Result[Any]
    slots: ir.IntegerAttr

    @classmethod
    def build(cls, tile: Any, slots: int, **where: Any) -> Any:
        """Build the op and return the buffer, of slots of type `tile`."""
        return cls(buffer=tile, slots=i64(slots), **where).buffer

    def find_error(self) -> str | None:
        """Return the message for a buffer without slots, or whose boxes have another rank."""
        rank, box = len(self.buffer.type.shape), self.buffer.type.layout.box_shape
        if len(box) != rank:
            return f"expects boxes of rank {rank}, but got {len(box)}"
        return find_count_error(self, "slots", 1)


class SlotViewOp(CheckedOperation, name="slot_view", traits=[Pure]):
    """Return the tile of a ring buffer at a ring position."""

    TYPES = (("buffer", SHARED), ("position", POSITION), ("tile", SHARED))

    buffer: Operand[Any]
    position: Operand[Any]
    tile: Result[Any]

    def find_error(self) -> str | None:
        """Return the message for a slot of another type than the buffer's."""
        if self.tile.type == self.buffer.type:
            return None
        return f"expects a result of type {self.buffer.type}, but got {self.tile.type}"

    @classmethod
    def build(cls, buffer: Any, position: Any, **where: Any) -> Any:
        """Build the op and return the tile."""
        return cls(buffer=buffer, position=position, tile=buffer.type, **where).tile


class SharedViewOp(CheckedOperation, name="shared_view", traits=[Pure]):
    """Name a shared-memory tile with other dims of extent 1, or with dims that are joined."""

    TYPES = (("source", SHARED), ("result", SHARED))

    source: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the message for a result whose elements lie elsewhere than those of the source."""
        source, result = self.source.type, self.result.type
        if prod(source.shape) != prod(result.shape):
            return f"expects as many elements, but got {source.shape} and {result.shape}"
        if _boxes(source) != _boxes(result):
            return "expects the layout of the source"
        return None


class LoadSharedOp(CheckedOperation, name="load_shared", traits=[ReadsMemory]):
    """Read a shared-memory tile into registers, or a box of it.

    Attributes:
        origin: Coordinate at which the box begins, a multiple of its extents; absent for a whole
            tile.
    """

    TYPES = (("source", SHARED), ("tile", REGISTERS))

    source: Operand[Any]
    tile: Result[Any]

    @classmethod
    def build(cls, source: Any, **where: Any) -> Any:
        """Build the op and return the tile (without a register layout yet)."""
        tensor = ir.RankedTensorType.get(
            list(source.type.shape), source.type.element_type, loc=ir.Location.unknown()
        )
        return cls(source=source, tile=tensor, **where).tile

    def find_error(self) -> str | None:
        """Return the message for a shape or element type that differs from the source's."""
        return _find_mismatch(self, self.source.type, self.tile.type)


class StoreSharedOp(CheckedOperation, name="store_shared", traits=[WritesMemory]):
    """Write a register tile into shared memory with stores of the threads (generic proxy).

    Attributes:
        origin: Coordinate at which the tile begins in a larger one, a multiple of its extents;
            absent where both are of one shape.
    """

    TYPES = (("tile", REGISTERS), ("destination", SHARED))

    tile: Operand[Any]
    destination: Operand[Any]

    def find_error(self) -> str | None:
        """Return the message for a shape or element type that differs from the destination's."""
        return _find_mismatch(self, self.destination.type, self.tile.type)


class CopyOutOp(CheckedOperation, name="copy_out", traits=[WritesMemory]):
    """Copy a shared-memory tile to global memory with the threads of the role.

    Operands:
        source: Shared-memory tile.
        memref: Array to write; elements outside it are dropped.
        coords: Element coordinates of the tile, outer first (i32).

    Attributes:
        combine: As that of `tiled_store`.
    """

    TYPES = (("source", SHARED),)

    source: Operand[Any]
    memref: Operand[Any]
    coords: Sequence[Operand[Any]]

    def find_error(self) -> str | None:
        """Return the message for coordinates that do not fit the tile, or a wrong combination."""
        rank = len(self.source.type.shape)
        if len(self.coords) != rank:
            return f"expects {rank} coordinates, but got {len(self.coords)}"
        return find_combination_error(self, COMBINE, self.source.type.element_type)


class ConvertLayoutOp(CheckedOperation, name="convert_layout"):
    """Move a tile into another register layout through shared memory.

    The result may have another shape of as many elements: these keep their row-major order.

    `nv-tileas-assign-buffers` adds `offset`, the scratch area's place, and `team_bytes`, the
    distance of the areas of two teams, if there are several.
    """

    TYPES = (("source", REGISTERS), ("result", REGISTERS))

    source: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the message for a conversion that changes more than layout and shape."""
        source, result = self.source.type, self.result.type
        same = prod(source.shape) == prod(result.shape)
        if same and source.element_type == result.element_type:
            return None
        return f"cannot convert {source} to {result}"


def _find_mismatch(op: CheckedOperation, shared: Any, tile: Any) -> str | None:
    """Return how register tile type `tile` differs from `shared`, or from a box of it."""
    if "origin" not in op.attributes:
        return find_tile_mismatch(shared, tile)
    return find_box_error(shared, tile, elements_of(op.attributes["origin"]), "tile")


def _boxes(tile: Any) -> tuple[int, int, int]:
    """Return the elements of a box, those of its rows, and the swizzle of a shared-memory tile."""
    box = tile.layout.box_shape
    return (
        prod(box),
        next((inner for inner in reversed(box) if inner > 1), 1),
        tile.layout.swizzle_bytes,
    )
