"""The epilogue: each warpgroup stores its share of a tile part by part.

A role's warpgroups need not wait for each other to write what they hold: each has staging buffers,
a named barrier and a storing thread of its own. Operations of one warpgroup carry the unit
attribute `per_warpgroup` (barriers, bulk groups, TMA stores, `copy_out`).
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.base import REGISTERS, SHARED, CheckedOperation, find_box_error
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64

PER_WARPGROUP = "per_warpgroup"
"""Unit attribute of an operation that each warpgroup of the role performs for itself."""


class WarpgroupIdOp(NvTileAS.Operation, name="warpgroup_id", traits=[Pure]):
    """Return the index of the calling warpgroup in its role (i32)."""

    index: Result[Any]

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the op and return the index."""
        return cls(index=ir.IntegerType.get_signless(32), **where).index


class TilePartOp(CheckedOperation, name="tile_part", traits=[Pure]):
    """Take a box of each warpgroup's share of a tile; registers only get other names.

    Operands:
        tile: Tile whose warpgroups share it in equal blocks along `axis`.

    Attributes:
        origin: Coordinate of the box in the share of warpgroup 0, a multiple of its extents.
        axis: Axis along which the warpgroups share the tile.

    Results:
        part: The calling warpgroup's box.
    """

    TYPES = (("tile", REGISTERS), ("part", REGISTERS))

    tile: Operand[Any]
    part: Result[Any]
    origin: Any
    axis: ir.IntegerAttr

    @classmethod
    def build(
        cls, tile: Any, shape: tuple[int, ...], origin: tuple[int, ...], axis: int, **where: Any
    ) -> Any:
        """Build the op and return the part, a tensor of `shape` without a register layout yet."""
        return cls(
            tile=tile,
            part=ir.RankedTensorType.get(
                list(shape), tile.type.element_type, loc=ir.Location.unknown()
            ),
            origin=ir.DenseI64ArrayAttr.get(list(origin)),
            axis=i64(axis),
            **where,
        ).part

    def find_error(self) -> str | None:
        """Return the message for a part that is no box of the tile."""
        rank, axis = len(self.tile.type.shape), self.axis.value
        message = find_box_error(self.tile.type, self.part.type, elements_of(self.origin), "part")
        if message is None and not 0 <= axis < rank:
            return f"attribute 'axis' must be in [0, {rank - 1}], but got {axis}"
        return message


class TileSliceOp(CheckedOperation, name="tile_slice", traits=[Pure]):
    """Take a box of a tile, for all warpgroups together; registers only get other names.

    Operands:
        tile: Tile of which every thread holds as much inside the box as any other.

    Attributes:
        origin: Coordinate of the box.

    Results:
        slice: The box.
    """

    TYPES = (("tile", REGISTERS), ("slice", REGISTERS))

    tile: Operand[Any]
    slice: Result[Any]
    origin: Any

    @classmethod
    def build(cls, tile: Any, shape: Sequence[int], origin: Sequence[int], **where: Any) -> Any:
        """Build the op and return the slice, a tensor of `shape` without a register layout yet."""
        return cls(
            tile=tile,
            slice=ir.RankedTensorType.get(
                list(shape), tile.type.element_type, loc=ir.Location.unknown()
            ),
            origin=ir.DenseI64ArrayAttr.get(list(origin)),
            **where,
        ).slice

    def find_error(self) -> str | None:
        """Return the message for a slice that is no box of the tile."""
        origin = elements_of(self.origin)
        return find_box_error(self.tile.type, self.slice.type, origin, "slice", aligned=False)


_VALUE = ((ir.RankedTensorType, ir.IntegerType), "expects a register tile or an integer")


class OpaqueOp(CheckedOperation, name="opaque"):
    """Pass a tile or an integer on so that what is computed from it is computed after this place.

    Optimizers of later stages know nothing of the result: they move no arithmetic on it out of a
    loop, which would keep all of its results in registers. It costs no instruction. Not pure, for
    the same reason.
    """

    TYPES = (("tile", _VALUE), ("result", _VALUE))

    tile: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the message for a result of another type."""
        if self.tile.type != self.result.type:
            return f"the result must be {self.tile.type}, but is {self.result.type}"
        return None


class WarpgroupViewOp(CheckedOperation, name="warpgroup_view", traits=[Pure]):
    """Return one of the calling warpgroup's tiles of a buffer, or a smaller tile in its place.

    Warpgroup w owns the tiles `w * slots` to `(w + 1) * slots - 1`.

    Attributes:
        slot: Which of its tiles.
        slots: Tiles that each warpgroup owns.
    """

    TYPES = (("buffer", SHARED), ("tile", SHARED))

    buffer: Operand[Any]
    tile: Result[Any]
    slot: ir.IntegerAttr
    slots: ir.IntegerAttr

    @classmethod
    def build(cls, buffer: Any, slot: int, slots: int, tile: Any = None, **where: Any) -> Any:
        """Build the op and return the tile, of the type of `buffer` unless `tile` is another."""
        return cls(
            buffer=buffer,
            tile=tile if tile is not None else buffer.type,
            slot=i64(slot),
            slots=i64(slots),
            **where,
        ).tile

    def find_error(self) -> str | None:
        """Return the message for a tile that the warpgroup does not own."""
        tile, whole = self.tile.type, self.buffer.type
        most = box_bytes(whole.shape, whole.element_type)
        if box_bytes(tile.shape, tile.element_type) > most:
            return f"expects a tile of at most {most} bytes, but got {tile}"
        if 0 <= self.slot.value < self.slots.value:
            return None
        return f"attribute 'slot' must be in [0, {self.slots.value - 1}], but got {self.slot.value}"


def is_per_warpgroup(op: Any) -> bool:
    """Tell whether each warpgroup of the role performs `op` for itself."""
    return PER_WARPGROUP in op.attributes


def mark_per_warpgroup(op: Any) -> None:
    """Let each warpgroup of the role perform `op` for itself."""
    op.attributes[PER_WARPGROUP] = ir.UnitAttr.get()
