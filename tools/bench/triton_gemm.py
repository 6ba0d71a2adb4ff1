"""Launches the Triton peer: picks the kernel, tries a handful of configurations, keeps the best.

Warp specialisation needs descriptors that the kernel makes: with descriptors of the host, tiles of
128 rows do not compile for Hopper in Triton 3.6 (issue 11587 of Triton). So both kinds are tried.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

GROUP_ROWS = 8
TMA_ALIGNMENT = 16
"""Bytes that divide the base and the pitch of an array that TMA takes (cuda.h,
cuTensorMapEncodeTiled)."""
Call = Callable[[int], None]
Arrays = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Config:
    """One choice of Triton's parameters.

    Attributes:
        bm: Rows of a tile of C.
        bn: Columns of a tile of C.
        bk: Extent of a tile along K.
        warps: Warps of a block; those that compute, when specialised.
        stages: Depth of the software pipeline.
        halves: Whether the epilogue stores a tile in two halves, which frees shared memory.
        specialize: Whether separate warps load and compute.
    """

    bm: int
    bn: int
    bk: int
    warps: int
    stages: int
    halves: bool = False
    specialize: bool = False

    def __str__(self) -> str:
        """Return a short name for the report."""
        marks = ", halves" * self.halves + ", specialised" * self.specialize
        return f"{self.bm}x{self.bn}x{self.bk}, warps {self.warps}, stages {self.stages}{marks}"

    @property
    def options(self) -> dict[str, int]:
        """The keywords that every kernel takes."""
        return {
            "BM": self.bm,
            "BN": self.bn,
            "BK": self.bk,
            "GROUP": GROUP_ROWS,
            "num_warps": self.warps,
            "num_stages": self.stages,
        }


TMA_CONFIGS = (
    Config(128, 256, 64, 8, 3),
    Config(128, 256, 64, 8, 4, halves=True),
    Config(128, 256, 64, 8, 3, halves=True),
    Config(256, 128, 64, 8, 3),
    Config(128, 128, 64, 8, 4),
    Config(128, 128, 64, 4, 4),
    Config(128, 64, 128, 4, 4),
    Config(64, 128, 64, 4, 5),
    Config(64, 64, 64, 4, 5),
    Config(128, 256, 64, 4, 3, specialize=True),
    Config(128, 128, 64, 4, 4, specialize=True),
)
POINTER_CONFIGS = (
    Config(128, 256, 64, 8, 3),
    Config(128, 128, 64, 8, 3),
    Config(128, 128, 32, 4, 4),
    Config(64, 128, 64, 4, 3),
    Config(64, 64, 64, 4, 3),
)


@dataclass(frozen=True)
class Problem:
    """Extents of a product; `batch` products are stacked along the rows of every array."""

    m: int
    n: int
    k: int
    batch: int = 1


def takes_tma(shape: tuple[int, ...], strides: tuple[int, ...], base: int, size: int) -> bool:
    """Tell whether TMA can take a matrix of either memory order.

    Args:
        shape: Rows and columns.
        strides: Strides in elements.
        base: Address.
        size: Bytes of an element.
    """
    unit = [axis for axis in range(2) if strides[axis] == 1]
    if not unit:
        return False
    pitch = strides[1 - unit[-1]]
    return base % TMA_ALIGNMENT == 0 and pitch * size % TMA_ALIGNMENT == 0 and min(shape) > 0


def best_call(
    torch: Any, data: list[Arrays], problem: Problem, time_call: Callable[[Call], float]
) -> tuple[Call, str]:
    """Return the fastest contender for `data` and the name of its configuration.

    Args:
        torch: The module.
        data: Sets of A, B and C, matrices on the GPU; a column-major C is computed transposed.
        problem: The extents.
        time_call: Times a call shortly; raises what the launch raises.

    Raises:
        RuntimeError: No configuration runs.
    """
    data = [_row_major_result(arrays) for arrays in data]
    if data[0][2].shape != (problem.m * problem.batch, problem.n):
        problem = Problem(problem.n, problem.m, problem.k, problem.batch)
    failures: list[str] = []
    best: tuple[float, Call, str] | None = None
    for config, call in _candidates(torch, data, problem):
        try:
            took = time_call(call)
        except Exception as failure:  # whatever Triton's passes raise
            failures.append(f"{config}: {type(failure).__name__}: {failure}")
            continue
        if best is None or took < best[0]:
            best = took, call, str(config)
    if best is None:
        why = failures[0] if failures else "none takes this shape"
        raise RuntimeError(f"no Triton configuration runs; {why}")
    return best[1], best[2]


def _row_major_result(arrays: Arrays) -> Arrays:
    """Return the operands of the transposed product when C is column-major."""
    a, b, c = arrays
    return (b.T, a.T, c.T) if c.stride(1) != 1 else arrays


def _candidates(torch: Any, data: list[Arrays], problem: Problem) -> Iterator[tuple[Config, Call]]:
    whole = all(
        takes_tma(tuple(x.shape), x.stride(), x.data_ptr(), x.element_size()) for x in data[0]
    )
    if not whole:
        for config in POINTER_CONFIGS:
            yield config, _pointer_call(data, problem, config)
        return
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    for config in TMA_CONFIGS:
        straddles = problem.m % config.bm or problem.k % config.bk or problem.n % config.bn
        if problem.batch > 1 and straddles:
            continue
        make = _specialized_call if config.specialize else _tma_call
        yield config, make(data, problem, config, blocks)


def _kernels() -> Any:
    return importlib.import_module("tools.bench.triton_kernels")  # needs Triton


def _grid(problem: Problem, config: Config, limit: int | None) -> tuple[int]:
    tiles = problem.batch * -(-problem.m // config.bm) * -(-problem.n // config.bn)
    return (tiles if limit is None else min(limit, tiles),)


def _tma_call(data: list[Arrays], problem: Problem, config: Config, blocks: int) -> Call:
    from triton.tools.tensor_descriptor import (  # pyright: ignore[reportMissingImports]
        TensorDescriptor,
    )

    kernels = _kernels()
    columns = config.bn // 2 if config.halves else config.bn

    def describe(array: Any, block: tuple[int, int]) -> Any:
        if array.stride(1) != 1:
            return TensorDescriptor.from_tensor(array.T, [*block[::-1]])
        return TensorDescriptor.from_tensor(array, [*block])

    described = [
        (
            describe(a, (config.bm, config.bk)),
            describe(b, (config.bk, config.bn)),
            describe(c, (config.bm, columns)),
        )
        for a, b, c in data
    ]
    a, b, _ = data[0]
    grid = _grid(problem, config, blocks)
    options = {
        **config.options,
        "BLOCKS": grid[0],
        "A_COLUMN": a.stride(1) != 1,
        "B_COLUMN": b.stride(1) != 1,
        "HALVES": config.halves,
    }
    extents = (problem.m, problem.n, problem.k, problem.batch)
    return lambda i: kernels.gemm_tma[grid](*described[i], *extents, **options)


def _specialized_call(data: list[Arrays], problem: Problem, config: Config, blocks: int) -> Call:
    import torch  # pyright: ignore[reportMissingImports]
    import triton  # pyright: ignore[reportMissingImports]

    kernels = _kernels()

    def allocate(size: int, alignment: int, stream: int | None) -> Any:
        del alignment, stream  # torch aligns to 512 bytes and uses its current stream
        return torch.empty(size, device="cuda", dtype=torch.int8)

    triton.set_allocator(allocate)  # where a kernel keeps the descriptors that it makes
    grid = _grid(problem, config, blocks)
    pitches = [max(array.stride()) for array in data[0]]
    a, b, _ = data[0]
    options = {
        **config.options,
        "BLOCKS": grid[0],
        "A_COLUMN": a.stride(1) != 1,
        "B_COLUMN": b.stride(1) != 1,
    }
    extents = (problem.m, problem.n, problem.k, problem.batch)
    return lambda i: kernels.gemm_specialized[grid](*data[i], *extents, *pitches, **options)


def _pointer_call(data: list[Arrays], problem: Problem, config: Config) -> Call:
    kernels = _kernels()
    grid = _grid(problem, config, None)
    extents = (problem.m, problem.n, problem.k)
    strides = [stride for array in data[0] for stride in array.stride()]
    return lambda i: kernels.gemm_pointers[grid](*data[i], *extents, *strides, **config.options)
