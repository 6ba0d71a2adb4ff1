"""Multiply f32 as three products of leading and remaining bits.

Before:  %d = dot %a, %b, %c {precision = "tf32x3"} : f32
After:   %ah = %a & 0xffffe000; %al = %a - %ah; %bh = %b & 0xffffe000; %bl = %b - %bh
         %1 = dot %al, %b, %c {precision = "tf32"}; %2 = dot %a, %bl, %1 {precision = "tf32"}
         %d = dot %a, %b, %2 {precision = "tf32"}

Tensor cores read the first 10 bits of the mantissa of an f32 and ignore the others (PTX ISA, tf32).
So a tile is its own leading part, and the remaining part is what is left without these bits.
`bf16x3` rounds to bf16 instead: the leading and the remaining parts are tiles of bf16.

The product of the two remaining parts is left out: it is below 2^-20 (tf32) or 2^-16 (bf16) of the
result. The smallest products are added first. An infinite operand gives NaN.
"""

from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import DotOp
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.removal import replace_operation
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass

_KEPT_BITS = -(1 << 13)
"""The bits of an f32 that tf32 has: all but the last 13 (PTX ISA, tf32)."""


@register_kernel_pass("nv-tileaa-split-precision")
def split_precision(function: Any, context: PassContext) -> bool:
    """Turn products of f32 in three parts into products that the tensor cores have."""
    changed = False
    for op in kernel_operations(function):
        name = op.attributes.get("precision") if op.name == "nv_tileaa.dot" else None
        split = None if name is None else _SPLITS.get(ir.StringAttr(name).value)
        if split is not None:
            with ir.InsertionPoint(op), op.location:
                _expand(op, *split)
            changed = True
    return changed


def _expand(op: Any, split: Any, precision: str | None) -> None:
    dot = op.opview
    (a, a_rest), (b, b_rest) = split(dot.a), split(dot.b)
    total = dot.c
    for left, right in ((a_rest, b), (a, b_rest), (a, b)):
        total = DotOp.build(
            left, right, total, a_major=dot.a_major.value, b_major=dot.b_major.value
        )
        made = total.owner
        if precision is not None:
            made.attributes["precision"] = ir.StringAttr.get(precision)
        if "promote" in op.attributes:
            made.attributes["promote"] = op.attributes["promote"]
    replace_operation(op, [total])


def _split_tf32(tile: Any) -> tuple[Any, Any]:
    """Return a tile whose first bits count, and what its other bits are worth."""
    bits = ir.RankedTensorType.get(tile.type.shape, ir.IntegerType.get_signless(32))
    kept = arith.andi(arith.bitcast(bits, tile), full(bits, _KEPT_BITS))
    return tile, arith.subf(tile, arith.bitcast(tile.type, kept))


def _split_bf16(tile: Any) -> tuple[Any, Any]:
    """Return a tile rounded to bf16, and what it leaves, rounded as well."""
    short = ir.RankedTensorType.get(tile.type.shape, ir.BF16Type.get())
    high = arith.truncf(short, tile)
    rest = arith.subf(tile, arith.extf(tile.type, high))
    return high, arith.truncf(short, rest)


_SPLITS: dict[str, tuple[Any, str | None]] = {
    "tf32x3": (_split_tf32, "tf32"),
    "bf16x3": (_split_bf16, None),
}
"""Precision -> how an operand is split, and the precision of the products of its parts."""
