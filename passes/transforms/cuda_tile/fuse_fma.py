"""Fuse a product that is only added or subtracted into one multiply-add.

Before:  %p = mulf %a, %b; %r = addf %p, %c
After:   %r = fma %a, %b, %c

Before:  %p = mulf %a, %b; %r = subf %p, %c
After:   %n = negf %c; %r = fma %a, %b, %n

Before:  %p = mulf %a, %b; %r = subf %c, %p
After:   %n = negf %b; %r = fma %a, %n, %c

The product must have no other use, or it would be computed twice. Both operations must round and
flush in the same way. Both must be in one block, so that no operand of the product stays alive
through a loop that needs only the product. The result is rounded once instead of twice, so it may
differ in the last bit.

In the function of a scan, scalars are added and multiplied; they are fused, too.

What is loaded in the block of a difference is not negated. Next to a product of matrices, it is
read when that ends, and ptxas puts all special functions after the multiply-adds that wait for it:
attention backward with heads of 64 took 2 to 5 % longer (H100, ptxas 13.0,
docs/measurements/2026-11-26-user-attention.md).
"""

from typing import Any

from tilec.dialects.cuda_tile import (
    AddFOp,
    BroadcastOp,
    FmaOp,
    FToFOp,
    LoadElementsTkoOp,
    LoadViewTkoOp,
    MulFOp,
    NegFOp,
    PermuteOp,
    ReshapeOp,
    ScanOp,
    SubFOp,
)
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.ir.removal import erase, replace_operation
from tilec.ir.structured import defining_operation
from tilec.ir.walks import walk_operations
from tilec.passes.registry import PassContext, register_pass

_SUMS = (AddFOp.OPERATION_NAME, SubFOp.OPERATION_NAME)
_COMBINED = (ScanOp.OPERATION_NAME,)
_SAME_ELEMENTS = (BroadcastOp, FToFOp, PermuteOp, ReshapeOp)
_LOADS = (LoadElementsTkoOp, LoadViewTkoOp)


@register_pass("cuda-tile-fuse-fma")
def fuse_fma(module: Any, context: PassContext) -> bool:
    """Turn a mulf whose only use is an addf or subf into an fma."""
    ops = walk_operations(module.body)
    scalars = [op for op in ops if op.name == "arith.addf" and op.parent.name in _COMBINED]
    sums = [op.opview for op in ops if op.name in _SUMS]
    fused = [_fuse(addition) for addition in sums]
    return any(fused + [_fuse_scalars(op) for op in scalars])


def _fuse_scalars(addition: Any) -> bool:
    """Fuse an addition and a product in the function of a scan; tell whether there was one."""
    for number, value in enumerate(addition.operands):
        product = defining_operation(value)
        if product is None or product.name != "arith.mulf" or len(list(value.uses)) != 1:
            continue
        with ir.InsertionPoint(addition), addition.location:
            factors, other = list(product.operands), addition.operands[1 - number]
            fused = llvm_ops.value("math.fma", other.type, [*factors, other])
        replace_operation(addition, [fused])
        erase(product)
        return True
    return False


def _fuse(addition: AddFOp | SubFOp) -> bool:
    """Fuse an addition or a subtraction with a product, and tell whether there was one."""
    for value, other in ((addition.lhs, addition.rhs), (addition.rhs, addition.lhs)):
        product = _fusible_product(value, addition)
        if product is None or _negates_a_load(other, addition):
            continue
        with ir.InsertionPoint(addition), addition.location:
            result = FmaOp.build(
                *_operands(product, other, addition),
                rounding=None if addition.rounding == "nearest_even" else addition.rounding,
                flush_to_zero=addition.flush_to_zero,
            )
        addition.result.replace_all_uses_with(result)
        erase(addition.operation)
        erase(product.operation)
        return True
    return False


def _negates_a_load(other: Any, addition: AddFOp | SubFOp) -> bool:
    """Tell whether `other` is subtracted, and is a tile that the block of `addition` loads."""
    if not isinstance(addition, SubFOp) or other != addition.rhs:
        return False
    op = defining_operation(other)
    while op is not None and isinstance(op.opview, _SAME_ELEMENTS):
        op = defining_operation(op.operands[0])
    return op is not None and isinstance(op.opview, _LOADS) and op.block == addition.operation.block


def _operands(product: MulFOp, other: Any, addition: AddFOp | SubFOp) -> list[Any]:
    """Return what is multiplied and what is added: of a difference, one of them is negated."""
    operands = [product.lhs, product.rhs, other]
    if isinstance(addition, SubFOp):
        turned = 2 if other == addition.rhs else 0 if _is_repeated(product.lhs) else 1
        operands[turned] = _negated(operands[turned])
    return operands


def _is_repeated(tile: Any) -> bool:
    op = defining_operation(tile)
    return op is not None and op.name == BroadcastOp.OPERATION_NAME


def _negated(tile: Any) -> Any:
    """Return the negative of a tile; one that is repeated is negated before that."""
    if not _is_repeated(tile):
        return NegFOp.build(tile)
    return BroadcastOp.build(NegFOp.build(tile.owner.opview.source), tile.type.shape)


def _fusible_product(value: Any, addition: AddFOp | SubFOp) -> MulFOp | None:
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
