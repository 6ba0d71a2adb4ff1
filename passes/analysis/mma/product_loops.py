"""Which loops have products of their own."""

from typing import Any

from tilec.ir.structured import body_operations

_PRODUCTS = ("nv_tileaa.dot", "nv_tileas.dot")


def multiplies(loop: Any) -> bool:
    """Tell whether a product is in the body of a loop, and not in a loop or branch inside of it."""
    blocks = (block for region in loop.regions for block in region.blocks)
    return any(op.name in _PRODUCTS for block in blocks for op in body_operations(block))
