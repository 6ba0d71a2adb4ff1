"""Conversions between element types: cuda_tile, and upstream arith on scalars.

A float that does not fit an integer is undefined in the dialect; here it saturates and NaN gives
0, which is what the conversion instructions of the GPU do (PTX ISA, cvt).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_dtype, element_name, text
from tilec.interpreter.registry import value_op
from tilec.interpreter.rounding import convert, exact_add, round_exact
from tilec.support.numpy_types import NUMPY_BY_MLIR, unsigned, unsigned_dtype

Function = Callable[..., Any]


@value_op("cuda_tile.ftof", "arith.extf", "arith.truncf")
def _ftof(op: Any) -> Function:
    source = element_name(op.operands[0].type)
    target = element_name(op.results[0].type)
    mode = text(op, "rounding")
    return lambda value: convert(value, source, target, mode)


@value_op("cuda_tile.itof", "arith.sitofp", "arith.uitofp")
def _itof(op: Any) -> Function:
    signed = _reads_signed(op)
    source = element_name(op.operands[0].type)
    target = element_name(op.results[0].type)
    if source == "i1":
        sign = -1.0 if signed else 1.0
        dtype = NUMPY_BY_MLIR[target]
        return lambda value: (value * sign).astype(dtype)

    def evaluate(value: Any) -> Any:
        integers = np.asarray(value if signed else unsigned(value))
        return round_exact(_integers_exact(integers), target)

    return evaluate


@value_op("cuda_tile.ftoi", "arith.fptosi", "arith.fptoui")
def _ftoi(op: Any) -> Function:
    signed = _reads_signed(op)
    target = element_dtype(op.results[0].type)
    if target.kind == "b":
        return lambda value: value != 0
    limits = np.iinfo(target if signed else unsigned_dtype(target))

    def evaluate(value: Any) -> Any:
        whole = np.trunc(np.asarray(value).astype(np.float64))
        whole = np.where(np.isnan(whole), 0.0, whole)
        # The largest integer need not be a float: what is at or above the next one saturates.
        fits = (whole >= float(limits.min)) & (whole < float(limits.max) + 1.0)
        inside = np.where(fits, whole, 0.0).astype(limits.dtype)
        lowest, highest = limits.dtype.type(limits.min), limits.dtype.type(limits.max)
        limit = np.where(whole < 0, lowest, highest)
        return np.where(fits, inside, limit).view(target)[()]

    return evaluate


@value_op("cuda_tile.exti", "arith.extsi", "arith.extui")
def _exti(op: Any) -> Function:
    target = element_dtype(op.results[0].type)
    is_bool = element_name(op.operands[0].type) == "i1"
    if _reads_signed(op):
        return lambda value: -value.astype(target) if is_bool else value.astype(target)
    return lambda value: unsigned(value).astype(target)


@value_op("cuda_tile.trunci", "arith.trunci")
def _trunci(op: Any) -> Function:
    target = element_dtype(op.results[0].type)
    if target.kind == "b":
        return lambda value: (value & 1) != 0
    return lambda value: value.astype(target)


@value_op("arith.index_cast", "arith.index_castui")
def _index_cast(op: Any) -> Function:
    target = element_dtype(op.results[0].type)
    if op.name == "arith.index_cast":
        return lambda value: value.astype(target)
    return lambda value: unsigned(value).astype(target)


@value_op("cuda_tile.bitcast", "arith.bitcast")
def _bitcast(op: Any) -> Function:
    target = element_dtype(op.results[0].type)
    return lambda value: np.ascontiguousarray(value).view(target).reshape(np.shape(value))[()]


def _reads_signed(op: Any) -> bool:
    unsigned_names = ("arith.uitofp", "arith.fptoui", "arith.extui")
    return op.name not in unsigned_names and text(op, "signedness", "signed") == "signed"


def _integers_exact(integers: np.ndarray) -> tuple[Any, Any]:
    """Return integers in f64 with the sign of what the 53 bits lost (64-bit ones only)."""
    if integers.dtype.itemsize < 8:
        wide = integers.astype(np.float64)
        return wide, np.zeros_like(wide)
    high = (integers >> np.asarray(32, integers.dtype)).astype(np.float64) * 2.0**32
    low = (integers & np.asarray(0xFFFFFFFF, integers.dtype)).astype(np.float64)
    return exact_add(high, low)
