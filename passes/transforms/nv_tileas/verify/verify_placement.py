"""Prove that no two things share bytes of shared memory, and that each has as many as it uses.

Changes nothing. Offsets, alignments, sizes and slots are computed anew from the uses of every
buffer, scratch area and mbarrier (`tilec.passes.analysis.protocol.placement`), whatever
`nv-tileas-assign-buffers` thought of them: the protocol check takes for given that a slot is nobody
else's. The first violation is an internal error that names the source line.
"""

from typing import Any

from tilec.passes.analysis.kernels import kernel_functions
from tilec.passes.analysis.protocol.placement import find_placement_error
from tilec.passes.registry import PassContext, register_pass
from tilec.support.diagnostics import InternalCompilerError, SourceSpan

NAME = "nv-tileas-verify-placement"


@register_pass(NAME)
def verify_placement(module: Any, context: PassContext) -> bool:
    """Check the shared memory of every kernel."""
    limit = context.target.shared_memory_bytes
    for function in kernel_functions(module):
        violation = find_placement_error(function, limit, context.buffer)
        if violation is not None:
            at = f"{violation.where}: " if violation.where else ""
            raise InternalCompilerError(
                f"{at}{violation.message}", pass_name=NAME, span=SourceSpan.read(violation.where)
            )
    return False
