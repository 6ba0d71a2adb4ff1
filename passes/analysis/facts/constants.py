"""Constant tiles."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation


def is_zeros(tile: Any) -> bool:
    """Tell whether `tile` is a constant of +0."""
    op = defining_operation(tile)
    if op is None or op.name != "arith.constant":
        return False
    element = tile.type.element_type
    with op.location:
        is_float = isinstance(element, ir.FloatType)
        zero = ir.FloatAttr.get(element, 0.0) if is_float else ir.IntegerAttr.get(element, 0)
    return op.attributes["value"] == ir.DenseElementsAttr.get_splat(tile.type, zero)
