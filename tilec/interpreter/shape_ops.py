"""Operations that move or repeat elements without computing on them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import integer, integers, tile_shape
from tilec.interpreter.registry import value_op
from tilec.ir.errors import source_span
from tilec.ir.slices import check_constant_indices, slice_counts
from tilec.request.wait_records import INDEX_HINT, index_message
from tilec.support.diagnostics import OutOfRangeError, error

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


@value_op("cuda_tile.histogram")
def _histogram(op: Any) -> Function:
    (bins,) = tile_shape(op.results[0].type)

    def evaluate(value: Any) -> Any:
        numbers = value[(value >= 0) & (value < bins)]
        return np.bincount(numbers, minlength=bins).astype(np.int32)

    return evaluate


@value_op("cuda_tile.extract")
def _extract(op: Any) -> Function:
    check_constant_indices(op)
    shape, counts = tile_shape(op.results[0].type), slice_counts(op)
    span = source_span(op.location)

    def evaluate(value: Any, *indices: Any) -> Any:
        for axis, (index, count) in enumerate(zip(indices, counts, strict=True)):
            if not 0 <= int(index) < count:
                message = index_message(int(index), axis, count)
                raise OutOfRangeError(error("T0575", message, span, hint=INDEX_HINT))
        starts = [int(index) * extent for index, extent in zip(indices, shape, strict=True)]
        window = [slice(at, at + extent) for at, extent in zip(starts, shape, strict=True)]
        return value[tuple(window)]

    return evaluate
