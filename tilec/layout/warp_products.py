"""Register layouts of products that each warp computes by itself (`mma.sync`).

Warps share the rows of a tile first, then its columns; those that are left hold copies. Source: PTX
ISA, "Matrix Fragments for mma.m16n8k16" and the other shapes: in units of 32 bits along K they are
all alike, but for `m8n8k4` of f64.
"""

from collections.abc import Iterator
from math import gcd

from tilec.layout.errors import LayoutError
from tilec.layout.modes import WARPGROUP_WARPS, Mode, Owner
from tilec.layout.register import RegisterLayout
from tilec.support.fast_dataclasses import dataclass

COLUMNS = 8
"""N of every `mma.sync` (PTX ISA, mma)."""
_HALF_ROWS = 8
_QUAD = 4
"""Lanes that share a row of a fragment."""
_WORD_BITS = 32


@dataclass(frozen=True, slots=True)
class WarpProduct:
    """How warps share an M x N tile of a product.

    Attributes:
        m: Rows of the tile.
        n: Columns of the tile.
        rows: M of an instruction: 16, or 8 for f64.
        inner: K of an instruction.
        element_bits: Size of an operand element.
        warps: 1 to 4, or a multiple of 4.
    """

    m: int
    n: int
    rows: int
    inner: int
    element_bits: int
    warps: int

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
        halves = [Mode(Owner.REG, self.rows // _HALF_ROWS, (_HALF_ROWS, 0))]
        lanes = [Mode(Owner.LANE, _QUAD, (0, 2)), Mode(Owner.LANE, _HALF_ROWS, (1, 0))]
        modes = [Mode(Owner.REG, 2, (0, 1)), *halves, *self._blocks((1, 1)), *lanes]
        return RegisterLayout((self.m, self.n), modes)

    @property
    def left(self) -> RegisterLayout:
        """The M x K operand of one instruction along K."""
        halves = [Mode(Owner.REG, self.rows // _HALF_ROWS, (_HALF_ROWS, 0))]
        return self._operand(self.m, halves, (1, 0))

    @property
    def right(self) -> RegisterLayout:
        """The N x K operand of one instruction along K."""
        return self._operand(self.n, [], (0, 1))

    @property
    def blocks(self) -> tuple[int, int]:
        """Rows and columns of instructions that one warp computes."""
        rows, columns = self.m // self.rows, self.n // COLUMNS
        for _, extent, axis, step in self._shares():
            if step and axis == 0:
                rows //= extent
            elif step:
                columns //= extent
        return rows, columns

    def _operand(self, extent: int, halves: list[Mode], axes: tuple[int, int]) -> RegisterLayout:
        packed = max(1, _WORD_BITS // self.element_bits)
        modes = [
            Mode(Owner.REG, packed, (0, 1)),
            *halves,
            Mode(Owner.REG, self.inner // (_QUAD * packed), (0, _QUAD * packed)),
            *self._blocks(axes),
            Mode(Owner.LANE, _QUAD, (0, packed)),
            Mode(Owner.LANE, _HALF_ROWS, (1, 0)),
        ]
        return RegisterLayout((extent, self.inner), modes)

    def _blocks(self, axes: tuple[int, int]) -> Iterator[Mode]:
        """Yield the modes beyond one instruction.

        Args:
            axes: For rows and columns of the tile whether the layout has them. Both: they are its
                axes; one: it is the first axis.
        """

        def stride(axis: int, step: int) -> tuple[int, int]:
            place = axis if all(axes) else 0
            step = step if axes[axis] else 0
            return (step, 0) if place == 0 else (0, step)

        taken = [self.rows, COLUMNS]
        for owner, extent, axis, step in self._shares():
            yield Mode(owner, extent, stride(axis, step))
            taken[axis] *= extent if step else 1
        for axis, whole in ((1, self.n), (0, self.m)):
            if axes[axis]:
                yield Mode(Owner.REG, whole // taken[axis], stride(axis, taken[axis]))

    def _shares(self) -> Iterator[tuple[Owner, int, int, int]]:
        """Yield owner, extent, axis of the tile and step of each digit that warps share it by."""
        left, step = [self.m // self.rows, self.n // COLUMNS], [self.rows, COLUMNS]
        inside = min(self.warps, WARPGROUP_WARPS)
        for owner, count in ((Owner.WARP, inside), (Owner.WARPGROUP, self.warps // inside)):
            missing = count
            for axis in (0, 1):
                extent = gcd(left[axis], missing)
                yield owner, extent, axis, step[axis]
                left[axis] //= extent
                step[axis] *= extent
                missing //= extent
            yield owner, missing, 0, 0  # copies
