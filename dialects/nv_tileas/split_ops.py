"""Split-K: the partial sums of a tile, the counter that says how many are there, and their memory.

The CTAs that share the k-tiles of a tile leave their partial sums in a workspace, each in a place
of its own, except for the last split, which adds them all to its own. A counter per tile says how
many of them are there. Every thread reads and writes the registers that it holds of an accumulator,
which all CTAs hold in the same layout, so partial sums have no layout of their own:
`[tile][split][register / 4][thread]` vectors of four.
"""

from typing import Any

from tilec.dialects.nv_tileaa.types import PtrType
from tilec.dialects.nv_tileas.base import (
    REGISTERS,
    CheckedOperation,
    find_count_error,
    find_element_error,
)
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64

POINTER = (PtrType, "expects an address in global memory")
I32 = (ir.IntegerType, "expects an i32")
PARTIALS = ("f32", "i32")
"""Element types of partial sums: those of 32 bits."""


class WorkspaceOp(CheckedOperation, name="workspace", traits=[Pure]):
    """Return the address of device memory that the launcher provides.

    `nv-tileas-attach-workspaces` makes it a hidden parameter of the kernel.

    Attributes:
        hidden_name: Name of the parameter; one per name.
        size: Size in bytes, a host expression over dims, scalars and constants.
        zeroed: Present where it holds zeros when the kernel starts; the kernel restores the zeros.
    """

    TYPES = (("address", POINTER),)

    address: Result[Any]
    hidden_name: ir.StringAttr
    size: ir.StringAttr

    @classmethod
    def build(cls, hidden_name: str, size: str, element: Any, *, zeroed: bool, **where: Any) -> Any:
        """Build the op and return the address, of elements of type `element`."""
        made = cls(
            address=PtrType.of(element),
            hidden_name=ir.StringAttr.get(hidden_name),
            size=ir.StringAttr.get(size),
            **where,
        )
        if zeroed:
            made.attributes["zeroed"] = ir.UnitAttr.get()
        return made.address


class AwaitPartialsOp(CheckedOperation, name="await_partials"):
    """Wait in one thread of the role until the partial sums of a tile are there.

    What other CTAs wrote before they counted up is visible to this thread, and to the role after
    its next barrier.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
        count: Partial sums to wait for.
    """

    TYPES = (("counters", POINTER), ("tile", I32), ("count", I32))

    counters: Operand[Any]
    tile: Operand[Any]
    count: Operand[Any]


class ArrivePartialOp(CheckedOperation, name="arrive_partial"):
    """Count a partial sum of a tile as there, in one thread of the role.

    What the role wrote before its last barrier is visible to the CTA that waits for it.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
    """

    TYPES = (("counters", POINTER), ("tile", I32))

    counters: Operand[Any]
    tile: Operand[Any]


class ResetPartialsOp(CheckedOperation, name="reset_partials"):
    """Set the counter of a tile to zero for the next launch, in its last split.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
    """

    TYPES = (("counters", POINTER), ("tile", I32))

    counters: Operand[Any]
    tile: Operand[Any]


class AddPartialOp(CheckedOperation, name="add_partial"):
    """Add the partial sum of a split to an accumulator.

    Operands:
        acc: The accumulator.
        partials: Partial sums (f32 or i32) of all tiles.
        tile: Number of the tile.
        split: Number of the split, below `count`.

    Attributes:
        count: Partial sums of a tile.
    """

    TYPES = (
        ("acc", REGISTERS),
        ("partials", POINTER),
        ("tile", I32),
        ("split", I32),
        ("sum", REGISTERS),
    )

    acc: Operand[Any]
    partials: Operand[Any]
    tile: Operand[Any]
    split: Operand[Any]
    sum: Result[Any]
    count: ir.IntegerAttr

    @classmethod
    def build(cls, acc: Any, partials: Any, tile: Any, split: Any, count: int, **where: Any) -> Any:
        """Build the op and return the sum."""
        places = {"partials": partials, "tile": tile, "split": split, "count": i64(count)}
        return cls(acc=acc, sum=acc.type, **places, **where).sum

    def find_error(self) -> str | None:
        """Return the message for a tile that is no accumulator, or for no partial sums."""
        if self.sum.type != self.acc.type:
            return f"expects a sum of type {self.acc.type}, but got {self.sum.type}"
        return find_element_error(self.acc, PARTIALS) or find_count_error(self, "count", 1)


class StorePartialOp(CheckedOperation, name="store_partial"):
    """Leave the partial sum of a split for the last split of its tile.

    Operands:
        sum: The partial sum.
        partials: Partial sums (f32 or i32) of all tiles.
        tile: Number of the tile.
        split: Number of the split, below `count`.

    Attributes:
        count: Partial sums of a tile.
    """

    TYPES = (("sum", REGISTERS), ("partials", POINTER), ("tile", I32), ("split", I32))

    sum: Operand[Any]
    partials: Operand[Any]
    tile: Operand[Any]
    split: Operand[Any]
    count: ir.IntegerAttr

    @classmethod
    def build(cls, own: Any, partials: Any, tile: Any, split: Any, count: int, **where: Any) -> Any:
        """Build the op for the accumulator `own` of a split."""
        places = {"partials": partials, "tile": tile, "split": split, "count": i64(count)}
        return cls(sum=own, **places, **where)

    def find_error(self) -> str | None:
        """Return the message for a tile that is no accumulator, or for no partial sums."""
        return find_element_error(self.sum, PARTIALS) or find_count_error(self, "count", 1)
