"""Which tiles provably lie inside their array.

A coordinate is `index * extent` of the tile. The tile is inside when the index lies in
`[0, size / extent)` and the extent of the tile divides the size. Indices whose range is known are
constants, loop variables and the block coordinates that `grid(...)` in the source bounds.
"""

import re
from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.value_ranges import ValueRanges

_FLOOR_DIVISIONS = ("arith.divsi", "arith.divui", "arith.floordivsi")
_CEIL_DIVISIONS = ("arith.ceildivsi", "arith.ceildivui")
_TILE_COUNT = re.compile(r"cdiv\(\s*(\w+)\s*,\s*(\d+)\s*\)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def constant_value(value: Any) -> int | None:
    """Return the value of an integer constant, or None."""
    op = defining_operation(value)
    if op is None or op.name != "arith.constant":
        return None
    attribute = op.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


class TileBounds:
    """Decides for the accesses of one kernel whether a tile stays inside its array."""

    def __init__(self, function: Any) -> None:
        """Read the grid and the names of the extents from the metadata of `function`."""
        self._entry = function.regions[0].blocks[0]
        params = read_kernel_fact(function, "params", [])
        self._names = [param.get("name", "") for param in params]
        self._ranges = ValueRanges.of_kernel(function)
        grid = read_kernel_fact(function, "grid", [])
        self._grid = [_tile_count(text.strip()) for text in grid]

    def holds(self, coord: Any, extent: int, size: Any, size_divisor: int) -> bool:
        """Tell whether a tile at `coord` never leaves its array along one dim.

        Args:
            coord: Element coordinate.
            extent: Extent of the tile.
            size: Extent of the array: an int, or an i32 value.
            size_divisor: Known divisor of `size`.
        """
        known = constant_value(coord)
        if known is not None:
            return isinstance(size, int) and 0 <= known <= size - extent
        index = tile_index(coord, extent)
        if index is None or size_divisor % extent:
            return False
        if isinstance(index, ir.BlockArgument):
            return _is_loop_over_tiles(index, size, extent)
        return self._is_block_coordinate(index, size, extent)

    def never_before(self, coord: Any) -> bool:
        """Tell whether a tile at element coordinate `coord` never begins before its array."""
        return self._ranges.never_negative(coord)

    def _is_block_coordinate(self, index: Any, size: Any, extent: int) -> bool:
        """Tell whether the grid has `size / extent` blocks along the axis that `index` reads."""
        op = index.owner.operation
        if not op.name.endswith(".get_program_id"):
            return False
        axis = op.attributes["axis"].value
        count = self._grid[axis] if axis < len(self._grid) else None
        if count is None or count[1] != extent:
            return False
        return count[0] == (str(size) if isinstance(size, int) else self._name_of(size))

    def _name_of(self, size: Any) -> str | None:
        """Return the name of the parameter `size`, or None when it is computed."""
        if not isinstance(size, ir.BlockArgument) or size.owner != self._entry:
            return None
        return self._names[size.arg_number] if size.arg_number < len(self._names) else None


def _tile_count(text: str) -> tuple[str, int] | None:
    """Return of an extent of a grid the dim that it cuts and into tiles of which extent."""
    found = _TILE_COUNT.fullmatch(text)
    if found is not None:
        return found[1], int(found[2])
    return (text, 1) if _NAME.fullmatch(text) else None


def tile_index(coord: Any, extent: int) -> Any:
    """Return the tile index from which `coord` is computed, or None when there is no such index."""
    if extent == 1:
        return coord
    op = defining_operation(coord)
    if op is None or op.name != "arith.muli":
        return None
    lhs, rhs = op.operands
    if constant_value(rhs) == extent:
        return lhs
    return rhs if constant_value(lhs) == extent else None


def _is_loop_over_tiles(index: Any, size: Any, extent: int) -> bool:
    """Tell whether `index` is the variable of a loop from at least 0 to at most size / extent."""
    loop = index.owner.owner.operation
    if loop.name != "scf.for" or index.arg_number != 0:
        return False
    lower, upper, step = list(loop.operands)[:3]
    start, advance = constant_value(lower), constant_value(step)
    if start is None or start < 0 or advance is None or advance < 1:
        return False
    limit = constant_value(upper)
    if limit is not None:
        return isinstance(size, int) and limit * extent <= size
    return not isinstance(size, int) and _is_tile_count(upper, size, extent)


def _is_tile_count(value: Any, size: Any, extent: int) -> bool:
    """Tell whether `value` is `size / extent`, rounded up or down."""
    if extent == 1 and value == size:
        return True
    op = defining_operation(value)
    if op is None or op.name not in (*_FLOOR_DIVISIONS, *_CEIL_DIVISIONS):
        return False
    dividend, divisor = op.operands
    if constant_value(divisor) != extent:
        return False
    if dividend == size:
        return True
    addition = defining_operation(dividend)
    if addition is None or addition.name != "arith.addi" or op.name in _CEIL_DIVISIONS:
        return False
    lhs, rhs = addition.operands
    return (lhs == size and constant_value(rhs) == extent - 1) or (
        rhs == size and constant_value(lhs) == extent - 1
    )
