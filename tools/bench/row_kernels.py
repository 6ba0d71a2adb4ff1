"""The examples that the benchmark of rows measures: operands, results, and torch's function."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.bench.row_cases import FLAT, RowCase

EPSILON = 1e-5
BF16_LIMIT = 2.0**-8
"""Largest relative error (Frobenius norm) of a result that is rounded to bf16."""
Arrays = tuple[Any, ...]


def _nothing(torch: Any, case: RowCase) -> Arrays:
    del torch, case
    return ()


def _matrix(torch: Any, case: RowCase, dtype: Any) -> Any:
    shape = (case.columns,) if case.name in FLAT else (case.rows, case.columns)
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, device="cuda")
    return torch.randn(shape, device="cuda").to(dtype)


def _weights(count: int) -> Callable[[Any, RowCase], Arrays]:
    def vectors(torch: Any, case: RowCase) -> Arrays:
        made = (torch.randn(case.columns, device="cuda") for _ in range(count))
        return tuple(vector.to(torch.bfloat16) for vector in made)

    return vectors


def _indices(limit: Callable[[RowCase], int]) -> Callable[[Any, RowCase], Arrays]:
    """Return what makes an index below `limit` for each row."""

    def indices(torch: Any, case: RowCase) -> Arrays:
        kind = {"dtype": torch.int32, "device": "cuda"}
        return (torch.randint(0, limit(case), (case.rows,), **kind),)

    return indices


def _like_matrix(torch: Any, matrix: Any) -> Any:
    return torch.full_like(matrix, math.nan)


def _of_rows(torch: Any, matrix: Any) -> Any:
    return torch.full((len(matrix),), math.nan, device="cuda")


def _zeros_like(torch: Any, matrix: Any) -> Any:
    return torch.zeros_like(matrix)


def _after(operands: Arrays, result: Any) -> Arrays:
    return (*operands, result)


@dataclass(frozen=True)
class RowKernel:
    """What the benchmark needs to know of one example.

    Attributes:
        function: Torch's function of the operands, for a case; called once for each contender.
        dtype: Name of the matrix's type in torch.
        others: Makes the operands that go with the matrix.
        result: Makes the array for the result of a matrix: NaN, or zeros that the kernel adds to.
        arguments: The operands and the result in the order of the kernel's parameters.
        scalars: What the kernel takes after its arrays.
        limit: Largest relative error of the result (Frobenius norm).
        waits: Whether torch's function waits for the GPU, so that a CUDA graph cannot hold it.
    """

    function: Callable[[Any, RowCase], Callable[..., Any]]
    dtype: str = "bfloat16"
    others: Callable[[Any, RowCase], Arrays] = _nothing
    result: Callable[[Any, Any], Any] = _like_matrix
    arguments: Callable[[Arrays, Any], Arrays] = _after
    scalars: tuple[float, ...] = ()
    limit: float = BF16_LIMIT
    waits: bool = False

    def operands(self, torch: Any, case: RowCase) -> Arrays:
        """Return the matrix, normally distributed or random bytes, and what goes with it."""
        return (_matrix(torch, case, getattr(torch, self.dtype)), *self.others(torch, case))


def _norm(name: str, vectors: int) -> RowKernel:
    def function(torch: Any, case: RowCase) -> Callable[..., Any]:
        norm = getattr(torch.nn.functional, name)
        return lambda x, *weights: norm(x, (case.columns,), *weights, EPSILON)

    return RowKernel(function, others=_weights(vectors), scalars=(EPSILON,))


def _cross_entropy(torch: Any, case: RowCase) -> Callable[..., Any]:
    del case
    loss = torch.nn.functional.cross_entropy
    return lambda x, targets: loss(x.float(), targets.long(), reduction="none")


def _scatter_add(torch: Any, case: RowCase) -> Callable[..., Any]:
    table = torch.zeros((case.rows, case.columns), device="cuda")
    return lambda rows, indices: table.index_add_(0, indices, rows.float())


_INDEX_OF_ROW = _indices(lambda case: case.rows)
KERNELS: Mapping[str, RowKernel] = {
    "softmax": RowKernel(lambda torch, case: lambda x: torch.softmax(x, -1)),
    "rms_norm": _norm("rms_norm", 1),
    "layer_norm": _norm("layer_norm", 2),
    "cross_entropy": RowKernel(
        _cross_entropy, others=_indices(lambda case: case.columns), result=_of_rows
    ),
    "transpose": RowKernel(
        lambda torch, case: lambda x: x.T.contiguous(),
        result=lambda torch, x: torch.full_like(x, math.nan).reshape(x.shape[::-1]),
    ),
    "array_cumsum": RowKernel(
        lambda torch, case: lambda x: torch.cumsum(x, 0), dtype="float32", limit=1e-4
    ),
    "row_argmax": RowKernel(
        lambda torch, case: lambda x: x.argmax(-1),
        result=lambda torch, x: torch.full((len(x),), -1, dtype=torch.int32, device="cuda"),
        limit=0.0,
    ),
    "row_cumsum": RowKernel(
        lambda torch, case: lambda x: torch.cumsum(x, -1), dtype="float32", limit=1e-5
    ),
    "row_sum": RowKernel(
        lambda torch, case: lambda x: x.sum(-1, dtype=torch.float32), result=_of_rows, limit=1e-4
    ),
    "column_sum": RowKernel(
        lambda torch, case: lambda x: x.sum(0, dtype=torch.float32),
        result=lambda torch, x: torch.full((x.shape[1],), math.nan, device="cuda"),
        limit=1e-4,
    ),
    "embedding": RowKernel(
        lambda torch, case: lambda table, indices: table[indices.long()],
        others=_INDEX_OF_ROW,
        limit=0.0,
    ),
    "scatter_add": RowKernel(
        _scatter_add,
        dtype="float32",
        others=_INDEX_OF_ROW,
        result=_zeros_like,
        arguments=lambda operands, result: (result, *reversed(operands)),
        limit=1e-5,
    ),
    "byte_histogram": RowKernel(
        lambda torch, case: lambda x: torch.bincount(x, minlength=256),
        dtype="uint8",
        result=lambda torch, x: torch.zeros(256, dtype=torch.int32, device="cuda"),
        limit=0.0,
        waits=True,
    ),
}
"""By name."""
