"""Transpose the operands of products that the instructions cannot read in their order in memory.

Before:  %w = tiled_load ... -> KxN: f8E4M3FN;  dot %a, %w {b_major = "n"}
After:   %w = tiled_load ... -> KxN;  %p = permute %w [1, 0] -> NxK;  dot %a, %p {b_major = "k"}

wgmma reads operands of 8 bits and of tf32 only if K is the contiguous axis in shared memory: it has
transpose bits for 16-bit types alone (PTX ISA, wgmma.mma_async). The registry of MMA atoms
(`tilec/support/mma_atoms.py`) says which instructions have them.

For every k-tile, threads read the permuted tile from its slot. A then stays in registers. B is
written to a buffer with the order that wgmma needs. Remark T0437 gives the number of bytes. An
array that is stored with K contiguous needs no transpose.
"""

from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import PermuteOp
from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.wgmma_support import family_of, why_not_wgmma
from tilec.passes.registry import PassContext, register_kernel_pass

_INNER = "k"
_SWAP = [1, 0]


@register_kernel_pass("nv-tileaa-orient-operands")
def orient_operands(function: Any, context: PassContext) -> bool:
    """Put the K axis of operands last where the instructions of a product need that."""
    changed = False
    for op in kernel_operations(function):
        if op.name != "nv_tileaa.dot" or why_not_wgmma(op, 1) is not None:
            continue
        family = family_of(op)
        if family is not None and not family.reads_transposed:
            changed |= _orient(op, "a_major", 0)
            changed |= _orient(op, "b_major", 1)
    return changed


def _orient(dot: Any, attribute: str, number: int) -> bool:
    """Permute operand `number` of `dot` unless K is its contiguous axis; tell whether it was."""
    if ir.StringAttr(dot.attributes[attribute]).value == _INNER:
        return False
    tile = dot.operands[number]
    before = defining_operation(tile)
    with ir.InsertionPoint(dot), dot.location:
        if before is not None and before.name == "nv_tileaa.permute":
            dot.operands[number] = before.operands[0]
        else:
            dot.operands[number] = PermuteOp.build(tile, _SWAP)
        dot.attributes[attribute] = ir.StringAttr.get(_INNER)
    if before is not None and before.name == "nv_tileaa.permute" and not is_used(before):
        erase(before)
    return True
