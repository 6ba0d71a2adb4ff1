"""Multiply scores by a scalar when the largest one is subtracted from them, in one instruction.

Before:  %p = mulf %x, (splat %s);  %z = select %mask, %p, -inf
         %m = reduce max %z;  %e = exp2 (subf %z, (broadcast %m))
After:   %f = select %usual, %s, 1.0;  %g = select %usual, 1.0, %s      // before the loop
         %p = mulf %x, (splat %g);  %z = select %mask, %p, -inf
         %m = mulf (reduce max %z), (splat %f)
         %e = exp2 (fma %z, (splat %f), (negf (broadcast %m)))

Most kernels of attention scale scores first, mask them, and subtract the largest one: a product
and a sum for each score, where one multiply-add does both. A product with a positive number keeps
the order of numbers and leaves infinities as they are, so the scaled maximum is the maximum of
what is scaled, to the last bit. The difference is rounded once instead of twice, as in
`cuda-tile-fuse-fma`; a factor that a multiply-add has already is multiplied with the other one.

Only exponents change so, of `exp2` that flushes tiny results: those are computed from numbers of
at most 16 bits, whose rounding is a far larger error (docs/language.md, approximations).

Whether a scalar is positive, and neither very small nor very large (`USUAL` in
`passes/analysis/facts/round_floats.py`), is known of constants. Of others, the kernel asks before
the loop, and the product is one by 1 then. `nv-tileaa-skip-masks` leaves it out together with the
mask. Without a mask, there is a branch around it, which `nv-tileaa-lead-branches` marks, so that
`split-loops` takes it out of the round.

The pass looks at loops with products, and at scores that nothing else reads.
"""

from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase, erase_unused
from tilec.ir.structured import (
    body_operations,
    clone_operation,
    defining_operation,
    enclosing_operations,
)
from tilec.ir.values import users_of
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.round_floats import DROPS_NAN, USUAL
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.scalar_tests import emit_usual
from tilec.support.fast_dataclasses import dataclass, field

_PRODUCT, _FUSED, _SELECT = "arith.mulf", "math.fma", "arith.select"
_DIFFERENCE, _NEGATION, _EXPONENTIAL = "arith.subf", "arith.negf", "math.exp2"
_REDUCE, _SPLAT = "nv_tileaa.reduce", "nv_tileaa.splat"
_RENAMING = ("nv_tileaa.broadcast", "nv_tileaa.view")
_FLUSHES = "flush_to_zero"


@dataclass
class _Scores:
    """A product by a scalar that can wait.

    Attributes:
        product: The product.
        loop: The loop in whose body it is.
        tile: What it multiplies.
        scalar: By what: a scalar from outside of the loop, or a constant.
        selects: Choices between it, or the choice before, and infinities, in program order.
        maxima: Reductions of what the last one chooses.
        exponents: Differences and multiply-adds that read it.
    """

    product: Any
    loop: Any
    tile: Any
    scalar: Any
    selects: list[Any] = field(default_factory=list)
    maxima: list[Any] = field(default_factory=list)
    exponents: list[Any] = field(default_factory=list)


@register_kernel_pass("nv-tileaa-delay-factors")
def delay_factors(function: Any, context: PassContext) -> bool:
    """Move products by scalars behind masks and maxima."""
    changed = False
    for loop in [op for op in kernel_operations(function) if op.name == "scf.for"]:
        if not multiplies(loop):
            continue
        ops = body_operations(loop.regions[0].blocks[0])
        for op in [op for op in ops if op.name == _PRODUCT]:
            scores = _scores(op, loop)
            if scores is not None:
                _delay(scores)
                changed = True
    return changed


def _scores(product: Any, loop: Any) -> _Scores | None:
    """Return what becomes of a product, if it can wait for its sum; None if it cannot."""
    result = product.results[0].type
    if not isinstance(result, ir.RankedTensorType) or result.element_type != ir.F32Type.get():
        return None
    for tile, other in (product.operands, list(product.operands)[::-1]):
        scalar = _scalar_of(other, loop)
        maker = defining_operation(tile)
        if scalar is None or maker is None or maker.block != product.block:
            continue
        found = _Scores(product, loop, tile, scalar)
        return found if _follow(found, product.results[0]) else None
    return None


def _scalar_of(tile: Any, loop: Any) -> Any:
    """Return the scalar that all elements of a tile are, as a value or a float.

    None where it is not known before the loop, or a constant that is not usual.
    """
    op = defining_operation(tile)
    if op is None:
        return None
    if op.name == _SPLAT:
        (scalar,) = op.operands
        maker = defining_operation(scalar)
        inside = maker is not None and loop in enclosing_operations(maker)
        return None if inside or scalar in list(loop.regions[0].blocks[0].arguments) else scalar
    number = number_of(tile)
    return number if number is not None and USUAL[0] <= number <= USUAL[1] else None


def _follow(scores: _Scores, value: Any) -> bool:
    """Collect what reads a product or what is chosen from it; tell whether it can wait."""
    block = scores.product.block
    users = users_of(value)
    if any(user.block != block for user in users):
        return False
    if len(users) == 1 and _is_masked(users[0], value):
        scores.selects.append(users[0])
        return _follow(scores, users[0].results[0])
    for user in users:
        if _is_maximum(user):
            scores.maxima.append(user)
        elif _is_exponent(user, value):
            scores.exponents.append(user)
        else:
            return False
    return bool(scores.exponents)


def _is_masked(op: Any, value: Any) -> bool:
    """Tell whether `op` chooses between a tile and an infinity."""
    if op.name != _SELECT:
        return False
    others = [operand for operand in list(op.operands)[1:] if operand != value]
    numbers = [number_of(operand) for operand in others]
    return len(numbers) == 1 and numbers[0] in (float("inf"), -float("inf"))


def _is_maximum(op: Any) -> bool:
    if op.name != _REDUCE or len(op.operands) != 1:
        return False
    first, *others = body_operations(op.regions[0].blocks[0])
    return len(others) == 1 and first.name in DROPS_NAN  # the other one yields


def _is_exponent(op: Any, value: Any) -> bool:
    """Tell whether `op` adds to a tile what makes an exponent of it, perhaps after a factor."""
    users = [user for result in op.results for user in users_of(result)]
    if not users or any(
        user.name != _EXPONENTIAL or _FLUSHES not in user.attributes for user in users
    ):
        return False
    left, right, *added = op.operands
    if op.name == _DIFFERENCE:
        return left == value and right != value
    if op.name != _FUSED or value in added:
        return False
    other = right if left == value else left
    return other != value and _uniform(other) is not None


def _uniform(tile: Any) -> Any:
    """Return the operation that makes a tile of equal elements; None for other tiles."""
    op = defining_operation(tile)
    is_uniform = op is not None and (op.name == _SPLAT or number_of(tile) is not None)
    return op if is_uniform else None


def _delay(scores: _Scores) -> None:
    """Replace a product by factors of the maxima and the exponents."""
    product, (old,) = scores.product, scores.product.results
    tile, factor = _unscaled(scores)
    if scores.selects:
        for number, operand in enumerate(scores.selects[0].operands):
            if operand == old:
                scores.selects[0].operands[number] = tile
        tile = scores.selects[-1].results[0]
    for op in scores.maxima:
        op.operands[0] = tile
        _scale_result(op, factor)
    for op in scores.exponents:
        with ir.InsertionPoint(op), op.location:
            fused = _exponent(op, old if not scores.selects else tile, tile, factor)
        op.results[0].replace_all_uses_with(fused)
        unused = list(op.operands)
        erase(op)
        erase_unused(unused, lambda made: made.name in (*_RENAMING, _SPLAT))
    erase(product)


def _unscaled(scores: _Scores) -> tuple[Any, Any]:
    """Emit the tile without its factor, and the factor; with it, and 1, where that is not usual."""
    kind = ir.F32Type.get()
    with ir.InsertionPoint(scores.loop), scores.loop.location:
        if isinstance(scores.scalar, float):
            return scores.tile, arith.constant(kind, scores.scalar)
        one = arith.constant(kind, 1.0)
        usual = emit_usual(scores.scalar)
        factor, others = (
            arith.select(usual, *pair) for pair in ((scores.scalar, one), (one, scores.scalar))
        )
    with ir.InsertionPoint(scores.product), scores.product.location:
        if scores.selects:
            return arith.mulf(scores.tile, _splat(others, scores.tile.type)), factor
        branch = scf.IfOp(usual, [scores.tile.type], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp([scores.tile])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([clone_operation(scores.product, {}).results[0]])
    return branch.results[0], factor


def _splat(scalar: Any, like: Any) -> Any:
    return ir.Operation.create(_SPLAT, [like], [scalar]).result


def _scale_result(op: Any, factor: Any) -> None:
    """Multiply the result of a reduction by a factor."""
    (result,) = op.results
    with ir.InsertionPoint.after(op), op.location:
        scaled = arith.mulf(result, _splat(factor, result.type))
    result.replace_all_uses_except(scaled, scaled.owner.operation)


def _exponent(op: Any, old: Any, tile: Any, factor: Any) -> Any:
    """Emit an exponent of a tile without its factor."""
    kind = op.results[0].type
    if op.name == _DIFFERENCE:
        added = _negated(op.operands[1])
        return _fma(tile, _splat(factor, kind), added)
    left, right, added = op.operands
    other = _uniform(right if left == old else left)
    constant = number_of(other.results[0])
    own = other.operands[0] if constant is None else arith.constant(factor.type, constant)
    return _fma(tile, _splat(arith.mulf(own, factor), kind), added)


def _fma(a: Any, b: Any, c: Any) -> Any:
    return ir.Operation.create(_FUSED, [c.type], [a, b, c]).result


def _negated(tile: Any) -> Any:
    """Emit the negative of a tile; one that is repeated is negated before that."""
    op = defining_operation(tile)
    if op is None or op.name not in _RENAMING:
        return ir.Operation.create(_NEGATION, [tile.type], [tile]).result
    return clone_operation(op, {op.operands[0]: _negated(op.operands[0])}).results[0]
