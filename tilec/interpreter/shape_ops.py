"""Operations that move or repeat elements without computing on them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.diagnostics import InternalCompilerError
from tilec.interpreter.attributes import integer, integers, tile_shape
from tilec.interpreter.registry import value_op

Function = Callable[..., Any]


@value_op("cuda_tile.broadcast")
def _broadcast(op: Any) -> Function:
    shape = tile_shape(op.results[0].type)
    return lambda value: np.broadcast_to(value, shape)


@value_op("cuda_tile.reshape")
def _reshape(op: Any) -> Function:
    shape = tile_shape(op.results[0].type)
    return lambda value: np.reshape(value, shape)


@value_op("cuda_tile.permute")
def _permute(op: Any) -> Function:
    permutation = integers(op, "permutation")
    return lambda value: np.transpose(value, permutation)


@value_op("cuda_tile.cat")
def _cat(op: Any) -> Function:
    dim = integer(op, "dim")
    return lambda lhs, rhs: np.concatenate((lhs, rhs), axis=dim)


@value_op("cuda_tile.extract")
def _extract(op: Any) -> Function:
    shape = tile_shape(op.results[0].type)
    source = tile_shape(op.operands[0].type)
    counts = [whole // part for whole, part in zip(source, shape, strict=True)]

    def evaluate(value: Any, *indices: Any) -> Any:
        for index, count in zip(indices, counts, strict=True):
            if not 0 <= int(index) < count:
                raise InternalCompilerError(
                    f"extract: slice {int(index)} of {count} at {op.location}",
                    pass_name="interpreter",
                    op=op.name,
                )
        starts = [int(index) * extent for index, extent in zip(indices, shape, strict=True)]
        window = [slice(at, at + extent) for at, extent in zip(starts, shape, strict=True)]
        return value[tuple(window)]

    return evaluate
