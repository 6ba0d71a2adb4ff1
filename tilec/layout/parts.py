"""Parts of a register tile that one warpgroup stores at a time.

Each warpgroup holds a share of the tile: its block of rows, say. A part is a box of that share. The
same registers of every thread make it up, so cutting a tile into parts moves no value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilec.layout.errors import LayoutError
from tilec.layout.modes import Mode, Owner
from tilec.layout.register import Coordinate, RegisterLayout


@dataclass(frozen=True)
class TilePart:
    """One part: its layout within a warpgroup, and the registers of the tile that it consists of.

    Attributes:
        layout: Layout of the part over the threads of one warpgroup.
        registers: Registers of the tile, in the order of the registers of `layout`.
    """

    layout: RegisterLayout
    registers: tuple[int, ...]


def warpgroup_part(
    tile: RegisterLayout, shape: Sequence[int], origin: Sequence[int], axis: int
) -> TilePart:
    """Return the part of `tile` of extents `shape` at `origin` of each warpgroup's share.

    Args:
        tile: Layout of the whole tile; warpgroup w holds the w-th share along `axis`.
        shape: Extents of the part.
        origin: First coordinate of the part in the share of warpgroup 0; a multiple of `shape`.
        axis: Axis along which the warpgroups share the tile.

    Raises:
        LayoutError: The shares are others, the origin is no multiple of the extents, or the part is
            not made of whole registers.
    """
    box = tuple(shape)
    if any(first % extent for first, extent in zip(origin, box, strict=True)):
        raise LayoutError(f"a part of {box} cannot begin at {tuple(origin)}, no multiple of it")
    share = tile.shape[axis] // tile.num_warpgroups
    strides = [mode.stride for mode in tile.modes if mode.owner is Owner.WARPGROUP]
    expected = tuple(share if index == axis else 0 for index in range(tile.rank))
    if any(stride != expected for stride in strides):
        raise LayoutError(f"warpgroups do not share axis {axis} of {tile} in blocks of {share}")
    modes: list[Mode] = []
    for mode in tile.modes:
        if mode.owner is Owner.REG:
            modes.extend(_inner_digits(mode, box))
        elif mode.owner in (Owner.LANE, Owner.WARP):
            modes.append(mode)
    layout = RegisterLayout(box, modes)
    chosen = {
        _inside(offset, box): number
        for number, offset in enumerate(tile.register_offsets())
        if all(0 <= o - b < e for o, b, e in zip(offset, origin, box, strict=True))
    }
    wanted = layout.register_offsets()
    if set(wanted) != set(chosen) or not layout.is_surjective:
        raise LayoutError(f"a part of {box} at {tuple(origin)} is not made of registers of {tile}")
    return TilePart(layout, tuple(chosen[offset] for offset in wanted))


def _inside(offset: Coordinate, box: Coordinate) -> Coordinate:
    return tuple(o % e for o, e in zip(offset, box, strict=True))


def _inner_digits(mode: Mode, box: Coordinate) -> list[Mode]:
    """Return the digits of `mode` that stay inside `box`."""
    moving = [axis for axis, stride in enumerate(mode.stride) if stride]
    if len(moving) != 1:
        raise LayoutError(f"a register digit moves along {len(moving)} axes")
    stride, extent = mode.stride[moving[0]], box[moving[0]]
    count = min(mode.extent, extent // stride)
    return [Mode(mode.owner, count, mode.stride)] if count > 1 else []
