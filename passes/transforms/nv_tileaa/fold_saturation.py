"""Remove a clamp before a conversion to an 8-bit float, which saturates by itself.

Before:  %l = maximumf %x, dense<-448.0>; %c = minimumf %l, dense<448.0>
         %y = truncf %c : f32 to f8E4M3FN
After:   %y = truncf %x : f32 to f8E4M3FN

MLIR folds a constant beyond the range of the type to NaN or infinity. So the conversion to
nv_tileaa writes the clamp, and constants fold to what the hardware gives. At run time
`cvt.satfinite` saturates (PTX ISA, cvt). NaN stays NaN in both. The pass runs after the constants
have been folded; none are folded later.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.float8 import LARGEST_FLOAT8
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileaa-fold-saturation")
def fold_saturation(function: Any, context: PassContext) -> bool:
    """Let conversions to 8-bit floats read what was clamped to their range."""
    found = [op for op in kernel_operations(function) if op.name == "arith.truncf"]
    changed = [_fold(op) for op in found]
    return any(changed)


def _fold(truncation: Any) -> bool:
    """Let `truncation` read what is clamped for it; remove a clamp without other readers."""
    target = truncation.results[0].type
    if not isinstance(target, ir.RankedTensorType):  # scalars are no 8-bit floats
        return False
    largest = LARGEST_FLOAT8.get(str(target.element_type))
    if largest is None:
        return False
    below = _clamp(truncation.operands[0], "arith.minimumf", largest)
    above = below and _clamp(below.operands[0], "arith.maximumf", -largest)
    if not above:
        return False
    truncation.operands[0] = above.operands[0]
    for clamp in (below, above):
        if not is_used(clamp):
            erase(clamp)
    return True


def _clamp(value: Any, name: str, bound: float) -> Any:
    """Return the operation `name` of `value` with constant `bound`, or None."""
    op = defining_operation(value)
    is_clamp = op is not None and op.name == name and number_of(op.operands[1]) == bound
    return op if is_clamp else None
