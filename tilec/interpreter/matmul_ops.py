"""Matrix multiply-accumulate.

16-bit and 8-bit floats are multiplied exactly and summed in f32, as the matrix unit does, up to
the order of the sum. An f16 accumulator is rounded once per operation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name, text
from tilec.interpreter.registry import value_op
from tilec.support.numpy_types import unsigned

Function = Callable[..., Any]


@value_op("cuda_tile.mmaf")
def _mmaf(op: Any) -> Function:
    result = element_name(op.results[0].type)
    wide = np.float64 if result == "f64" else np.float32

    def evaluate(lhs: Any, rhs: Any, acc: Any) -> Any:
        total = np.matmul(lhs.astype(wide), rhs.astype(wide))
        total += acc
        return total.astype(acc.dtype, copy=False)

    return evaluate


@value_op("cuda_tile.mmai")
def _mmai(op: Any) -> Function:
    lhs_signed = text(op, "signedness_lhs", "signed") == "signed"
    rhs_signed = text(op, "signedness_rhs", "signed") == "signed"

    def evaluate(lhs: Any, rhs: Any, acc: Any) -> Any:
        # A sum of 8-bit products over at most 2**24 terms is below 2**40: exact in f64, where
        # the product is a BLAS call. The accumulator then wraps around.
        left = (lhs if lhs_signed else unsigned(lhs)).astype(np.float64)
        right = (rhs if rhs_signed else unsigned(rhs)).astype(np.float64)
        return np.matmul(left, right).astype(np.int64).astype(acc.dtype) + acc

    return evaluate
