"""TMA: descriptors, asynchronous tiled copies and bulk groups.

Coordinates count elements, outermost dimension first, as everywhere above the LLVM stage.
"""

from collections.abc import Sequence as SequenceABC
from math import prod
from typing import Any, Sequence  # noqa: UP035 - ext reads typing.Sequence

from tilec.dialects.common.effects import Hints
from tilec.dialects.common.element_access import COMBINE, find_combination_error
from tilec.dialects.common.verify import is_i32
from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.dialects.nv_tileas.base import (
    BARRIER,
    DESCRIPTOR,
    SHARED,
    CheckedOperation,
    find_choice_error,
    find_count_error,
)
from tilec.dialects.nv_tileas.cluster_ops import ONE_AXIS, cluster_of, find_sharing_error
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ir

MAX_BOX_EXTENT = 256
"""Largest box extent in elements (cuda.h, cuTensorMapEncodeTiled, boxDim)."""
BOX_ALIGNMENT_BYTES = 16
"""The innermost box extent in bytes is a multiple of this (same source)."""
MAX_RANK = 5
"""Largest tensor-map rank (same source)."""

CACHE_HINT = "cache_hint"
"""Attribute of a TMA store: how long L2 should keep what it writes."""
EVICT_FIRST = "evict_first"
"""Leave L2 before everything else (PTX ISA, cache eviction priority hints)."""


class MakeTiledTmaDescOp(CheckedOperation, name="make_tiled_tma_desc", traits=[Pure]):
    """Describe a global view to the TMA unit.

    Operands:
        view: Memref in storage order (innermost dimension last, of stride 1).

    Attributes:
        box: Extents in elements of one copy, outer first.
        swizzle: Bytes of the swizzle span: 0, 32, 64 or 128.
        tmaIdx: Number of the descriptor in the kernel.
        mode: `load`, `store`, or `combine` for stores that add elements or combine their bits, for
            which the map may need another element type.
        l2_promotion: Bytes that come into L2 at a time, where they are not the usual ones.
    """

    TYPES = (("view", (MemrefType, "expects a memref")), ("descriptor", DESCRIPTOR))

    view: Operand[Any]
    descriptor: Result[Any]
    box: Any
    swizzle: ir.IntegerAttr
    tmaIdx: ir.IntegerAttr  # noqa: N815 - the walk-through's spelling
    mode: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the message for a box that cuTensorMapEncodeTiled would refuse."""
        return self._find_box_error() or find_choice_error(self, "mode", ("load", "store", COMBINE))

    def _find_box_error(self) -> str | None:
        box = elements_of(self.box)
        swizzle = self.swizzle.value
        if tuple(box) != self.descriptor.type.box_shape:
            return "tmaBoxDim and atomBoxDim mismatch"
        if not 1 <= len(box) <= MAX_RANK:
            return f"expects a rank in [1, {MAX_RANK}], but got {len(box)}"
        if len(box) != self.view.type.rank:
            return f"expects a box of rank {self.view.type.rank}, but got {len(box)}"
        for extent in box:
            if not 1 <= extent <= MAX_BOX_EXTENT:
                return f"tma box extents must be in [1, {MAX_BOX_EXTENT}], but got {extent}"
        element = ir.RankedTensorType(ir.TypeAttr(self.descriptor.type.box).value).element_type
        inner_bytes = box[-1] * element_bits(element) // 8
        if inner_bytes % BOX_ALIGNMENT_BYTES:
            return "tma boxDims[0] * elemTypeBitWidth is not a multiple of 16 bytes"
        if swizzle not in (0, 32, 64, 128):
            return f"unsupported swizzle, got {swizzle}"
        if swizzle and inner_bytes > swizzle:
            return (
                "smem layout is not TMA compatible:"
                f" {inner_bytes} bytes of the innermost box extent exceed the swizzle span"
                f" {swizzle}"
            )
        return None


class AsyncTiledTmaLoadOp(CheckedOperation, name="async_tiled_tma_load"):
    """One elected thread starts copying one box from global into shared memory.

    Operands:
        descriptor: Descriptor of the source.
        destination: Shared-memory tile that holds the box.
        coords: Element coordinates of the box, outer first (i32).
        barrier: mbarrier on which the copy completes `tx_count` bytes.

    Attributes:
        box_index: Which box of the destination tile.
        tx_count: Bytes of the box; out-of-bounds parts are zero-filled and counted.
        tmaIdx: Number of the descriptor.
        multicast_axis: Cluster axis along which the box goes to the same place of every CTA, and
            completes its bytes on the barrier of each; absent when only this CTA gets it. The
            CTAs divide the boxes: `box_index` counts from the first box of this CTA's share.
        cluster: Rows and columns of CTAs; with `multicast_axis` only.
    """

    TYPES = (("descriptor", DESCRIPTOR), ("destination", SHARED), ("barrier", BARRIER))

    descriptor: Operand[Any]
    destination: Operand[Any]
    coords: Sequence[Operand[Any]]
    barrier: Operand[Any]
    box_index: ir.IntegerAttr
    tx_count: ir.IntegerAttr
    tmaIdx: ir.IntegerAttr  # noqa: N815 - the walk-through's spelling

    def find_error(self) -> str | None:
        """Return the message for operands that do not fit the descriptor, or a wrong count."""
        name = "multicast_axis"
        axes = [self.attributes[name].value] if name in self.attributes else []
        message = find_sharing_error(self, name, axes, ONE_AXIS)
        message = message or _find_box_mismatch(self, self.destination.type)
        if message is not None:
            return message
        box = ir.RankedTensorType(ir.TypeAttr(self.descriptor.type.box).value)
        expected = box_bytes(box.shape, box.element_type)
        if self.tx_count.value != expected:
            return f"attribute 'tx_count' must be {expected}, but got {self.tx_count.value}"
        return None


class AsyncTiledTmaStoreOp(CheckedOperation, name="async_tiled_tma_store"):
    """One elected thread starts to copy one box from shared into global memory, or to combine it.

    Attributes:
        box_index: Which box of the tile it is.
        tmaIdx: Number of the descriptor.
        cache_hint: What L2 should do with the lines (`evict_first`); absent for the usual.
        combine: As that of `tiled_store`.
    """

    TYPES = (("descriptor", DESCRIPTOR), ("source", SHARED))

    descriptor: Operand[Any]
    source: Operand[Any]
    coords: Sequence[Operand[Any]]
    box_index: ir.IntegerAttr
    tmaIdx: ir.IntegerAttr  # noqa: N815 - the walk-through's spelling

    def find_error(self) -> str | None:
        """Return the message for operands that do not fit the descriptor, or an unknown hint."""
        message = _find_box_mismatch(self, self.source.type)
        if message is None and CACHE_HINT in self.attributes:
            message = find_choice_error(self, CACHE_HINT, (EVICT_FIRST,))
        element = self.source.type.element_type
        return message or find_combination_error(self, COMBINE, element)


class AsyncTiledTmaPrefetchOp(CheckedOperation, name="async_tiled_tma_prefetch", traits=[Hints]):
    """One elected thread asks for one box of global memory to be in L2.

    Operands:
        descriptor: Descriptor of the source.
        coords: Element coordinates of the box, outer first (i32).

    Attributes:
        tmaIdx: Number of the descriptor.
    """

    TYPES = (("descriptor", DESCRIPTOR),)

    descriptor: Operand[Any]
    coords: Sequence[Operand[Any]]
    tmaIdx: ir.IntegerAttr  # noqa: N815 - the walk-through's spelling

    def find_error(self) -> str | None:
        """Return the message for coordinates that do not fit the descriptor."""
        rank = len(self.descriptor.type.box_shape)
        if len(self.coords) != rank:
            return f"expects {rank} coordinates, but got {len(self.coords)}"
        wrong = next((coord for coord in self.coords if not is_i32(coord.type)), None)
        return None if wrong is None else f"expects coordinates of i32, but got {wrong.type}"


class BulkCommitOp(NvTileAS.Operation, name="bulk_commit"):
    """The elected thread closes the group of bulk stores that it started."""


class BulkWaitOp(CheckedOperation, name="bulk_wait"):
    """The elected thread waits until at most `pending` of its bulk groups are in flight.

    Attributes:
        pending: Groups that may stay in flight.
        read: True waits only until the shared-memory sources may be overwritten.
    """

    pending: ir.IntegerAttr
    read: Any

    def find_error(self) -> str | None:
        """Return the message for a negative number of groups."""
        return find_count_error(self, "pending", 0)


def element_bits(element_type: Any) -> int:
    """Return the size in bits of a number type as it lies in memory (i1 and tf32 are padded)."""
    width = ir.IntegerType(element_type).width if isinstance(element_type, ir.IntegerType) else None
    if width is not None:
        return max(8, width)
    if isinstance(element_type, ir.FloatTF32Type):
        return 32
    return ir.FloatType(element_type).width


def box_bytes(shape: SequenceABC[int], element_type: Any) -> int:
    """Return the bytes of a box of `shape`."""
    return prod(shape) * element_bits(element_type) // 8


def _find_box_mismatch(op: Any, tile: Any) -> str | None:
    """Return how the coordinates or shared-memory tile of `op` miss its descriptor."""
    box = op.descriptor.type.box_shape
    coords = list(op.coords)
    if len(coords) != len(box):
        return f"expects {len(box)} coordinates, but got {len(coords)}"
    for coord in coords:
        if not is_i32(coord.type):
            return f"expects CoordType is same as memref index type, but got {coord.type}"
    if tile.layout.box_shape != box:
        return "tma box-dim and copy atom box-dim mismatch"
    boxes = prod(extent // part for extent, part in zip(tile.shape, box, strict=True))
    if "multicast_axis" in op.attributes:
        peers = cluster_of(op)[op.attributes["multicast_axis"].value]
        if boxes % peers:
            return f"expects a number of boxes that {peers} CTAs can divide, but got {boxes}"
        boxes //= peers
    if 0 <= op.box_index.value < boxes:
        return None
    return f"attribute 'box_index' must be in [0, {boxes - 1}], but got {op.box_index.value}"
