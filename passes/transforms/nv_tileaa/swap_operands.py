"""Compute products as their transposes, where wgmma can do them only so, or with less work.

Before:  %r = scf.for iter_args(%acc = zeros: 16x128) {
           %d = dot %a: 16x64, %b: 64x128, %acc {a_major = "k", b_major = "n"}: 16x128; yield %d }
After:   %t = scf.for iter_args(%acc = zeros: 128x16) {
           %d = dot %b: 64x128, %a: 16x64, %acc {a_major = "m", b_major = "k"}: 128x16; yield %d }
         %r = permute %t [1, 0]: 16x128

The rows of a wgmma come in slices of 64, its columns in eights (PTX ISA, wgmma.mma_async). A
product of 16 rows would fill a quarter of a slice. C^T = B^T A^T has the columns of B as its rows
and the 16 rows of A as its columns. Then neither shared memory nor registers hold padding. The
operands are not moved: what was K-major stays K-major, and what was N-major is now M-major. The
transpose of the result moves nothing either: threads write their registers to other places of the
staged tile.

The pass also swaps the operands of a product that loads its A and computes its B from loaded tiles,
as a layer does whose weights are stored in 8 bits. wgmma takes A from registers, but B from shared
memory alone. So such a B would be stored there, between two barriers for every product
(`passes/analysis/mma/held_operands.py`). In a product of 4096^3 in bf16, with weights of 8 bits and
a scale for each row or column, the transpose takes 0.6 of the time (H100, 2026-11-26).

A product is swapped if it is all that a loop adds to its accumulator. Other products stay as they
are: what reads their sums in the loop, as attention does, would have to be transposed, too.

A cluster that was planned for the rows and columns of the products is one for their columns and
rows where all of them are swapped (`planned_cluster`).
"""

from typing import Any

from tilec.dialects.common.matmul_ops import copy_product
from tilec.dialects.nv_tileaa.tile_ops import DotOp, PermuteOp
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import resized
from tilec.ir.removal import replace_operation
from tilec.ir.structured import FOR_BOUNDS, defining_operation, parent_operation, terminator
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.kernels import kernel_operations, span_of
from tilec.passes.analysis.mma.held_operands import holds_b_swapped
from tilec.passes.analysis.mma.wgmma_support import swapping_serves
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.diagnostics import remark

_SWAP = [1, 0]
_HELD = (
    "the mma is computed as its transpose, b.T @ a.T: wgmma takes a computed operand from registers"
    " only as the first one"
)
_SIGNS = ("signedness_a", "signedness_b")


@register_kernel_pass("nv-tileaa-swap-operands")
def swap_operands(function: Any, context: PassContext) -> bool:
    """Swap the operands of every product of a loop that gains by it."""
    dots = [op for op in kernel_operations(function) if op.name == "nv_tileaa.dot"]
    gaining = (op for op in dots if swapping_serves(op) or holds_b_swapped(op))
    found = [(op, _carried_number(op)) for op in gaining]
    carried = [(op, number) for op, number in found if number is not None]
    for op, number in carried:
        if not swapping_serves(op):
            context.sink.emit(remark("T0437", _HELD, span_of(op)))
        _swap(op, number)
    planned = read_kernel_fact(function, "planned_cluster", None)
    if planned and carried and len(carried) == len(dots):
        write_kernel_facts(function, planned_cluster=list(planned)[::-1])
    return bool(carried)


def _carried_number(dot: Any) -> int | None:
    """Return which carried value of its loop `dot` adds to; None if anything else touches it."""
    loop = parent_operation(dot)
    if loop is None or loop.name != "scf.for":
        return None
    block = loop.regions[0].blocks[0]
    sum_, carried = dot.results[0], dot.opview.c
    number = next((n for n, value in enumerate(terminator(block).operands) if value == sum_), None)
    if number is None or block.arguments[1 + number] != carried:
        return None
    alone = all(len(list(value.uses)) == 1 for value in (sum_, carried))
    return number if alone else None


def _swap(dot: Any, number: int) -> None:
    """Let a loop carry the transpose of the sum that it adds `dot` to."""
    loop = parent_operation(dot)
    result, carried = loop.results[number], loop.regions[0].blocks[0].arguments[1 + number]
    with ir.InsertionPoint(loop), loop.location:
        turned = ir.RankedTensorType.get(result.type.shape[::-1], result.type.element_type)
        loop.operands[FOR_BOUNDS + number] = _transposed(loop.operands[FOR_BOUNDS + number], turned)
    carried.set_type(turned)
    with ir.InsertionPoint(dot), dot.location:
        sum_ = _swapped(dot.opview, carried)
    replace_operation(dot, [sum_])
    result.set_type(turned)
    with ir.InsertionPoint.after(loop), loop.location:
        found = PermuteOp.build(result, _SWAP)
    result.replace_all_uses_except(found, found.owner.operation)


def _transposed(tile: Any, turned: Any) -> Any:
    """Return the transpose of `tile`; a constant of equal elements stays one."""
    if number_of(tile) is not None:
        return arith.constant(turned, resized(defining_operation(tile).attributes["value"], turned))
    return PermuteOp.build(tile, _SWAP)


def _swapped(dot: Any, carried: Any) -> Any:
    """Return B^T A^T + `carried`, of the operands as they are stored."""
    sum_ = DotOp.build(
        dot.b,
        dot.a,
        carried,
        a_major="k" if dot.b_major.value == "k" else "m",
        b_major="k" if dot.a_major.value == "k" else "n",
    )
    made = sum_.owner
    copy_product(dot.operation, made)
    for name, other in zip(_SIGNS, _SIGNS[::-1], strict=True):
        if name in dot.operation.attributes:
            made.attributes[other] = dot.operation.attributes[name]
    if "promote" in dot.operation.attributes:
        made.attributes["promote"] = dot.operation.attributes["promote"]
    return sum_
