"""Register layouts of products that each warp computes by itself (`mma.sync`).

Warps share the products of a batch first, then the rows of a tile, then its columns; those that are
left hold copies. Source: PTX
ISA, "Matrix Fragments for mma.m16n8k16" and the other shapes: in units of 32 bits along K they are
all alike; those of f64 are in units of 64 bits.

Any order of K gives the same product if both operands have it. So a lane may hold `run` neighbours
along K where the instruction has every fourth element: then its loads are wider, or meet fewer bank
conflicts.
"""

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any

from tilec.layout.errors import LayoutError
from tilec.layout.modes import WARPGROUP_WARPS, Mode, Owner
from tilec.layout.register import RegisterLayout
from tilec.support.fast_dataclasses import dataclass, replace

COLUMNS = 8
"""N of every `mma.sync` (PTX ISA, mma)."""
_HALF_ROWS = 8
_QUAD = 4
"""Lanes that share a row of a fragment."""
_WORD_BITS = 32
_BATCH, _ROWS, _COLUMNS = 0, 1, 2
"""Axes along which warps share the work."""


@dataclass(frozen=True, slots=True)
class WarpProduct:
    """How warps share an M x N tile of a product.

    Attributes:
        m: Rows of the tile.
        n: Columns of the tile.
        rows: M of an instruction: 16, or 8 for small tiles of f64.
        inner: K of an instruction.
        element_bits: Size of an operand element.
        warps: 1 to 4, or a multiple of 4.
        batch: How many such products there are, along a first axis of all tiles; None for a plain
            one, whose tiles have no such axis.
        run: Neighbours along K, in words of an operand, that a lane holds.
    """

    m: int
    n: int
    rows: int
    inner: int
    element_bits: int
    warps: int
    batch: int | None = None
    run: int = 1

    def __post_init__(self) -> None:
        """Check the extents.

        Raises:
            LayoutError: The tile is not made of whole instructions.
        """
        if self.m % self.rows or self.n % COLUMNS or not self.m or not self.n:
            raise LayoutError(
                f"a tile of {self.m} x {self.n} is not made of products of {self.rows} x {COLUMNS}"
            )

    @property
    def accumulator(self) -> RegisterLayout:
        """The M x N tile of sums."""
        halves = [self._register(self.rows // _HALF_ROWS, (_HALF_ROWS, 0))]
        lanes = [self._lane(_QUAD, (0, 2)), self._lane(_HALF_ROWS, (1, 0))]
        modes = [self._register(2, (0, 1)), *halves, *self._blocks((1, 1)), *lanes]
        return RegisterLayout(self._shape(self.m, self.n), modes)

    @property
    def left(self) -> RegisterLayout:
        """The M x K operand of one instruction along K."""
        halves = [self._register(self.rows // _HALF_ROWS, (_HALF_ROWS, 0))]
        return self._operand(self.m, halves, (1, 0))

    @property
    def right(self) -> RegisterLayout:
        """The N x K operand of one instruction along K."""
        return self._operand(self.n, [], (0, 1))

    def in_order(self, words: Sequence[Any]) -> list[Any]:
        """Return the words of one block of the left operand as the instruction takes them.

        Its halves of rows change fastest; in the layout, what lies together along K does.
        """
        halves = self.rows // _HALF_ROWS
        steps = (divmod(step, self.run) for step in range(len(words) // halves))
        return [
            words[(outer * halves + half) * self.run + inner]
            for outer, inner in steps
            for half in range(halves)
        ]

    @property
    def runs(self) -> Iterator["WarpProduct"]:
        """Yield the same product with every order of K that there is, that of PTX first."""
        run = 1
        while (
            self.inner * self.element_bits % (_QUAD * run * max(_WORD_BITS, self.element_bits)) == 0
        ):
            yield replace(self, run=run)
            run *= 2

    @property
    def blocks(self) -> tuple[int, int, int]:
        """Products of the batch, and rows and columns of instructions, that one warp computes."""
        left = self._whole()
        for _, extent, axis, step in self._shares():
            left[axis] //= extent if step else 1
        batch, rows, columns = left
        return batch, rows, columns

    def _shape(self, rows: int, columns: int) -> tuple[int, ...]:
        return (rows, columns) if self.batch is None else (self.batch, rows, columns)

    def _stride(self, inside: tuple[int, int], batch: int = 0) -> tuple[int, ...]:
        return inside if self.batch is None else (batch, *inside)

    def _register(self, extent: int, inside: tuple[int, int]) -> Mode:
        return Mode(Owner.REG, extent, self._stride(inside))

    def _lane(self, extent: int, inside: tuple[int, int]) -> Mode:
        return Mode(Owner.LANE, extent, self._stride(inside))

    def _operand(self, extent: int, halves: list[Mode], axes: tuple[int, int]) -> RegisterLayout:
        packed = max(1, _WORD_BITS // self.element_bits)
        held = packed * self.run
        modes = [
            self._register(packed, (0, 1)),
            self._register(self.run, (0, packed)),
            *halves,
            self._register(self.inner // (_QUAD * held), (0, _QUAD * held)),
            *self._blocks(axes),
            self._lane(_QUAD, (0, held)),
            self._lane(_HALF_ROWS, (1, 0)),
        ]
        return RegisterLayout(self._shape(extent, self.inner), modes)

    def _blocks(self, axes: tuple[int, int]) -> Iterator[Mode]:
        """Yield the modes beyond one instruction.

        Args:
            axes: For rows and columns of the tile whether the layout has them. Both: they are its
                axes; one: it is the first axis, or the first one after that of the batch.
        """

        def stride(axis: int, step: int) -> tuple[int, ...]:
            if axis == _BATCH:
                return self._stride((0, 0), step)
            step = step if axes[axis - 1] else 0
            is_first = axis == _ROWS or not all(axes)
            return self._stride((step, 0) if is_first else (0, step))

        taken = self._steps()
        for owner, extent, axis, step in self._shares():
            yield Mode(owner, extent, stride(axis, step))
            taken[axis] *= extent if step else 1
        for axis, whole in ((_COLUMNS, self.n), (_ROWS, self.m), (_BATCH, self.batch or 1)):
            if axis == _BATCH or axes[axis - 1]:
                yield Mode(Owner.REG, whole // taken[axis], stride(axis, taken[axis]))

    def _whole(self) -> list[int]:
        """Return the products of the batch, and rows and columns of instructions."""
        return [self.batch or 1, self.m // self.rows, self.n // COLUMNS]

    def _steps(self) -> list[int]:
        """Return the extents of one instruction along the axes that warps share."""
        return [1, self.rows, COLUMNS]

    def _shares(self) -> Iterator[tuple[Owner, int, int, int]]:
        """Yield owner, extent, axis and step of each digit that warps share the tile by."""
        left, step = self._whole(), self._steps()
        inside = min(self.warps, WARPGROUP_WARPS)
        for owner, count in ((Owner.WARP, inside), (Owner.WARPGROUP, self.warps // inside)):
            missing = count
            for axis in (_BATCH, _ROWS, _COLUMNS):
                extent = gcd(left[axis], missing)
                yield owner, extent, axis, step[axis]
                left[axis] //= extent
                step[axis] *= extent
                missing //= extent
            yield owner, missing, _ROWS, 0  # copies
