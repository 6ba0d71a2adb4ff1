"""Floating-point arithmetic on tiles and scalars: cuda_tile, and upstream arith and math.

16-bit and 8-bit floats are computed in f32 and rounded once, f32 functions such as exp in f64 and
rounded once. Addition, multiplication and fma are correctly rounded in the mode that the
operation names; `approx` and `full` allow an error and give the nearest value here.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name, flag, text
from tilec.interpreter.registry import value_op, value_ops
from tilec.interpreter.rounding import (
    DIRECTED_MODES,
    Exact,
    exact_add,
    exact_div,
    exact_fma,
    exact_mul,
    exact_sqrt,
    flush_subnormals,
    round_exact,
)
from tilec.support.numpy_types import NUMPY_BY_MLIR, is_small_float

Function = Callable[..., Any]


def rounded(op: Any, native: Function | None, exact: Callable[..., Exact]) -> Function:
    """Return the function of an operation that has a rounding mode and `flush_to_zero`.

    Args:
        op: The operation; its result type and attributes are read here.
        native: What NumPy rounds to nearest correctly, or None when it has nothing.
        exact: The same function on f64 values with its residual.
    """
    mode = text(op, "rounding")
    format_name = element_name(op.results[0].type)
    if native is not None and mode not in DIRECTED_MODES:
        function = native
    else:

        def function(*operands: Any) -> Any:
            wide = [np.asarray(operand).astype(np.float64) for operand in operands]
            return round_exact(exact(*wide), format_name, mode)

    return _flushed(function) if flag(op, "flush_to_zero") else function


def widened(op: Any, function: Function) -> Function:
    """Return `function` evaluated in a wider format and rounded once to the result type."""
    dtype = NUMPY_BY_MLIR[element_name(op.results[0].type)]
    wide = np.float32 if is_small_float(dtype) else np.float64

    def evaluate(*operands: Any) -> Any:
        return function(*[operand.astype(wide) for operand in operands]).astype(dtype)

    return _flushed(evaluate) if flag(op, "flush_to_zero") else evaluate


def maximum_number(lhs: Any, rhs: Any) -> Any:
    """IEEE 754-2019 maximumNumber: a NaN loses, +0 is larger than -0."""
    return np.where((lhs == 0) & (rhs == 0), lhs + rhs, np.fmax(lhs, rhs))


def minimum_number(lhs: Any, rhs: Any) -> Any:
    """IEEE 754-2019 minimumNumber: a NaN loses, -0 is smaller than +0."""
    return np.where((lhs == 0) & (rhs == 0), -((-lhs) + (-rhs)), np.fmin(lhs, rhs))


def maximum(lhs: Any, rhs: Any) -> Any:
    """IEEE 754-2019 maximum: a NaN wins, +0 is larger than -0."""
    return np.where((lhs == 0) & (rhs == 0), lhs + rhs, np.maximum(lhs, rhs))


def minimum(lhs: Any, rhs: Any) -> Any:
    """IEEE 754-2019 minimum: a NaN wins, -0 is smaller than +0."""
    return np.where((lhs == 0) & (rhs == 0), -((-lhs) + (-rhs)), np.minimum(lhs, rhs))


def _flushed(function: Function) -> Function:
    def evaluate(*operands: Any) -> Any:
        return flush_subnormals(function(*[flush_subnormals(operand) for operand in operands]))

    return evaluate


def _exact_sub(lhs: Any, rhs: Any) -> Exact:
    return exact_add(lhs, -rhs)


def _rsqrt(value: Any) -> Any:
    return 1 / np.sqrt(value)


_ROUNDED: dict[str, tuple[Function | None, Callable[..., Exact]]] = {
    "cuda_tile.addf": (operator.add, exact_add),
    "cuda_tile.subf": (operator.sub, _exact_sub),
    "cuda_tile.mulf": (operator.mul, exact_mul),
    "cuda_tile.divf": (operator.truediv, exact_div),
    "cuda_tile.sqrt": (np.sqrt, exact_sqrt),
    "cuda_tile.fma": (None, exact_fma),
    "math.fma": (None, exact_fma),
}

_WIDENED: dict[str, Function] = {
    "rsqrt": _rsqrt,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "atan2": np.arctan2,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}

_MAX_MIN: dict[str, tuple[Function, Function]] = {
    "cuda_tile.maxf": (maximum_number, maximum),
    "cuda_tile.minf": (minimum_number, minimum),
}


@value_op(*_ROUNDED)
def _rounded_op(op: Any) -> Function:
    return rounded(op, *_ROUNDED[op.name])


@value_op(*[f"{dialect}.{name}" for dialect in ("cuda_tile", "math") for name in _WIDENED])
def _widened_op(op: Any) -> Function:
    return widened(op, _WIDENED[op.name.split(".")[1]])


@value_op("cuda_tile.exp2", "math.exp2")
def _exp2(op: Any) -> Function:
    if is_small_float(NUMPY_BY_MLIR[element_name(op.results[0].type)]):
        # Numbers of 16 bits are computed in f32 with flush_to_zero.
        return widened(op, _flushed(np.exp2))
    return widened(op, np.exp2)


@value_op("cuda_tile.pow", "math.powf")
def _pow(op: Any) -> Function:
    return widened(op, np.power)


@value_op(*_MAX_MIN)
def _max_min(op: Any) -> Function:
    number, propagating = _MAX_MIN[op.name]
    function = propagating if flag(op, "propagate_nan") else number
    return _flushed(function) if flag(op, "flush_to_zero") else function


value_ops(
    {
        "cuda_tile.remf": np.fmod,
        "cuda_tile.negf": operator.neg,
        "cuda_tile.absf": np.abs,
        "cuda_tile.ceil": np.ceil,
        "cuda_tile.floor": np.floor,
        "cuda_tile.round": np.rint,
        "cuda_tile.trunc": np.trunc,
        "arith.addf": operator.add,
        "arith.subf": operator.sub,
        "arith.mulf": operator.mul,
        "arith.divf": operator.truediv,
        "arith.remf": np.fmod,
        "arith.negf": operator.neg,
        "arith.maximumf": maximum,
        "arith.minimumf": minimum,
        "arith.maxnumf": maximum_number,
        "arith.minnumf": minimum_number,
        "math.absf": np.abs,
        "math.ceil": np.ceil,
        "math.floor": np.floor,
        "math.sqrt": np.sqrt,
        "math.copysign": np.copysign,
        "math.trunc": np.trunc,
        "math.roundeven": np.rint,
    }
)
