"""Boxes of a register tile that the same registers of every thread make up.

Cutting a tile into such boxes moves no value. A *slice* is a box of the whole tile; all threads
that hold the tile hold some of it. A *part* is a box of the share of one warpgroup (its block of
rows, say), which that warpgroup stores on its own.
"""

from collections.abc import Sequence
from functools import lru_cache

from tilec.layout.errors import LayoutError
from tilec.layout.modes import Mode, Owner
from tilec.layout.register import Coordinate, RegisterLayout
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class TilePart:
    """One part or slice: its layout, and the registers of the tile that it consists of.

    Attributes:
        layout: Layout over the threads of one warpgroup (a part) or of all of them (a slice).
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
    share = tile.shape[axis] // tile.num_warpgroups
    strides = [mode.stride for mode in tile.modes if mode.owner is Owner.WARPGROUP]
    expected = tuple(share if index == axis else 0 for index in range(tile.rank))
    if any(stride != expected for stride in strides):
        raise LayoutError(f"warpgroups do not share axis {axis} of {tile} in blocks of {share}")
    if any(first % extent for first, extent in zip(origin, box, strict=True)):
        raise LayoutError(f"a part of {box} cannot begin at {tuple(origin)}, no multiple of it")
    return _box(tile, box, tuple(origin), (Owner.LANE, Owner.WARP))


def tile_slice(tile: RegisterLayout, shape: Sequence[int], origin: Sequence[int]) -> TilePart:
    """Return the box of `tile` of extents `shape` at `origin`.

    Raises:
        LayoutError: The box is not made of whole registers of every thread.
    """
    owners = (Owner.LANE, Owner.WARP, Owner.WARPGROUP, Owner.CTA)
    return _box(tile, tuple(shape), tuple(origin), owners)


def sliced_from(part: RegisterLayout, shape: Sequence[int]) -> RegisterLayout:
    """Return a layout of a tile of extents `shape` whose slices have the layout `part`.

    Raises:
        LayoutError: The tile is not made of such slices.
    """
    modes = list(part.modes)
    for axis, (extent, whole) in enumerate(zip(part.shape, shape, strict=True)):
        if whole % extent:
            raise LayoutError(f"slices of {part.shape} do not make up a tile of {tuple(shape)}")
        stride = tuple(extent if index == axis else 0 for index in range(part.rank))
        modes.append(Mode(Owner.REG, whole // extent, stride))
    return RegisterLayout(shape, modes)


@lru_cache(maxsize=256)
def _box(
    tile: RegisterLayout, box: Coordinate, origin: Coordinate, owners: tuple[Owner, ...]
) -> TilePart:
    """Return a box that the threads along the digits of `owners` hold together."""
    modes: list[Mode] = []
    for mode in tile.modes:
        if mode.owner is Owner.REG:
            modes.extend(_inner_digits(mode, box))
        elif mode.owner in owners:
            modes.append(mode)
    layout = RegisterLayout(box, modes)
    chosen = {
        tuple(o - b for o, b in zip(offset, origin, strict=True)): number
        for number, offset in enumerate(tile.register_offsets())
        if all(0 <= o - b < e for o, b, e in zip(offset, origin, box, strict=True))
    }
    wanted = layout.register_offsets()
    if set(wanted) != set(chosen) or not layout.is_surjective:
        raise LayoutError(f"a part of {box} at {origin} is not made of registers of {tile}")
    return TilePart(layout, tuple(chosen[offset] for offset in wanted))


def _inner_digits(mode: Mode, box: Coordinate) -> list[Mode]:
    """Return the digits of `mode` that stay inside `box`."""
    moving = [axis for axis, stride in enumerate(mode.stride) if stride]
    if len(moving) != 1:
        raise LayoutError(f"a register digit moves along {len(moving)} axes")
    stride, extent = mode.stride[moving[0]], box[moving[0]]
    count = min(mode.extent, extent // stride)
    return [Mode(mode.owner, count, mode.stride)] if count > 1 else []
