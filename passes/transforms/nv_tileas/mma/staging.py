"""Stores operands of products into buffers, once for all products that read them."""

from typing import Any

from tilec.dialects.nv_tileas import AllocSharedOp, BarrierOp, FenceProxyOp, StoreSharedOp
from tilec.ir.bindings import ir
from tilec.ir.sequences import at_level
from tilec.ir.structured import enclosing_loops
from tilec.layout.shared import SharedLayout
from tilec.passes.analysis.kernels import role_block
from tilec.passes.analysis.mma.staging import Staged, StagedOperands, staging_place
from tilec.passes.analysis.tma.shared_layouts import shared_tile_type


class Staging:
    """The buffers of operands that threads store, and the barriers that guard them.

    Attributes:
        operands: The operands that are staged.
        readers: By operand that is staged: the last product so far that reads it.
    """

    def __init__(self) -> None:
        """Begin with no operand."""
        self.operands = StagedOperands()
        self.readers: dict[Staged, Any] = {}
        self._allocated: list[tuple[Staged, Any]] = []
        self._stored: list[Any] = []
        self._read: list[Staged] = []

    def buffer_of(self, op: Any, tile: Any, layout: SharedLayout) -> Any:
        """Return the buffer in which product `op` finds `tile`; store the tile there if it is new.

        Args:
            op: The product.
            tile: The operand, in registers.
            layout: How the product reads it.
        """
        staged = self.operands.at(op, tile, layout)
        if staged is None:
            place = staging_place(op, tile)
            buffer = self._free(place, tile, layout) or _allocate(op, tile, layout)
            staged = Staged(place.block, buffer)
            with ir.InsertionPoint(place), op.location:
                store = StoreSharedOp(tile=tile, destination=staged.buffer)
            self._allocated.append((staged, store.operation))
            self.operands.add(tile, layout, staged)
            self._stored.append(place)
        self._read.append(staged)
        return staged.buffer

    def _free(self, place: Any, tile: Any, layout: SharedLayout) -> Any:
        """Return a buffer for `tile` that only loops before `place` use, or None.

        After the last product of a round that reads it, there is a barrier. So the product of a
        rotated loop that runs after the loop finds its operand where the loop stages it. Where
        `place` is before a loop, products of that loop may have come first: their loop follows.
        """
        wanted, around = shared_tile_type(layout, tile.type.element_type), enclosing_loops(place)
        users: dict[Any, list[Any]] = {}
        for staged, stored in self._allocated:
            if staged.buffer.type == wanted:
                users.setdefault(staged.buffer, []).append(stored)
        for buffer, stores in users.items():
            loops = [set(enclosing_loops(stored)) for stored in stores]
            if all(found - set(around) and place not in found for found in loops):
                return buffer
        return None

    def show(self, op: Any) -> None:
        """Let the product that comes in place of `op` see what was stored for it."""
        for place in dict.fromkeys(self._stored):
            with ir.InsertionPoint(place), op.location:
                FenceProxyOp(space=ir.StringAttr.get("shared"))
                BarrierOp()
        self._stored = []

    def note_reader(self, product: Any) -> None:
        """Note that `product` reads the buffers that were asked for last."""
        for staged in self._read:
            self.readers[staged] = product
        self._read = []

    def protect(self) -> dict[Any, Any]:
        """Emit barriers after the last readers of the buffers that a loop stores again.

        Returns:
            By product: the barrier that comes after it in its block.
        """
        found: dict[Any, Any] = {}
        for staged, product in self.readers.items():
            last = at_level(product, staged.block)
            if last not in found and enclosing_loops(last):
                with ir.InsertionPoint.after(last), last.location:
                    found[last] = BarrierOp().operation
        return found


def _allocate(op: Any, tile: Any, layout: SharedLayout) -> Any:
    """Emit a buffer for a tile, before the roles."""
    with ir.InsertionPoint(role_block(op).owner), op.location:
        return AllocSharedOp.build(shared_tile_type(layout, tile.type.element_type), 1)
