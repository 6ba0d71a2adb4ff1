"""Transpose computed A operands in registers, where threads compute them from what TMA loads.

Before:  %w = tiled_load ... -> KxM: i8;  %f = sitofp %w: KxM;  dot %f, %b {a_major = "m"}
After:   %f = ...;  %p = permute %f [1, 0] -> MxK;  dot %p, %b {a_major = "k"}

wgmma takes A from registers only with K along the rows of its fragments (PTX ISA, wgmma register
fragments). With M contiguous, threads would store A to a buffer, between two barriers for every
product. The permute renames registers: threads read the loaded tiles in the order of the fragment.
"""

from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import PermuteOp
from tilec.ir.bindings import ir
from tilec.passes.analysis.kernels import kernel_operations, tiled_access
from tilec.passes.analysis.mma.held_operands import fits_registers, source_loads
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.registry import PassContext, register_kernel_pass

_SWAP = [1, 0]


@register_kernel_pass("nv-tileaa-hold-operands")
def hold_operands(function: Any, context: PassContext) -> bool:
    """Permute computed A operands that registers can hold."""
    changed = False
    for op in kernel_operations(function):
        if op.name == "nv_tileaa.dot" and _holds(op):
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = PermuteOp.build(op.operands[0], _SWAP)
            op.attributes["a_major"] = ir.StringAttr.get("k")
            changed = True
    return changed


def _holds(dot: Any) -> bool:
    """Tell whether `dot` reads a computed A with M along its rows that can be in registers."""
    if dot.opview.a_major.value != "m" or why_not_wgmma(dot, 1) is not None:
        return False
    loads = source_loads(dot.operands[0])
    return (
        bool(loads)
        and all(tiled_access(load).uses_tma for load in loads or () if _is_matrix(load))
        and fits_registers(dot)
    )


def _is_matrix(load: Any) -> bool:
    """Tell whether more than one element is loaded for each row or column."""
    return sum(extent > 1 for extent in load.results[0].type.shape) > 1
