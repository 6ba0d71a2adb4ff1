"""Multiply the scalars of a product of a tile with each other first.

Before:  %p = mulf %x, (splat %s); %q = divf %p, (splat %c); %t = tanh %q {rounding = "approx"}
After:   %f = arith.divf %s, %c; %q = mulf %x, (splat %f); %t = tanh %q {rounding = "approx"}

Before:  %a = mulf %x, (splat %s); %b = mulf %d, (splat %w); %y = addf %a, %b
         %q = mulf %y, (splat %r); %t = tanh %q {rounding = "approx"}
After:   %a = mulf %x, (splat %s * %r); %b = mulf %d, (splat %w * %r); %q = addf %a, %b; ...

Scores of attention have a scale, the reciprocal of a soft cap, the soft cap, and log2(e), one after
the other. They are equal for all elements, so one product of each element is enough, and a quotient
by a scalar is a product. A factor of a sum goes to its terms if each one has a factor already.

Each product rounds once, so the result may differ in the last place; it overflows or vanishes where
the product of the scalars does. Both count less than what is lost already, or afterwards:

- `x` is what a product of matrices of at most 16 bits or an approximate `tanh` gives: the rounding
  of its inputs is a far larger error, as it is for `exp2` (docs/language.md, approximations).
- Only the approximate `tanh` of the result is taken. Its relative error is 2^-11 (PTX ISA,
  `tanh.approx.f32`), and it keeps that of its operand. Here also a quotient alone is a product.
  Of several terms, one at most is exact: where two exact ones cancel, the rounding of the products
  is all that is left of them. Where one cancels with rough ones, their errors are larger.

A product that is also used otherwise stays, or it would be computed twice.
"""

from typing import Any

from tilec.dialects.cuda_tile import (
    AddFOp,
    BroadcastOp,
    DivFOp,
    MmaFOp,
    MulFOp,
    NegFOp,
    PermuteOp,
    ReshapeOp,
    SplatOp,
    SubFOp,
    TanHOp,
)
from tilec.ir.bindings import arith, ir
from tilec.ir.removal import erase_unused
from tilec.ir.structured import defining_operation
from tilec.ir.values import users_of
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.registry import PassContext, register_pass
from tilec.plan.worth import FACTOR_TERMS
from tilec.support.fast_dataclasses import dataclass

_RENAMING = (BroadcastOp, PermuteOp, ReshapeOp)
_ROUGH_BITS = 16
"""Elements of at most so many bits are rounded so much that one more rounding of f32 is nothing."""
_ONE = 1.0


@dataclass(frozen=True)
class _Factor:
    """What all elements of a tile are multiplied with, or divided by.

    Attributes:
        number: A scalar, or a constant that is not emitted yet.
        divides: Whether elements are divided by it.
    """

    number: Any
    divides: bool

    def emit(self) -> Any:
        """Emit the scalar with which elements are multiplied."""
        scalar = self._scalar()
        return arith.divf(arith.constant(scalar.type, _ONE), scalar) if self.divides else scalar

    def times(self, other: "_Factor") -> "_Factor":
        """Emit the product with another factor."""
        if self.divides == other.divides:
            return _Factor(arith.mulf(self._scalar(), other._scalar()), self.divides)
        above, below = (other, self) if self.divides else (self, other)
        return _Factor(arith.divf(above._scalar(), below._scalar()), False)

    def _scalar(self) -> Any:
        is_constant = isinstance(self.number, float)
        return arith.constant(ir.F32Type.get(), self.number) if is_constant else self.number


@register_pass("cuda-tile-group-factors")
def group_factors(module: Any, context: PassContext) -> bool:
    """Multiply tiles once by the product of several scalars."""
    names = (MulFOp.OPERATION_NAME, DivFOp.OPERATION_NAME)
    found = [op for op in walk_operations(module.body) if op.name in names]
    changed = [_group(op) for op in found]
    return any(changed)


def _group(op: Any) -> bool:
    """Apply the factor of a product or quotient where its tile gets one anyway."""
    split = _split(op)
    if split is None:
        return False
    tile, factor = split
    is_coarse = _only_coarse(op)
    terms = _terms(tile, op) or []
    exact = sum(not _is_rough(term) for term in terms)
    goes_on = bool(terms) and exact <= (1 if is_coarse else 0)
    if not goes_on and not (is_coarse and factor.divides):
        return False
    with ir.InsertionPoint(op), op.location:
        result = _scaled(tile, factor) if goes_on else _product(tile, factor)
    op.results[0].replace_all_uses_with(result)
    erase_unused([op.results[0]])
    return True


def _split(op: Any) -> tuple[Any, _Factor] | None:
    """Return a tile of f32 and the scalar that an operation multiplies it with; None for others."""
    if op is None or op.name not in (MulFOp.OPERATION_NAME, DivFOp.OPERATION_NAME):
        return None
    left, right = op.operands
    is_f32 = isinstance(left.type.element_type, ir.F32Type)
    if not is_f32 or not _is_plain(op.opview):
        return None
    divides = op.name == DivFOp.OPERATION_NAME
    for tile, other in ((left, right),) if divides else ((left, right), (right, left)):
        if _is_uniform(other) and not _is_uniform(tile):
            return tile, _Factor(_number(other), divides)
    return None


def _is_plain(op: Any) -> bool:
    """Tell whether an operation rounds to nearest and keeps tiny results."""
    return op.rounding in (None, "nearest_even") and not op.flush_to_zero


def _is_uniform(tile: Any) -> bool:
    op = defining_operation(tile)
    is_splat = op is not None and op.name == SplatOp.OPERATION_NAME
    return is_splat or number_of(tile) is not None


def _number(tile: Any) -> Any:
    """Return the scalar of which a tile has copies, or the float."""
    op = defining_operation(tile)
    if op.name == SplatOp.OPERATION_NAME:
        return op.operands[0]
    return number_of(tile)


def _terms(tile: Any, user: Any) -> list[Any] | None:
    """Return the tiles of a sum that have a scalar factor each, without it; None for others.

    Args:
        tile: What a factor is to be applied to.
        user: The one operation that uses it.
    """
    op = defining_operation(tile)
    if op is None or op.block != user.block or len(list(tile.uses)) != 1:
        return None
    split = _split(op)
    if split is not None:
        return [split[0]]
    if op.name == NegFOp.OPERATION_NAME:
        return _terms(op.operands[0], op)
    if op.name in (AddFOp.OPERATION_NAME, SubFOp.OPERATION_NAME) and _is_plain(op.opview):
        found = [_terms(operand, op) for operand in op.operands]
        terms = [term for part in found if part is not None for term in part]
        return terms if None not in found and len(terms) <= FACTOR_TERMS else None
    return None


def _scaled(tile: Any, factor: _Factor) -> Any:
    """Emit a sum of scaled tiles with one more factor."""
    op = defining_operation(tile)
    split = _split(op)
    if split is not None:
        base, own = split
        return _product(base, own.times(factor))
    parts = [_scaled(operand, factor) for operand in op.operands]
    return type(op.opview).build(*parts)


def _product(tile: Any, factor: _Factor) -> Any:
    return MulFOp.build(tile, SplatOp.build(factor.emit(), tile.type.shape))


def _only_coarse(op: Any) -> bool:
    """Tell whether only the approximate tanh of a result is taken."""
    pending, met = [op], []
    while pending:
        users = [user.opview for user in users_of(pending.pop().results[0])]
        pending += [user.operation for user in users if isinstance(user, _RENAMING)]
        met += [user for user in users if not isinstance(user, _RENAMING)]
    return bool(met) and all(isinstance(user, TanHOp) and user.rounding == "approx" for user in met)


def _is_rough(tile: Any) -> bool:
    """Tell whether a tile of f32 has errors far above the rounding of f32."""
    op = defining_operation(tile)
    while op is not None and isinstance(op.opview, (*_RENAMING, NegFOp)):
        op = defining_operation(op.operands[0])
    if op is None:
        return False
    if isinstance(op.opview, TanHOp):
        return op.opview.rounding == "approx"
    if not isinstance(op.opview, MmaFOp):
        return False
    return ir.FloatType(op.operands[0].type.element_type).width <= _ROUGH_BITS
