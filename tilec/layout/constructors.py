"""Register layouts that the compiler starts from: wgmma fragments and blocked tiles.

Sources: PTX ISA, "Register Fragments and Shared Memory Matrix Layouts" of wgmma, for the fragments;
CUDA programming guide, global memory and shared memory accesses, for blocked tiles.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import gcd, prod

from tilec.layout.errors import LayoutError
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS, Mode, Owner
from tilec.layout.register import RegisterLayout

WGMMA_ROWS = 64
"""Rows of one wgmma (PTX ISA, wgmma.mma_async: M is always 64)."""
WGMMA_COLUMNS = 8
"""Columns of one wgmma are a multiple of this (PTX ISA, wgmma.mma_async shapes)."""
VECTOR_BITS = 128
"""Widest access of one thread to memory."""


def warpgroup_share(m: int, n: int, warpgroups: int) -> tuple[int, int]:
    """Return the rows and columns of an m x n accumulator that each warpgroup owns.

    Warpgroups share the rows, in blocks of 64. Rows that do not split so are owned by all of them,
    and they share the columns.

    Raises:
        LayoutError: Neither rows nor columns split into whole wgmma instructions.
    """
    if warpgroups >= 1 and m % WGMMA_ROWS == 0 and n % WGMMA_COLUMNS == 0:
        if m % (WGMMA_ROWS * warpgroups) == 0:
            return m // warpgroups, n
        if n % (WGMMA_COLUMNS * warpgroups) == 0:
            return m, n // warpgroups
    raise LayoutError(
        f"{m} rows do not split into blocks of 64 over {warpgroups} warpgroups, nor {n} columns "
        "into multiples of 8"
    )


def wgmma_accumulator(m: int, n: int, warpgroups: int) -> RegisterLayout:
    """Return the layout of an m x n f32 or s32 accumulator (PTX ISA, wgmma D fragment).

    A warpgroup owns consecutive rows or columns (see `warpgroup_share`) as blocks of 64 rows, block
    outermost in register order. Inside a block, register 4*j + 2*i + c holds row
    `16*warp + lane//4 + 8*i` and column `8*j + 2*(lane%4) + c`.

    Args:
        m: Rows of the tile, a multiple of 64.
        n: Columns of the tile, a multiple of 8.
        warpgroups: Number of warpgroups that share the tile.

    Raises:
        LayoutError: The tile does not split into whole fragments.
    """
    if n % WGMMA_COLUMNS:
        raise LayoutError(f"wgmma needs a multiple of 8 columns, not {n}")
    rows, columns = warpgroup_share(m, n, warpgroups)
    step = (rows, 0) if rows < m else (0, columns)
    return _fragment((m, n), (rows, columns), 2, Mode(Owner.WARPGROUP, warpgroups, step))


def wgmma_a_fragment(
    extents: tuple[int, int, int], element_bits: int, warpgroups: int
) -> RegisterLayout:
    """Return the layout of an m x k left operand held in registers (PTX ISA, wgmma A fragment).

    For 16-bit elements it is the accumulator layout, so that an accumulator converts in place.
    Warpgroups that share the columns of the product (`warpgroup_share`) all hold all of A.

    Args:
        extents: M, N and K of the product; K is a multiple of 256 / `element_bits`.
        element_bits: 8, 16 or 32.
        warpgroups: Number of warpgroups that share the product.

    Raises:
        LayoutError: The tile does not split into whole fragments.
    """
    m, n, k = extents
    if element_bits not in (8, 16, 32):
        raise LayoutError(f"wgmma has no operand of {element_bits}-bit elements")
    if k % (256 // element_bits):
        raise LayoutError(f"{k} columns of {element_bits} bits are not whole wgmma k-steps")
    rows, _ = warpgroup_share(m, n, warpgroups)
    split = Mode(Owner.WARPGROUP, warpgroups, (rows if rows < m else 0, 0))
    return _fragment((m, k), (rows, k), 32 // element_bits, split)


def _fragment(
    shape: tuple[int, int], share: tuple[int, int], packed: int, split: Mode
) -> RegisterLayout:
    """Return a fragment in which a thread holds `packed` adjacent columns at a time.

    Args:
        shape: Extents of the tile.
        share: Extents of the part that one warpgroup owns.
        packed: Columns.
        split: How the parts of the warpgroups lie in the tile.
    """
    rows, columns = share
    modes = [
        Mode(Owner.REG, packed, (0, 1)),
        Mode(Owner.REG, 2, (8, 0)),
        Mode(Owner.REG, columns // (4 * packed), (0, 4 * packed)),
        Mode(Owner.REG, rows // WGMMA_ROWS, (WGMMA_ROWS, 0)),
        Mode(Owner.LANE, 4, (0, packed)),
        Mode(Owner.LANE, 8, (1, 0)),
        Mode(Owner.WARP, WARPGROUP_WARPS, (16, 0)),
        split,
    ]
    return RegisterLayout(shape, modes)


def blocked(
    shape: Sequence[int],
    warps: int,
    vector: int,
    order: Sequence[int],
    warp_order: Sequence[int] | None = None,
    scanned: Sequence[int] = (),
) -> RegisterLayout:
    """Return a layout in which neighbouring lanes hold neighbouring vectors.

    Each thread takes up to `vector` elements along the fastest axis; lanes, then warps, then
    warpgroups go through the axes in `order` in steps of that; what is left becomes registers,
    along scanned axes before the warps. A tile with fewer vectors than threads is replicated.

    Args:
        shape: Extents of the tile.
        warps: 1 to 4, or a multiple of 4.
        vector: Elements of one access; reduced to a divisor of the fastest extent.
        order: Axes, fastest first.
        warp_order: Axes in the order in which warps take them; `order` by default.
        scanned: Axes along which each warp gets consecutive elements.

    Raises:
        LayoutError: `order` is not a permutation of the axes, or `warps` is impossible.
    """
    _check_blocked(len(shape), warps, order)
    warp_order = warp_order or order
    tile = _Division(shape)
    if shape:
        tile.take(Owner.REG, order[0], gcd(shape[order[0]], vector))
    tile.share(Owner.LANE, WARP_LANES, order)
    shares = _shares(tile.left, warps, warp_order)
    for axis in scanned:
        tile.take(Owner.REG, axis, tile.left[axis] // shares[axis])
    warps_per_group = min(warps, WARPGROUP_WARPS)
    tile.share(Owner.WARP, warps_per_group, warp_order)
    tile.share(Owner.WARPGROUP, warps // warps_per_group, warp_order)
    for axis in order:
        tile.take(Owner.REG, axis, tile.left[axis])
    return RegisterLayout(shape, tile.modes)


class _Division:
    """A tile that is divided among owners, from its neighbouring elements outwards.

    Attributes:
        left: What remains of each extent.
        modes: Who has got what.
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.left, self.modes = list(shape), list[Mode]()
        self._step = [1] * len(shape)

    def take(self, owner: Owner, axis: int, extent: int) -> None:
        """Give an owner `extent` steps along an axis; it divides what is left of the axis."""
        self.modes.append(
            Mode(owner, extent, tuple(n * (i == axis) for i, n in enumerate(self._step)))
        )
        self.left[axis] //= extent
        self._step[axis] *= extent

    def share(self, owner: Owner, size: int, axes: Sequence[int]) -> None:
        """Divide the tile among `size` owners, along `axes`; they replicate what is too small."""
        for axis in axes:
            extent = gcd(self.left[axis], size)
            self.take(owner, axis, extent)
            size //= extent
        self.modes.append(Mode(owner, size, (0,) * len(self._step)))


def _shares(left: Sequence[int], warps: int, order: Sequence[int]) -> list[int]:
    """Return among how many warps each axis is shared, if they go through the axes in `order`."""
    shares = [1] * len(left)
    warps_per_group = min(warps, WARPGROUP_WARPS)
    for missing in (warps_per_group, warps // warps_per_group):
        for axis in order:
            extent = gcd(left[axis] // shares[axis], missing)
            shares[axis] *= extent
            missing //= extent
    return shares


def _check_blocked(rank: int, warps: int, order: Sequence[int]) -> None:
    if sorted(order) != list(range(rank)):
        raise LayoutError(f"order {tuple(order)} does not name the axes of a rank {rank} tile")
    if warps < 1 or (warps > WARPGROUP_WARPS and warps % WARPGROUP_WARPS):
        raise LayoutError(f"{warps} warps are neither 1 to 4 nor whole warpgroups")


def choose_blocked(
    shape: Sequence[int],
    element_bits: int,
    warps: int,
    contiguous_axis: int | None = None,
    reduced: Sequence[int] = (),
    scanned: Sequence[int] = (),
    ctas: int = 1,
) -> RegisterLayout:
    """Return the blocked layout for reading or writing a tile in memory order.

    Vectors are 16 bytes, or less if some threads had none otherwise. Consecutive lanes have
    consecutive vectors of a row, so global accesses cover whole 128-byte lines, and each quarter of
    a warp touches 128 bytes of shared memory in distinct banks.

    Args:
        shape: Extents of the tile.
        element_bits: Size of one element in memory.
        warps: 1 to 4, or a multiple of 4.
        contiguous_axis: Axis that is contiguous in memory; the last one by default.
        reduced: Axes that are reduced: warps share them last, so that each has whole rows.
        scanned: Axes along which a scan runs: each warp gets consecutive elements of a row, so
            that it hands over one total for it.
        ctas: CTAs of a cluster that hold the tile together; see `spread_axis`.

    Raises:
        LayoutError: `warps` is impossible.
    """
    fastest = len(shape) - 1 if contiguous_axis is None else contiguous_axis
    widest = max(1, VECTOR_BITS // element_bits)
    return _blocked(tuple(shape), widest, warps, fastest, tuple(reduced), tuple(scanned), ctas)


@lru_cache(maxsize=1024)
def _blocked(
    shape: tuple[int, ...],
    widest: int,
    warps: int,
    fastest: int,
    reduced: tuple[int, ...],
    scanned: tuple[int, ...],
    ctas: int,
) -> RegisterLayout:
    """Return the layout for `choose_blocked`: with vectors of `widest` elements, or fewer."""
    if not shape:
        return spread(blocked((), warps, 1, ()), (), None, ctas)
    order = [fastest, *(axis for axis in reversed(range(len(shape))) if axis != fastest)]
    vectors = [1 << shift for shift in reversed(range(widest.bit_length()))]
    warp_order = sorted(order, key=lambda axis: axis in reduced)
    axis = spread_axis(shape, warps, ctas)
    part = [extent // ctas if place == axis else extent for place, extent in enumerate(shape)]
    layouts = (blocked(part, warps, vector, order, warp_order, scanned) for vector in vectors)
    chosen = min(layouts, key=lambda layout: layout.replication)
    return spread(chosen, shape, axis, ctas)


def spread_axis(shape: Sequence[int], warps: int, ctas: int) -> int | None:
    """Return the axis along which the CTAs of a cluster hold parts of a tile.

    It is the first one that divides so, whatever the tile is used for: then a CTA has the same part
    of all tiles of a shape. Each CTA holds all of a tile that has fewer elements than the CTAs have
    threads, or that does not divide: then there is none.
    """
    if ctas == 1 or prod(shape) < ctas * warps * WARP_LANES:
        return None
    return next((axis for axis, extent in enumerate(shape) if extent % ctas == 0), None)


def spread(
    part: RegisterLayout, shape: Sequence[int], axis: int | None, ctas: int
) -> RegisterLayout:
    """Return the layout of a tile of which each CTA of a cluster holds a part, laid out as `part`.

    Args:
        part: Layout of the part of a CTA.
        shape: Extents of the whole tile.
        axis: Axis along which the parts follow each other; None where each CTA holds all.
        ctas: CTAs.
    """
    size = 0 if axis is None else part.shape[axis]
    stride = tuple(size if place == axis else 0 for place in range(part.rank))
    return RegisterLayout(shape, [*part.modes, Mode(Owner.CTA, ctas, stride)])
