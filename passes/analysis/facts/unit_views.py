"""Views that only add or drop dims of extent 1 of a tile."""

from typing import Any

from tilec.ir.structured import defining_operation
from tilec.layout import differ_in_units

VIEWS = ("nv_tileaa.view", "nv_tileas.view")


def is_unit_view(op: Any) -> bool:
    """Tell whether `op` only adds or drops dims of extent 1 of a tile."""
    if op is None or op.name not in VIEWS:
        return False
    return differ_in_units(op.operands[0].type.shape, op.results[0].type.shape)


def skip_unit_views(tile: Any) -> Any:
    """Return the tile that `tile` is a view of, as long as views only add or drop unit dims."""
    op = defining_operation(tile)
    while is_unit_view(op):
        tile = op.operands[0]
        op = defining_operation(tile)
    return tile
