"""Constants."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.constants import repeated
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile

_CONSTANTS = ("arith.constant", "cuda_tile.constant")
FILLERS = ("arith.constant", "nv_tileaa.splat")
"""Operations that make tiles of one number; dense constants of several are not told apart."""


def is_zeros(value: Any) -> bool:
    """Tell whether `value` is a constant tile of +0."""
    op = defining_operation(value)
    if op is None or op.name != "arith.constant":
        return False
    with op.location:
        return is_tile(value) and op.attributes["value"] == repeated(value.type, 0)


def is_filler(tile: Any) -> bool:
    """Tell whether a tile is made of one number, as what a mask fills in is."""
    op = defining_operation(tile)
    return op is not None and op.name in FILLERS


def number_of(value: Any) -> Any:
    """Return what a constant, or each element of a constant tile, is; None for other values.

    Integers are signed: a true bool is -1.
    """
    op = defining_operation(value)
    if op is None or op.name not in _CONSTANTS:
        return None
    found = op.attributes["value"]
    if isinstance(found, ir.DenseElementsAttr):
        found = found.get_splat_value() if found.is_splat else None
    if isinstance(found, ir.BoolAttr):
        found = ir.IntegerAttr(found)
    return found.value if isinstance(found, ir.FloatAttr | ir.IntegerAttr) else None
