"""The bounds of `for i in range(...)`: what the loop counts, and the loop variable from that.

A loop that counts `i` itself adds the step once more after its last round. Where that sum is not
proven to fit i32, or the step is not proven to be positive, the loop counts its rounds instead:
their number is 0 for a step below 1, and no sum can wrap.
"""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.facts.intervals import Bounds, bounds_of, is_positive
from tilec.frontend.semantics.numeric import BOOL, I32, U32
from tilec.frontend.semantics.values import Constant, describe
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan
from tilec.support.fast_dataclasses import dataclass

_HIGHEST = (1 << 31) - 1
_SCALAR, _UNSIGNED = hir.ScalarType(I32), hir.ScalarType(U32)


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """What a loop counts, and how its variable follows.

    Attributes:
        operands: Lower bound, upper bound and step of the loop operation.
        start: First value of the variable; None where the loop counts the variable itself.
        step: Step of the variable.
        bounds: Proven bounds of the variable.
    """

    operands: tuple[hir.Value, hir.Value, hir.Value]
    start: hir.Value | None
    step: hir.Value
    bounds: Bounds

    @property
    def count_bounds(self) -> Bounds:
        """Bounds of what the loop counts."""
        return self.bounds if self.start is None else (0, _HIGHEST)

    def variable(self, ctx: Context, count: hir.Value, span: SourceSpan) -> hir.Value:
        """Return the loop variable from what the loop counts, in the loop's body."""
        if self.start is None:
            return count
        offset = ctx.op("muli", [count, self.step], _SCALAR, span)
        value = ctx.op("addi", [self.start, offset], _SCALAR, span)
        value.bounds = self.bounds
        return value


def loop_bounds(ctx: Context, call: ast.Call) -> CountedLoop:
    """Return the bounds of a loop over `range(...)`.

    Raises:
        SemanticError: They are no i32 scalars, or the step is a constant below 1.
    """
    if call.keywords or not 1 <= len(call.arguments) <= 3:
        message = f"range: takes one to three arguments, found {len(call.arguments)}"
        raise ctx.fail("T0310", message, call.span)
    values = [_bound(ctx, item, is_step=axis == 2) for axis, item in enumerate(call.arguments)]
    zero = numeric.make_constant(ctx, 0, I32, (), call.span)
    one = numeric.make_constant(ctx, 1, I32, (), call.span)
    lower = values[0] if len(values) > 1 else zero
    upper = values[1] if len(values) > 1 else values[0]
    step = values[2] if len(values) == 3 else one
    low, high = bounds_of(lower), bounds_of(upper)
    assert low is not None
    assert high is not None
    bounds = low[0], max(low[0], high[1] - 1)
    if _counts_safely(upper, step):
        return CountedLoop((lower, upper, step), None, step, bounds)
    rounds = _rounds(ctx, lower, upper, step, call.span)
    return CountedLoop((zero, rounds, one), lower, step, bounds)


def _counts_safely(upper: hir.Value, step: hir.Value) -> bool:
    """Tell whether the step is positive and a sum just below `upper` and the step fits i32."""
    highest, steps = bounds_of(upper), bounds_of(step)
    if highest is None or steps is None or not is_positive(step):
        return False
    return highest[1] - 1 + steps[1] <= _HIGHEST


def _rounds(
    ctx: Context, lower: hir.Value, upper: hir.Value, step: hir.Value, span: SourceSpan
) -> hir.Value:
    """Return the number of rounds: (upper - lower - 1) / step + 1 in u32, or 0."""
    runs = _less(ctx, lower, upper, span)
    if not is_positive(step):
        zero = numeric.make_constant(ctx, 0, I32, (), span)
        positive = _less(ctx, zero, step, span)
        runs = ctx.op("andi", [runs, positive], hir.ScalarType(BOOL), span)
        step = ctx.op(
            "maxi", [step, numeric.make_constant(ctx, 1, I32, (), span)], _SCALAR, span, signed=True
        )
    one = numeric.make_constant(ctx, 1, U32, (), span)
    ends = [ctx.op("reinterpret", [item], _UNSIGNED, span) for item in (lower, upper, step)]
    distance = ctx.op("subi", [ends[1], ends[0]], _UNSIGNED, span)
    below = ctx.op("subi", [distance, one], _UNSIGNED, span)
    full = ctx.op("divi", [below, ends[2]], _UNSIGNED, span, signed=False, rounding="zero")
    count = ctx.op("addi", [full, one], _UNSIGNED, span)
    none = numeric.make_constant(ctx, 0, U32, (), span)
    rounds = ctx.op("select", [runs, count, none], _UNSIGNED, span)
    return ctx.op("reinterpret", [rounds], _SCALAR, span)


def _less(ctx: Context, left: hir.Value, right: hir.Value, span: SourceSpan) -> hir.Value:
    kind = hir.ScalarType(BOOL)
    return ctx.op("cmpi", [left, right], kind, span, predicate="less_than", signed=True)


def _bound(ctx: Context, node: ast.Expression, *, is_step: bool) -> hir.Value:
    value = ctx.evaluate(node)
    if isinstance(value, Constant) and isinstance(value.value, int):
        if is_step and value.value <= 0:
            message = f"range: the step must be positive, found {int(value.value)}"
            hint = "count up and compute 'last - i' in the body" if value.value else None
            raise ctx.fail("T0318", message, node.span, hint=hint)
        numeric.check_fits(ctx, value, I32, node.span)
        return numeric.make_constant(ctx, value.value, I32, (), node.span)
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType):
        dtype = value.type.dtype
        if dtype == I32:
            return value
        if dtype.is_integer and dtype.bits < I32.bits:
            return numeric.convert(ctx, value, I32, node.span)
        if dtype.is_integer:
            hint = "use 'cast(x, i32)'"
            message = f"range: bounds are i32, found {dtype.name}"
            raise ctx.fail("T0319", message, node.span, hint=hint)
    message = f"range: bounds are integer scalars, found {describe(value)}"
    is_tile = isinstance(value, hir.Value) and isinstance(value.type, hir.TileType)
    hint = "take 'x.item()' of a tile of one element, or 'max(x)'" if is_tile else None
    raise ctx.fail("T0319", message, node.span, hint=hint)
