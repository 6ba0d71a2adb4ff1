"""Clusters: the place of a CTA in its cluster, what CTAs send to each other, and their common end.

A cluster covers `rows x columns` neighbouring tiles of the last two grid axes, one tile a CTA. CTAs
of a cluster are numbered along the rows first: rank = row + column * rows. Where a block is spread
over CTAs (plan field `spread`), these are the rows of a cluster that covers one tile.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.combine_ops import SOURCES, ScanBase, reduced_shape
from tilec.dialects.common.shape_ops import is_tile_of
from tilec.dialects.common.verify import report, shape_text, total
from tilec.dialects.nv_tileas.base import (
    BARRIER,
    REGISTERS,
    SHARED,
    CheckedOperation,
    find_count_error,
)
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import find_tile_mismatch
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64

ONE_AXIS = "be 0 or 1"
"""Rule for an attribute that is a cluster axis."""
SENT_BITS = (32, 64)
"""Sizes of the elements that CTAs send to each other (PTX ISA, st.async)."""
SOME_AXES = "hold 0, 1 or both"
"""Rule for an attribute that holds cluster axes."""


class _ClusterQuery(CheckedOperation):
    """Base of the queries: they return an i32 and know the extents of the cluster."""

    @classmethod
    def _extents(cls, cluster: tuple[int, int]) -> Any:
        return ir.DenseI64ArrayAttr.get(list(cluster))

    def find_error(self) -> str | None:
        """Return the message for impossible extents."""
        return _find_extents_error(self)


class ClusterIdOp(_ClusterQuery, name="cluster_id", traits=[Pure]):
    """Return the index of this CTA's cluster in the flattened grid (i32).

    Attributes:
        cluster: Rows and columns of CTAs.
    """

    index: Result[Any]
    cluster: Any

    @classmethod
    def build(cls, cluster: tuple[int, int], **where: Any) -> Any:
        """Build the op and return the index."""
        i32 = ir.IntegerType.get_signless(32)
        return cls(index=i32, cluster=cls._extents(cluster), **where).index


class NumClustersOp(_ClusterQuery, name="num_clusters", traits=[Pure]):
    """Return the number of clusters of the grid (i32).

    Attributes:
        cluster: Rows and columns of CTAs.
    """

    count: Result[Any]
    cluster: Any

    @classmethod
    def build(cls, cluster: tuple[int, int], **where: Any) -> Any:
        """Build the op and return the count."""
        i32 = ir.IntegerType.get_signless(32)
        return cls(count=i32, cluster=cls._extents(cluster), **where).count


class ClusterCoordOp(_ClusterQuery, name="cluster_coord", traits=[Pure]):
    """Return this CTA's row (axis 0) or column (axis 1) in its cluster (i32).

    Attributes:
        axis: 0 or 1.
        cluster: Rows and columns of CTAs.
    """

    coord: Result[Any]
    axis: ir.IntegerAttr
    cluster: Any

    @classmethod
    def build(cls, axis: int, cluster: tuple[int, int], **where: Any) -> Any:
        """Build the op and return the coordinate."""
        i32 = ir.IntegerType.get_signless(32)
        return cls(coord=i32, axis=i64(axis), cluster=cls._extents(cluster), **where).coord

    def find_error(self) -> str | None:
        """Return the message for impossible extents or an axis that does not exist."""
        if self.axis.value not in (0, 1):
            return f"attribute 'axis' must be 0 or 1, but got {self.axis.value}"
        return super().find_error()


class ClusterSyncOp(NvTileAS.Operation, name="cluster_sync"):
    """Wait until every role of every CTA of the cluster has come here.

    Ends a role whose rings reach into other CTAs: a CTA must not exit while others may still arrive
    on its barriers or copy into its shared memory (PTX ISA, shared::cluster).
    """


class AwaitClusterOp(NvTileAS.Operation, name="await_cluster"):
    """Wait until all CTAs of the cluster have initialised their barriers.

    A kernel with this operation does not wait for that before its roles. It must come before
    anything that reaches into another CTA; each thread of the role that sends runs it once.
    """


class ClusterSendOp(CheckedOperation, name="cluster_send"):
    """Send each CTA's part of a tile to all CTAs of the cluster.

    Operands:
        tile: Tile whose register layout divides it among the CTAs. Its elements have 32 or 64 bits.
        destination: Slot that the whole tile has in each CTA, at the same place.
        barrier: The mbarrier of the slot; in each CTA the bytes that arrive count on it.

    Attributes:
        cluster: Rows and columns of CTAs.
        multicast_axis: Cluster axis along which the CTAs send to each other.
        tx_count: Bytes of the part.
    """

    TYPES = (("tile", REGISTERS), ("destination", SHARED), ("barrier", BARRIER))

    tile: Operand[Any]
    destination: Operand[Any]
    barrier: Operand[Any]
    tx_count: ir.IntegerAttr

    @classmethod
    def build(cls, tile: Any, destination: Any, barrier: Any, ctas: int, size: int) -> Any:
        """Build the op for `ctas` CTAs, each of which sends `size` bytes; return it."""
        op = cls(
            tile=tile,
            destination=destination,
            barrier=barrier,
            tx_count=i64(size),
        )
        op.attributes["cluster"] = ir.DenseI64ArrayAttr.get([ctas, 1])
        op.attributes["multicast_axis"] = i64(0)
        return op

    def find_error(self) -> str | None:
        """Return the message for elements of other sizes, another tile or another cluster."""
        element = self.tile.type.element_type
        if getattr(element, "width", 0) not in SENT_BITS:
            return f"expects elements of 32 or 64 bits, but got {element}"
        message = find_tile_mismatch(self.destination.type, self.tile.type)
        if message is not None:
            return message
        name = "multicast_axis"
        axes = [self.attributes[name].value] if name in self.attributes else []
        return find_count_error(self, "tx_count", 1) or find_sharing_error(
            self, name, axes, ONE_AXIS
        )


class CombineBeforeOp(ScanBase, dialect=NvTileAS, name="combine_before"):
    """Combine a tile of which each CTA has scanned its part with the parts of the CTAs before.

    The body, and the attribute `reverse`, are those of the scan.

    Operands:
        first to fourth: The scanned tiles; all elements of a part are along the axis after `axis`.
        first_parts to fourth_parts: What the elements of each part give: tiles without that axis.

    Attributes:
        axis: The axis along which the parts follow one another (i64).
    """

    first_parts: Operand[Any] | None = None
    second_parts: Operand[Any] | None = None
    third_parts: Operand[Any] | None = None
    fourth_parts: Operand[Any] | None = None

    @classmethod
    def build(cls, sources: Sequence[Any], parts: Sequence[Any], axis: int) -> Any:
        """Return the operation with an empty block of the right arguments."""
        found = zip(SOURCES, parts, strict=False)
        fields = {f"{name}_parts": tile for name, tile in found}
        return cls.create(sources, axis, [source.type for source in sources], **fields)

    @property
    def sources(self) -> list[Any]:
        """The scanned tiles."""
        return list(self.operation.operands)[: len(self.operation.results)]

    @property
    def parts(self) -> list[Any]:
        """What the parts of each give."""
        return list(self.operation.operands)[len(self.operation.results) :]

    @total
    def verify_invariants(self) -> bool:
        """Report other tiles of parts, besides what is wrong of a scan."""
        if not super().verify_invariants():
            return False
        if len(self.parts) != len(self.sources):
            return report(self, f"has {len(self.sources)} tiles, but {len(self.parts)} of parts")
        shape, axis = list(self.sources[0].type.shape), self.axis.value
        if axis + 1 >= len(shape):
            return report(self, f"expects an axis after axis {axis} of rank {len(shape)}")
        shape = reduced_shape(shape, axis + 1)
        for source, part in zip(self.sources, self.parts, strict=True):
            if not is_tile_of(part.type, shape, source.type.element_type):
                what = f"{shape_text(shape)} and {source.type.element_type}"
                return report(self, f"expects parts of {what}, but got {part.type}")
        return True


def _find_extents_error(op: Any) -> str | None:
    extents = elements_of(op.attributes["cluster"])
    if len(extents) == 2 and min(extents) >= 1:
        return None
    return f"attribute 'cluster' must hold two positive extents, but got {extents}"


def find_sharing_error(op: Any, name: str, axes: Sequence[int], rule: str) -> str | None:
    """Return the message for an op that shares tiles along axes which it has not, or None.

    Args:
        op: An operation with the attributes `cluster` and `name`, both or neither.
        name: Attribute that holds the cluster axes.
        axes: Its value; empty where it is absent.
        rule: What the value must be, in words.
    """
    if ("cluster" in op.attributes) != (name in op.attributes):
        return f"expects both or none of the attributes 'cluster' and '{name}'"
    if name not in op.attributes:
        return None
    if not axes or len(set(axes)) != len(axes) or not {0, 1}.issuperset(axes):
        found = axes[0] if len(axes) == 1 and rule == ONE_AXIS else list(axes)
        return f"attribute '{name}' must {rule}, but got {found}"
    return _find_extents_error(op)


def cluster_of(op: Any) -> tuple[int, int]:
    """Return the extents in attribute `cluster` of `op`; one CTA where there is none."""
    if "cluster" not in op.attributes:
        return (1, 1)
    rows, columns = elements_of(ir.DenseI64ArrayAttr(op.attributes["cluster"]))
    return rows, columns
