"""Random matrix products: shapes, layouts and element types drawn from a seed."""

import functools
import random
from dataclasses import dataclass
from pathlib import Path

from tilec.runtime.jit import load

MATMUL = Path(__file__).resolve().parents[2] / "examples" / "matmul.tile"
EXTENTS = (1, 7, 16, 63, 64, 65, 127, 128, 129, 255, 1000, 1024, 4096)
SEED, CASES = 20261121, 300
GUARD = 64
"""Elements before and after each matrix; 128 bytes, which keep its alignment."""
ELEMENT_TYPES = ("bf16", "f16")


@dataclass(frozen=True)
class Case:
    """One product of [m, k] and [k, n].

    Attributes:
        m: Rows of A and C.
        n: Columns of B and C.
        k: Columns of A, rows of B.
        orders: Memory order of A, B and C: `N` row-major, `T` column-major.
        dtype: Element type of all three.
    """

    m: int
    n: int
    k: int
    orders: str
    dtype: str

    def __str__(self) -> str:
        """Return a short name, for test reports."""
        return f"{self.m}x{self.n}x{self.k}-{self.orders}-{self.dtype}"

    def matrices(self) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
        """Return the shape and the strides (in elements) of each matrix."""
        shapes = {"A": (self.m, self.k), "B": (self.k, self.n), "C": (self.m, self.n)}
        return {
            name: ((rows, columns), (columns, 1) if order == "N" else (1, rows))
            for (name, (rows, columns)), order in zip(shapes.items(), self.orders, strict=True)
        }


def draw() -> list[Case]:
    """Return `CASES` cases, the same in every run."""
    source = random.Random(SEED)
    return [
        Case(
            m=source.choice(EXTENTS),
            n=source.choice(EXTENTS),
            k=source.choice(EXTENTS),
            orders="".join(source.choice("NT") for _ in range(3)),
            dtype=source.choice(ELEMENT_TYPES),
        )
        for _ in range(CASES)
    ]


@functools.cache
def matmul():
    """Return the kernel of this process."""
    return load(MATMUL).matmul
