"""Random matrix products: shapes, layouts and element types drawn from a seed, and their variants.

No torch is imported here, so that processes which only compile start fast.
"""

import functools
import os
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import ml_dtypes
import numpy as np

from tilec.runtime.jit import load

MATMUL = Path(__file__).resolve().parents[2] / "examples" / "matmul.tile"
EXTENTS = (1, 7, 16, 63, 64, 65, 127, 128, 129, 255, 1000, 1024, 4096)
SEED, CASES = 20261121, 300
GUARD = 64
"""Elements before and after each matrix; 128 bytes, which keep its alignment."""
MAX_WORKERS = 16
ELEMENT_TYPES = {"bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16)}


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
            dtype=source.choice(tuple(ELEMENT_TYPES)),
        )
        for _ in range(CASES)
    ]


@functools.cache
def matmul():
    """Return the kernel of this process."""
    return load(MATMUL).matmul


def compile_for(case: Case, cache: str) -> str:
    """Compile the variant of a case into the folder `cache`; return its kernel's name.

    The arrays are never touched: only their addresses and strides count.
    """
    os.environ["TILEC_CACHE_DIR"] = cache
    item = ELEMENT_TYPES[case.dtype]
    arrays = {}
    for name, (shape, strides) in case.matrices().items():
        memory = np.empty(2 * GUARD + shape[0] * shape[1], item)
        inside = memory[-memory.ctypes.data % 256 // item.itemsize :]
        steps = tuple(item.itemsize * stride for stride in strides)
        arrays[name] = np.ndarray(shape, item, inside.view(np.uint8), 0, steps)
    return matmul().compile(**arrays).artifact.kernels[0].name


def compile_all(cases: Sequence[Case], cache: Path) -> None:
    """Compile the variants of all cases in as many processes as there are cores, up to 16.

    Variants are keyed by planned tiles and facts about the arrays, so cases share some; the ones
    that are in the folder already cost nothing.
    """
    workers = min(os.cpu_count() or 1, MAX_WORKERS)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        names = pool.map(compile_for, cases, repeat(str(cache)))
        assert set(names) == {"matmul"}
