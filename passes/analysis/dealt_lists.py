"""The lists of tiles that CTAs make of sorted items (`deal_items`)."""

from typing import Any

from tilec.dialects.nv_tileas.measure_ops import MOST_DEALT
from tilec.ir.bindings import arith
from tilec.ir.integers import constant


def dealing_ctas(ctas: Any) -> Any:
    """Emit how many of the CTAs (i32) take tiles of lists: as many as one warp deals out to."""
    return arith.minui(ctas, constant(MOST_DEALT))


def list_length(tiles: Any, free: Any, ctas: Any) -> Any:
    """Emit the words of a list: how many tiles it has, one for each row, and some more.

    A row ends with the part of the order, and there are at most as many parts as free digits.

    Args:
        tiles: All tiles (i32).
        free: How many numbers free digits have (i32).
        ctas: How many CTAs take tiles of lists (i32).
    """
    return arith.addi(arith.ceildivui(tiles, ctas), arith.addi(free, constant(1)))
