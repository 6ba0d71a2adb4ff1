"""Modes: the building blocks of register layouts.

A mode is one digit of a mixed-radix index (the register index of a thread, its lane, its warp, its
warpgroup or its CTA) together with what one step of that digit adds to the tile coordinate. This
module holds modes, their canonical form and their text form; `register.py` builds layouts of them.
"""

import enum
import re
from collections.abc import Iterable
from math import prod

from tilec.layout.errors import LayoutError
from tilec.support.fast_dataclasses import dataclass

WARP_LANES = 32
"""Lanes of a warp (CUDA programming guide, SIMT architecture)."""
WARPGROUP_WARPS = 4
"""Warps of a warpgroup (PTX ISA, wgmma: four contiguous warps, first rank a multiple of 4)."""


class Owner(enum.Enum):
    """Which hardware index a mode is a digit of."""

    REG = "reg"
    LANE = "lane"
    WARP = "warp"
    WARPGROUP = "warpgroup"
    CTA = "cta"

    __hash__ = object.__hash__  # members are single objects; Enum would hash the name, in Python


@dataclass(frozen=True, slots=True)
class Mode:
    """One digit of an owner's index.

    Attributes:
        owner: The index that this is a digit of.
        extent: Number of values of the digit.
        stride: What one step adds to the coordinate, per tile dim; all 0 means that the owners
            hold copies of the same elements.
    """

    owner: Owner
    extent: int
    stride: tuple[int, ...]

    @property
    def is_replicated(self) -> bool:
        """Whether the digit does not change the coordinate."""
        return not any(self.stride)


@dataclass(frozen=True, slots=True)
class ThreadTerm:
    """One summand of a thread's coordinate: `((id // divisor) % extent) * stride`.

    `id` is the lane in the warp, the warp in the warpgroup, the warpgroup in the role or the CTA
    in the cluster, according to `owner`.
    """

    owner: Owner
    divisor: int
    extent: int
    stride: tuple[int, ...]


_OWNERS = tuple(Owner)


def owner_size(modes: Iterable[Mode], owner: Owner) -> int:
    """Return how many values the index of `owner` takes."""
    return prod(mode.extent for mode in modes if mode.owner is owner)


def canonical_modes(modes: Iterable[Mode], rank: int) -> tuple[Mode, ...]:
    """Return the one form that all modes describing the same map share.

    Owners are sorted, digits of extent 1 dropped, digits that continue one another merged, and the
    lanes (and, below warpgroups, the warps) that no mode names are added as replicated.

    Args:
        modes: Modes; those of one owner are listed least significant first.
        rank: Number of tile dims.

    Raises:
        LayoutError: A mode has a bad extent, stride or rank, or the owner sizes are impossible.
    """
    by_owner: dict[Owner, list[Mode]] = {owner: [] for owner in _OWNERS}
    sizes = dict.fromkeys(_OWNERS, 1)
    for mode in modes:
        if mode.extent < 1 or len(mode.stride) != rank or (rank and min(mode.stride) < 0):
            raise LayoutError(f"bad mode {mode_text(mode)} in a layout of rank {rank}")
        by_owner[mode.owner].append(mode)
        sizes[mode.owner] *= mode.extent
    for owner in (Owner.LANE, Owner.WARP):
        copies = _copies(owner, sizes[owner], sizes[Owner.WARPGROUP] > 1)
        if copies > 1:
            by_owner[owner].append(Mode(owner, copies, (0,) * rank))
    return tuple([mode for own in by_owner.values() for mode in _merged(own)])


def _copies(owner: Owner, size: int, has_warpgroups: bool) -> int:
    """Return how many lanes or warps have to hold the same, where modes name `size` of them."""
    wanted = WARP_LANES if owner is Owner.LANE else WARPGROUP_WARPS
    if owner is Owner.WARP and not has_warpgroups:
        if size > wanted:
            raise LayoutError(f"a warpgroup has {wanted} warps, the layout names {size}")
        return 1
    if wanted % size:
        raise LayoutError(f"{size} {owner.value}s do not divide {wanted}")
    return wanted // size


def _merged(modes: Iterable[Mode]) -> list[Mode]:
    result: list[Mode] = []
    for mode in modes:
        if mode.extent == 1:
            continue
        if result:
            last = result[-1]
            if mode.stride == tuple([s * last.extent for s in last.stride]):
                result[-1] = Mode(last.owner, last.extent * mode.extent, last.stride)
                continue
        result.append(mode)
    return result


def mode_text(mode: Mode) -> str:
    """Return `extent*(stride,...)`."""
    return f"{mode.extent}*({','.join(map(str, mode.stride))})"


_MODE = re.compile(r"(\d+)\*\(([\d,]*)\)")
_MODES = re.compile(r"\d+\*\([\d,]*\)(,\d+\*\([\d,]*\))*")


def modes_from_text(text: str) -> list[Mode]:
    """Parse `owner:mode,mode,...`.

    Raises:
        LayoutError: The text is malformed.
    """
    name, _, body = text.partition(":")
    owners = {owner.value: owner for owner in Owner}
    if name not in owners or not _MODES.fullmatch(body):
        raise LayoutError(f"cannot parse layout modes '{text}'")
    return [
        Mode(owners[name], int(extent), tuple(int(s) for s in stride.split(",") if s))
        for extent, stride in _MODE.findall(body)
    ]
