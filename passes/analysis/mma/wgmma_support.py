"""Which products wgmma can do."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.layout import LayoutError, warpgroup_share

WGMMA_K = 16
"""K of one wgmma on 16-bit elements (PTX ISA, wgmma.mma_async shapes)."""
WGMMA_MAX_N = 256
"""Largest N of one wgmma (same table); wider tiles take several instructions."""
WGMMA_N_STEP = 8


def why_not_wgmma(op: Any, warpgroups: int) -> str | None:
    """Return why wgmma cannot do the product `op`, or None when it can."""
    dot = op.opview
    if len(dot.d.type.shape) != 2:
        return "the product is batched"
    m, n, k = dot.extents
    element, accumulator = dot.a.type.element_type, dot.d.type.element_type
    if not isinstance(element, ir.BF16Type | ir.F16Type) or dot.b.type.element_type != element:
        return f"the operands are {element} and {dot.b.type.element_type}, not both bf16 or f16"
    if not isinstance(accumulator, ir.F32Type):
        return f"the accumulator is {accumulator}, not f32"
    if n % WGMMA_N_STEP:
        return f"{n} columns are not a multiple of 8"
    try:
        warpgroup_share(m, n, warpgroups)
    except LayoutError:
        return f"{m} rows do not split into slices of 64 over {warpgroups} warpgroups"
    if k % WGMMA_K:
        return f"an inner extent of {k} is not a multiple of 16"
    return None
