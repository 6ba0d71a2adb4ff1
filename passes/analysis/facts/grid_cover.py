"""Proof that tiles beyond the grid store nothing.

A grid that is rounded up to whole clusters has tiles that the kernel does not. They may run if all
that they store lies outside of the arrays, where stores have no effect: where the grid has
`cdiv(X, S)` tiles and every store begins at S times the block's coordinate in a dim of extent X.
"""

import re
from collections.abc import Iterable
from typing import Any

from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.slices import extents_of
from tilec.passes.analysis.kernels import TiledAccess, function_body

_TILES = re.compile(r"cdiv\((?P<extent>[\w.\[\]]+), (?P<size>\d+)\)|(?P<whole>[A-Za-z_]\w*)")
"""A grid extent: tiles of a dim, or single elements of one."""


def store_beyond_grid(
    function: Any, accesses: Iterable[TiledAccess], cluster: tuple[int, int]
) -> TiledAccess | None:
    """Return a store that tiles beyond the grid might perform; None when there is none.

    Args:
        function: A kernel with a grid of its own that has two axes or more.
        accesses: Its loads and stores.
        cluster: CTAs of a cluster along the last two axes; an extent of 1 rounds nothing up.
    """
    grid = read_kernel_fact(function, "grid")
    stores = [access for access in accesses if not access.is_load]
    for axis, extent in enumerate(cluster):
        place = len(grid) - 2 + axis
        if extent > 1 and (open_stores := _open_stores(function, stores, grid[place], place)):
            return open_stores[0]
    return None


def _open_stores(
    function: Any, stores: list[TiledAccess], extent: str, axis: int
) -> list[TiledAccess]:
    """Return the stores that may hit an array in a tile whose number is not below `extent`."""
    tiles = _TILES.fullmatch(extent)
    if tiles is None:
        return stores
    size = int(tiles["size"] or 1)
    dim = _parameter(function, tiles["extent"] or tiles["whole"])
    return [store for store in stores if not _starts_at_tile(store, axis, size, dim)]


def _parameter(function: Any, name: str) -> Any:
    """Return the argument that holds the dim `name`; None when there is none."""
    params = read_kernel_fact(function, "params", [])
    arguments = list(function_body(function).arguments)
    for param, argument in zip(params, arguments, strict=False):
        if param["kind"] == "dim" and param["name"] == name:
            return argument
    return None


def _starts_at_tile(store: TiledAccess, axis: int, size: int, dim: Any) -> bool:
    """Tell whether a dim of extent `dim` is stored from `size` times the coordinate on."""
    view = defining_operation(store.view)
    if dim is None or view is None or not view.name.endswith("make_memref"):
        return False
    return any(
        not isinstance(extent, int) and extent == dim and _is_tile_start(coord, axis, size)
        for extent, coord in zip(extents_of(store.view), store.coords, strict=True)
    )


def _is_tile_start(coord: Any, axis: int, size: int) -> bool:
    op = defining_operation(coord)
    if op is None:
        return False
    if size == 1:
        return _is_coordinate(op, axis)
    if op.name != "arith.muli":
        return False
    factors = [defining_operation(operand) for operand in op.operands]
    return any(
        _is_coordinate(factors[place], axis) and _is_constant(factors[1 - place], size)
        for place in (0, 1)
    )


def _is_coordinate(op: Any, axis: int) -> bool:
    return op is not None and op.name == "nv_tileas.get_program_id" and integer(op, "axis") == axis


def _is_constant(op: Any, value: int) -> bool:
    return op is not None and op.name == "arith.constant" and integer(op, "value") == value
