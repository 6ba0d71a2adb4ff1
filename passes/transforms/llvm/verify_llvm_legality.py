"""Refuse operations and intrinsics that LLVM or its NVPTX backend cannot compile.

Changes nothing. Translation to LLVM IR and instruction selection end the process on what they do
not know. So every operation and intrinsic is compared with a list of what works, and everything
else is reported at its source line (T0601, T0602).
"""

from typing import Any

from tilec.codegen.legality import check_legality
from tilec.passes.registry import PassContext, register_pass


@register_pass("verify-llvm-legality")
def verify_llvm_legality(module: Any, context: PassContext) -> bool:
    """Reject operations and intrinsics that LLVM or its NVPTX backend cannot take.

    Both translation and instruction selection end the process instead of reporting an error, so
    whatever they would choke on has to be found before.

    Args:
        module: An `ir.Module` in the llvm and nvvm dialects. Not changed.
        context: Not consulted.

    Raises:
        CompileError: Something in `module` is not legal; names every such operation and its place.
    """
    check_legality(module)
    return False
