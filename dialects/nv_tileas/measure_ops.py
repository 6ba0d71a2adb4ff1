"""Tables that a CTA fills before its roles start."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.measure_ops import MeasureTilesBase
from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.base import CheckedOperation
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.split_ops import I32, POINTER
from tilec.ir.bindings import Operand, Region, Result


class MeasureTilesOp(MeasureTilesBase, dialect=NvTileAS, name="measure_tiles"):
    """Write the least and the largest element of every tile of an array to a table."""


class TabulateOp(CheckedOperation, name="tabulate"):
    """Write a number for every work item of this CTA to a table, before its roles start.

    Every thread runs the region for items of its own. What it loads nothing in the kernel writes.

    Operands:
        table: Address of the table, which has an i64 for each item of the grid.
        first: Number of the first item of this CTA (i32).
        end: Number of items of the grid (i32).
        step: What the numbers of two items of this CTA differ by (i32).

    Regions:
        body: Takes the number of an item (i32), and yields its i64.

    Results:
        made: The address of the table when it is written.
    """

    TYPES = (("table", POINTER), ("first", I32), ("end", I32), ("step", I32), ("made", POINTER))

    table: Operand[Any]
    first: Operand[Any]
    end: Operand[Any]
    step: Operand[Any]
    made: Result[Any]
    body: Region

    @classmethod
    def build(cls, table: Any, items: Sequence[Any], **where: Any) -> Any:
        """Build the op with an empty region and return it; `items` are first, end and step."""
        first, end, step = items
        return cls(table=table, first=first, end=end, step=step, made=table.type, **where)

    def verify_region_invariants(self) -> bool:
        """The region is a block that takes an i32 and yields an i64."""
        blocks = list(self.body.blocks)
        ops = [op.operation for op in blocks[0].operations] if blocks else []
        if not ops or ops[-1].name != "nv_tileas.yield_values":
            return report(self, "expects its region to end with 'nv_tileas.yield_values'")
        takes = [str(argument.type) for argument in blocks[0].arguments]
        gives = [str(value.type) for value in ops[-1].operands]
        if (takes, gives) != (["i32"], ["i64"]):
            return report(self, f"expects i32 -> i64, but got {', '.join(takes)} -> {gives}")
        return True
