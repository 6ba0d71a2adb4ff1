"""Register layouts worth trying for a tile that memory holds in different orders on its ways.

A tile that is transposed between a load and a store is contiguous along one axis there and along
another one here. Vectors along one axis then are single elements along the other. In a layout of
8x8 matrices a lane holds pairs, and `stmatrix` writes rows or columns of 16 bytes.
"""

from collections.abc import Iterator, Sequence
from math import gcd

from tilec.layout.constructors import choose_blocked
from tilec.layout.errors import LayoutError
from tilec.layout.matrix_accesses import MATRIX_EXTENT, PAIR, WORDS_PER_ROW
from tilec.layout.modes import WARPGROUP_WARPS, Mode, Owner
from tilec.layout.register import RegisterLayout

_SWAPPED_AXES = 2


def candidate_layouts(
    shape: Sequence[int], element_bits: int, warps: int
) -> Iterator[tuple[str, RegisterLayout]]:
    """Yield layouts of a tile with what they are, for its last two axes of more than one element.

    Args:
        shape: Extents of the tile.
        element_bits: Size of one element in memory.
        warps: 1 to 4, or a multiple of 4.
    """
    long = [axis for axis, extent in enumerate(shape) if extent > 1][-2:]
    if len(long) < _SWAPPED_AXES:
        return
    for axis in reversed(long):
        yield f"vectors along axis {axis}", choose_blocked(shape, element_bits, warps, axis)
    for pair, row in (long[::-1], long):
        for first in (row, pair):
            try:
                yield (
                    f"8x8 matrices with pairs along axis {pair}",
                    matrices(shape, warps, pair, row, first),
                )
            except LayoutError:  # the extents are no multiples of matrices
                break


def matrices(shape: Sequence[int], warps: int, pair: int, row: int, first: int) -> RegisterLayout:
    """Return a layout in which each warp holds 8x8 matrices as `stmatrix` reads them.

    Args:
        shape: Extents of the tile.
        warps: 1 to 4, or a multiple of 4.
        pair: Axis along which a lane holds two neighbouring elements.
        row: Axis along which groups of four lanes follow each other.
        first: `pair` or `row`: the axis that the warps share first.

    Raises:
        LayoutError: An extent is no multiple of 8, or there are fewer matrices than warps.
    """
    if shape[pair] % MATRIX_EXTENT or shape[row] % MATRIX_EXTENT:
        raise LayoutError(f"{tuple(shape)} is not made of 8x8 matrices")
    left, step, modes = list(shape), [1] * len(shape), []

    def take(owner: Owner, axis: int, extent: int) -> None:
        modes.append(
            Mode(owner, extent, tuple(step[axis] * (place == axis) for place in range(len(shape))))
        )
        left[axis] //= extent
        step[axis] *= extent

    take(Owner.REG, pair, PAIR)
    take(Owner.LANE, pair, WORDS_PER_ROW)
    take(Owner.LANE, row, MATRIX_EXTENT)
    group = min(warps, WARPGROUP_WARPS)
    for owner, count in ((Owner.WARP, group), (Owner.WARPGROUP, warps // group)):
        missing = count
        for axis in (first, pair + row - first):
            extent = gcd(left[axis], missing)
            take(owner, axis, extent)
            missing //= extent
        if missing > 1:
            raise LayoutError(f"{tuple(shape)} has fewer 8x8 matrices than {warps} warps")
    for axis in (pair, row, *(axis for axis in range(len(shape)) if axis not in (pair, row))):
        take(Owner.REG, axis, left[axis])
    return RegisterLayout(shape, modes)
