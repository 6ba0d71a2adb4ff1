"""Tables that a CTA fills before its roles start."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.measure_ops import MeasureTilesBase
from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.base import CheckedOperation
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.split_ops import I32, POINTER
from tilec.ir.bindings import Operand, Region, Result, ir
from tilec.ir.integers import i64
from tilec.ir.structured import defining_operation

COST_CLASSES = 32
"""Classes of costs of `order_items`: one for each lane of a warp, two for each power of two."""
MOST_WARPS = 32
"""Warps of a CTA (CUDA programming guide, technical specifications)."""
MOST_DEALT = 160
"""CTAs to which tiles are dealt out at most: five for each lane of a warp. An H100 has 132 SMs."""


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
        return _verify_body(self, "i64")


class OrderItemsOp(CheckedOperation, name="order_items"):
    """Sort work items by what they cost, before the roles of a CTA start: the most expensive first.

    The order is one of classes of costs, which grow by a quarter: items of a class stay in their
    order. Every CTA writes the same table, so none waits for another one. What the region loads
    nothing in the kernel writes.

    Operands:
        table: Address of the table (`order_bytes`).
        count: Number of items (i32).

    Regions:
        body: Takes the number of an item (i32), and yields its cost (i32), which is not negative.
            Items without cost are left out.

    Results:
        made: The address of the table when it is written: the numbers of the items in order. Only
            `deal_items` reads it.
    """

    TYPES = (("table", POINTER), ("count", I32), ("made", POINTER))

    table: Operand[Any]
    count: Operand[Any]
    made: Result[Any]
    body: Region

    @classmethod
    def build(cls, table: Any, count: Any, **where: Any) -> Any:
        """Build the op with an empty region and return it."""
        return cls(table=table, count=count, made=table.type, **where)

    def verify_region_invariants(self) -> bool:
        """The region is a block that takes an i32 and yields an i32."""
        return _verify_body(self, "i32")


class DealItemsOp(CheckedOperation, name="deal_items"):
    """Deal sorted work items out to the CTAs, before their roles start.

    A *tile* is an item and the number of its free digits. The order has parts, one after the other:
    `together` numbers of free digits, or a few more, of each item next to each other. CTAs take the
    tiles of a part row by row, a tile each in a row. The less a CTA has had to do, the more it
    gets. Every CTA decides the same.

    Operands:
        table: Address of the table (`deal_bytes`).
        order: The table of `order_items`.
        count: Number of items, those that are left out included (i32).
        free: How many numbers free digits have (i32).
        together: How many of them run at the same time (i32), at least 1.

    Attributes:
        balanced: 1 if what CTAs have had to do counts, 0 where all tiles cost the same.

    Results:
        made: The address of the table when it is written. Each of the first `MOST_DEALT` CTAs has a
            list of i64: how many tiles it takes, and the tiles. The lower half of a tile is its
            item, the upper half the number of its free digits. A list has a word, one for each row
            of all tiles, and one for each number of free digits.
    """

    TYPES = (
        *(("table", POINTER), ("order", POINTER), ("made", POINTER)),
        *(("count", I32), ("free", I32), ("together", I32)),
    )

    table: Operand[Any]
    order: Operand[Any]
    count: Operand[Any]
    free: Operand[Any]
    together: Operand[Any]
    made: Result[Any]
    balanced: ir.IntegerAttr

    def find_error(self) -> str | None:
        """The items are sorted."""
        maker = defining_operation(self.order)
        if maker is None or maker.name != OrderItemsOp.OPERATION_NAME:
            return "expects the table of an 'nv_tileas.order_items'"
        return None

    @classmethod
    def build(
        cls, table: Any, order: Any, sizes: Sequence[Any], *, balanced: bool, **where: Any
    ) -> Any:
        """Build the op and return the address; `sizes` are count, free and together."""
        count, free, together = sizes
        made = cls(
            table=table,
            order=order,
            count=count,
            free=free,
            together=together,
            made=table.type,
            balanced=i64(balanced),
            **where,
        )
        return made.made


def order_bytes(items: str) -> str:
    """Return the bytes of the table of `order_items`, as a host expression over that of the items.

    An i32 for each place of the order and for the cost of the item there, for how many have one,
    for the class and the cost of each item, and for each warp and class.
    """
    return f"({items}) * 16 + {(MOST_WARPS * COST_CLASSES + 1) * 4}"


def deal_bytes(tiles: str, free: str) -> str:
    """Return the bytes of the table of `deal_items`, as a host expression over both counts."""
    return f"({tiles}) * 8 + ({free}) * {8 * MOST_DEALT} + {16 * MOST_DEALT}"


def _verify_body(op: Any, gives: str) -> bool:
    """Report a region that is not a block from i32 to `gives`."""
    blocks = list(op.body.blocks)
    ops = [inner.operation for inner in blocks[0].operations] if blocks else []
    if not ops or ops[-1].name != "nv_tileas.yield_values":
        return report(op, "expects its region to end with 'nv_tileas.yield_values'")
    takes = [str(argument.type) for argument in blocks[0].arguments]
    given = [str(value.type) for value in ops[-1].operands]
    if (takes, given) != (["i32"], [gives]):
        return report(op, f"expects i32 -> {gives}, but got {', '.join(takes)} -> {given}")
    return True
