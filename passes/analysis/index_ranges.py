"""Which tiles provably lie inside their array.

A coordinate is `index * extent` of the tile. The tile is inside when the index lies in
`[0, size / extent)` and the extent of the tile divides the size.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation

_DIVISIONS = ("arith.divsi", "arith.divui", "arith.floordivsi")
_CEIL_DIVISIONS = ("arith.ceildivsi", "arith.ceildivui")


def constant_value(value: Any) -> int | None:
    """Return the value of an integer constant, or None."""
    op = defining_operation(value)
    if op is None or op.name != "arith.constant":
        return None
    attribute = op.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def stays_in_bounds(coord: Any, extent: int, size: Any, size_divisor: int) -> bool:
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
    index = _tile_index(coord, extent)
    if index is None or size_divisor % extent:
        return False
    return _counts_tiles(index, size, extent)


def _tile_index(coord: Any, extent: int) -> Any:
    """Return the tile index behind `coord`, or None when it is computed in another way."""
    if extent == 1:
        return coord
    op = defining_operation(coord)
    if op is None or op.name != "arith.muli":
        return None
    lhs, rhs = op.operands
    if constant_value(rhs) == extent:
        return lhs
    return rhs if constant_value(lhs) == extent else None


def _counts_tiles(index: Any, size: Any, extent: int) -> bool:
    """Tell whether `index` is the variable of a loop from at least 0 to at most size / extent."""
    if not isinstance(index, ir.BlockArgument):
        return False
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
    if op is None or op.name not in (*_DIVISIONS, *_CEIL_DIVISIONS):
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
