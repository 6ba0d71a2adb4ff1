"""Where threads stage the operands of products, and which products read one buffer.

Threads stage an operand before the product that needs it first. One that is computed before a loop
is staged before that loop. Later products read the same buffer, as long as the threads have passed
the stores whenever they come to the product.
"""

from collections.abc import Hashable, Iterable
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.structured import enclosing_loops, enclosing_operations
from tilec.ir.values import block_of
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.mma.operands import is_exchanged, is_staged, operand_parts
from tilec.passes.analysis.mma.wgmma_support import warp_product, why_not_wgmma
from tilec.plan.registers import MAX_CONSUMERS
from tilec.support.fast_dataclasses import dataclass, field

EXCHANGE_SLOTS = 2
"""Slots of what threads compute for a product of the next round."""
WARPGROUPS = range(1, MAX_CONSUMERS + 1)
"""How many warpgroups may share a product."""


@dataclass(frozen=True)
class Staged:
    """An operand that is staged.

    Attributes:
        block: Where threads store it.
        buffer: What holds it.
    """

    block: Any
    buffer: Any


@dataclass
class StagedOperands:
    """The operands that are staged, by tile and layout, in program order."""

    found: dict[tuple[Any, Hashable], list[Staged]] = field(default_factory=dict)

    def at(self, product: Any, tile: Any, layout: Hashable) -> Staged | None:
        """Return how an operand is staged that `product` can read, too; None for none."""
        staged = self.found.get((tile, layout), ())
        *inside, _ = (product, *enclosing_operations(product))  # the last one is the module
        around = [op.block for op in inside] if staged else []
        return next((item for item in staged if item.block in around), None)

    def add(self, tile: Any, layout: Hashable, staged: Staged) -> None:
        """Note that `tile` is staged."""
        self.found.setdefault((tile, layout), []).append(staged)


def staging_place(product: Any, tile: Any) -> Any:
    """Return the operation before which threads stage `tile` for `product`.

    That is the product, or the outermost loop around it that does not compute the tile.
    """
    home, place = block_of(tile), product
    for loop in enclosing_loops(product):
        if any(op.block == home for op in (place, *_between(place, loop))):
            break
        place = loop
    return place


def _between(inner: Any, outer: Any) -> list[Any]:
    """Return the operations around `inner` that are inside of `outer`."""
    around = enclosing_operations(inner)
    return around[: around.index(outer)]


def staged_bytes(dots: Iterable[Any], exchange_slots: int = EXCHANGE_SLOTS) -> int:
    """Return the shared memory of the buffers that operands of products are staged in.

    Args:
        dots: The products, in program order. How many warpgroups share them may be open.
        exchange_slots: Slots of what warpgroups may exchange.
    """
    operands, size = StagedOperands(), 0
    for dot in dots:
        for number in (0, 1):
            tile = dot.operands[number]
            layout = tuple(_layout(dot, tile, count) for count in WARPGROUPS)
            if is_staged(dot, number) and operands.at(dot, tile, layout) is None:
                operands.add(tile, layout, Staged(staging_place(dot, tile).block, None))
                slots = exchange_slots if is_exchanged(dot, number) else 1
                size += slots * box_bytes(tile.type.shape, tile.type.element_type)
    return size


def _layout(dot: Any, tile: Any, warpgroups: int) -> Hashable:
    """Return what the layout of a staged operand depends on, next to its type."""
    if why_not_wgmma(dot, warpgroups) is not None:
        return isinstance(warp_product(dot, WARPGROUP_WARPS * warpgroups), str)
    return operand_parts(dot, tile, warpgroups)
