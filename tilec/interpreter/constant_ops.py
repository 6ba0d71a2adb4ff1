"""Operations that make values from nothing: constants, iota, splat."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_dtype, element_name, tile_shape
from tilec.interpreter.registry import value_op
from tilec.interpreter.rounding import TF32_DROPPED_BITS, convert
from tilec.support.numpy_types import NUMPY_BY_MLIR, TF32

Function = Callable[..., Any]

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")
_BITS = {1: np.uint8, 2: np.uint16}


@value_op("cuda_tile.constant")
def _constant(op: Any) -> Function:
    kind = op.results[0].type
    value = dense_elements(op.attributes["value"], element_name(kind), tile_shape(kind))
    value.flags.writeable = False
    return lambda: value


@value_op("arith.constant")
def _scalar_constant(op: Any) -> Function:
    name = element_name(op.results[0].type)
    value = _from_number(op.attributes["value"].value, name)
    return lambda: value


@value_op("cuda_tile.iota")
def _iota(op: Any) -> Function:
    kind = op.results[0].type
    value = np.arange(*tile_shape(kind), dtype=element_dtype(kind))
    value.flags.writeable = False
    return lambda: value


@value_op("cuda_tile.splat")
def _splat(op: Any) -> Function:
    shape = tile_shape(op.results[0].type)
    return lambda scalar: np.broadcast_to(scalar, shape)


def dense_elements(attribute: Any, format_name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the value of a dense elements attribute.

    The bindings hand out integers, f16, f32 and f64. Of the other floats they print the text,
    which is decimal, a bit pattern, or one bit pattern of the whole array.

    Args:
        attribute: `DenseElementsAttr`.
        format_name: MLIR name of its element type.
        shape: Shape of the result.
    """
    dtype = NUMPY_BY_MLIR[format_name]
    if attribute.is_splat:
        return np.full(shape, _from_number(attribute.get_splat_value().value, format_name))
    if format_name in ("bf16", "tf32", "f8E4M3FN", "f8E5M2"):
        return _parse_dense(str(attribute), format_name).reshape(shape)
    return np.array(attribute).astype(dtype).reshape(shape)


def _from_number(number: float, format_name: str) -> Any:
    """Return a Python number as a NumPy scalar; integers are taken modulo the width.

    An infinity of an 8-bit format stays one: constants are no conversions, which saturate.
    """
    dtype = NUMPY_BY_MLIR[format_name]
    if dtype.kind == "i":
        return np.int64(number).astype(dtype)
    if dtype.kind == "b":
        return np.bool_(number)
    if np.isinf(number):
        return dtype.type(number)
    return np.asarray(convert(np.float64(number), "f64", format_name)).astype(dtype)[()]


def _parse_dense(spelling: str, format_name: str) -> np.ndarray:
    dtype = NUMPY_BY_MLIR[format_name]
    body = spelling[: spelling.rindex(": tensor")]
    raw = re.search(r'"0x([0-9a-fA-F]*)"', body)
    if raw is not None:
        data = np.frombuffer(bytes.fromhex(raw[1]), np.uint8)
        return _unpack_tf32(data) if format_name == TF32 else data.view(dtype)
    return np.array([_parse_number(item, format_name) for item in _NUMBER.findall(body)])


def _parse_number(item: str, format_name: str) -> Any:
    if not item.lower().startswith("0x"):
        return _from_number(float(item), format_name)
    if format_name == TF32:
        return (np.uint32(int(item, 16)) << np.uint32(TF32_DROPPED_BITS)).view(np.float32)
    dtype = NUMPY_BY_MLIR[format_name]
    return _BITS[dtype.itemsize](int(item, 16)).view(dtype)


def _unpack_tf32(data: np.ndarray) -> np.ndarray:
    """Return f32 values of tf32 numbers, which MLIR keeps as 19 bits in three bytes."""
    padded = np.zeros((data.size // 3, 4), np.uint8)
    padded[:, :3] = data.reshape(-1, 3)
    return (padded.view("<u4")[:, 0] << np.uint32(TF32_DROPPED_BITS)).view(np.float32)
