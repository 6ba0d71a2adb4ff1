"""Builtins for functions of floats: tests, hyperbolic functions, roundings to whole numbers."""

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtin_table import Argument, Call, builtin
from tilec.frontend.semantics.numeric import BOOL, F32
from tilec.frontend.semantics.values import AnyValue, Constant

_FUNCTIONS = ("sinh", "cosh", "erf")
_ROUNDINGS = ("round", "trunc")


def _float_operand(call: Call, argument: Argument) -> hir.Value:
    """Return a floating-point value; integers become f32."""
    value = call.number(argument)
    dtype = numeric.common_dtype(call.ctx, [value], argument.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, argument.span, call.name)
    return numeric.convert(call.ctx, value, dtype if dtype.is_float else F32, call.span)


def _register_function(name: str) -> None:
    def function(call: Call, x: Argument) -> AnyValue:
        value = _float_operand(call, x)
        return call.ctx.op(name, [value], value.type, call.span)

    builtin(name)(function)


def _register_rounding(name: str) -> None:
    def function(call: Call, x: Argument) -> AnyValue:
        value = numeric.materialize(call.ctx, call.number(x), call.span)
        dtype = numeric.dtype_of(value)
        numeric.require_arithmetic(call.ctx, dtype, x.span, call.name)
        return call.ctx.op(name, [value], value.type, call.span) if dtype.is_float else value

    builtin(name)(function)


for _name in _FUNCTIONS:
    _register_function(_name)
for _name in _ROUNDINGS:
    _register_rounding(_name)


@builtin("isnan")
def isnan(call: Call, x: Argument) -> AnyValue:
    """Tell which elements are not a number."""
    value = _float_operand(call, x)
    kind = numeric.typed(BOOL, numeric.shape_of(value))
    attributes = {"predicate": "not_equal", "ordering": "unordered"}
    return call.ctx.op("cmpf", [value, value], kind, call.span, **attributes)


@builtin("isinf")
def isinf(call: Call, x: Argument) -> AnyValue:
    """Tell which elements are infinite."""
    value = _float_operand(call, x)
    size = call.ctx.op("absf", [value], value.type, call.span)
    infinity = Constant(float("inf"), call.span)
    return operators.compare(call.ctx, "==", size, infinity, call.span)


@builtin("pow")
def power(call: Call, a: Argument, b: Argument) -> AnyValue:
    """Return `a ** b`."""
    return operators.binary(call.ctx, "**", a.value, b.value, call.span)


@builtin("atan2")
def atan2(call: Call, y: Argument, x: Argument) -> AnyValue:
    """Return the angle of the point (x, y), from -pi to pi."""
    values = [call.number(y), call.number(x)]
    dtype = numeric.common_dtype(call.ctx, values, call.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, call.span, call.name)
    target = dtype if dtype.is_float else F32
    operands = numeric.unify(call.ctx, values, call.span, call.name, target)
    return call.ctx.op("atan2", operands, operands[0].type, call.span)
