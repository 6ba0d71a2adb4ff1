"""Compiles the kernels of cases without a GPU, so that later calls find them in the cache."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from typing import Any

import tilec
from tilec.request.gpu import DEFAULT_GPU
from tilec.runtime.args.arrays import DTYPES, ArrayView
from tilec.support.diagnostics import TileError
from tools.random_attention.cases import EXAMPLES, Case, View, random_case

FIRST_ADDRESS, SPACING = 1 << 40, 1 << 36
"""Where the blocks of a case are taken to lie. Allocations of CUDA are aligned to 256 bytes."""


@dataclass(frozen=True)
class _Array:
    """An array without memory."""

    view: ArrayView

    def __tilec_array__(self) -> ArrayView:
        return self.view


@cache
def load_kernel(name: str) -> Any:
    """Return the kernel of an example."""
    return tilec.load(EXAMPLES / f"{name}.tile")[name]


def imagined(case: Case) -> dict[str, Any]:
    """Return the arrays of a case on a GPU that need not exist."""
    bases = {name: FIRST_ADDRESS + SPACING * i for i, name in enumerate(case.blocks)}

    def array(item: View) -> _Array:
        pointer = bases[item.block] + item.offset * DTYPES[item.dtype].bytes
        return _Array(ArrayView(pointer, item.shape, item.strides, item.dtype, "cuda", 0, "tilec"))

    return {name: array(item) for name, item in case.arrays.items()}


def compile_case(seed: int) -> tuple[str, str]:
    """Compile the kernel of a case; return what tells it from others, and why there is none."""
    case = random_case(seed)
    try:
        values = {**imagined(case), **case.scalars}
        compiled = load_kernel(case.kernel).compile_for(DEFAULT_GPU, values)
    except TileError as failure:
        return "", f"{seed} {case}: {failure}"
    return compiled.ptx, ""


def compile_ahead(seeds: range, jobs: int) -> Iterator[str]:
    """Compile the kernels of seeds in processes.

    Yields:
        What cannot be compiled, and why; then a summary.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        found = list(pool.map(compile_case, seeds, chunksize=1))
    yield from (problem for _, problem in found if problem)
    kernels = len({text for text, _ in found if text})
    yield f"{len(seeds)} cases take {kernels} kernels"
