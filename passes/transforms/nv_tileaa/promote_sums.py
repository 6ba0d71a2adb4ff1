"""Add the sums of a few elements of K to the accumulator in f32.

Before:  %d = dot %a, %b, %c {promote = 64}                      (K = 128)
After:   %s = dot %a, %b, %zeros {k_part = [0, 64]};  %1 = arith.addf %c, %s
         %t = dot %a, %b, %zeros {k_part = [64, 64]}; %d = arith.addf %1, %t

The tensor cores of Hopper keep about 14 bits of a sum of products of 8-bit floats, for any type of
the accumulator; a long K loses more (DeepSeek-V3 technical report, section 3.3.2). With `promote`,
the tensor cores add that many elements of K at most, and the CUDA cores add these sums in f32. This
takes a second accumulator, which the planner counts.

The CUDA cores add in f32 anyway, so a product that runs there is left as it is.
"""

from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import DotOp
from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.removal import replace_operation
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.registry import PassContext, register_kernel_pass

_OPTION = "promote"


@register_kernel_pass("nv-tileaa-promote-sums")
def promote_sums(function: Any, context: PassContext) -> bool:
    """Cut products that promote their sums along K, and add the parts in f32."""
    changed = False
    for op in kernel_operations(function):
        if op.name != "nv_tileaa.dot" or _OPTION not in op.attributes:
            continue
        every = integer(op, _OPTION)
        del op.attributes[_OPTION]
        changed = True
        if why_not_wgmma(op, 1) is None:
            with ir.InsertionPoint(op), op.location:
                _promote(op, every)
    return changed


def _promote(op: Any, every: int) -> None:
    dot = op.opview
    depth, total = dot.extents[2], dot.c
    zeros = full(total.type, 0)
    for first in range(0, depth, every):
        part = DotOp.build(
            dot.a, dot.b, zeros, a_major=dot.a_major.value, b_major=dot.b_major.value
        )
        made = part.owner
        if "precision" in op.attributes:
            made.attributes["precision"] = op.attributes["precision"]
        if every < depth:
            count = min(every, depth - first)
            made.attributes["k_part"] = ir.DenseI64ArrayAttr.get([first, count])
        total = arith.addf(total, part)
    replace_operation(op, [total])
