"""Register layouts: which thread holds which element of a tile in which register.

A layout is a list of modes (`modes.py`). The coordinate of a register of a thread is the sum, over
all modes, of digit times stride; so wgmma fragments, vectorised rows and row-reduced values are
values of one class, and transposing or reshaping a tile costs no instruction. Extents need not be
powers of two. Equal layouts describe equal maps: the constructor brings modes into canonical form.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from math import prod
from operator import mul

from tilec.layout.errors import LayoutError
from tilec.layout.modes import (
    WARP_LANES,
    WARPGROUP_WARPS,
    Mode,
    Owner,
    ThreadTerm,
    canonical_modes,
    mode_text,
    modes_from_text,
    owner_size,
)
from tilec.support.fast_dataclasses import dataclass

Coordinate = tuple[int, ...]
_THREAD_OWNERS = (Owner.LANE, Owner.WARP, Owner.WARPGROUP, Owner.CTA)


@dataclass(frozen=True)
class RegisterLayout:
    """A map from (register, thread, CTA) to a tile coordinate.

    `thread` is the flat index in the role: `warpgroup * 128 + warp * 32 + lane`.

    Attributes:
        shape: Extents of the tile.
        modes: Canonical modes: owners in the order of `Owner`, least significant digit first.
    """

    shape: tuple[int, ...]
    modes: tuple[Mode, ...]

    def __init__(self, shape: Sequence[int], modes: Iterable[Mode]) -> None:
        """Bring `modes` into canonical form and check them.

        Raises:
            LayoutError: A mode is malformed or leads outside the tile.
        """
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "modes", canonical_modes(modes, len(self.shape)))
        last = [0] * len(self.shape)
        for mode in self.modes:
            last = [at + (mode.extent - 1) * s for at, s in zip(last, mode.stride, strict=True)]
        for axis, (place, extent) in enumerate(zip(last, self.shape, strict=True)):
            if place >= extent:
                end = f"coordinate {place} on axis {axis}"
                raise LayoutError(f"layout leaves the tile {self.shape}: {end}")

    def __hash__(self) -> int:
        """Return the same for equal layouts."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.shape, self.modes))

    def _of(self, owner: Owner) -> tuple[Mode, ...]:
        return tuple(mode for mode in self.modes if mode.owner is owner)

    @property
    def rank(self) -> int:
        """Number of tile dims."""
        return len(self.shape)

    @property
    def num_elements(self) -> int:
        """Number of elements of the tile."""
        return prod(self.shape)

    @cached_property
    def num_registers(self) -> int:
        """Number of elements that one thread holds (not 32-bit registers)."""
        return owner_size(self.modes, Owner.REG)

    @cached_property
    def num_warpgroups(self) -> int:
        """Number of warpgroups; 1 also when fewer than four warps take part."""
        return owner_size(self.modes, Owner.WARPGROUP)

    @cached_property
    def num_warps(self) -> int:
        """Number of warps over all warpgroups."""
        return owner_size(self.modes, Owner.WARP) * self.num_warpgroups

    @property
    def num_threads(self) -> int:
        """Number of threads of the role that hold the tile."""
        return self.num_warps * WARP_LANES

    @cached_property
    def num_ctas(self) -> int:
        """Number of CTAs of the cluster that the tile is spread over."""
        return owner_size(self.modes, Owner.CTA)

    @cached_property
    def _register_offsets(self) -> tuple[Coordinate, ...]:
        return tuple(_mixed_radix(self._of(Owner.REG), self.rank))

    def register_offsets(self) -> tuple[Coordinate, ...]:
        """Return the constant part of the coordinate, one entry per register."""
        return self._register_offsets

    @cached_property
    def _thread_terms(self) -> tuple[ThreadTerm, ...]:
        terms: list[ThreadTerm] = []
        for owner in _THREAD_OWNERS:
            divisor = 1
            for mode in self._of(owner):
                if not mode.is_replicated:
                    terms.append(ThreadTerm(owner, divisor, mode.extent, mode.stride))
                divisor *= mode.extent
        return tuple(terms)

    def thread_terms(self) -> tuple[ThreadTerm, ...]:
        """Return the summands of a thread's offset; replicated digits contribute none."""
        return self._thread_terms

    def reduction_terms(self, axis: int) -> tuple[ThreadTerm, ...]:
        """Return the thread terms that move along `axis`.

        A reduction over `axis` combines the values of exactly these threads.
        """
        return tuple(term for term in self._thread_terms if term.stride[axis])

    def replica_terms(self) -> tuple[ThreadTerm, ...]:
        """Return the thread digits that only make copies, as terms of stride 0.

        The threads for which all these digits are 0 hold every element once: they do the stores.
        """
        terms: list[ThreadTerm] = []
        for owner in _THREAD_OWNERS:
            divisor = 1
            for mode in self._of(owner):
                if mode.is_replicated:
                    terms.append(ThreadTerm(owner, divisor, mode.extent, mode.stride))
                divisor *= mode.extent
        return tuple(terms)

    def thread_offset(self, thread: int, cta: int = 0) -> Coordinate:
        """Return the part of the coordinate that depends on the thread."""
        ids = {
            Owner.LANE: thread % WARP_LANES,
            Owner.WARP: thread // WARP_LANES % WARPGROUP_WARPS,
            Owner.WARPGROUP: thread // (WARP_LANES * WARPGROUP_WARPS),
            Owner.CTA: cta,
        }
        offset = [0] * self.rank
        for term in self._thread_terms:
            digit = ids[term.owner] // term.divisor % term.extent
            for axis, stride in enumerate(term.stride):
                offset[axis] += digit * stride
        return tuple(offset)

    @cached_property
    def _lane_offsets(self) -> tuple[Coordinate, ...]:
        return tuple(_mixed_radix(self._of(Owner.LANE), self.rank))

    def lane_offsets(self) -> tuple[Coordinate, ...]:
        """Return the part of the coordinate that depends on the lane, one entry per lane."""
        return self._lane_offsets

    def coordinates(self, register: int, thread: int, cta: int = 0) -> Coordinate:
        """Return the tile coordinate that `register` of `thread` holds."""
        constant = self._register_offsets[register]
        return tuple(a + b for a, b in zip(constant, self.thread_offset(thread, cta), strict=True))

    @cached_property
    def replication(self) -> int:
        """How many copies of every held element exist because of replicated digits."""
        return prod(mode.extent for mode in self.modes if mode.is_replicated)

    @cached_property
    def _distinct(self) -> int:
        moving = [mode for mode in self.modes if not mode.is_replicated]
        if any(sum(s > 0 for s in mode.stride) > 1 for mode in moving):
            return len(set(_mixed_radix(moving, self.rank)))
        count = 1
        for axis in range(self.rank):
            values = {0}
            for mode in moving:
                step = mode.stride[axis]
                if step:
                    values = {v + digit * step for v in values for digit in range(mode.extent)}
            count *= len(values)
        return count

    @property
    def is_injective(self) -> bool:
        """Whether, replicated digits aside, no element is held twice."""
        return self._distinct * self.replication == prod(mode.extent for mode in self.modes)

    @property
    def is_surjective(self) -> bool:
        """Whether every element of the tile is held by some thread."""
        return self._distinct == self.num_elements

    def permute(self, permutation: Sequence[int]) -> "RegisterLayout":
        """Return the layout of the transposed tile: axis i is axis `permutation[i]` of this one.

        Raises:
            LayoutError: `permutation` is not a permutation of the axes.
        """
        if sorted(permutation) != list(range(self.rank)):
            raise LayoutError(f"{tuple(permutation)} does not permute {self.rank} axes")
        modes = (
            Mode(mode.owner, mode.extent, tuple(mode.stride[axis] for axis in permutation))
            for mode in self.modes
        )
        return RegisterLayout([self.shape[axis] for axis in permutation], modes)

    def reshape(self, shape: Sequence[int]) -> "RegisterLayout":
        """Return the layout of the tile reshaped in row-major order; no value moves.

        Modes are split where they cross a border of the new shape.

        Raises:
            LayoutError: The element counts differ, or the map has no form in the new shape.
        """
        return _reshaped(self, tuple(shape))

    def expand_dims(self, axis: int) -> "RegisterLayout":
        """Return the layout with a new axis of extent 1 before `axis`."""
        return self.reshape((*self.shape[:axis], 1, *self.shape[axis:]))

    def broadcast_source(self, source_shape: Sequence[int]) -> tuple["RegisterLayout", Coordinate]:
        """Return the layout that the source of a broadcast to this layout must have.

        Args:
            source_shape: Shape of the source; every extent is 1 or that of this layout.

        Returns:
            The layout of the source, in which a thread holds each element once, and for every
            register of this layout the register of the source that it is a copy of.

        Raises:
            LayoutError: `source_shape` does not broadcast to the shape of this layout.
        """
        source = tuple(source_shape)
        if len(source) != self.rank or any(
            small not in (1, large) for small, large in zip(source, self.shape, strict=True)
        ):
            raise LayoutError(f"{source} does not broadcast to {self.shape}")
        keep = [small == large for small, large in zip(source, self.shape, strict=True)]
        modes = [
            Mode(
                mode.owner,
                mode.extent,
                tuple(s if k else 0 for s, k in zip(mode.stride, keep, strict=True)),
            )
            for mode in self.modes
        ]
        registers = [mode for mode in modes if mode.owner is Owner.REG]
        kept = [m for m in modes if m.owner is not Owner.REG or not m.is_replicated]
        return RegisterLayout(source, kept), _register_map(registers)

    def drop_axis(self, axis: int) -> tuple["RegisterLayout", Coordinate]:
        """Return the layout of the tile reduced over `axis`, without that axis.

        Returns:
            The reduced layout, replicated over the threads that moved along `axis`, and for every
            register of this layout the register that it is reduced into.
        """
        ones = tuple(1 if index == axis else extent for index, extent in enumerate(self.shape))
        reduced, register_map = self.broadcast_source(ones)
        return reduced.reshape(self.shape[:axis] + self.shape[axis + 1 :]), register_map

    def vector_width(self, axis: int, limit: int) -> int:
        """Return how many elements one vector access along `axis` can move.

        Returns:
            The largest power of two v <= `limit` such that registers v*i .. v*i+v-1 of every
            thread hold consecutive coordinates along `axis` that start at a multiple of v.
        """
        registers = self._of(Owner.REG)
        unit = tuple(int(index == axis) for index in range(self.rank))
        if not registers or registers[0].stride != unit:
            return 1
        width = 1
        others = [mode.stride[axis] for mode in self.modes if mode is not registers[0]]
        while (
            width * 2 <= limit
            and registers[0].extent % (width * 2) == 0
            and all(stride % (width * 2) == 0 for stride in others)
        ):
            width *= 2
        return width

    def access_groups(self, axis: int, width: int) -> tuple[tuple[int, ...], ...]:
        """Return the registers of each vector access of `width` elements along `axis`.

        Raises:
            LayoutError: `width` does not divide `vector_width(axis, width)`.
        """
        if self.vector_width(axis, width) % width:
            raise LayoutError(f"no accesses of {width} elements along axis {axis}: {self}")
        starts = range(0, self.num_registers, width)
        return tuple(tuple(range(start, start + width)) for start in starts)

    def to_text(self) -> str:
        """Return the canonical text, for example `16x8|reg:2*(0,1),2*(8,0)|lane:...`."""
        parts = ["x".join(map(str, self.shape))]
        for owner in Owner:
            modes = self._of(owner)
            if modes:
                parts.append(f"{owner.value}:{','.join(map(mode_text, modes))}")
        return "|".join(parts)

    @classmethod
    def from_text(cls, text: str) -> "RegisterLayout":
        """Parse what `to_text` writes.

        Raises:
            LayoutError: The text is malformed.
        """
        head, *groups = text.split("|")
        extents = head.split("x") if head else []
        if not all(extent.isdecimal() for extent in extents):
            raise LayoutError(f"cannot parse the shape of layout '{text}'")
        modes = [mode for group in groups for mode in modes_from_text(group)]
        return cls([int(extent) for extent in extents], modes)

    def __str__(self) -> str:
        """Return the canonical text."""
        return self.to_text()


def _mixed_radix(modes: Sequence[Mode], rank: int) -> Iterable[Coordinate]:
    """Return the sum of digit times stride for every index, in index order."""
    axes = []
    for axis in range(rank):
        sums = [0]
        for mode in modes:
            steps = [digit * mode.stride[axis] for digit in range(mode.extent)]
            sums = [base + step for step in steps for base in sums]
        axes.append(sums)
    return zip(*axes, strict=True) if axes else [()] * prod(mode.extent for mode in modes)


def _register_map(modes: Sequence[Mode]) -> Coordinate:
    """Number the registers when replicated modes collapse: for each index, the remaining one."""
    result, weight = [0], 1
    for mode in modes:
        step = 0 if mode.is_replicated else weight
        result = [base + digit * step for digit in range(mode.extent) for base in result]
        weight *= 1 if mode.is_replicated else mode.extent
    return tuple(result)


def _row_major(shape: Sequence[int]) -> Coordinate:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


@lru_cache(maxsize=1024)
def _reshaped(layout: RegisterLayout, shape: Coordinate) -> RegisterLayout:
    if prod(shape) != layout.num_elements:
        raise LayoutError(f"cannot reshape {layout.shape} to {shape}: element counts differ")
    weights, steps = _row_major(layout.shape), _row_major(shape)
    modes: list[Mode] = []
    for mode in layout.modes:
        flat = sum(map(mul, mode.stride, weights))
        modes.extend(_unflatten_mode(mode.owner, mode.extent, flat, shape, steps))
    return RegisterLayout(shape, modes)


def _unflatten_mode(
    owner: Owner, extent: int, flat: int, shape: Coordinate, weights: Coordinate
) -> list[Mode]:
    """Split one mode over a row-major index into modes over the axes of `shape`.

    The part returned first takes the largest factor of the extent that stays inside one run of the
    new shape. That the parts of all modes together do not carry from one axis into another is what
    the bounds check of the constructor proves: coordinates inside the tile that add up to the
    same row-major index are the same coordinates.
    """
    modes: list[Mode] = []
    while extent > 1:
        step = tuple(flat // w % size for w, size in zip(weights, shape, strict=True))
        longest = min(
            ((size - 1) // s for s, size in zip(step, shape, strict=True) if s), default=extent
        )
        factor = next(f for f in range(min(extent, longest + 1), 0, -1) if extent % f == 0)
        if factor == 1:
            raise LayoutError(f"a digit of extent {extent} and stride {flat} does not fit {shape}")
        modes.append(Mode(owner, factor, step))
        extent //= factor
        flat *= factor
    return modes
