"""Builtins that compute element by element."""

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.table import (
    ANY_TYPE,
    ARITHMETIC,
    Argument,
    Call,
    builtin,
)
from tilec.frontend.semantics.constant_evaluator import constant_extremum
from tilec.frontend.semantics.numeric import BOOL, F32, I32
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.support.dtypes import DTYPES, DType

_FLOAT_FUNCTIONS = {
    "log2": "Return the logarithm of `x` to base 2.",
    "rsqrt": "Return 1 divided by the square root of `x`.",
    "sin": "Return the sine of `x`, in radians.",
    "cos": "Return the cosine of `x`, in radians.",
    "tan": "Return the tangent of `x`, in radians.",
    "sinh": "Return the hyperbolic sine of `x`.",
    "cosh": "Return the hyperbolic cosine of `x`.",
    "asin": "Return the angle from -pi/2 to pi/2 whose sine is `x`.",
    "acos": "Return the angle from 0 to pi whose cosine is `x`.",
    "atan": "Return the angle from -pi/2 to pi/2 whose tangent is `x`.",
    "log1p": "Return the natural logarithm of `1 + x`, exact also where `x` is small.",
    "expm1": "Return e to the power of `x`, minus 1, exact also where `x` is small.",
    "erf": "Return the error function of `x`.",
}
"""Float functions of one tile or scalar: name -> what it returns."""
_BIT_FUNCTIONS = {
    "popcount": "Return how many bits of an integer are 1, in the type of `x`.",
    "clz": "Return how many bits of an integer are 0 before the highest 1, in the type of `x`; all"
    " of them for 0.",
}
"""Functions of the bits of integers: name -> what it returns."""
_ROUNDED_FUNCTIONS = {
    "exp": "Return e to the power of `x`.",
    "log": "Return the natural logarithm of `x`.",
    "tanh": "Return the hyperbolic tangent of `x`.",
}
"""Float functions with a fast approximation of their own (cuda_tile dialect, rounding modes)."""
_APPROXIMATION = (
    " `rounding='approx'`, for f32, is an approximation in one or two instructions; the default is"
    " `'full'`."
)
_ROUNDINGS = {
    "floor": "Return the largest integer that is not larger than `x`; integers stay as they are.",
    "ceil": "Return the smallest integer that is not smaller than `x`; integers stay as they are.",
    "round": "Return the integer nearest to `x`, ties to even; integers stay as they are.",
    "trunc": "Return `x` without its fraction; integers stay as they are.",
}
_FUNCTION_ROUNDINGS = ("full", "approx")
_WHOLE = tuple(name for name in ARITHMETIC if not DTYPES[name].is_float)
_INTEGERS = tuple(name for name in _WHOLE if DTYPES[name] is not BOOL)


def float_operand(call: Call, argument: Argument) -> hir.Value:
    """Return a floating-point value; integers become f32."""
    value = call.number(argument)
    dtype = numeric.common_dtype(call.ctx, [value], argument.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, argument.span, call.name)
    return numeric.convert(call.ctx, value, dtype if dtype.is_float else F32, call.span)


def _register_float_function(name: str, summary: str) -> None:
    def function(call: Call, x: Argument) -> AnyValue:
        value = float_operand(call, x)
        return call.ctx.op(name, [value], value.type, call.span)

    function.__doc__ = summary
    builtin(name, ARITHMETIC, name)(function)


for _name, _summary in _FLOAT_FUNCTIONS.items():
    _register_float_function(_name, _summary)


def _register_bit_function(name: str, summary: str) -> None:
    def function(call: Call, x: Argument) -> AnyValue:
        value = call.number(x)
        dtype = numeric.common_dtype(call.ctx, [value], x.span, call.name)
        if dtype.is_float or dtype is BOOL:
            message = f"the argument must be an integer, found {describe(value)}"
            raise call.fail("T0301", message, x.span, hint="cast to an integer, or 'bitcast'")
        operand = numeric.convert(call.ctx, value, dtype, call.span)
        return call.ctx.op(name, [operand], operand.type, call.span)

    function.__doc__ = summary
    builtin(name, _INTEGERS, name)(function)


for _name, _summary in _BIT_FUNCTIONS.items():
    _register_bit_function(_name, _summary)


@builtin("exp2", ARITHMETIC, "exp2")
def exp2(call: Call, x: Argument, *, flush_to_zero: Argument | None = None) -> AnyValue:
    """Return 2 to the power of `x`.

    With `flush_to_zero=True`, for f32, results below 2^-126 become 0, which takes one instruction
    instead of four.
    """
    value = float_operand(call, x)
    attributes = {}
    if flush_to_zero is not None:
        attributes["flush_to_zero"] = call.flag(flush_to_zero, "flush_to_zero")
        dtype = numeric.dtype_of(value)
        if dtype != F32:
            message = f"flush_to_zero is for f32 only, found {dtype.name}"
            notes = numeric.origin(value, "the operand")
            raise call.fail("T0306", message, hint="cast the operand to f32 first", notes=notes)
    return call.ctx.op("exp2", [value], value.type, call.span, **attributes)


def _register_rounded_function(name: str, summary: str) -> None:
    def function(call: Call, x: Argument, *, rounding: Argument | None = None) -> AnyValue:
        value = float_operand(call, x)
        attributes = {}
        if rounding is not None and _rounding(call, rounding, value) == "approx":
            attributes["rounding"] = "approx"
        return call.ctx.op(name, [value], value.type, call.span, **attributes)

    function.__doc__ = summary + _APPROXIMATION
    builtin(name, ARITHMETIC, name)(function)


def _rounding(call: Call, argument: Argument, operand: hir.Value) -> str:
    """Return the rounding that a call asks for; only f32 has approximations."""
    value = argument.value
    if not isinstance(value, Constant) or value.value not in _FUNCTION_ROUNDINGS:
        found = f"'{value.value}'" if isinstance(value, Constant) else describe(value)
        message = f"rounding must be 'full' or 'approx', found {found}"
        raise call.fail("T0310", message, argument.span)
    dtype = numeric.dtype_of(operand)
    if value.value == "approx" and dtype != F32:
        message = f"rounding 'approx' is for f32 only, found {dtype.name}"
        notes = numeric.origin(operand, "the operand")
        raise call.fail("T0306", message, hint="cast the operand to f32 first", notes=notes)
    return value.value


for _name, _summary in _ROUNDED_FUNCTIONS.items():
    _register_rounded_function(_name, _summary)


def _register_rounding(name: str, summary: str) -> None:
    def function(call: Call, x: Argument) -> AnyValue:
        value = numeric.materialize(call.ctx, call.number(x), call.span)
        dtype = numeric.dtype_of(value)
        numeric.require_arithmetic(call.ctx, dtype, x.span, call.name)
        if not dtype.is_float:
            return value
        return call.ctx.op(name, [value], value.type, call.span)

    function.__doc__ = summary
    builtin(name, ARITHMETIC, name)(function)


for _name, _summary in _ROUNDINGS.items():
    _register_rounding(_name, _summary)


@builtin("abs", ARITHMETIC, "absf", "absi")
def absolute(call: Call, x: Argument) -> AnyValue:
    """Return the absolute value of `x`."""
    value = call.number(x)
    if isinstance(value, Constant):
        return Constant(abs(value.value), call.span)
    dtype = numeric.dtype_of(value)
    numeric.require_arithmetic(call.ctx, dtype, x.span, call.name)
    if not dtype.signed:
        return value
    name = "absf" if dtype.is_float else "absi"
    return call.ctx.op(name, [value], value.type, call.span)


def elementwise_extremum(
    call: Call, name: str, values: list[Argument], *, propagate_nan: bool = False
) -> AnyValue:
    """Return the `max` or `min` of several values, element by element."""
    numbers = [call.number(item) for item in values]
    if all(isinstance(item, Constant) for item in numbers):
        known = [item.value for item in numbers if isinstance(item, Constant)]
        return Constant(constant_extremum(name, known, propagate_nan=propagate_nan), call.span)
    dtype = numeric.common_dtype(call.ctx, numbers, call.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, call.span, call.name)
    dtype = I32 if dtype is BOOL else dtype
    operands = numeric.unify(call.ctx, numbers, call.span, call.name, dtype)
    result = operands[0]
    for operand in operands[1:]:
        result = extremum_of_two(call, name, result, operand, propagate_nan)
    return result


def extremum_of_two(
    call: Call, name: str, left: hir.Value, right: hir.Value, propagate_nan: bool
) -> hir.Value:
    """Return the `max` or `min` of two values of one type and shape."""
    dtype = numeric.dtype_of(left)
    if dtype.is_float:
        attributes = {"propagate_nan": True} if propagate_nan else {}
        return call.ctx.op(f"{name}f", [left, right], left.type, call.span, **attributes)
    return call.ctx.op(f"{name}i", [left, right], left.type, call.span, signed=dtype.signed)


@builtin("maximum", ARITHMETIC, "maxf", "maxi")
def maximum(
    call: Call, a: Argument, b: Argument, *, propagate_nan: Argument | None = None
) -> AnyValue:
    """Return the larger of two values, element by element.

    If one of them is NaN, the result is the other one, or NaN with `propagate_nan=True`.
    """
    spread = call.is_set(propagate_nan, "propagate_nan")
    return elementwise_extremum(call, "max", [a, b], propagate_nan=spread)


@builtin("minimum", ARITHMETIC, "minf", "mini")
def minimum(
    call: Call, a: Argument, b: Argument, *, propagate_nan: Argument | None = None
) -> AnyValue:
    """Return the smaller of two values, element by element.

    If one of them is NaN, the result is the other one, or NaN with `propagate_nan=True`.
    """
    spread = call.is_set(propagate_nan, "propagate_nan")
    return elementwise_extremum(call, "min", [a, b], propagate_nan=spread)


@builtin("cdiv", _WHOLE)
def cdiv(call: Call, a: Argument, b: Argument) -> AnyValue:
    """Return `a / b` rounded up."""
    return operators.ceil_division(call.ctx, a.value, b.value, call.span)


@builtin("next_power_of_2")
def next_power_of_2(call: Call, n: Argument) -> AnyValue:
    """Return the least power of two that is at least the compile-time integer `n`."""
    number = call.integer(n, "n")
    return Constant(1 << max(0, number - 1).bit_length(), call.span)


@builtin("where", ANY_TYPE, "select")
def where(call: Call, condition: Argument, a: Argument, b: Argument) -> AnyValue:
    """Return `a` where the condition is true and `b` elsewhere; the condition is bool."""
    mask = call.number(condition)
    values = [call.number(a), call.number(b)]
    if isinstance(mask, Constant):
        mask = numeric.make_constant(call.ctx, bool(mask.value), BOOL, (), condition.span)
    if numeric.dtype_of(mask) is not BOOL:
        message = f"the condition must be bool, found {numeric.dtype_of(mask).name}"
        raise call.fail("T0312", message, condition.span, hint="compare, for example 'x != 0'")
    dtype = _selected_dtype(call, values)
    shape = numeric.broadcast_shapes(call.ctx, [mask, *values], call.span, call.name)
    typed = [
        numeric.broadcast(call.ctx, item, shape, call.span)
        for item in numeric.unify(call.ctx, values, call.span, call.name, dtype)
    ]
    spread = numeric.broadcast(call.ctx, mask, shape, call.span)
    return call.ctx.op("select", [spread, *typed], typed[0].type, call.span)


def _selected_dtype(call: Call, values: list[Constant | hir.Value]) -> DType:
    """Return the type of a selection; equal restricted types need no arithmetic."""
    return numeric.common_dtype(call.ctx, values, call.span, call.name)
