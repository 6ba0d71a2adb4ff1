"""Products: one as the plan of a kernel sees it, and those that run together on the same k-tile."""

from collections.abc import Mapping

from tilec.support.fast_dataclasses import dataclass
from tilec.support.mma_atoms import ProductTypes

TYPES_BY_SIZE = {
    1: ProductTypes("f8E4M3FN", "f8E4M3FN", "f32"),
    2: ProductTypes("bf16", "bf16", "f32"),
    4: ProductTypes("f32", "f32", "f32"),
    8: ProductTypes("f64", "f64", "f64"),
}
"""Element types of a product of which only the size of an operand element is known."""
Extents = tuple[int | str, ...]
"""Extents of a tile or a product: a number, or the name of an `auto` constant."""
Accumulator = tuple[int, int, int]
"""Rows, columns and element size in bytes."""


@dataclass(frozen=True, slots=True)
class MmaTile:
    """Extents of one `mma` and the element sizes of its operands and of its accumulator.

    `also_live` are the other accumulators that are live then, and `holds_a` tells whether the A
    operand comes from registers.
    """

    m: int
    n: int
    k: int
    element_bytes: int
    accumulator_bytes: int
    also_live: tuple[Accumulator, ...] = ()
    holds_a: bool = False

    @property
    def accumulator(self) -> Accumulator:
        """Its own accumulator."""
        return self.m, self.n, self.accumulator_bytes

    @property
    def live(self) -> tuple[Accumulator, ...]:
        """All accumulators that are live while it runs."""
        return (self.accumulator, *self.also_live)


@dataclass(frozen=True, slots=True)
class NextProduct:
    """A product in the same loop whose A operand threads compute from the result of another one.

    Attributes:
        columns: Its N. Its M is that of the other one, and its K is the N of that.
        staircase: Whether the number of rounds of the loop depends on the block.
    """

    columns: int | str
    staircase: bool = False


@dataclass(frozen=True, slots=True)
class ProductsTogether:
    """Products of equal extents in one block.

    Attributes:
        products: How many there are.
        a_tiles: How many tiles of A they read.
        b_tiles: How many tiles of B they read.
        also_live: Rows and columns of the other accumulators that are live with that of one.
        sums: Tiles of the same shape that their loop carries and no product adds to, as where a
            result is scaled before it is added.
        next: The only other product of its loop, where that needs its result.
        loaded: Bytes that are loaded for each element of A and of B; None for their own.
        computed: Whether threads compute A, and B, from nothing but what is loaded.
        copied: Whether threads copy A, and B, as TMA cannot load them: gathered rows.
    """

    products: int = 1
    a_tiles: int = 1
    b_tiles: int = 1
    also_live: tuple[Extents, ...] = ()
    sums: int = 0
    next: NextProduct | None = None
    loaded: tuple[float, float] | None = None
    computed: tuple[bool, bool] = (False, False)
    copied: tuple[bool, bool] = (False, False)

    def accumulators_with(self, extents: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
        """Return the other accumulators, given what names mean; without those of other names."""
        found = []
        for item in self.also_live:
            rows, columns = (extents.get(e) if isinstance(e, str) else e for e in item)
            if rows is not None and columns is not None:
                found.append((rows, columns))
        return tuple(found)


ALONE = ProductsTogether()
