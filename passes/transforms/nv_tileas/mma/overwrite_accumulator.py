"""Let the first product of a loop overwrite an accumulator that would start as zeros.

Before:  %r = scf.for %k = %lower to %upper step %s iter_args(%acc = %zeros) {
           %g, %t = async_mma %a, %b, %acc; %d = mma_wait %g, %t; yield %d }
After:   %r = if %lower < %upper {
           %u = undefined
           %l = scf.for %k = %lower to %upper step %s iter_args(%acc = %u) {
             %more = %k != %lower; %g, %t = async_mma %a, %b, %acc, %more
             %d = mma_wait %g, %t; yield %d }
           yield %l
         } else { %z = zeros; yield %z }

wgmma ignores the contents of its result registers if its predicate `scale-d` is false. So no zeros
are written before the loop: 128 registers of each thread for a tile of 128x256, which ptxas 13.0
wrote twice (0.2% of the cycles of a product at 4096^3 on an H200, 2026-11-22). Outside of loops, a
product that adds to zeros has a predicate that is always false.

A loop that does not run still has to give zeros. They are in a branch, because LLVM would write a
constant before the branch, for all tiles. If `nv-tileas-schedule-mma` has made such a branch, it
serves for both. An accumulator that starts with other values, or that something else uses in the
loop, is added to as before.
"""

from typing import Any

from tilec.dialects.common.matmul_ops import copy_product
from tilec.dialects.nv_tileas import AsyncMmaOp, UndefinedOp, ZerosOp
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.removal import erase_unused, replace_operation
from tilec.ir.structured import FOR_BOUNDS, defining_operation, parent_operation, terminator
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.loop_guards import guard_loop, guarded_loops
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileas-overwrite-accumulator")
def overwrite_accumulator(function: Any, context: PassContext) -> bool:
    """Let the first product of a loop overwrite an accumulator that would start as zeros."""
    changed = False
    products = [op for op in kernel_operations(function) if op.name == "nv_tileas.async_mma"]
    for product in products:
        index = _zeroed_index(product)
        if index is not None:
            _overwrite(product, index)
            changed = True
        elif is_zeros(product.opview.acc):
            _overwrite_constant(product)
            changed = True
    return changed


def _zeroed_index(product: Any) -> int | None:
    """Return which value of its loop `product` adds to, if that starts as zeros; else None."""
    loop, acc = parent_operation(product), product.opview.acc
    if loop.name != "scf.for" or acc not in list(product.block.arguments):
        return None
    index = acc.arg_number - 1
    left = defining_operation(terminator(product.block).operands[index])
    if len(list(acc.uses)) != 1 or left is None or left.name != "nv_tileas.mma_wait":
        return None
    return index if is_zeros(loop.operands[FOR_BOUNDS + index]) else None


def _overwrite(product: Any, index: int) -> None:
    """Let `product` ignore what its accumulator, value `index` of its loop, holds at first."""
    loop = parent_operation(product)
    zeros = loop.operands[FOR_BOUNDS + index]
    _move_zeros(loop, zeros)
    with ir.InsertionPoint(loop), loop.location:
        loop.operands[FOR_BOUNDS + index] = UndefinedOp.build(zeros.type)
    erase_unused([zeros])
    with ir.InsertionPoint(product), product.location:
        counter, lower = product.block.arguments[0], loop.operands[0]
        more = arith.cmpi(arith.CmpIPredicate.ne, counter, lower)
    _replace(product, product.opview.acc, more)


def _overwrite_constant(product: Any) -> None:
    """Let `product` ignore zeros that it would add to."""
    zeros = product.opview.acc
    with ir.InsertionPoint(product), product.location:
        never = constant(0, 1)
        unwritten = UndefinedOp.build(zeros.type)
    _replace(product, unwritten, never)
    erase_unused([zeros])


def _replace(product: Any, acc: Any, accumulate: Any) -> None:
    """Replace `product` by one that adds to `acc` where `accumulate` is true."""
    mma = product.opview
    with ir.InsertionPoint(product), product.location:
        group = AsyncMmaOp(
            a=mma.a,
            b=mma.b,
            acc=acc,
            accumulate=accumulate,
            result=mma.result.type,
            token=mma.token.type,
            a_major=mma.a_major,
            b_major=mma.b_major,
        )
        copy_product(product, group)
    replace_operation(product, group.results)


def _move_zeros(loop: Any, zeros: Any) -> None:
    """Write `zeros`, with which `loop` begins, only where it does not run, as its result."""
    guard = parent_operation(loop)
    if guard.name != "scf.if" or loop not in guarded_loops(guard):
        guard = guard_loop(loop)
    for block in guard.regions[1].blocks:
        end = terminator(block)
        for number, value in enumerate(end.operands):
            if value == zeros:
                with ir.InsertionPoint(end), loop.location:
                    end.operands[number] = ZerosOp.build(zeros.type)
