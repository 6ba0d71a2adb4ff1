"""Builtins of float arithmetic that may round in another direction, or flush subnormal numbers.

A mode is spelled with the operations that there are, so every stage and the CPU reference compute
the same. Operands of 32 bits or fewer are computed in f64, which is then rounded as asked:

- A product of two numbers of 24 bits is exact in f64.
- A quotient or a square root of them is either a number of 24 bits or further from all of these
  than f64 can err.
- The error of a sum is a number of f64, which the sum of the parts gives (Knuth's two-sum). A sum
  that is not exact gets an odd last bit, so that no later rounding takes it for an exact one.
"""

from collections.abc import Callable, Sequence

from tilec.frontend.semantics import hir, numeric, operators
from tilec.frontend.semantics.builtins.convert import mode_of, rounded
from tilec.frontend.semantics.builtins.table import ARITHMETIC, Argument, Call, builtin
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import BOOL, F32
from tilec.frontend.semantics.values import AnyValue, Constant
from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DTYPES

_WIDE, _BITS = DTYPES["f64"], DTYPES["i64"]
_LEAST_NORMAL = 2.0**-126
_FAST = ("full", "approx")
_OPERATIONS = {"+": "addf", "-": "subf", "*": "mulf", "/": "divf"}
"""Operations on floats by the sign of their operator."""

Compute = Callable[[Context, Sequence[hir.Value], str, SourceSpan], hir.Value]
"""From operands in f64 and a rounding mode to the result, exact or with an odd last bit."""


@builtin("add", ARITHMETIC, "addf", "addi")
def add(
    call: Call,
    a: Argument,
    b: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return `a + b`. `rounding` and `flush_to_zero`: see [rounding modes](#rounding)."""
    modes = _modes(call, rounding, flush_to_zero)
    return _binary(call, "+", (a, b), modes, _sum)


@builtin("sub", ARITHMETIC, "subf", "subi")
def sub(
    call: Call,
    a: Argument,
    b: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return `a - b`. `rounding` and `flush_to_zero`: see [rounding modes](#rounding)."""
    modes = _modes(call, rounding, flush_to_zero)
    return _binary(call, "-", (a, b), modes, _difference)


@builtin("mul", ARITHMETIC, "mulf", "muli")
def mul(
    call: Call,
    a: Argument,
    b: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return `a * b`. `rounding` and `flush_to_zero`: see [rounding modes](#rounding)."""
    modes = _modes(call, rounding, flush_to_zero)
    return _binary(call, "*", (a, b), modes, _plain("mulf"))


@builtin("truediv", ARITHMETIC, "divf")
def truediv(
    call: Call,
    a: Argument,
    b: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return `a / b`. `rounding` and `flush_to_zero`: see [rounding modes](#rounding).

    With `rounding='full'`, or `'approx'`, a quotient of f32 takes less time, and errs by up to 2
    units in the last place.
    """
    if rounding is not None and _is_fast(rounding.value):
        return _fast_quotient(call, (a, b), call.is_set(flush_to_zero, "flush_to_zero"))
    modes = _modes(call, rounding, flush_to_zero)
    return _binary(call, "/", (a, b), modes, _plain("divf"))


@builtin("sqrt", ARITHMETIC, "sqrt")
def sqrt(
    call: Call,
    x: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return the square root of `x`.

    `rounding` and `flush_to_zero`: see [rounding modes](#rounding).
    """
    modes = _modes(call, rounding, flush_to_zero)
    if modes is not None:
        return _computed(call, (x,), modes, "sqrt", _plain("sqrt"))
    (value,) = _operands(call, (x,))
    return call.ctx.op("sqrt", [value], value.type, call.span)


@builtin("fma", ARITHMETIC, "fma")
def fma(
    call: Call,
    a: Argument,
    b: Argument,
    c: Argument,
    *,
    rounding: Argument | None = None,
    flush_to_zero: Argument | None = None,
) -> AnyValue:
    """Return `a * b + c`, rounded once; integers become f32.

    `rounding` and `flush_to_zero`: see [rounding modes](#rounding).
    """
    modes = _modes(call, rounding, flush_to_zero)
    if modes is not None:
        return _computed(call, (a, b, c), modes, "fma", _fused)
    operands = _operands(call, (a, b, c))
    return call.ctx.op("fma", operands, operands[0].type, call.span)


# Modes


def _modes(
    call: Call, rounding: Argument | None, flush_to_zero: Argument | None
) -> tuple[str, bool] | None:
    """Return the rounding mode and whether numbers are flushed; None for the usual arithmetic."""
    mode = "rn" if rounding is None else mode_of(call, rounding)
    flushes = call.is_set(flush_to_zero, "flush_to_zero")
    return None if mode == "rn" and not flushes else (mode, flushes)


def _is_fast(value: AnyValue) -> bool:
    return isinstance(value, Constant) and value.value in _FAST


def _operands(call: Call, arguments: Sequence[Argument]) -> list[hir.Value]:
    """Return floats of one type and shape; integers become f32."""
    values = [call.number(item) for item in arguments]
    dtype = numeric.common_dtype(call.ctx, values, call.span, call.name)
    numeric.require_arithmetic(call.ctx, dtype, call.span, call.name)
    kind = dtype if dtype.is_float else F32
    return numeric.unify(call.ctx, values, call.span, call.name, kind)


def _binary(
    call: Call,
    sign: str,
    arguments: tuple[Argument, Argument],
    modes: tuple[str, bool] | None,
    compute: Compute,
) -> AnyValue:
    """Return what the operator `sign` gives, in the usual modes or in others."""
    if modes is not None:
        return _computed(call, arguments, modes, _OPERATIONS[sign], compute)
    a, b = arguments
    return operators.binary(call.ctx, sign, a.value, b.value, call.span)


def _fast_quotient(call: Call, arguments: Sequence[Argument], flushes: bool) -> hir.Value:
    ctx, span = call.ctx, call.span
    operands = _operands(call, arguments)
    _require(call, operands[0], (F32.name,), "rounding 'full'")
    if flushes:
        operands = [_flushed(ctx, item, span) for item in operands]
    quotient = ctx.op("divf", operands, operands[0].type, span, rounding="full")
    return _flushed(ctx, quotient, span) if flushes else quotient


def _require(call: Call, operand: hir.Value, names: tuple[str, ...], what: str) -> None:
    dtype = numeric.dtype_of(operand)
    if dtype.name not in names:
        message = f"{what} is for {', '.join(names)}, found {dtype.name}"
        notes = numeric.origin(operand, "the operand")
        raise call.fail("T0306", message, hint="cast the operands to f32 first", notes=notes)


def _computed(
    call: Call, arguments: Sequence[Argument], modes: tuple[str, bool], name: str, compute: Compute
) -> hir.Value:
    """Return what operation `name` gives in other modes than the usual ones."""
    mode, flushes = modes
    ctx, span = call.ctx, call.span
    operands = _operands(call, arguments)
    if flushes:
        _require(call, operands[0], (F32.name,), "flush_to_zero")
        operands = [_flushed(ctx, item, span) for item in operands]
    if mode == "rn":
        return _flushed(ctx, ctx.op(name, operands, operands[0].type, span), span)
    _require(call, operands[0], ("f16", "bf16", "f32"), "rounding")
    wide = [numeric.convert(ctx, item, _WIDE, span) for item in operands]
    exact = compute(ctx, wide, mode, span)
    result = rounded(ctx, exact, numeric.dtype_of(operands[0]), mode, span)
    return _flushed(ctx, result, span) if flushes else result


def _flushed(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    """Replace subnormal numbers by zeros of their signs."""
    size = ctx.op("absf", [value], value.type, span)
    is_small = operators.compare(ctx, "<", size, Constant(_LEAST_NORMAL, span), span)
    zero = numeric.make_constant(ctx, 0.0, F32, numeric.shape_of(value), span)
    signed = ctx.op("mulf", [value, zero], value.type, span)
    assert isinstance(is_small, hir.Value)
    return ctx.op("select", [is_small, signed, value], value.type, span)


# Arithmetic in f64


def _plain(name: str) -> Compute:
    def compute(
        ctx: Context, operands: Sequence[hir.Value], mode: str, span: SourceSpan
    ) -> hir.Value:
        del mode
        return ctx.op(name, list(operands), operands[0].type, span)

    return compute


def _difference(
    ctx: Context, operands: Sequence[hir.Value], mode: str, span: SourceSpan
) -> hir.Value:
    a, b = operands
    return _sum(ctx, (a, ctx.op("negf", [b], b.type, span)), mode, span)


def _fused(ctx: Context, operands: Sequence[hir.Value], mode: str, span: SourceSpan) -> hir.Value:
    a, b, c = operands
    return _sum(ctx, (ctx.op("mulf", [a, b], a.type, span), c), mode, span)


def _sum(ctx: Context, operands: Sequence[hir.Value], mode: str, span: SourceSpan) -> hir.Value:
    """Add two numbers; a sum that is not exact is the neighbour of the exact one that is odd."""
    a, b = operands
    kind = a.type

    def op(name: str, *values: hir.Value) -> hir.Value:
        return ctx.op(name, list(values), kind, span)

    total = op("addf", a, b)
    part = op("subf", total, a)
    error = op("addf", op("subf", a, op("subf", total, part)), op("subf", b, part))
    shape = numeric.shape_of(total)
    whole = numeric.typed(_BITS, shape)
    bits = ctx.op("bitcast", [total], whole, span)
    one = numeric.make_constant(ctx, 1, _BITS, shape, span)
    # The bits of a float count its size: the next one away from 0 has the next number.
    is_less = _signed(ctx, error, span)
    same = operators.compare(ctx, "==", is_less, _signed(ctx, total, span), span)
    back = numeric.make_constant(ctx, -1, _BITS, shape, span)
    assert isinstance(same, hir.Value)
    step = ctx.op("select", [same, one, back], whole, span)
    moves = _both(ctx, _lost(ctx, error, span), _even(ctx, bits, one, span), span)
    moved = ctx.op("select", [moves, ctx.op("addi", [bits, step], whole, span), bits], whole, span)
    if mode == "rm":  # an exact 0 of numbers of both signs is -0 (IEEE 754-2019, 6.3)
        moved = _negative_zero(ctx, (a, b, total), moved, span)
    return ctx.op("bitcast", [moved], kind, span)


def _signed(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    return _compared(ctx, "<", value, 0.0, span)


def _lost(ctx: Context, error: hir.Value, span: SourceSpan) -> hir.Value:
    """Tell where an error is no zero; the NaN that infinities give is none."""
    size = ctx.op("absf", [error], error.type, span)
    return _compared(ctx, ">", size, 0.0, span)


def _even(ctx: Context, bits: hir.Value, one: hir.Value, span: SourceSpan) -> hir.Value:
    return _compared(ctx, "==", ctx.op("andi", [bits, one], bits.type, span), 0, span)


def _compared(
    ctx: Context, name: str, value: hir.Value, limit: float, span: SourceSpan
) -> hir.Value:
    found = operators.compare(ctx, name, value, Constant(limit, span), span)
    assert isinstance(found, hir.Value)
    return found


def _both(ctx: Context, a: hir.Value, b: hir.Value, span: SourceSpan) -> hir.Value:
    return ctx.op("andi", [a, b], numeric.typed(BOOL, numeric.shape_of(a)), span)


def _negative_zero(
    ctx: Context, values: Sequence[hir.Value], bits: hir.Value, span: SourceSpan
) -> hir.Value:
    """Return the bits of a sum; where it is 0, they are those of a zero with the sign of either."""
    a, b, total = values
    signs = [ctx.op("bitcast", [item], bits.type, span) for item in (a, b)]
    either = ctx.op("ori", signs, bits.type, span)
    mask = numeric.make_constant(ctx, -(1 << 63), _BITS, numeric.shape_of(bits), span)
    zero = ctx.op("andi", [either, mask], bits.type, span)
    return ctx.op("select", [_compared(ctx, "==", total, 0.0, span), zero, bits], bits.type, span)
