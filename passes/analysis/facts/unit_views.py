"""Views of a tile that add or drop dims of extent 1, or join rows, and so move no element."""

from typing import Any

from tilec.ir.structured import defining_operation
from tilec.layout import MAX_BOX_EXTENT, box_of_view, differ_in_units

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


def is_row_view(op: Any) -> bool:
    """Tell whether `op` only adds or drops dims of extent 1, or joins dims to rows of one box."""
    if is_unit_view(op):
        return True
    if op is None or op.name not in VIEWS:
        return False
    shape, result = (tuple(tile.type.shape) for tile in (op.operands[0], op.results[0]))
    if shape[-1:] != result[-1:] or any(extent > MAX_BOX_EXTENT for extent in result[:-1]):
        return False
    return box_of_view(shape, shape, result) is not None


def skip_row_views(tile: Any) -> Any:
    """Return the tile that `tile` is a view of, as long as views keep rows (`is_row_view`)."""
    while is_row_view(op := defining_operation(tile)):
        tile = op.operands[0]
    return tile
