"""Split-K: turns at the partial sum of a tile, and the memory that it lies in.

The CTAs that share the k-tiles of a tile add up their parts one after the other. A counter per tile
says whose turn it is; between the turns, the sum so far lies in the workspace. Every thread reads
and writes the registers that it holds of an accumulator, which all CTAs hold in the same layout, so
partial sums have no layout of their own: `[tile][register / 4][thread]` vectors of four.
"""

from typing import Any

from tilec.dialects.nv_tileaa.types import PtrType
from tilec.dialects.nv_tileas.base import REGISTERS, CheckedOperation
from tilec.ir.bindings import Operand, Pure, Result, ir

POINTER = (PtrType, "expects an address in global memory")
I32 = (ir.IntegerType, "expects an i32")


class WorkspaceOp(CheckedOperation, name="workspace", traits=[Pure]):
    """Return the address of device memory that the launcher provides.

    `nv-tileas-attach-workspaces` makes it a hidden parameter of the kernel.

    Attributes:
        hidden_name: Name of the parameter; one per name.
        size: Size in bytes, a host expression over dims, scalars and constants.
        zeroed: Present where it holds zeros when the kernel starts; the kernel leaves zeros behind.
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


class AwaitTurnOp(CheckedOperation, name="await_turn"):
    """Wait in one thread of the role until it is the turn of a split of a tile.

    What other CTAs wrote before they passed the turn on is visible to this thread, and to the role
    behind its next barrier.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
        turn: Number of the split.
    """

    TYPES = (("counters", POINTER), ("tile", I32), ("turn", I32))

    counters: Operand[Any]
    tile: Operand[Any]
    turn: Operand[Any]


class PassTurnOp(CheckedOperation, name="pass_turn"):
    """Pass the turn at a tile on to the next split, in one thread of the role.

    What the role wrote before its last barrier is visible to the next split.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
    """

    TYPES = (("counters", POINTER), ("tile", I32))

    counters: Operand[Any]
    tile: Operand[Any]


class ResetTurnOp(CheckedOperation, name="reset_turn"):
    """Set the counter of a tile to zero for the next launch, behind its last split.

    Operands:
        counters: A counter (i32) per tile.
        tile: Number of the tile.
    """

    TYPES = (("counters", POINTER), ("tile", I32))

    counters: Operand[Any]
    tile: Operand[Any]


class AddPartialOp(CheckedOperation, name="add_partial"):
    """Add the partial sum of a tile to an accumulator.

    Operands:
        acc: The accumulator.
        partials: Partial sums (f32) of all tiles.
        tile: Number of the tile.
    """

    TYPES = (("acc", REGISTERS), ("partials", POINTER), ("tile", I32), ("sum", REGISTERS))

    acc: Operand[Any]
    partials: Operand[Any]
    tile: Operand[Any]
    sum: Result[Any]

    @classmethod
    def build(cls, acc: Any, partials: Any, tile: Any, **where: Any) -> Any:
        """Build the op and return the sum."""
        return cls(acc=acc, partials=partials, tile=tile, sum=acc.type, **where).sum

    def find_error(self) -> str | None:
        """Return the message for a tile that is no f32 accumulator."""
        if self.sum.type != self.acc.type:
            return f"expects a sum of type {self.acc.type}, but got {self.sum.type}"
        return _find_element_error(self.acc)


class StorePartialOp(CheckedOperation, name="store_partial"):
    """Leave the partial sum of a tile for the next split.

    Operands:
        sum: The sum so far.
        partials: Partial sums (f32) of all tiles.
        tile: Number of the tile.
    """

    TYPES = (("sum", REGISTERS), ("partials", POINTER), ("tile", I32))

    sum: Operand[Any]
    partials: Operand[Any]
    tile: Operand[Any]

    def find_error(self) -> str | None:
        """Return the message for a tile that is no f32 accumulator."""
        return _find_element_error(self.sum)


def _find_element_error(tile: Any) -> str | None:
    element = tile.type.element_type
    return None if isinstance(element, ir.F32Type) else f"expects a tile of f32, but got {element}"
