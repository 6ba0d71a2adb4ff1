"""Builtins that test floats, and functions of two floats."""

from tilec.frontend.semantics import numeric, operators
from tilec.frontend.semantics.builtins.math import float_operand
from tilec.frontend.semantics.builtins.table import ARITHMETIC, Argument, Call, builtin
from tilec.frontend.semantics.numeric import BOOL, F32
from tilec.frontend.semantics.values import AnyValue, Constant


@builtin("isnan", ARITHMETIC, "cmpf")
def isnan(call: Call, x: Argument) -> AnyValue:
    """Return whether `x` is NaN, element by element."""
    value = float_operand(call, x)
    kind = numeric.typed(BOOL, numeric.shape_of(value))
    attributes = {"predicate": "not_equal", "ordering": "unordered"}
    return call.ctx.op("cmpf", [value, value], kind, call.span, **attributes)


@builtin("isinf", ARITHMETIC, "absf", "cmpf")
def isinf(call: Call, x: Argument) -> AnyValue:
    """Return whether `x` is infinite, element by element."""
    value = float_operand(call, x)
    size = call.ctx.op("absf", [value], value.type, call.span)
    infinity = Constant(float("inf"), call.span)
    return operators.compare(call.ctx, "==", size, infinity, call.span)


@builtin("pow", ARITHMETIC, "pow")
def power(call: Call, a: Argument, b: Argument) -> AnyValue:
    """Return `a` to the power of `b`, as `a ** b` does."""
    return operators.binary(call.ctx, "**", a.value, b.value, call.span)


@builtin("atan2", ARITHMETIC, "atan2")
def atan2(call: Call, y: Argument, x: Argument) -> AnyValue:
    """Return the angle of the point (x, y) in radians, from -pi to pi."""
    values = [call.number(y), call.number(x)]
    dtype = numeric.common_dtype(call.ctx, values, call.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, call.span, call.name)
    target = dtype if dtype.is_float else F32
    operands = numeric.unify(call.ctx, values, call.span, call.name, target)
    return call.ctx.op("atan2", operands, operands[0].type, call.span)
