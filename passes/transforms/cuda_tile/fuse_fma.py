"""Fuse a product that is only added into one multiply-add.

Before:  %p = mulf %a, %b; %r = addf %p, %c
After:   %r = fma %a, %b, %c

The product must have no other use, or it would be computed twice. Both operations must round and
flush in the same way. Both must be in one block, so that no operand of the product stays alive
through a loop that needs only the product. The result is rounded once instead of twice, so it may
differ in the last bit.
"""

from typing import Any

from tilec.dialects.cuda_tile import AddFOp, FmaOp, MulFOp
from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.passes.registry import PassContext, register_pass


@register_pass("cuda-tile-fuse-fma")
def fuse_fma(module: Any, context: PassContext) -> bool:
    """Turn a mulf whose only use is an addf into an fma."""
    del context
    sums: list[AddFOp] = []

    def collect(op: Any) -> Any:
        if op.name == AddFOp.OPERATION_NAME:
            sums.append(op.opview)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    fused = [_fuse(addition) for addition in sums]
    return any(fused)


def _fuse(addition: AddFOp) -> bool:
    """Fuse an addition with a product, and tell whether there was one."""
    for value, other in ((addition.lhs, addition.rhs), (addition.rhs, addition.lhs)):
        product = _fusible_product(value, addition)
        if product is None:
            continue
        result = FmaOp.build(
            product.lhs,
            product.rhs,
            other,
            rounding=None if addition.rounding == "nearest_even" else addition.rounding,
            flush_to_zero=addition.flush_to_zero,
            loc=addition.location,
            ip=ir.InsertionPoint(addition),
        )
        addition.result.replace_all_uses_with(result)
        erase(addition.operation)
        erase(product.operation)
        return True
    return False


def _fusible_product(value: Any, addition: AddFOp) -> MulFOp | None:
    """Return the mulf that defines `value` when it may be fused into `addition`."""
    if isinstance(value, ir.BlockArgument):
        return None
    product = value.owner.opview
    if not isinstance(product, MulFOp) or len(list(value.uses)) != 1:
        return None
    agree = (
        product.rounding == addition.rounding
        and product.flush_to_zero == addition.flush_to_zero
        and product.operation.block == addition.operation.block
    )
    return product if agree else None
