"""Ends of tiles: between which numbers the elements of a loaded tile lie."""

from typing import Any

from tilec.dialects.common.measure_ops import MeasureTilesBase
from tilec.dialects.common.verify import report, total
from tilec.dialects.nv_tileaa.dialect import NvTileAA
from tilec.dialects.nv_tileaa.types import PtrType
from tilec.ir.bindings import Operand, Pure, Result, ir


class MeasureTilesOp(MeasureTilesBase, dialect=NvTileAA, name="measure_tiles"):
    """Write the least and the largest element of every tile of an array to a table."""


class WorkspaceOp(NvTileAA.Operation, name="workspace", traits=[Pure]):
    """Return the address of device memory that the launcher provides, of any content.

    Attributes:
        hidden_name: Name of the parameter that it becomes; one per name.
        size: Size in bytes, a host expression over dims, scalars and constants.
    """

    address: Result[Any]
    hidden_name: ir.StringAttr
    size: ir.StringAttr

    @total
    def verify_invariants(self) -> bool:
        """Report a result that is no address."""
        if not isinstance(self.address.type, PtrType):
            return report(self, f"expects an address in global memory, but got {self.address.type}")
        return True

    @classmethod
    def build(cls, hidden_name: str, size: str, element: Any, **where: Any) -> Any:
        """Build the op and return the address, of elements of type `element`."""
        texts = {"hidden_name": ir.StringAttr.get(hidden_name), "size": ir.StringAttr.get(size)}
        return cls(address=PtrType.of(element), **texts, **where).address


class BoundedOp(NvTileAA.Operation, name="bounded", traits=[Pure]):
    """Return a tile of signed integers, none of which is below `low` or above `high`.

    Operands:
        tile: The tile.
        low: A scalar.
        high: A scalar.
    """

    tile: Operand[Any]
    low: Operand[Any]
    high: Operand[Any]
    result: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report a tile that is no tile of integers, or ends of another type."""
        type_ = self.tile.type
        if not isinstance(type_, ir.RankedTensorType):
            return report(self, f"expects a tile, but got {type_}")
        ends = [value.type for value in (self.low, self.high)]
        if not isinstance(type_.element_type, ir.IntegerType) or ends != [type_.element_type] * 2:
            return report(self, f"expects ends of type {type_.element_type}, but got {ends[0]}")
        if self.result.type != type_:
            return report(self, "expects the result to have the type of the tile")
        return True

    @classmethod
    def build(cls, tile: Any, low: Any, high: Any, **where: Any) -> Any:
        """Build the op and return the tile."""
        return cls(tile=tile, low=low, high=high, result=tile.type, **where).result
