"""Matrix multiply-accumulate.

16-bit and 8-bit floats are multiplied exactly and summed in f32, as the matrix unit does, up to
the order of the sum. An f16 accumulator is rounded once per operation. f32 operands of a reduced
`precision` are cut or split as the compiler does it (`nv-tileaa-split-precision`). `promote` is
about how exactly the matrix unit sums, and changes nothing here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name, text
from tilec.interpreter.registry import value_op
from tilec.support.numpy_types import NUMPY_BY_MLIR, unsigned

Function = Callable[..., Any]


_TF32_MASK = np.uint32(0xFFFFE000)
"""The bits of an f32 that tensor cores read of a tf32 operand (PTX ISA, tf32)."""


def _cut(tile: Any) -> Any:
    """Return f32 numbers as tensor cores read them: without the bits that tf32 lacks."""
    return (tile.view(np.uint32) & _TF32_MASK).view(np.float32)


def _rounded(tile: Any) -> Any:
    return tile.astype(NUMPY_BY_MLIR["bf16"]).astype(np.float32)


def _exact(lhs: Any, rhs: Any) -> list[tuple[Any, Any]]:
    return [(lhs, rhs)]


def _cut_both(lhs: Any, rhs: Any) -> list[tuple[Any, Any]]:
    return [(_cut(lhs), _cut(rhs))]


def _split_both(part: Function) -> Function:
    """Return what splits both operands into a leading and a remaining part, three products."""

    def factors(lhs: Any, rhs: Any) -> list[tuple[Any, Any]]:
        (high, low), (right, rest) = ((part(x), part(x - part(x))) for x in (lhs, rhs))
        return [(low, right), (high, rest), (high, right)]

    return factors


_FACTORS: dict[str, Function] = {
    "": _exact,
    "tf32": _cut_both,
    "tf32x3": _split_both(_cut),
    "bf16x3": _split_both(_rounded),
}
"""Precision -> the pairs of operands whose products are summed."""


@value_op("cuda_tile.mmaf")
def _mmaf(op: Any) -> Function:
    result = element_name(op.results[0].type)
    wide = np.float64 if result == "f64" else np.float32

    factors = _FACTORS[text(op, "precision", "")]

    def evaluate(lhs: Any, rhs: Any, acc: Any) -> Any:
        total = np.zeros(acc.shape, wide)
        for left, right in factors(lhs.astype(wide), rhs.astype(wide)):
            total += np.matmul(left, right)
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
