"""How a tile in registers is combined along one axis: registers, lanes, then warps.

A *reduction* combines first what a thread holds, then exchanges values between the lanes of a warp,
then leaves one value for each warp in shared memory, from where everybody reads all of them. A
*scan* does the same digit by digit, from the digit whose coordinates are closest to the next one:
inside a block of consecutive elements everything is combined with what comes before it, and blocks
are joined to larger ones.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from tilec.layout.errors import LayoutError
from tilec.layout.modes import Mode, Owner, ThreadTerm
from tilec.layout.register import Coordinate, RegisterLayout
from tilec.support.fast_dataclasses import dataclass

_ACROSS_WARPS = (Owner.WARP, Owner.WARPGROUP)


@dataclass(frozen=True)
class Exchange:
    """A hand-over of values between warps through shared memory, in a tile in row-major order.

    Attributes:
        shape: Extents of the tile.
        write: What each thread writes of it.
        read: What each thread reads of it; the parts of one element are neighbouring registers.
        parts: Values that belong together.
    """

    shape: tuple[int, ...]
    write: RegisterLayout
    read: RegisterLayout
    parts: int

    @property
    def num_elements(self) -> int:
        """Number of elements of the tile."""
        return prod(self.shape)


@dataclass(frozen=True)
class Reduction:
    """The steps of a reduction.

    Attributes:
        registers: For every register of the source the register that it is combined into.
        lane_distances: XOR masks of the lanes to exchange with, one step each.
        exchange: The step across warps; None when each warp has everything.
        result: Layout of the result; a scalar is a tile of rank 0.
    """

    registers: Coordinate
    lane_distances: tuple[int, ...]
    exchange: Exchange | None
    result: RegisterLayout


@lru_cache(maxsize=256)
def reduction(layout: RegisterLayout, axis: int) -> Reduction:
    """Return how a tile is reduced along an axis.

    Raises:
        LayoutError: A digit of the layout moves along the axis and another one at once.
    """
    _check_separate(layout, axis)
    result, registers = layout.drop_axis(axis)
    distances = []
    for term in layout.reduction_terms(axis):
        if term.owner is Owner.LANE:
            distances += [term.divisor << step for step in range(term.extent.bit_length() - 1)]
    return Reduction(registers, tuple(distances), _exchange_of_warps(layout, axis, result), result)


def _check_separate(layout: RegisterLayout, axis: int) -> None:
    for mode in layout.modes:
        if mode.stride[axis] and sum(step > 0 for step in mode.stride) > 1:
            raise LayoutError(f"a digit moves along axis {axis} and another one: {layout}")


def _exchange_of_warps(
    layout: RegisterLayout, axis: int, result: RegisterLayout
) -> Exchange | None:
    parts, modes = 1, []
    for mode in layout.modes:
        rest = (*mode.stride[:axis], *mode.stride[axis + 1 :])
        if not mode.stride[axis]:
            if mode.owner is not Owner.REG or not mode.is_replicated:
                modes.append(Mode(mode.owner, mode.extent, (0, *rest)))
        elif mode.owner in _ACROSS_WARPS:
            modes.append(Mode(mode.owner, mode.extent, (parts, *rest)))
            parts *= mode.extent
        elif mode.owner is Owner.LANE:
            modes.append(Mode(mode.owner, mode.extent, (0, *rest)))
    if parts == 1:
        return None
    shape = (parts, *result.shape)
    gathered = Mode(Owner.REG, parts, (1, *([0] * result.rank)))
    kept = [Mode(mode.owner, mode.extent, (0, *mode.stride)) for mode in result.modes]
    return Exchange(
        shape, RegisterLayout(shape, modes), RegisterLayout(shape, [gathered, *kept]), parts
    )


@dataclass(frozen=True)
class ScanStep:
    """Joins blocks of consecutive elements to blocks of `extent` times as many.

    Attributes:
        owner: Whose digit tells which of the joined blocks an element lies in.
        extent: Blocks that are joined.
        term: Where the digit is in the index of the thread; None for a digit of the registers.
        blocks: For every register a number of the block that it lies in before the step.
        joined: For every register a number of the block that it lies in after it.
        digits: For every register the digit, where `owner` is REG; empty otherwise.
        exchange: The hand-over between warps, where `owner` is one of those.
    """

    owner: Owner
    extent: int
    term: ThreadTerm | None
    blocks: Coordinate
    joined: Coordinate
    digits: Coordinate
    exchange: Exchange | None


def scan_steps(layout: RegisterLayout, axis: int) -> tuple[ScanStep, ...]:
    """Return how a tile is scanned along an axis, step by step.

    Raises:
        LayoutError: A digit of the layout moves along the axis and another one at once, or the
            digits along the axis do not follow one another.
    """
    _check_separate(layout, axis)
    moving = sorted(
        (mode for mode in layout.modes if mode.stride[axis]), key=lambda mode: mode.stride[axis]
    )
    terms = {term.stride[axis]: term for term in layout.reduction_terms(axis)}
    size, steps = 1, []
    for mode in moving:
        if mode.stride[axis] != size:
            raise LayoutError(f"the digits along axis {axis} do not follow one another: {layout}")
        registers = mode.owner is Owner.REG
        exchange = None
        if mode.owner in _ACROSS_WARPS:
            exchange = _exchange_of_blocks(layout, axis, mode)
        steps.append(
            ScanStep(
                mode.owner,
                mode.extent,
                None if registers else terms[size],
                _block_numbers(layout, axis, size),
                _block_numbers(layout, axis, size * mode.extent),
                _digits(layout, axis, mode) if registers else (),
                exchange,
            )
        )
        size *= mode.extent
    return tuple(steps)


def _block_numbers(layout: RegisterLayout, axis: int, size: int) -> Coordinate:
    """Number the blocks of `size` elements along `axis` that the registers of a thread lie in."""
    known: dict[Coordinate, int] = {}
    numbers = []
    for offset in layout.register_offsets():
        place = (*offset[:axis], offset[axis] // size, *offset[axis + 1 :])
        numbers.append(known.setdefault(place, len(known)))
    return tuple(numbers)


def _digits(layout: RegisterLayout, axis: int, mode: Mode) -> Coordinate:
    stride = mode.stride[axis]
    return tuple(offset[axis] // stride % mode.extent for offset in layout.register_offsets())


def _exchange_of_blocks(layout: RegisterLayout, axis: int, joined: Mode) -> Exchange:
    """Return the hand-over of the totals of all blocks below the digit `joined`."""
    size = joined.stride[axis]
    shape = tuple(
        extent // size if place == axis else extent for place, extent in enumerate(layout.shape)
    )
    still = (0,) * layout.rank
    write: list[Mode] = []
    read = [Mode(Owner.REG, joined.extent, _along(axis, layout.rank, 1))]
    for mode in layout.modes:
        below = 0 < mode.stride[axis] < size
        if below and mode.owner is Owner.REG:
            continue
        step = _scaled(mode.stride, axis, size)
        moved = Mode(mode.owner, mode.extent, still if below else step)
        write.append(moved)
        read.append(Mode(mode.owner, mode.extent, still) if mode == joined else moved)
    return Exchange(shape, RegisterLayout(shape, write), RegisterLayout(shape, read), joined.extent)


def _along(axis: int, rank: int, step: int) -> Coordinate:
    return tuple(step if place == axis else 0 for place in range(rank))


def _scaled(stride: Sequence[int], axis: int, size: int) -> Coordinate:
    return tuple(step // size if place == axis else step for place, step in enumerate(stride))
