"""Integer arithmetic on tiles and scalars: cuda_tile, and upstream arith and math.

Results wrap around. A zero divisor is undefined in the dialect; here the quotient and the
remainder are 0, so that lanes beyond the edge of an array stay harmless.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tilec.interpreter.attributes import element_name, text
from tilec.interpreter.registry import value_op, value_ops
from tilec.support.numpy_types import unsigned

Function = Callable[..., Any]


def as_unsigned(function: Function) -> Function:
    """Return `function` on the unsigned reading of its operands, its result read as signed."""

    def evaluate(*operands: Any) -> Any:
        result = np.asarray(function(*[unsigned(operand) for operand in operands]))
        return result.astype(unsigned(operands[0]).dtype).view(operands[0].dtype)[()]

    return evaluate


def div_floor(lhs: Any, rhs: Any) -> Any:
    """Quotient rounded toward negative infinity."""
    return np.floor_divide(lhs, rhs)


def div_trunc(lhs: Any, rhs: Any) -> Any:
    """Quotient rounded toward zero; the smallest integer divided by -1 wraps to itself."""
    floor = np.floor_divide(lhs, rhs)
    inexact = (rhs != 0) & (floor * rhs != lhs)
    return floor + (inexact & ((lhs < 0) != (rhs < 0))).astype(floor.dtype)


def div_ceil(lhs: Any, rhs: Any) -> Any:
    """Quotient rounded toward positive infinity."""
    floor = np.floor_divide(lhs, rhs)
    return floor + ((rhs != 0) & (floor * rhs != lhs)).astype(floor.dtype)


def multiply_high(lhs: Any, rhs: Any) -> Any:
    """High half of the product of two unsigned integers."""
    bits = lhs.dtype.itemsize * 8
    half = np.uint64(bits // 2)
    mask = np.uint64((1 << (bits // 2)) - 1)
    a, b = lhs.astype(np.uint64), rhs.astype(np.uint64)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    carry = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> half) + (carry >> half)


def population(value: Any) -> Any:
    """Return the number of bits that are 1, in the type of `value`."""
    bits = np.asarray(value)
    return np.bitwise_count(unsigned(bits)).astype(bits.dtype)


def leading_zeros(value: Any) -> Any:
    """Return the number of bits that are 0 before the highest 1, in the type of `value`."""
    bits = np.asarray(value)
    rest, width = unsigned(bits), 8 * bits.dtype.itemsize
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < width:
            rest = rest | rest >> rest.dtype.type(distance)
    return (width - np.bitwise_count(rest)).astype(bits.dtype)


def shift_left(value: Any, amount: Any) -> Any:
    """Left shift; the amount is unsigned, and an amount past the width gives 0."""
    return np.left_shift(value, _clamped(amount, value))


def shift_right_signed(value: Any, amount: Any) -> Any:
    """Arithmetic right shift; an amount past the width gives the sign."""
    return np.right_shift(value, np.minimum(_clamped(amount, value), _bits(value) - 1))


def shift_right_unsigned(value: Any, amount: Any) -> Any:
    """Logical right shift; an amount past the width gives 0."""
    shifted = np.right_shift(unsigned(value), unsigned(amount))
    return (
        np.where(unsigned(amount) < _bits(value), shifted, 0)
        .astype(shifted.dtype)
        .view(value.dtype)[()]
    )


def _bits(value: Any) -> Any:
    return value.dtype.type(value.dtype.itemsize * 8)


def _clamped(amount: Any, value: Any) -> Any:
    limit = unsigned(_bits(value))
    return np.minimum(unsigned(amount), limit).astype(value.dtype)


_DIVISIONS: dict[str, Function] = {
    "zero": div_trunc,
    "negative_inf": div_floor,
    "positive_inf": div_ceil,
}

_SIGNED: dict[str, Function] = {
    "remi": np.fmod,
    "maxi": np.maximum,
    "mini": np.minimum,
}


def _is_signed(op: Any) -> bool:
    return text(op, "signedness", "signed") == "signed"


@value_op("cuda_tile.divi")
def _divi(op: Any) -> Function:
    function = _DIVISIONS[text(op, "rounding", "zero")]
    return function if _is_signed(op) else as_unsigned(function)


@value_op("cuda_tile.remi", "cuda_tile.maxi", "cuda_tile.mini")
def _signed_or_unsigned(op: Any) -> Function:
    function = _SIGNED[op.name.split(".")[1]]
    return function if _is_signed(op) else as_unsigned(function)


@value_op("cuda_tile.shri")
def _shri(op: Any) -> Function:
    return shift_right_signed if _is_signed(op) else shift_right_unsigned


_WRAPPING: dict[str, tuple[Function, Function]] = {
    "addi": (operator.add, operator.xor),
    "subi": (operator.sub, operator.xor),
    "muli": (operator.mul, operator.and_),
}
"""Function on integers, and the same modulo 2 for i1 (NumPy's bool has other ideas)."""


@value_op(*[f"{dialect}.{name}" for dialect in ("cuda_tile", "arith") for name in _WRAPPING])
def _wrapping(op: Any) -> Function:
    function, modulo_two = _WRAPPING[op.name.split(".")[1]]
    return modulo_two if element_name(op.results[0].type) == "i1" else function


_BOTH: dict[str, Function] = {
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "shli": shift_left,
}

value_ops({f"cuda_tile.{name}": function for name, function in _BOTH.items()})
value_ops({f"arith.{name}": function for name, function in _BOTH.items()})
value_ops(
    {
        "cuda_tile.absi": np.abs,
        "cuda_tile.negi": operator.neg,
        "cuda_tile.popcount": population,
        "cuda_tile.clz": leading_zeros,
        "math.ctpop": population,
        "math.ctlz": leading_zeros,
        "cuda_tile.mulhii": as_unsigned(multiply_high),
        "arith.divsi": div_trunc,
        "arith.divui": as_unsigned(div_trunc),
        "arith.floordivsi": div_floor,
        "arith.ceildivsi": div_ceil,
        "arith.ceildivui": as_unsigned(div_ceil),
        "arith.remsi": np.fmod,
        "arith.remui": as_unsigned(np.fmod),
        "arith.maxsi": np.maximum,
        "arith.minsi": np.minimum,
        "arith.maxui": as_unsigned(np.maximum),
        "arith.minui": as_unsigned(np.minimum),
        "arith.shrsi": shift_right_signed,
        "arith.shrui": shift_right_unsigned,
        "math.absi": np.abs,
    }
)
